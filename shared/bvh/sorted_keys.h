// Objects in Morton order: codes of their boxes' centres, sorted by a stable radix sort (least
// digit first, 11 bits a pass), equal codes by index. Cut into parts by the number of objects
// alone, so any number of threads gives one result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/bvh/morton.h"
#include "shared/core/worker_pool.h"

namespace terrane {

struct SortedKey {
    std::uint64_t code;
    std::uint32_t object;
};

/// The keys of all usable boxes, ascending.
std::vector<SortedKey> sorted_keys(std::span<const Aabb> boxes, MortonCode code,
                                   WorkerPool* pool = nullptr);

}  // namespace terrane
