// Hierarchical linear BVH (Pantaleoni and Luebke, "HLBVH: Hierarchical LBVH Construction for
// Real-Time Ray Tracing", 2010): objects whose Morton codes share the high 12 bits form a treelet,
// built like `lbvh`, each by any thread; above them the treelets' boxes are joined by `sah`.
#pragma once

#include <span>

#include "shared/bvh/bvh.h"
#include "shared/bvh/morton.h"
#include "shared/core/worker_pool.h"

namespace terrane {

struct HlbvhConfig {
    std::uint32_t leaf_objects_max = 4;
    MortonCode code = MortonCode::by_length;
    int treelet_bits = 12;  ///< of the code's highest
    std::uint32_t bin_count = 16;
    WorkerPool* pool = nullptr;  ///< any number of threads, one result
};

Bvh build_hlbvh(std::span<const Aabb> boxes, const HlbvhConfig& config = {});

}  // namespace terrane
