// Top-down tree by PhysX's "splatter" rule: the axis along which the centres vary most, the plane
// through the middle of the node's box.
#pragma once

#include <span>

#include "shared/bvh/bvh.h"

namespace terrane {

struct SplatterConfig {
    std::uint32_t leaf_objects_max = 4;
};

Bvh build_splatter(std::span<const Aabb> boxes, const SplatterConfig& config = {});
/// The rule by itself, for builds in steps: a SplitRule.
std::uint32_t split_by_splatter(const struct SplitNode& node);

}  // namespace terrane
