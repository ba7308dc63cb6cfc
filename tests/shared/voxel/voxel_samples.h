// Chunks and grids for the voxel room's tests, all from a seed.
#pragma once

#include <algorithm>

#include "shared/core/random.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane::test {

inline constexpr std::size_t kMaterialCount = 8;

inline Voxel random_voxel(Random& random) {
    const auto material = static_cast<MaterialId>(random.below(kMaterialCount));
    if (material == kAir) {
        return kAirVoxel;
    }
    const std::uint32_t kind = random.below(3);
    return {material, kind == 0 ? kFullOccupancy
                                : static_cast<std::uint8_t>(random.between(1, kFullOccupancy))};
}

/// Every voxel drawn by itself; with 256 materials the codec's worst case.
inline Chunk noise_chunk(std::uint64_t seed, std::uint32_t material_count = kMaterialCount) {
    Random random(seed);
    Chunk chunk;
    for (std::size_t i = 0; i < kChunkVoxelCount; ++i) {
        const auto material = static_cast<MaterialId>(random.below(material_count));
        const auto occupancy = static_cast<std::uint8_t>(random.between(1, kFullOccupancy));
        set_voxel(chunk, i, material == kAir ? kAirVoxel : Voxel{material, occupancy});
    }
    chunk.revision = static_cast<std::uint32_t>(random.next());
    return chunk;
}

/// One random voxel with `boxes` random boxes over it: like a chunk that was built in.
inline Chunk patchy_chunk(std::uint64_t seed, int boxes) {
    Random random(seed);
    Chunk chunk = uniform_chunk(random_voxel(random));
    for (int i = 0; i < boxes; ++i) {
        const Voxel voxel = random_voxel(random);
        const auto low = [&] { return random.between(0, kChunkSize - 1); };
        const VoxelCoord min{low(), low(), low()};
        for (std::int32_t y = min.y; y < std::min(min.y + 6, kChunkSize); ++y) {
            for (std::int32_t z = min.z; z < std::min(min.z + 9, kChunkSize); ++z) {
                for (std::int32_t x = min.x; x < std::min(min.x + 7, kChunkSize); ++x) {
                    set_voxel(chunk, index_in_chunk(VoxelCoord{x, y, z}), voxel);
                }
            }
        }
    }
    chunk.revision = random.below(1000);
    return chunk;
}

inline bool are_equal(const Chunk& a, const Chunk& b) {
    for (std::size_t i = 0; i < kChunkVoxelCount; ++i) {
        if (a.voxel(i) != b.voxel(i)) {
            return false;
        }
    }
    return a.revision == b.revision;
}

/// All chunks of the bounds patchy, each from its own seed.
inline VoxelGrid patchy_grid(const GridBounds& bounds, std::uint64_t seed) {
    VoxelGrid grid(bounds);
    for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
        for (std::int32_t z = bounds.min.z; z < bounds.max.z; ++z) {
            for (std::int32_t x = bounds.min.x; x < bounds.max.x; ++x) {
                grid.insert({x, y, z}, patchy_chunk(++seed, 60));
            }
        }
    }
    return grid;
}

using terrane::for_each_voxel;

}  // namespace terrane::test
