#include "server/replication/chunk_archive.h"

#include <algorithm>
#include <utility>

#include "schemas/to_client_generated.h"
#include "shared/core/assert.h"
#include "shared/protocol/encode.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

SharedBytes share(Bytes bytes) {
    return std::make_shared<const Bytes>(std::move(bytes));
}

/// Of a Chunk message of our own making.
std::span<const std::uint8_t> blob_in(const Bytes& message) {
    const wire::Chunk* chunk = wire::GetSizePrefixedToClient(message.data())->message_as_Chunk();
    return {chunk->blob()->data(), chunk->blob()->size()};
}

std::size_t wire_bytes(std::span<const VoxelRun> runs) {
    return runs.empty() ? sizeof(ChunkOp) : runs.size_bytes();
}

std::size_t total_bytes(std::span<const SharedBytes> messages) {
    std::size_t bytes = 0;
    for (const SharedBytes& message : messages) {
        bytes += message->size();
    }
    return bytes;
}

}  // namespace

void ChunkArchive::put(const ChunkCoord& coord, const ArchivedChunk& chunk) {
    const auto [found, is_new] = entries_.try_emplace(coord);
    TERRANE_ASSERT(is_new);
    Entry& entry = found->second;
    entry.revision = chunk.revision;
    entry.hash = chunk.hash;
    entry.has_hash = true;
    entry.props_removed = chunk.props_removed;
    entry.props = chunk.props;
    set_blob(coord, entry, chunk.revision, chunk.blob);
}

void ChunkArchive::chunk_arrived(const ChunkCoord& coord, const Chunk& chunk,
                                 std::span<const std::uint8_t> blob) {
    entries_.erase(coord);
    put(coord, {{blob.begin(), blob.end()}, chunk.revision, 0});
    entries_.at(coord).has_hash = false;
}

void ChunkArchive::op_applied(const AppliedOp& applied, std::uint64_t tick) {
    Entry& entry = at(applied.chunk);
    TERRANE_ASSERT(applied.revision == entry.revision + 1);
    entry.revision = applied.revision;
    entry.changed_tick = tick;
    entry.has_hash = false;
    entry.catch_up.clear();
    if (entry.message == nullptr) {
        return;
    }
    entry.log.push_back({applied.op, applied.runs});
    entry.log_bytes += wire_bytes(applied.runs);
    note_overgrown(applied.chunk, entry);
    if (entry.log.size() > kChunkOpsMax) {
        entry.message = nullptr;
        entry.log = {};
        entry.log_bytes = 0;
    }
}

void ChunkArchive::note_overgrown(const ChunkCoord& coord, Entry& entry) {
    if (!entry.is_overgrown &&
        (entry.log.size() >= kChunkOpsKept || entry.log_bytes >= kChunkLogBytes)) {
        entry.is_overgrown = true;
        overgrown_.push_back(coord);
    }
}

void ChunkArchive::prop_gone(const ChunkCoord& coord, std::uint8_t index, std::uint64_t tick) {
    TERRANE_ASSERT(index < kPropsPerChunkMax);
    Entry& entry = at(coord);
    entry.changed_tick = tick;
    entry.props_removed |= std::uint64_t{1} << index;
    std::erase_if(entry.props, [&](const PropPlacement& prop) { return prop.index == index; });
    if (entry.message != nullptr) {
        const SharedBytes old = entry.message;
        set_blob(coord, entry, entry.blob_revision, blob_in(*old));
    }
}

void ChunkArchive::encoded(const ChunkCoord& coord, std::uint32_t revision,
                           std::span<const std::uint8_t> blob, std::uint64_t hash) {
    Entry& entry = at(coord);
    TERRANE_ASSERT(revision <= entry.revision);
    if (revision == entry.revision) {
        entry.hash = hash;
        entry.has_hash = true;
    }
    entry.is_overgrown = false;
    if (entry.message == nullptr && revision != entry.revision) {
        return;  // the operations in between are not known
    }
    if (entry.message != nullptr) {
        if (revision <= entry.blob_revision) {
            return;
        }
        const std::uint32_t older = revision - entry.blob_revision;
        entry.log.erase(entry.log.begin(), entry.log.begin() + older);
        entry.log.shrink_to_fit();
        entry.log_bytes = 0;
        for (const LoggedOp& logged : entry.log) {
            entry.log_bytes += wire_bytes(logged.runs);
        }
    }
    entry.catch_up.clear();
    set_blob(coord, entry, revision, blob);
    note_overgrown(coord, entry);
}

std::vector<ChunkCoord> ChunkArchive::take_overgrown() {
    return std::exchange(overgrown_, {});
}

std::optional<std::uint32_t> ChunkArchive::revision(const ChunkCoord& coord) const {
    const auto found = entries_.find(coord);
    return found == entries_.end() ? std::nullopt : std::optional(found->second.revision);
}

bool ChunkArchive::is_exact(const ChunkCoord& coord) const {
    const Entry& entry = at(coord);
    return entry.message != nullptr && entry.log.empty() && entry.has_hash;
}

