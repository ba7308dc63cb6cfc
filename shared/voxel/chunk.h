// A chunk: 32^3 voxels as numbered planes of bytes (0 = material, 1 = occupancy; room for more),
// and its revision, the count of operations ever applied to it. A plane whose bytes are all equal
// is one byte (uniform) until somebody writes another value into it. Plane data is shared between
// copies and cloned on the first write (copy on write), so a copy is a cheap snapshot for a worker
// thread or for a thousand bots' replicas; the counter is atomic, the bytes of a shared plane are
// never written.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "shared/voxel/coords.h"
#include "shared/voxel/material.h"

namespace terrane {

/// One byte for each voxel of a chunk, in index_in_chunk order.
class Plane {
  public:
    explicit Plane(std::uint8_t value = 0) : uniform_value_(value) {}
    Plane(const Plane& other) noexcept;
    Plane(Plane&& other) noexcept;
    Plane& operator=(Plane other) noexcept;
    ~Plane();

    bool is_uniform() const { return data_ == nullptr; }
    /// Of a uniform plane only.
    std::uint8_t uniform_value() const { return uniform_value_; }
    std::uint8_t at(std::size_t index) const {
        return data_ == nullptr ? uniform_value_ : data_->bytes[index];
    }
    /// All kChunkVoxelCount bytes; empty if uniform.
    std::span<const std::uint8_t> bytes() const;
    /// Bytes of our own to write to: makes a uniform plane whole, clones a shared one.
    std::span<std::uint8_t> writable();
    /// Becomes uniform again if all bytes are equal. Cost: one pass at most.
    void compact();

  private:
    struct Data {
        std::atomic<std::uint32_t> owners{1};
        std::array<std::uint8_t, kChunkVoxelCount> bytes;
    };
    void release() noexcept;

    Data* data_ = nullptr;
    std::uint8_t uniform_value_ = 0;
};

struct Chunk {
    Plane material{kAir};
    Plane occupancy{0};
    std::uint32_t revision = 0;

    Voxel voxel(std::size_t index) const { return {material.at(index), occupancy.at(index)}; }
    bool is_uniform() const { return material.is_uniform() && occupancy.is_uniform(); }
};

Chunk uniform_chunk(Voxel voxel);
/// Writes one voxel; does not touch the revision.
void set_voxel(Chunk& chunk, std::size_t index, Voxel voxel);
/// XXH3-64 over material plane, occupancy plane and revision: equal for equal chunks, however
/// their planes are stored. What sessions compare with the zone.
std::uint64_t hash_chunk(const Chunk& chunk);
/// Heap bytes this copy keeps alive (shared planes counted in full).
std::size_t memory_bytes(const Chunk& chunk);

}  // namespace terrane
