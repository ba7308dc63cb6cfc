// Small voxel worlds for the viewer's tests.
#pragma once

#include "shared/core/random.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane::test {

inline constexpr MaterialId kRock = 2;
inline constexpr MaterialId kGrass = 4;

/// 3 x 3 x 3 chunks around chunk (0, 0, 0), all air.
inline VoxelGrid air_world() {
    VoxelGrid grid({{-1, -1, -1}, {2, 2, 2}});
    for (int y = -1; y <= 1; ++y) {
        for (int z = -1; z <= 1; ++z) {
            for (int x = -1; x <= 1; ++x) {
                grid.insert({x, y, z}, uniform_chunk(kAirVoxel));
            }
        }
    }
    return grid;
}

inline void put(VoxelGrid& grid, const VoxelCoord& v, Voxel voxel) {
    set_voxel(*grid.find(chunk_of(v)), index_in_chunk(v), voxel);
}

inline void fill(VoxelGrid& grid, const VoxelBox& box, Voxel voxel) {
    for (int y = box.min.y; y <= box.max.y; ++y) {
        for (int z = box.min.z; z <= box.max.z; ++z) {
            for (int x = box.min.x; x <= box.max.x; ++x) {
                put(grid, {x, y, z}, voxel);
            }
        }
    }
}

/// Soft random lumps of rock everywhere, with a few drops of water between them.
inline VoxelGrid lumpy_world(std::uint64_t seed) {
    VoxelGrid grid = air_world();
    Random random(seed);
    for (int lump = 0; lump < 700; ++lump) {
        const VoxelCoord centre{random.between(-28, 60), random.between(-28, 60),
                                random.between(-28, 60)};
        const int radius = random.between(1, 5);
        for (int y = -radius; y <= radius; ++y) {
            for (int z = -radius; z <= radius; ++z) {
                for (int x = -radius; x <= radius; ++x) {
                    const VoxelCoord v = centre + VoxelCoord{x, y, z};
                    if (x * x + y * y + z * z <= radius * radius && v.x < 64 && v.y < 64 &&
                        v.z < 64 && v.x >= -32 && v.y >= -32 && v.z >= -32) {
                        put(grid, v, {kRock, static_cast<std::uint8_t>(random.between(1, 255))});
                    }
                }
            }
        }
    }
    return grid;
}

}  // namespace terrane::test
