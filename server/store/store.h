// What survives a restart: changed chunks, players and bodies, in one SQLite file (WAL,
// synchronous = FULL). The tick hands over batches; one store thread writes each as one transaction
// and then raises the durable mark. Reads happen on any thread through a connection of their own.
// Exactly one connection writes and checkpoints (SQLite before 3.51.3 can corrupt otherwise). Every
// blob carries a checksum; a row that does not match is reported and skipped, never served.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/core/result.h"
#include "shared/voxel/coords.h"

namespace terrane {

/// What the file was made with; opening it with other values is refused with a clear line.
struct StoreVersions {
    std::uint32_t generator = 1;
    std::uint32_t brush = 1;
    std::uint64_t seed = 1;
};

struct StoredChunk {
    ChunkCoord coord;
    std::vector<std::uint8_t> blob;  ///< chunk_codec
};
struct StoredPlayer {
    std::string name;
    std::uint64_t id = 0;
    float position[3] = {};
    float velocity[3] = {};
    std::uint16_t yaw = 0;
    std::int16_t pitch = 0;
};
struct StoredBody {
    std::uint64_t id = 0;
    std::string kind;
    float position[3] = {};
    float rotation[4] = {0, 0, 0, 1};  ///< x y z w
    float linear_velocity[3] = {};
    float angular_velocity[3] = {};
    bool is_asleep = false;
};

/// All or nothing: one transaction.
struct StoreBatch {
    std::uint64_t tick = 0;
    std::uint64_t next_entity = 0;  ///< ids below it are used up
    std::vector<StoredChunk> chunks;
    std::vector<StoredPlayer> players;
    std::vector<StoredBody> bodies;
    std::vector<std::uint64_t> removed_bodies;
};

struct StoreStats {
    std::uint64_t durable_tick = 0;
    std::uint64_t commits = 0;
    std::uint32_t queued_batches = 0;
    std::uint64_t bad_rows = 0;
    bool has_failed = false;  ///< a write failed: nothing more is written, the zone must stop
    std::string failure;
};

class Store {
  public:
    /// Creates `folder`/zone.db if needed. Fails if another process has it open, its versions
    /// differ, or it is damaged: the line names the file and what to do.
    static Result<std::unique_ptr<Store>> open(const std::string& folder,
                                               const StoreVersions& versions);
    ~Store();  ///< commits what was submitted
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    std::uint64_t next_entity() const;  ///< at opening
    std::uint64_t last_tick() const;    ///< at opening
    /// How often this folder has been opened, this time included, durable before open() returns:
    /// ids that hold it are never used again, whatever a crash forgot.
    std::uint64_t start_count() const;
    /// Thread: any. nullopt: never stored (or damaged: counted).
    std::optional<std::vector<std::uint8_t>> load_chunk(const ChunkCoord& coord) const;
    std::optional<StoredPlayer> load_player(const std::string& name) const;
    std::vector<StoredBody> load_bodies() const;  ///< ascending by id

    /// Thread: tick. Never blocks on the disk. Returns false if the queue is full (limit 64
    /// batches) or the store has failed: the caller keeps its changes and tries again next tick.
    bool submit(StoreBatch batch);
    /// Waits until everything submitted is durable or has failed.
    void drain();
    StoreStats stats() const;

  private:
    struct State;
    explicit Store(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace terrane
