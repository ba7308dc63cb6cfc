#include "client-stub/viewer/debug_views.h"

#include <algorithm>
#include <bit>

namespace terrane {

DebugViewSet only(DebugView view) {
    return {static_cast<std::uint8_t>(1U << static_cast<unsigned>(view))};
}

std::string_view name_of(DebugView view) {
    switch (view) {
        case DebugView::masks:
            return "masks";
        case DebugView::cells:
            return "cells";
        case DebugView::quads:
            return "quads";
        case DebugView::contacts:
            return "contacts";
        case DebugView::water:
            return "water";
        case DebugView::sleep:
            return "sleep";
        case DebugView::bvh:
            break;
    }
    return "bvh";
}

std::string_view legend_of(DebugView view) {
    switch (view) {
        case DebugView::masks:
            return "the outside of the dilated masks near the camera: orange solid, blue water";
        case DebugView::cells:
            return "active cells near the camera, each from the middle of the voxel that owns the "
                   "quad to that of the next: cyan";
        case DebugView::quads:
            return "quads of the colliders near the camera: green, their diagonals dark";
        case DebugView::contacts:
            return "contacts around the player, with normals: yellow on the ground, pink between "
                   "bodies, red where they overlap by more than 2 cm";
        case DebugView::water:
            return "bodies in water around the player: a square at the water's level, a line from "
                   "the body's middle, white afloat to blue under water";
        case DebugView::sleep:
            return "bodies: blue asleep, orange awake, red held where the zone has no ground "
                   "loaded";
        case DebugView::bvh:
            break;
    }
    return "boxes of the trees over props and over moving bodies, red at the root to violet";
}

std::string names_of(DebugViewSet views) {
    std::string names;
    for (const DebugView view : kDebugViews) {
        if (views.has(view)) {
            names += names.empty() ? "" : ",";
            names += name_of(view);
        }
    }
    return names;
}

Result<DebugViewSet> parse_debug_views(std::string_view text) {
    DebugViewSet views;
    std::string_view rest = text;
    while (true) {
        const std::size_t comma = rest.find(',');
        const std::string_view name = rest.substr(0, comma);
        const auto* const found = std::ranges::find(kDebugViews, name, name_of);
        if (found == kDebugViews.end()) {
            std::string known;
            for (const DebugView view : kDebugViews) {
                known += fmt::format("{}{}", known.empty() ? "" : ", ", name_of(view));
            }
            return fail("'{}' is no debug view: {}; several with commas between", name, known);
        }
        views.bits |= only(*found).bits;
        if (comma == std::string_view::npos) {
            return views;
        }
        rest.remove_prefix(comma + 1);
    }
}

DebugViewSet view_after(DebugViewSet views) {
    if (views.is_empty()) {
        return only(kDebugViews.front());
    }
    const unsigned next = static_cast<unsigned>(views.bits) << 1U;
    const bool is_last = next >= 1U << kDebugViews.size();
    return !std::has_single_bit(views.bits) || is_last
               ? DebugViewSet{}
               : DebugViewSet{static_cast<std::uint8_t>(next)};
}

}  // namespace terrane
