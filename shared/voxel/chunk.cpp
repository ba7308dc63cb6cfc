#include "shared/voxel/chunk.h"

#include <algorithm>
#include <cstring>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "shared/core/assert.h"

namespace terrane {
namespace {

void hash_plane(XXH3_state_t& state, const Plane& plane) {
    if (!plane.is_uniform()) {
        const auto bytes = plane.bytes();
        XXH3_64bits_update(&state, bytes.data(), bytes.size());
        return;
    }
    // The same bytes as a whole plane of that value, in pieces that stay in the first cache.
    std::array<std::uint8_t, 1024> piece;
    piece.fill(plane.uniform_value());
    for (int done = 0; done < kChunkVoxelCount; done += static_cast<int>(piece.size())) {
        XXH3_64bits_update(&state, piece.data(), piece.size());
    }
}

}  // namespace

Plane::Plane(const Plane& other) noexcept
    : data_(other.data_), uniform_value_(other.uniform_value_) {
    if (data_ != nullptr) {
        // Relaxed: `other` already keeps the data alive while we count ourselves in.
        data_->owners.fetch_add(1, std::memory_order_relaxed);
    }
}

Plane::Plane(Plane&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), uniform_value_(other.uniform_value_) {}

Plane& Plane::operator=(Plane other) noexcept {
    std::swap(data_, other.data_);
    std::swap(uniform_value_, other.uniform_value_);
    return *this;
}

Plane::~Plane() {
    release();
}

void Plane::release() noexcept {
    // Release: our reads come before the last owner's delete or write. Acquire: we are that owner.
    if (data_ != nullptr && data_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete data_;
    }
    data_ = nullptr;
}

std::span<const std::uint8_t> Plane::bytes() const {
    if (data_ == nullptr) {
        return {};
    }
    return data_->bytes;
}

std::span<std::uint8_t> Plane::writable() {
    if (data_ == nullptr) {
        data_ = new Data;
        data_->bytes.fill(uniform_value_);
    } else if (data_->owners.load(std::memory_order_acquire) != 1) {
        // Acquire pairs with release(): a count of 1 means that all others have finished reading.
        Data* const own = new Data;
        own->bytes = data_->bytes;
        release();
        data_ = own;
    }
    return data_->bytes;
}

void Plane::compact() {
    if (data_ == nullptr) {
        return;
    }
    const auto& all = data_->bytes;
    // All equal = equal to itself one byte on.
    if (std::memcmp(all.data(), all.data() + 1, all.size() - 1) == 0) {
        uniform_value_ = all[0];
        release();
    }
}

Chunk uniform_chunk(Voxel voxel) {
    return {Plane{voxel.material}, Plane{voxel.occupancy}, 0};
}

void set_voxel(Chunk& chunk, std::size_t index, Voxel voxel) {
    TERRANE_DEBUG_ASSERT(index < static_cast<std::size_t>(kChunkVoxelCount));
    TERRANE_DEBUG_ASSERT((voxel.material == kAir) == (voxel.occupancy == 0));
    if (chunk.material.at(index) != voxel.material) {
        chunk.material.writable()[index] = voxel.material;
    }
    if (chunk.occupancy.at(index) != voxel.occupancy) {
        chunk.occupancy.writable()[index] = voxel.occupancy;
    }
}

std::uint64_t hash_chunk(const Chunk& chunk) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    hash_plane(state, chunk.material);
    hash_plane(state, chunk.occupancy);
    std::array<std::uint8_t, 4> revision;
    for (std::size_t i = 0; i < revision.size(); ++i) {
        revision[i] = static_cast<std::uint8_t>(chunk.revision >> (8 * i));
    }
    XXH3_64bits_update(&state, revision.data(), revision.size());
    return XXH3_64bits_digest(&state);
}

std::size_t memory_bytes(const Chunk& chunk) {
    constexpr std::size_t kPlaneBytes = kChunkVoxelCount + sizeof(std::atomic<std::uint32_t>);
    return (chunk.material.is_uniform() ? 0 : kPlaneBytes) +
           (chunk.occupancy.is_uniform() ? 0 : kPlaneBytes);
}

}  // namespace terrane
