#include "client-stub/session/chunk_cache.h"

#include <algorithm>
#include <cstring>

#include "shared/core/random.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

std::uint64_t hash_bytes(std::span<const std::uint8_t> bytes) {
    std::uint64_t hash = mix_bits(bytes.size());
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof(word));
        hash = mix_bits(hash + word);
    }
    for (; at < bytes.size(); ++at) {
        hash = mix_bits(hash + bytes[at]);
    }
    return hash;
}

std::uint64_t hash_step(const Chunk& before, const ChunkCoord& c, const ChunkOp& op) {
    std::array<std::uint8_t, sizeof(ChunkOp)> op_bytes{};
    std::memcpy(op_bytes.data(), &op, sizeof(op));
    return mix_bits(mix_bits(hash_value(c) + before.revision) + hash_bytes(op_bytes));
}

bool is_same(const Plane& a, const Plane& b) {
    if (a.is_uniform() || b.is_uniform()) {
        return a.is_uniform() == b.is_uniform() && a.uniform_value() == b.uniform_value();
    }
    const auto left = a.bytes();
    const auto right = b.bytes();
    return left.data() == right.data() || std::ranges::equal(left, right);
}

bool is_same(const Chunk& a, const Chunk& b) {
    return a.revision == b.revision && is_same(a.material, b.material) &&
           is_same(a.occupancy, b.occupancy);
}

/// Makes room in `table` and remembers `key` as its newest.
template <typename Table>
void make_room(Table& table, std::deque<std::uint64_t>& order, std::uint64_t key,
               std::size_t entries_max) {
    if (order.size() >= entries_max) {
        table.erase(order.front());
        order.pop_front();
    }
    order.push_back(key);
}

}  // namespace

Result<Chunk> ChunkCache::decode(std::span<const std::uint8_t> blob, std::size_t material_count) {
    const std::uint64_t key = hash_bytes(blob);
    const auto found = blobs_.find(key);
    if (found != blobs_.end() && std::ranges::equal(found->second.blob, blob)) {
        ++hits_;
        return found->second.chunk;
    }
    ++misses_;
    Result<Chunk> chunk = decode_chunk(blob, material_count);
    if (chunk.has_value() && found == blobs_.end()) {
        make_room(blobs_, blob_order_, key, kCachedBlobsMax);
        blobs_.emplace(key, DecodedBlob{{blob.begin(), blob.end()}, *chunk});
    }
    return chunk;
}

VoxelBox ChunkCache::apply(Chunk& chunk, const ChunkCoord& c, const ChunkOp& op) {
    const std::uint64_t key = hash_step(chunk, c, op);
    const auto found = steps_.find(key);
    if (found != steps_.end() && found->second.coord == c && found->second.op == op &&
        is_same(found->second.before, chunk)) {
        ++hits_;
        chunk = found->second.after;
        return found->second.changed;
    }
    ++misses_;
    Step step{c, op, chunk, {}, {}};
    step.changed = apply_op(chunk, c, op);
    step.after = chunk;
    if (found == steps_.end()) {
        make_room(steps_, step_order_, key, kCachedStepsMax);
        steps_.emplace(key, step);
    }
    return step.changed;
}

}  // namespace terrane