std::uint64_t ChunkArchive::changed_tick(const ChunkCoord& coord) const {
    return at(coord).changed_tick;
}

std::span<const PropPlacement> ChunkArchive::props(const ChunkCoord& coord) const {
    return at(coord).props;
}

std::uint64_t ChunkArchive::props_removed(const ChunkCoord& coord) const {
    return at(coord).props_removed;
}

ChunkArchive::Blob ChunkArchive::blob(const ChunkCoord& coord) const {
    TERRANE_ASSERT(is_exact(coord));
    const SharedBytes& message = at(coord).message;
    return {message, blob_in(*message)};
}

std::uint64_t ChunkArchive::hash(const ChunkCoord& coord, const VoxelGrid& grid) {
    Entry& entry = at(coord);
    if (!entry.has_hash) {
        const Chunk* chunk = grid.find(coord);
        TERRANE_ASSERT(chunk != nullptr && chunk->revision == entry.revision);
        entry.hash = hash_chunk(*chunk);
        entry.has_hash = true;
    }
    return entry.hash;
}

ChunkArchive::Appended ChunkArchive::append_messages(const ChunkCoord& coord,
                                                     std::optional<std::uint32_t> from,
                                                     const VoxelGrid& grid,
                                                     std::vector<SharedBytes>& out) {
    Entry& entry = at(coord);
    if (entry.message == nullptr) {
        const Chunk* chunk = grid.find(coord);
        TERRANE_ASSERT(chunk != nullptr && chunk->revision == entry.revision);
        ++encoded_count_;
        set_blob(coord, entry, entry.revision, encode_chunk(*chunk));
    }
    const bool is_whole = !from || *from < entry.blob_revision;
    if (is_whole) {
        out.push_back(entry.message);
    }
    const std::vector<SharedBytes>& ops =
        log_since(coord, entry, is_whole ? entry.blob_revision : *from);
    out.insert(out.end(), ops.begin(), ops.end());
    return {(is_whole ? entry.message->size() : 0) + total_bytes(ops), is_whole};
}

std::size_t ChunkArchive::memory_bytes() const {
    constexpr std::size_t kNodeBytes = sizeof(void*) + sizeof(std::pair<ChunkCoord, Entry>);
    // What make_shared and two allocations add, measured with glibc.
    constexpr std::size_t kMessageBytes = sizeof(Bytes) + 2 * sizeof(void*) + 3 * 16;
    std::size_t bytes = entries_.bucket_count() * sizeof(void*);
    for (const auto& [coord, entry] : entries_) {
        bytes += kNodeBytes + entry.log.capacity() * sizeof(LoggedOp) +
                 entry.props.capacity() * sizeof(PropPlacement) + total_bytes(entry.catch_up);
        for (const LoggedOp& logged : entry.log) {
            bytes += logged.runs.capacity() * sizeof(VoxelRun);
        }
        bytes += entry.message == nullptr ? 0 : kMessageBytes + entry.message->capacity();
    }
    return bytes;
}

ChunkArchive::Entry& ChunkArchive::at(const ChunkCoord& coord) {
    const auto found = entries_.find(coord);
    TERRANE_ASSERT(found != entries_.end());
    return found->second;
}

const ChunkArchive::Entry& ChunkArchive::at(const ChunkCoord& coord) const {
    const auto found = entries_.find(coord);
    TERRANE_ASSERT(found != entries_.end());
    return found->second;
}

void ChunkArchive::set_blob(const ChunkCoord& coord, Entry& entry, std::uint32_t revision,
                            std::span<const std::uint8_t> blob) {
    entry.message = share(encode_chunk(coord, blob, entry.props));
    entry.blob_revision = revision;
}

/// Neighbouring operations share a message; runs have one of their own.
const std::vector<SharedBytes>& ChunkArchive::log_since(const ChunkCoord& coord, Entry& entry,
                                                        std::uint32_t from) {
    if (!entry.catch_up.empty() && entry.catch_up_from == from) {
        return entry.catch_up;
    }
    entry.catch_up.clear();
    entry.catch_up_from = from;
    std::vector<ChunkOp> ops;
    const auto flush = [&](std::uint32_t revision) {  // of the last of them
        if (!ops.empty()) {
            const auto first = revision + 1 - static_cast<std::uint32_t>(ops.size());
            entry.catch_up.push_back(share(encode_chunk_ops(coord, first, ops, {})));
            ops.clear();
        }
    };
    for (std::uint32_t revision = from + 1; revision <= entry.revision; ++revision) {
        const LoggedOp& logged = entry.log[revision - entry.blob_revision - 1];
        if (logged.runs.empty()) {
            ops.push_back(logged.op);
            continue;
        }
        flush(revision - 1);
        entry.catch_up.push_back(share(encode_chunk_runs(coord, revision, logged.runs)));
    }
    flush(entry.revision);
    return entry.catch_up;
}

}  // namespace terrane
