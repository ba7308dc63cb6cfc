#include "server/replication/chunk_archive.h"

#include <utility>

#include "shared/core/assert.h"
#include "shared/protocol/encode.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

SharedBytes share(Bytes bytes) {
    return std::make_shared<const Bytes>(std::move(bytes));
}

}  // namespace

void ChunkArchive::chunk_arrived(const ChunkCoord& coord, const Chunk& chunk,
                                 std::span<const std::uint8_t> blob) {
    Entry entry;
    entry.chunk_message = share(encode_chunk(coord, blob));
    entry.message_revision = chunk.revision;
    entries_.insert_or_assign(coord, std::move(entry));
}

void ChunkArchive::op_applied(const AppliedOp& applied) {
    const auto found = entries_.find(applied.chunk);
    TERRANE_ASSERT(found != entries_.end());
    Entry& entry = found->second;
    entry.has_hash = false;
    entry.ops_message = nullptr;
    if (entry.chunk_message == nullptr) {
        return;  // stale already
    }
    entry.ops.push_back(applied.op);
    if (entry.ops.size() > kChunkOpsKept) {
        entry.chunk_message = nullptr;
        entry.ops.clear();
    }
}

ChunkArchive::Messages ChunkArchive::messages(const ChunkCoord& coord, const Chunk& chunk) {
    const auto found = entries_.find(coord);
    TERRANE_ASSERT(found != entries_.end());
    Entry& entry = found->second;
    if (entry.chunk_message == nullptr) {
        ++encoded_count_;
        entry.chunk_message = share(encode_chunk(coord, encode_chunk(chunk)));
        entry.message_revision = chunk.revision;
        entry.ops.clear();
    }
    if (!entry.ops.empty() && entry.ops_message == nullptr) {
        entry.ops_message =
            share(encode_chunk_ops(coord, entry.message_revision + 1, entry.ops, {}));
    }
    return {entry.chunk_message, entry.ops_message};
}

std::uint64_t ChunkArchive::hash(const ChunkCoord& coord, const Chunk& chunk) {
    const auto found = entries_.find(coord);
    TERRANE_ASSERT(found != entries_.end());
    Entry& entry = found->second;
    if (!entry.has_hash) {
        entry.hash = hash_chunk(chunk);
        entry.has_hash = true;
    }
    return entry.hash;
}

}  // namespace terrane
