#include "shared/bvh/build_mean.h"

#include "shared/bvh/top_down.h"

namespace terrane {

Bvh build_mean(std::span<const Aabb> boxes, const MeanConfig& config) {
    return build_top_down(boxes, split_by_mean, {.leaf_objects_max = config.leaf_objects_max});
}

std::uint32_t split_by_mean(const SplitNode& node) {
    const CentreSpread spread = spread_of(node.objects);
    return split_at(node.objects, spread.axis, spread.mean2);
}

}  // namespace terrane
