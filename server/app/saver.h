// Phase 10: what changed goes to the store once a second, as one batch that becomes one
// transaction: the chunks edited since the last batch, every player, the bodies that moved, the
// bodies that are gone. Chunks are encoded on a worker, from copies that share their planes with
// the world; one that has left the grid since is in the archive as it was.
//
// Owner: app/Zone. Thread: tick, but for the encoding job.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "server/replication/chunk_archive.h"
#include "server/store/store.h"
#include "server/world/step_world.h"
#include "shared/core/worker_pool.h"

namespace terrane {

class Saver {
  public:
    /// All three must outlive this.
    Saver(Store& store, WorkerPool& workers, const ChunkArchive& archive,
          std::uint32_t interval_ticks);

    /// After every step, before the next.
    void note(const World& world, const StepResult& result);
    /// When the interval is over and the last batch is out: starts the next one.
    void run(const World& world);
    /// As generated; saved where nothing is stored yet.
    void add_grown(std::vector<StoredChunk> chunks);
    std::size_t grown_waiting() const { return grown_chunks_.size(); }
    /// The next run() does not wait for the interval.
    void hurry() { next_tick_ = 0; }
    /// Saves what is left and waits. True: everything is durable. False: the store has failed, and
    /// what changed since its durable tick is lost (logged).
    bool finish(const World& world);

  private:
    struct Encoding {
        std::mutex mutex;
        std::optional<StoreBatch> done;
    };

    bool has_changes(const World& world) const;
    StoreBatch take_batch(const World& world);
    void start_encoding(const World& world);
    bool submit_encoded();

    Store* store_;
    WorkerPool* workers_;
    const ChunkArchive* archive_;
    std::uint64_t interval_ticks_;
    std::uint64_t next_tick_;
    bool is_encoding_ = false;
    std::shared_ptr<Encoding> encoding_;  ///< shared with a job that may outlive us
    std::set<ChunkCoord> chunks_;
    std::set<ChunkCoord> props_;  ///< chunks some of whose props are gone
    std::set<EntityId> bodies_;
    std::set<EntityId> removed_bodies_;
    std::vector<StoredPlayer> left_players_;
    std::optional<StoredPoint> spawn_point_;
    std::vector<StoredChunk> grown_chunks_;
};

StoredPlayer to_stored(const Player& player);
PlayerState from_stored(const StoredPlayer& player);
StoredBody to_stored(const World& world, const Body& body);
BodyState from_stored(const StoredBody& body);

}  // namespace terrane
