#include <algorithm>

#include "shared/bvh/binary_walk.h"
#include "shared/bvh/wide_ask.h"

namespace terrane {
namespace {

/// Nothing to find in an empty tree or volume.
template <typename Volume>
void answer_within(const Volume& asked, OverlapAsk& ask) {
    const Volume volume = within_bounds(asked);
    if (!ask.tree->nodes.empty() && !is_empty(volume)) {
        answer(volume, ask);
    }
}

RayAsk ray_ask(const WideBvh& tree, const RayProbe& probe, AskMode mode, HitTest test) {
    RayAsk ask;
    ask.tree = &tree;
    ask.probe = &probe;
    ask.mode = mode;
    ask.test = test;
    return ask;
}

}  // namespace

std::optional<BvhHit> closest_hit(const WideBvh& tree, const RayProbe& probe, HitTest test) {
    if (tree.nodes.empty()) {
        return std::nullopt;
    }
    RayAsk ask = ray_ask(tree, probe, AskMode::closest, test);
    answer(ask);
    return ask.is_hit ? std::optional(ask.best) : std::nullopt;
}

bool any_hit(const WideBvh& tree, const RayProbe& probe, HitTest test) {
    if (tree.nodes.empty()) {
        return false;
    }
    RayAsk ask = ray_ask(tree, probe, AskMode::any, test);
    answer(ask);
    return ask.is_hit;
}

void all_hits(const WideBvh& tree, const RayProbe& probe, std::vector<BvhHit>& hits, HitTest test) {
    if (tree.nodes.empty()) {
        return;
    }
    const std::size_t from = hits.size();
    RayAsk ask = ray_ask(tree, probe, AskMode::all, test);
    ask.hits = &hits;
    answer(ask);
    sort_by_object(hits, from);
}

template <typename Volume>
bool any_overlap(const WideBvh& tree, const Volume& volume, ObjectTest test) {
    OverlapAsk ask;
    ask.tree = &tree;
    ask.mode = AskMode::any;
    ask.test = test;
    answer_within(volume, ask);
    return ask.is_met;
}

template <typename Volume>
void all_overlaps_unordered(const WideBvh& tree, const Volume& volume,
                            std::vector<std::uint32_t>& objects, ObjectTest test) {
    OverlapAsk ask;
    ask.tree = &tree;
    ask.mode = AskMode::all;
    ask.test = test;
    ask.objects = &objects;
    answer_within(volume, ask);
}

template <typename Volume>
void all_overlaps(const WideBvh& tree, const Volume& volume, std::vector<std::uint32_t>& objects,
                  ObjectTest test) {
    const auto from = static_cast<std::ptrdiff_t>(objects.size());
    all_overlaps_unordered(tree, volume, objects, test);
    std::sort(objects.begin() + from, objects.end());
}

template <typename Volume>
std::optional<BvhNearest> closest_overlap(const WideBvh& tree, const Volume& volume,
                                          const Vec3& point, ObjectTest test) {
    OverlapAsk ask;
    ask.tree = &tree;
    ask.mode = AskMode::closest;
    ask.point = point;
    ask.test = test;
    answer_within(volume, ask);
    return ask.is_met ? std::optional(ask.best) : std::nullopt;
}

#define TERRANE_WIDE_VOLUME(Volume)                                                                \
    template bool any_overlap(const WideBvh&, const Volume&, ObjectTest);                          \
    template void all_overlaps(const WideBvh&, const Volume&, std::vector<std::uint32_t>&,         \
                               ObjectTest);                                                        \
    template void all_overlaps_unordered(const WideBvh&, const Volume&,                            \
                                         std::vector<std::uint32_t>&, ObjectTest);                 \
    template std::optional<BvhNearest> closest_overlap(const WideBvh&, const Volume&, const Vec3&, \
                                                       ObjectTest)
TERRANE_WIDE_VOLUME(Aabb);
TERRANE_WIDE_VOLUME(Sphere);
TERRANE_WIDE_VOLUME(Frustum);
#undef TERRANE_WIDE_VOLUME

}  // namespace terrane
