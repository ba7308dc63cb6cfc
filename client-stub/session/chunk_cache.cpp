#include "client-stub/session/chunk_cache.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

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

template <typename Value>
std::uint64_t hash_values(std::span<const Value> values) {
    static_assert(std::has_unique_object_representations_v<Value>);
    const auto bytes = std::as_bytes(values);
    return hash_bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
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
    return apply_step(chunk, {c, op, {}, {}, {}, {}}, hash_values(std::span(&op, 1)));
}

VoxelBox ChunkCache::apply(Chunk& chunk, const ChunkCoord& c, std::span<const VoxelRun> runs) {
    return apply_step(chunk, {c, {}, {runs.begin(), runs.end()}, {}, {}, {}}, hash_values(runs));
}

VoxelBox ChunkCache::apply_step(Chunk& chunk, Step step, std::uint64_t op_hash) {
    const std::uint64_t key = mix_bits(mix_bits(hash_value(step.coord) + chunk.revision) + op_hash);
    const auto found = steps_.find(key);
    if (found != steps_.end() && found->second.coord == step.coord && found->second.op == step.op &&
        found->second.runs == step.runs && is_same(found->second.before, chunk)) {
        ++hits_;
        chunk = found->second.after;
        return found->second.changed;
    }
    ++misses_;
    step.before = chunk;
    step.changed = step.runs.empty() ? apply_op(chunk, step.coord, step.op)
                                     : apply_runs(chunk, step.coord, step.runs);
    step.after = chunk;
    const VoxelBox changed = step.changed;
    if (found == steps_.end()) {
        make_room(steps_, step_order_, key, kCachedStepsMax);
        steps_.emplace(key, std::move(step));
    }
    return changed;
}

}  // namespace terrane
