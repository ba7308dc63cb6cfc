#include "shared/bvh/build_splatter.h"

#include "shared/bvh/top_down.h"

namespace terrane {

Bvh build_splatter(std::span<const Aabb> boxes, const SplatterConfig& config) {
    return build_top_down(boxes, split_by_splatter, {.leaf_objects_max = config.leaf_objects_max});
}

std::uint32_t split_by_splatter(const SplitNode& node) {
    const std::uint32_t axis = spread_of(node.objects).axis;
    // low + high is twice the box's middle, as centre2() is twice a centre.
    return split_at(node.objects, axis, node.box.low[axis] + node.box.high[axis]);
}

}  // namespace terrane
