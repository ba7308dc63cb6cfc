// The culling half of SceneGraph: which nodes meet a frustum.
#include <array>

#include "shared/scene/scene_graph.h"

namespace terrane {

namespace {

/// The planes still open for the subtree that ends at `end`.
struct OpenBranch {
    std::uint32_t end = 0;
    PlaneMask mask = kAllPlanes;
};

/// Deeper trees than this test all planes again below it, which costs time, not truth.
constexpr std::size_t kRememberedDepth = 64;

}  // namespace

CullStat SceneGraph::cull(const Frustum& frustum, std::vector<NodeId>& out) const {
    CullStat stat;
    std::array<OpenBranch, kRememberedDepth> open;
    std::size_t depth = 0;
    const auto count = static_cast<std::uint32_t>(id_.size());
    for (std::uint32_t i = 0; i < count;) {
        while (depth > 0 && i >= open[depth - 1].end) {
            --depth;
        }
        if ((flags_[i] & kNodeDead) != 0) {
            ++i;
            continue;
        }
        PlaneMask mask = depth > 0 ? open[depth - 1].mask : kAllPlanes;
        ++stat.spheres_tested;
        Containment found = classify(frustum, subtree_sphere_[i], mask);
        if (found == Containment::intersecting) {
            ++stat.boxes_tested;
            found = classify(frustum, subtree_box_[i], mask);
        }
        if (found == Containment::intersecting && end_[i] > i + 1) {
            PlaneMask own_mask = mask;
            ++stat.boxes_tested;
            if ((flags_[i] & kNodeBoxless) == 0 &&
                classify(frustum, world_box_[i], own_mask) != Containment::outside) {
                out.push_back(id_[i]);
            }
            if (depth < kRememberedDepth) {
                open[depth++] = {end_[i], mask};
            }
            ++i;
            continue;
        }
        if (found != Containment::outside) {
            append_range(i, end_[i], out);
        }
        i = end_[i];
    }
    return stat;
}

void SceneGraph::append_range(std::uint32_t first, std::uint32_t end,
                              std::vector<NodeId>& out) const {
    for (std::uint32_t i = first; i < end; ++i) {
        if ((flags_[i] & (kNodeDead | kNodeBoxless)) == 0) {
            out.push_back(id_[i]);
        }
    }
}

}  // namespace terrane
