// Balanced top-down tree: the longest axis of the centres' bounds, half of the objects by centre on
// either side. Split by index, not by value: equal centres would never end otherwise.
#pragma once

#include <span>

#include "shared/bvh/bvh.h"

namespace terrane {

struct MedianConfig {
    std::uint32_t leaf_objects_max = 4;
};

Bvh build_median(std::span<const Aabb> boxes, const MedianConfig& config = {});
/// The rule by itself, for builds in steps: a SplitRule.
std::uint32_t split_by_median(const struct SplitNode& node);

}  // namespace terrane
