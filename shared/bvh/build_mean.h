// Top-down tree: the axis along which the centres vary most, the plane through their mean.
#pragma once

#include <span>

#include "shared/bvh/bvh.h"

namespace terrane {

struct MeanConfig {
    std::uint32_t leaf_objects_max = 4;
};

Bvh build_mean(std::span<const Aabb> boxes, const MeanConfig& config = {});
/// The rule by itself, for builds in steps: a SplitRule.
std::uint32_t split_by_mean(const struct SplitNode& node);

}  // namespace terrane
