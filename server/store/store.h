// What survives a restart: changed chunks, players and bodies, in one SQLite file (WAL,
// synchronous = FULL). The tick hands over batches; one store thread writes each as one transaction
// and then raises the durable mark. Reads happen on any thread through a connection of their own.
// Exactly one connection writes and checkpoints (SQLite before 3.51.3 can corrupt otherwise). Every
// blob carries a checksum; a row that does not match is reported and skipped, never served. A
// chunk's row that cannot be used is somebody's building all the same: before a new one takes its
// place, the same transaction copies it to the table damaged_chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/core/result.h"
#include "shared/voxel/coords.h"

namespace terrane {

/// One key of the configuration that the terrain hangs on, and its value as text.
struct StoreSetting {
    std::string key;
    std::string value;

    friend bool operator==(const StoreSetting&, const StoreSetting&) = default;
};

/// What the file was made with; opening it with other values is refused with a clear line.
struct StoreVersions {
    std::uint32_t generator = 1;
    std::uint32_t brush = 1;
    std::uint64_t seed = 1;
    std::vector<StoreSetting> settings;  ///< each key once; at most 1000, like materials
    /// Names by id. Stored chunks hold ids: new names may follow, all others must stay.
    std::vector<std::string> materials;
};

struct StoredChunk {
    ChunkCoord coord;
    std::vector<std::uint8_t> blob;  ///< chunk_codec
};
/// Which props of a chunk stand no longer: bit i = the prop with index i.
struct StoredProps {
    ChunkCoord coord;
    std::uint64_t removed = 0;
};
struct StoredPlayer {
    std::string name;
    std::uint64_t id = 0;
    float position[3] = {};
    float velocity[3] = {};
    std::uint16_t yaw = 0;
    std::int16_t pitch = 0;
    std::uint64_t vehicle = 0;  ///< the body it sat in, 0: none
    std::uint8_t seat = 0;
};
struct StoredPoint {
    float position[3] = {};
};
struct StoredBody {
    std::uint64_t id = 0;
    std::string kind;
    float position[3] = {};
    float rotation[4] = {0, 0, 0, 1};  ///< x y z w
    float linear_velocity[3] = {};
    float angular_velocity[3] = {};
    bool is_asleep = false;
    std::vector<std::uint8_t> piece;  ///< of a piece: its voxels (shared/voxel/voxel_piece.h)
};

/// All or nothing: one transaction.
struct StoreBatch {
    std::uint64_t tick = 0;
    std::vector<StoredChunk> chunks;
    std::vector<StoredChunk> grown_chunks;  ///< as generated: written only where no row is yet
    std::vector<StoredProps> props;
    std::vector<StoredPlayer> players;
    std::vector<StoredBody> bodies;
    std::vector<std::uint64_t> removed_bodies;
    std::optional<StoredPoint> spawn_point;  ///< if there is a new one
};

struct StoreStats {
    std::uint64_t durable_tick = 0;
    std::uint64_t commits = 0;
    double last_commit_s = 0.0;  ///< how long the newest transaction took
    std::uint32_t queued_batches = 0;
    std::uint64_t bad_rows = 0;
    std::uint64_t chunks_kept_aside = 0;  ///< rows copied to damaged_chunks
    bool has_failed = false;              ///< a read or a write failed: the zone must stop
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

    std::uint64_t last_tick() const;  ///< at opening
    /// How often this folder has been opened, this time included, durable before open() returns:
    /// ids that hold it are never used again, whatever a crash forgot.
    std::uint64_t start_count() const;
    std::optional<StoredPoint> spawn_point() const;  ///< at opening
    /// Thread: any. nullopt: never stored. Error, already logged: a damaged row, counted, which is
    /// kept aside before it is replaced; or the file cannot be read, also not at the fourth
    /// attempt: the store has failed, and nothing that is submitted from now on is written.
    Result<std::optional<std::vector<std::uint8_t>>> load_chunk(const ChunkCoord& coord);
    /// The chunk's bytes are whole and mean nothing to the caller: treated as a damaged row.
    void report_damaged_chunk(const ChunkCoord& coord, const std::string& why);
    /// Thread: any. 0: never stored, or damaged (counted: the props stand again). If the file
    /// cannot be read, the store fails.
    std::uint64_t load_removed_props(const ChunkCoord& coord) const;
    /// nullopt: never stored, or damaged (counted). If the file cannot be read, the store fails.
    std::optional<StoredPlayer> load_player(const std::string& name) const;
    std::vector<StoredBody> load_bodies() const;  ///< ascending by id; the same

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
