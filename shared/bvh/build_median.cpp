#include "shared/bvh/build_median.h"

#include "shared/bvh/top_down.h"

namespace terrane {

Bvh build_median(std::span<const Aabb> boxes, const MedianConfig& config) {
    return build_top_down(boxes, split_by_median, {.leaf_objects_max = config.leaf_objects_max});
}

std::uint32_t split_by_median(const SplitNode& node) {
    return split_in_halves(node.objects, longest_axis(node.centres2));
}

}  // namespace terrane
