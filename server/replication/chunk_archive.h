// Every chunk that the zone answers for, as clients get it: one framed Chunk message at some
// revision, shared by all who need it, and the operations since. A newcomer gets the message and
// the operations, so an edit costs no new compression; who is some operations behind gets those,
// or the whole chunk if they are no longer kept.
//
//   revision   blob                                            now
//              |-------- log: one operation each --------------|
//   encoded()            a worker's newer blob: the log before it goes
//
// A chunk that is only viewed is this entry and nothing else, so its blob is of its newest revision
// and its hash is known ("exact"): before a chunk leaves the grid a worker sees to it. A chunk in
// the grid is encoded on a worker after kChunkOpsKept operations, or kChunkLogBytes of them: then
// the blob is the smaller answer. Should the worker not keep up, the log is given up at
// kChunkOpsMax and the next newcomer's tick encodes the chunk.
//
// Owner: Replicator. Thread: tick.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "server/world/step_world.h"
#include "shared/protocol/framing.h"
#include "shared/voxel/brush.h"
#include "shared/voxel/prop_scatter.h"

namespace terrane {

inline constexpr std::size_t kChunkOpsKept = 64;
inline constexpr std::size_t kChunkOpsMax = 256;
inline constexpr std::size_t kChunkLogBytes = 4096;

/// A chunk as workers hand it over.
struct ArchivedChunk {
    std::vector<std::uint8_t> blob;      ///< chunk_codec
    std::uint32_t revision = 0;          ///< the blob's
    std::uint64_t hash = 0;              ///< hash_chunk
    std::vector<PropPlacement> props{};  ///< those that stand, ascending by index
    std::uint64_t props_removed = 0;     ///< a bit for each that does not
};

class ChunkArchive {
  public:
    /// A chunk that was not here.
    void put(const ChunkCoord& coord, const ArchivedChunk& chunk);
    /// The same for a chunk in the grid whose hash nobody has made yet.
    void chunk_arrived(const ChunkCoord& coord, const Chunk& chunk,
                       std::span<const std::uint8_t> blob);
    void drop(const ChunkCoord& coord) { entries_.erase(coord); }

    /// The chunk must be here.
    void op_applied(const AppliedOp& applied, std::uint64_t tick);
    void prop_gone(const ChunkCoord& coord, std::uint8_t index, std::uint64_t tick);
    /// A worker encoded the chunk as it was at `revision`; of several the newest counts.
    void encoded(const ChunkCoord& coord, std::uint32_t revision,
                 std::span<const std::uint8_t> blob, std::uint64_t hash);
    /// Chunks in need of encoded() since the last call, in the order of their operations.
    std::vector<ChunkCoord> take_overgrown();

    bool has(const ChunkCoord& coord) const { return entries_.contains(coord); }
    /// nullopt: not here.
    std::optional<std::uint32_t> revision(const ChunkCoord& coord) const;
    bool is_exact(const ChunkCoord& coord) const;
    /// Tick of the newest change since it came from store or generator; 0: none.
    std::uint64_t changed_tick(const ChunkCoord& coord) const;
    std::span<const PropPlacement> props(const ChunkCoord& coord) const;
    std::uint64_t props_removed(const ChunkCoord& coord) const;
    /// The blob inside of `message`, which keeps it alive on any thread. The chunk must be exact.
    struct Blob {
        SharedBytes message;
        std::span<const std::uint8_t> bytes;
    };
    Blob blob(const ChunkCoord& coord) const;
    /// hash_chunk at the newest revision. The chunk is exact or in `grid`.
    std::uint64_t hash(const ChunkCoord& coord, const VoxelGrid& grid);

    struct Appended {
        std::size_t bytes = 0;
        bool is_whole = false;  ///< the chunk itself was among them
    };
    /// Appends the messages that bring a client from revision `from` (nullopt: it has nothing) to
    /// the newest, to be sent in order. The chunk is here, and in `grid` unless it is exact.
    Appended append_messages(const ChunkCoord& coord, std::optional<std::uint32_t> from,
                             const VoxelGrid& grid, std::vector<SharedBytes>& out);

    std::size_t count() const { return entries_.size(); }
    /// What entries hold on the heap, and the table. Cost: a walk over all.
    std::size_t memory_bytes() const;
    /// Chunks that the tick had to encode itself.
    std::uint64_t encoded_count() const { return encoded_count_; }

  private:
    struct LoggedOp {
        ChunkOp op;
        std::vector<VoxelRun> runs;  ///< as in AppliedOp
    };
    struct Entry {
        SharedBytes message;  ///< null: the log was given up
        std::uint32_t blob_revision = 0;
        std::uint32_t revision = 0;
        std::uint64_t hash = 0;
        bool has_hash = false;
        bool is_overgrown = false;  ///< was told to take_overgrown()
        std::uint64_t changed_tick = 0;
        std::uint64_t props_removed = 0;
        std::vector<PropPlacement> props;
        std::vector<LoggedOp> log;  ///< log[i] makes blob_revision + 1 + i
        std::size_t log_bytes = 0;  ///< on the wire
        /// Messages of the log from `catch_up_from` on, of the last who asked.
        std::vector<SharedBytes> catch_up;
        std::uint32_t catch_up_from = 0;
    };

    Entry& at(const ChunkCoord& coord);
    const Entry& at(const ChunkCoord& coord) const;
    void note_overgrown(const ChunkCoord& coord, Entry& entry);
    void set_blob(const ChunkCoord& coord, Entry& entry, std::uint32_t revision,
                  std::span<const std::uint8_t> blob);
    const std::vector<SharedBytes>& log_since(const ChunkCoord& coord, Entry& entry,
                                              std::uint32_t from);

    std::unordered_map<ChunkCoord, Entry> entries_;
    std::vector<ChunkCoord> overgrown_;
    std::uint64_t encoded_count_ = 0;
};

}  // namespace terrane
