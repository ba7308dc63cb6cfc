// Which chunks the zone has, at which level, and who moves them between the levels. Tickets
// (world/chunk_tickets.h) say what is wanted and what is kept; this does it, on workers, so many at
// a time, and hands the tick commands: only step_world changes the grid.
//
//                 fetch               decode                    ChunkCommand
//      absent ------------> viewed ------------> moving ---------------------------> simulated
//         ^    store, or      |  ^                                                   |   ^
//         |    generator      |  |                  encode, unless exact             |   | wanted
//         +-------------------+  +------------- leaving <----------------------------+   | again,
//           drop: nobody views     ChunkLeaveCommand  |     nobody keeps it any more     | or
//           edited it, nothing is lost                       +----------------------------------+
//
// *viewed* is an entry of the archive, exact; *simulated* an entry and voxels in the grid. So no
// edit is ever lost or undone: only a simulated chunk can be edited; it leaves the grid in a tick
// in which its entry is exact; while its voxels are on their way the entry cannot change; and it is
// fetched again only after its entry was dropped, which waits until the store holds its last change
// durably (without a store changed chunks stay). A fetch that something overtook is not taken.
//
// A body's wish is met from archive or store, never by the generator: a chunk that is in neither is
// remembered as unstored until a player wants it, or the wish lapses.
//
// Owner: app/Zone. Thread: tick, but for the workers' end of the queue.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "server/app/chunk_source.h"
#include "server/world/chunk_tickets.h"
#include "shared/core/worker_pool.h"

namespace terrane {

struct ChunkLoaderConfig {
    GridBounds bounds;
    std::size_t material_count = 0;
    ChunkTicketsConfig tickets;
    std::uint32_t fetches_max = 64;  ///< at a time, with those on their way into the grid
    std::uint32_t moves_max = 32;    ///< a tick into the grid, as many out of it
};

struct ChunkLoaderStats {
    std::size_t viewed = 0;     ///< entries of the archive, simulated ones included
    std::size_t simulated = 0;  ///< in the grid
    std::size_t in_flight = 0;  ///< on workers, or between them and the grid
    std::size_t waiting = 0;    ///< at least as many as players want and do not have
    std::size_t unstored = 0;   ///< bodies wait at them for a player
    std::uint64_t fetched = 0;
    std::uint64_t arrived = 0;  ///< in the grid
    std::uint64_t left = 0;     ///< the grid
    std::uint64_t dropped = 0;  ///< entries
};

class ChunkLoader {
  public:
    /// `workers` and `archive` must outlive this.
    ChunkLoader(WorkerPool& workers, ChunkSource source, ChunkArchive& archive,
                const ChunkLoaderConfig& config);

    ChunkTickets& tickets() { return tickets_; }
    /// At once, before the zone runs: what to put into the grid, nullopt if it is there already.
    std::optional<ChunkCommand> load_now(const ChunkCoord& coord);

    /// At the start of a tick: appends ChunkCommands and ChunkLeaveCommands, to be applied before
    /// anything else of the tick.
    void take_finished(std::vector<Command>& commands);
    /// At its end. `wishes`: boxes of bodies (PhysicsWorld::list_wanted). `durable_tick`: up to
    /// where the store has everything, nullopt without a store.
    void run(const VoxelGrid& grid, std::uint64_t tick, std::span<const Aabb> wishes,
             std::optional<std::uint64_t> durable_tick);
    ChunkLoaderStats stats() const;

  private:
    enum class Stage : std::uint8_t { absent, fetching, viewed, moving, simulated, leaving };
    struct Record {
        Stage stage = Stage::absent;
        bool may_generate = false;    ///< of the fetch that runs
        bool is_unstored = false;     ///< absent, and the store does not have it
        bool is_move_queued = false;  ///< in to_move_
        bool is_in_releases = false;
        std::uint64_t lost_tick = 0;     ///< when the last ticket went
        std::uint32_t fetch_number = 0;  ///< of the fetch that runs
    };
    struct Release {
        ChunkCoord coord;
        std::uint64_t due_tick = 0;
    };
    struct Fetched {
        ChunkCoord coord;
        std::uint32_t number = 0;
        std::optional<FetchedChunk> chunk;
    };
    struct Decoded {
        ChunkCoord coord;
        Chunk chunk;
    };
    struct Encoded {
        ChunkCoord coord;
        std::uint32_t revision = 0;
        std::vector<std::uint8_t> blob;
        std::uint64_t hash = 0;
    };
    /// What workers have done; each list ascends by coordinate once the tick has sorted it.
    struct Finished {
        std::vector<Fetched> fetched;
        std::vector<Decoded> decoded;
        std::vector<Encoded> encoded;
    };
    struct Mailbox {
        std::mutex mutex;
        Finished finished;
    };

    Record* find(const ChunkCoord& coord);
    void take_fetched(Fetched& fetched);
    void take_encoded(const Encoded& encoded);
    void move_in(std::vector<Command>& commands);
    void move_out(std::vector<Command>& commands);

    void want_simulated(const ChunkCoord& coord, Record& record);
    void take_changes(std::span<const Aabb> wishes);
    void start_fetches();
    void start_moves();
    void start_encodings(const VoxelGrid& grid);
    void release_due(const VoxelGrid& grid, std::optional<std::uint64_t> durable_tick);
    /// true: to be looked at again.
    bool release(const ChunkCoord& coord, Record& record, const VoxelGrid& grid,
                 std::optional<std::uint64_t> durable_tick);
    void start_leaving(const ChunkCoord& coord, Record& record, const VoxelGrid& grid);
    bool drop(const ChunkCoord& coord, Record& record, std::optional<std::uint64_t> durable_tick);
    void trim_memory();
    void queue_release(const ChunkCoord& coord, Record& record);
    void fetch(const ChunkCoord& coord, Record& record, bool may_generate);
    void decode(const ChunkCoord& coord);
    void encode(const ChunkCoord& coord, const Chunk& chunk);

    WorkerPool* workers_;
    ChunkSource source_;
    ChunkArchive* archive_;
    ChunkLoaderConfig config_;
    ChunkTickets tickets_;
    std::uint64_t tick_ = 0;
    std::unordered_map<ChunkCoord, Record> records_;
    std::deque<ChunkCoord> to_fetch_;     ///< wanted by a place, or by a player after all
    std::deque<ChunkCoord> to_move_;      ///< viewed, wanted simulated
    std::deque<Decoded> moving_in_;       ///< decoded, for the next ticks' commands
    std::vector<ChunkCoord> moving_out_;  ///< leaving and exact
    std::deque<Release> releases_;        ///< chunks to look at whether somebody keeps them
    std::unordered_set<ChunkCoord> encoding_;
    std::vector<ChunkCoord> wished_;
    std::size_t fetching_count_ = 0;
    std::size_t decoding_count_ = 0;
    std::size_t leaving_count_ = 0;
    std::size_t simulated_count_ = 0;
    std::size_t freed_count_ = 0;  ///< since the last trim_memory
    std::uint32_t last_fetch_number_ = 0;
    ChunkLoaderStats stats_;
    std::shared_ptr<Mailbox> mailbox_;  ///< shared with jobs that may outlive us
};

}  // namespace terrane
