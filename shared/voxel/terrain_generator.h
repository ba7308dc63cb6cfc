// Seeded terrain: hills, mountains, caves, a lake with a beach, trees; the same bits on every
// machine (integer noise). Heights: ground_shape.h; passes of a chunk: terrain_generator.cpp.
#pragma once

#include <cstdint>

#include "shared/voxel/voxel_grid.h"

namespace terrane {

inline constexpr std::uint32_t kGeneratorVersion = 1;

struct GeneratorConfig {
    std::uint64_t seed = 1;
    std::int32_t sea_level_m = 0;  ///< water fills open ground below it
};

/// A pure function of its arguments. Thread: any. Cost: below 1 ms a chunk.
Chunk generate_chunk(const GeneratorConfig& config, const GridBounds& bounds, const ChunkCoord& c);
/// Height of the ground's surface in column (x, z) before caves, metres, rounded up: where players
/// and bodies start.
std::int32_t ground_height_m(const GeneratorConfig& config, std::int32_t x, std::int32_t z);

}  // namespace terrane
