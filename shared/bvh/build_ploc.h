// Parallel locally-ordered clustering (Meister and Bittner, 2018), bottom-up: clusters lie in
// Morton order; each looks `search_radius` places left and right for the one with which its union
// has the least surface; pairs that choose each other merge; and again, until one is left. Here for
// completeness: for scattered boxes it costs more than `sah` and gives no better tree.
#pragma once

#include <span>

#include "shared/bvh/bvh.h"
#include "shared/bvh/morton.h"

namespace terrane {

struct PlocConfig {
    std::uint32_t leaf_objects_max = 4;
    std::uint32_t search_radius = 10;  ///< at least 1
    MortonCode code = MortonCode::by_length;
};

Bvh build_ploc(std::span<const Aabb> boxes, const PlocConfig& config = {});

}  // namespace terrane
