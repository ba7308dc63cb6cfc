// Runs the parts of one piece of work on a pool's threads and the caller's. The caller takes parts
// too and never waits for a job that has not begun, so it may itself be a job of the pool. Which
// thread runs a part must not matter: parts write to places of their own.
#pragma once

#include <cstdint>

#include "shared/bvh/query.h"
#include "shared/core/worker_pool.h"

namespace terrane {

/// Calls `part(i)` once for each i below `part_count`; returns when all have returned. Without a
/// pool, in order on the caller's thread.
void run_parts(WorkerPool* pool, std::uint32_t part_count, CallRef<void(std::uint32_t)> part);

}  // namespace terrane
