// The voxels of one chunk and of its surroundings, copied out of the grid once so that meshing
// reads plain arrays: the mesher needs a voxel around the chunk, smooth normals three, and the
// light of the sky looks up to 24 m up and 8 m aside.
//
//            above 24
//          +----------+
//   side 8 |  chunk   | side 8        48 x 68 x 48 voxels, x fastest, then z, then y
//          +----------+
//            below 12                 (what lies under a water surface)
//
// A neighbour that is not loaded is no air: the chunk's own border voxel continues into it, so that
// no wall stands where the world goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/voxel/voxel_grid.h"

namespace terrane {

inline constexpr int kVolumeSide = 8;
inline constexpr int kVolumeBelow = 12;
inline constexpr int kVolumeAbove = 24;
inline constexpr int kVolumeWidth = kChunkSize + 2 * kVolumeSide;
inline constexpr int kVolumeHeight = kVolumeBelow + kChunkSize + kVolumeAbove;
inline constexpr std::size_t kVolumeVoxelCount =
    static_cast<std::size_t>(kVolumeWidth) * kVolumeWidth * kVolumeHeight;

struct ChunkVolume {
    std::vector<std::uint8_t> material;
    std::vector<std::uint8_t> occupancy;
    /// Solid density (0..255) under a 3 x 3 x 3 filter: what normals and light are taken from.
    /// Right in the volume's inside only: its outermost voxels are not filtered.
    std::vector<std::uint8_t> smooth_density;
    /// By volume column (z * kVolumeWidth + x): top of its highest core voxel in all loaded chunks,
    /// voxels above the chunk's origin. Above it only sky.
    std::vector<std::int32_t> sky_floor;
    bool has_surface = false;  ///< core and other voxels meet within a voxel of the chunk
    bool has_water = false;    ///< anywhere in the volume: it spreads over low ground
};

/// Voxel (x, y, z) of the chunk's own coordinates; each may reach into the surroundings.
inline std::size_t volume_index(int x, int y, int z) {
    return (static_cast<std::size_t>(y + kVolumeBelow) * kVolumeWidth +
            static_cast<std::size_t>(z + kVolumeSide)) *
               kVolumeWidth +
           static_cast<std::size_t>(x + kVolumeSide);
}
inline Voxel volume_voxel(const ChunkVolume& volume, int x, int y, int z) {
    const std::size_t index = volume_index(x, y, z);
    return {volume.material[index], volume.occupancy[index]};
}

inline std::int32_t sky_floor_at(const ChunkVolume& volume, int x, int z) {
    return volume
        .sky_floor[static_cast<std::size_t>((z + kVolumeSide) * kVolumeWidth + x + kVolumeSide)];
}

/// The box of zone voxels whose change makes the chunk's mesh stale.
VoxelBox volume_box(const ChunkCoord& chunk);

/// `chunk` must be loaded. Reuses the volume's memory. smooth_density and sky_floor only if
/// has_surface. Cost: ~0.1 ms without a surface, ~0.4 ms with one.
void copy_chunk_volume(const VoxelGrid& grid, const ChunkCoord& chunk, ChunkVolume& volume);

}  // namespace terrane
