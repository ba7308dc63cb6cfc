// Grows a part of the zone ahead of its players, and keeps it: chunks that nobody has been to yet
// are generated on workers and go to the store with the next save, a few at a time beside the
// zone's own loading. What is stored already, and above all what somebody changed, stays as it is.
//
// Owner: Zone. Thread: tick, but for the workers' end of the queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "server/app/chunk_source.h"
#include "server/store/store.h"
#include "shared/core/worker_pool.h"

namespace terrane {

/// Columns of chunks, both ends included.
struct ChunkColumns {
    std::int32_t min_x = 0;
    std::int32_t min_z = 0;
    std::int32_t max_x = -1;
    std::int32_t max_z = -1;
};

/// Areas that wait or grow; more are refused.
inline constexpr std::size_t kPregenAreasMax = 16;

class Pregen {
  public:
    Pregen(WorkerPool& workers, ChunkSource source, const GridBounds& bounds);

    /// Queues the part of `columns` that lies in the zone; returns how many chunks that are, 0 if
    /// kPregenAreasMax areas wait already.
    std::size_t want(const ChunkColumns& columns);
    /// Once a tick: what has grown since the last call, for StoreBatch.grown_chunks. Starts no more
    /// while `is_store_busy`.
    std::vector<StoredChunk> run(bool is_store_busy);
    /// Chunks that still wait or grow.
    std::size_t waiting() const { return queued_ + in_flight_; }
    bool is_full() const { return areas_.size() >= kPregenAreasMax; }

  private:
    /// The box of chunks that is left of an area: whole layers of z, and of the first one what is
    /// from `next` on.
    struct Area {
        ChunkCoord min;
        ChunkCoord max;
        ChunkCoord next;
    };
    struct Finished {
        std::mutex mutex;
        std::vector<StoredChunk> chunks;
    };

    ChunkCoord take_next();

    WorkerPool* workers_;
    ChunkSource source_;
    GridBounds bounds_;
    std::deque<Area> areas_;
    std::size_t queued_ = 0;  ///< chunks in areas_
    std::size_t in_flight_ = 0;
    std::shared_ptr<Finished> finished_;  ///< shared with jobs that may outlive us
};

}  // namespace terrane
