// Top-down tree by the binned surface-area heuristic (Wald, "On fast Construction of SAH-based
// Bounding Volume Hierarchies", 2007): along all three axes the centres' bounds are cut into bins;
// two sweeps over the bins, each with a running union, price every plane between them as
// area * count on either side, and the cheapest plane of all is taken.
#pragma once

#include <span>

#include "shared/bvh/bvh.h"

namespace terrane {

inline constexpr std::uint32_t kSahBinsMax = 64;

struct SahConfig {
    std::uint32_t leaf_objects_max = 4;
    std::uint32_t bin_count = 16;  ///< 2 to kSahBinsMax
};

Bvh build_sah(std::span<const Aabb> boxes, const SahConfig& config = {});
/// The rule by itself, for builds in steps: a SplitRule.
std::uint32_t split_by_sah(const struct SplitNode& node);

}  // namespace terrane
