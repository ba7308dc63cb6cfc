// The views that show what the picture hides, by the names that --debug and the title use. What
// each draws is made in debug_shapes.h; F4 goes through them one after the other.
//
//   masks, cells, quads   from the own replica's terrain, near the camera
//   contacts, water       from the zone, around the player (DebugRequest)
//   sleep, bvh            from the nodes that the zone sends anyway
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "shared/core/result.h"

namespace terrane {

enum class DebugView : std::uint8_t { masks, cells, quads, contacts, water, sleep, bvh };

inline constexpr std::array<DebugView, 7> kDebugViews{
    DebugView::masks, DebugView::cells, DebugView::quads, DebugView::contacts,
    DebugView::water, DebugView::sleep, DebugView::bvh};

/// A set of views.
struct DebugViewSet {
    std::uint8_t bits = 0;

    bool has(DebugView view) const { return ((bits >> static_cast<unsigned>(view)) & 1U) != 0; }
    bool is_empty() const { return bits == 0; }
    friend bool operator==(const DebugViewSet&, const DebugViewSet&) = default;
};

DebugViewSet only(DebugView view);
std::string_view name_of(DebugView view);
/// What the colours mean, in one line for people.
std::string_view legend_of(DebugView view);
/// "masks,quads"; "" of none.
std::string names_of(DebugViewSet views);
/// Names with commas between them. A wrong one's error lists the right ones.
Result<DebugViewSet> parse_debug_views(std::string_view text);
/// What F4 shows next: none, each alone in their order, none. After several at once: none.
DebugViewSet view_after(DebugViewSet views);

}  // namespace terrane
