// Which chunks the zone has, and who fetches the rest. Every player wants the chunks of its view;
// what is wanted and not there is loaded from the store or generated on a worker, nearest first, at
// most so many at a time. A finished chunk waits in a queue until the tick takes it as a
// ChunkCommand: only the tick changes the world. Chunks stay once they are here.
//
// Owner: app/Zone. Thread: tick, but for the workers' end of the queue.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "server/world/world.h"
#include "shared/core/worker_pool.h"

namespace terrane {

struct FetchedChunk {
    ChunkCoord coord;
    Chunk chunk;
    std::vector<std::uint8_t> blob;  ///< the chunk encoded: sent and stored as it is
};

/// Loads or generates one chunk. Thread: a worker.
using ChunkSource = std::function<FetchedChunk(const ChunkCoord&)>;

class ChunkResidency {
  public:
    ChunkResidency(WorkerPool& workers, ChunkSource source, std::uint32_t in_flight_max = 64);

    /// The player's view is `radius` chunks around its chunk; asks for what is missing.
    void want_view(const World& world, const Player& player, std::uint32_t radius);
    void forget_player(EntityId player);
    /// What finished since the last call, ascending by coordinate.
    std::vector<FetchedChunk> take_finished();
    std::size_t in_flight() const { return requested_.size(); }

  private:
    /// Where a player's walk through its view list stands: everything before `next` is here or
    /// asked.
    struct View {
        ChunkCoord centre;
        std::uint32_t radius = 0;
        std::size_t next = 0;
    };
    struct Finished {
        std::mutex mutex;
        std::vector<FetchedChunk> chunks;
    };

    void want_chunk(const World& world, const ChunkCoord& coord);
    bool can_ask() const { return requested_.size() < in_flight_max_; }
    void ask(const ChunkCoord& coord);

    WorkerPool* workers_;
    ChunkSource source_;
    std::uint32_t in_flight_max_;
    std::map<EntityId, View> views_;
    std::unordered_set<ChunkCoord> requested_;
    std::shared_ptr<Finished> finished_;  ///< shared with jobs that may outlive us
};

}  // namespace terrane
