// Integer coordinates of the voxel world and the arithmetic between them.
//   voxel: 1 m cell; voxel (x, y, z) fills [x, x+1) x [y, y+1) x [z, z+1) metres
//   brick: 8^3 voxels, the unit of terrain physics
//   chunk: 32^3 voxels = 4^3 bricks, the unit of storage and streaming
// All divisions are floor divisions (arithmetic shifts), so negative coordinates are ordinary.
// Inside a chunk or brick the index runs x fastest, then z, then y: one Y slice is contiguous,
// which is the order of the masks (a word a Y slice, a byte a Z row, a bit an X).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "shared/core/random.h"
#include "shared/math/aabb.h"

namespace terrane {

inline constexpr int kBrickSize = 8;
inline constexpr int kChunkSize = 32;
inline constexpr int kBrickShift = 3;
inline constexpr int kChunkShift = 5;
inline constexpr int kChunkVoxelCount = kChunkSize * kChunkSize * kChunkSize;
inline constexpr int kBricksPerChunkSide = kChunkSize / kBrickSize;
inline constexpr int kBricksPerChunk =
    kBricksPerChunkSide * kBricksPerChunkSide * kBricksPerChunkSide;

/// Ordered by y, then z, then x: the order of iteration wherever order reaches state or wire.
template <typename Tag>
struct GridCoord {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    friend bool operator==(const GridCoord&, const GridCoord&) = default;
    friend std::strong_ordering operator<=>(const GridCoord& a, const GridCoord& b) {
        if (const auto by_y = a.y <=> b.y; by_y != 0) {
            return by_y;
        }
        if (const auto by_z = a.z <=> b.z; by_z != 0) {
            return by_z;
        }
        return a.x <=> b.x;
    }
    friend GridCoord operator+(const GridCoord& a, const GridCoord& b) {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    friend GridCoord operator-(const GridCoord& a, const GridCoord& b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
};

using VoxelCoord = GridCoord<struct VoxelTag>;
using BrickCoord = GridCoord<struct BrickTag>;
using ChunkCoord = GridCoord<struct ChunkTag>;

/// Voxels min..max, both ends included. Empty if min > max on an axis.
struct VoxelBox {
    VoxelCoord min{0, 0, 0};
    VoxelCoord max{-1, -1, -1};

    friend bool operator==(const VoxelBox&, const VoxelBox&) = default;
};

inline ChunkCoord chunk_of(const VoxelCoord& v) {
    return {v.x >> kChunkShift, v.y >> kChunkShift, v.z >> kChunkShift};
}
inline BrickCoord brick_of(const VoxelCoord& v) {
    return {v.x >> kBrickShift, v.y >> kBrickShift, v.z >> kBrickShift};
}
inline ChunkCoord chunk_of(const BrickCoord& b) {
    return {b.x >> 2, b.y >> 2, b.z >> 2};
}

/// The lowest voxel of a chunk or brick.
inline VoxelCoord origin_of(const ChunkCoord& c) {
    return {c.x * kChunkSize, c.y * kChunkSize, c.z * kChunkSize};
}
inline VoxelCoord origin_of(const BrickCoord& b) {
    return {b.x * kBrickSize, b.y * kBrickSize, b.z * kBrickSize};
}
inline Vec3 corner_of(const VoxelCoord& v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// Index of a voxel in its chunk, 0 .. kChunkVoxelCount - 1.
inline std::size_t index_in_chunk(const VoxelCoord& v) {
    const auto x = static_cast<std::size_t>(v.x & (kChunkSize - 1));
    const auto y = static_cast<std::size_t>(v.y & (kChunkSize - 1));
    const auto z = static_cast<std::size_t>(v.z & (kChunkSize - 1));
    return (y * kChunkSize + z) * kChunkSize + x;
}
/// Index of a brick in its chunk, 0 .. kBricksPerChunk - 1.
inline std::size_t index_in_chunk(const BrickCoord& b) {
    const auto x = static_cast<std::size_t>(b.x & (kBricksPerChunkSide - 1));
    const auto y = static_cast<std::size_t>(b.y & (kBricksPerChunkSide - 1));
    const auto z = static_cast<std::size_t>(b.z & (kBricksPerChunkSide - 1));
    return (y * kBricksPerChunkSide + z) * kBricksPerChunkSide + x;
}

/// The voxel that holds `point`. The point must be finite and within +-2^30 m.
inline VoxelCoord voxel_at(const Vec3& point) {
    return {static_cast<std::int32_t>(std::floor(point.x)),
            static_cast<std::int32_t>(std::floor(point.y)),
            static_cast<std::int32_t>(std::floor(point.z))};
}

/// The voxels that `box` meets, whose corners must be as for voxel_at.
inline VoxelBox voxels_of(const Aabb& box) {
    return {voxel_at(box.min), voxel_at(box.max)};
}

inline bool is_empty(const VoxelBox& box) {
    return box.min.x > box.max.x || box.min.y > box.max.y || box.min.z > box.max.z;
}
inline bool contains(const VoxelBox& box, const VoxelCoord& v) {
    return v.x >= box.min.x && v.x <= box.max.x && v.y >= box.min.y && v.y <= box.max.y &&
           v.z >= box.min.z && v.z <= box.max.z;
}
VoxelBox intersect(const VoxelBox& a, const VoxelBox& b);
/// Smallest box around both; an empty one adds nothing.
VoxelBox merge(const VoxelBox& a, const VoxelBox& b);
VoxelBox grow(const VoxelBox& box, std::int32_t voxels);
/// Calls visit(voxel) for every voxel of the box, ascending.
template <typename Visit>
void for_each_voxel(const VoxelBox& box, const Visit& visit) {
    for (std::int32_t y = box.min.y; y <= box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z <= box.max.z; ++z) {
            for (std::int32_t x = box.min.x; x <= box.max.x; ++x) {
                visit(VoxelCoord{x, y, z});
            }
        }
    }
}
VoxelBox box_of(const ChunkCoord& c);
/// The box's volume in zone space, metres.
Aabb to_aabb(const VoxelBox& box);

template <typename Tag>
std::uint64_t hash_value(const GridCoord<Tag>& c) {
    const std::uint64_t xz = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.x)) << 32) |
                             static_cast<std::uint32_t>(c.z);
    return mix_bits(
        xz ^ (static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.y)) * 0x9e3779b97f4a7c15ULL));
}

}  // namespace terrane

template <typename Tag>
struct std::hash<terrane::GridCoord<Tag>> {
    std::size_t operator()(const terrane::GridCoord<Tag>& c) const noexcept {
        return static_cast<std::size_t>(terrane::hash_value(c));
    }
};
