// What clients are sent of each chunk: one framed Chunk message at some revision, shared by all who
// need it, and the operations since. A newcomer gets the old message and the operations, so an edit
// costs no new compression; after kChunkOpsKept operations the chunk is encoded anew when the next
// newcomer asks.
//
// Owner: Replicator. Thread: tick.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "shared/protocol/framing.h"
#include "shared/voxel/brush.h"

namespace terrane {

inline constexpr std::size_t kChunkOpsKept = 64;

class ChunkArchive {
  public:
    /// A chunk is in the grid; `blob` is its encoding.
    void chunk_arrived(const ChunkCoord& coord, const Chunk& chunk,
                       std::span<const std::uint8_t> blob);
    void op_applied(const AppliedOp& applied);

    /// Messages that bring a client with nothing to the chunk's revision, to be sent in order; the
    /// second is null if there are no operations to add. The chunk must have arrived.
    struct Messages {
        SharedBytes chunk;
        SharedBytes ops;
    };
    Messages messages(const ChunkCoord& coord, const Chunk& chunk);
    /// hash_chunk, kept until the next operation.
    std::uint64_t hash(const ChunkCoord& coord, const Chunk& chunk);
    std::uint64_t encoded_count() const { return encoded_count_; }

  private:
    struct Entry {
        SharedBytes chunk_message;
        std::uint32_t message_revision = 0;
        std::vector<ChunkOp> ops;  ///< ops[i] makes message_revision + 1 + i
        SharedBytes ops_message;   ///< of all `ops`; null: not made
        std::uint64_t hash = 0;
        bool has_hash = false;
    };
    std::unordered_map<ChunkCoord, Entry> entries_;
    std::uint64_t encoded_count_ = 0;
};

}  // namespace terrane
