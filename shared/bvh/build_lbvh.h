// Linear BVH (Lauterbach and others, "Fast BVH Construction on GPUs", 2009): objects in Morton
// order, the hierarchy read off the sorted codes by Karras's rule (linked_tree.h). The cheapest
// build; by_length codes keep its cost near that of `sah` (morton.h).
#pragma once

#include <span>

#include "shared/bvh/bvh.h"
#include "shared/bvh/morton.h"
#include "shared/core/worker_pool.h"

namespace terrane {

struct LbvhConfig {
    std::uint32_t leaf_objects_max = 4;
    MortonCode code = MortonCode::by_length;
    WorkerPool* pool = nullptr;  ///< any number of threads, one result
};

Bvh build_lbvh(std::span<const Aabb> boxes, const LbvhConfig& config = {});

}  // namespace terrane
