// A chunk's water as triangles: a top face on every water voxel that has no water above it, at
// voxel floor + occupancy / 255; side and bottom faces where water stands against air.
//
// A solid voxel with occupancy < 128 beside such water counts as flooded and gets its neighbours'
// top as well. So does, up to 6 m from the water, ground that is lower than the water's level: a
// column that is solid in part has no water of its own, yet its surface lies under the level. The
// line where the two meet is the shore; where the spreading ends before it the depth fades to 0.
//
//      water's top ~~~~~~~~~~~~~~~~~~~~~~~~*  shore
//      water | water | water | solid | solid `--.__ ground
//                                 spread
#pragma once

#include <cstdint>
#include <vector>

#include "client-stub/viewer/chunk_volume.h"
#include "shared/math/aabb.h"

namespace terrane {

enum class WaterFace : std::uint8_t {
    top = 0,
    right = 1,
    left = 2,
    front = 3,
    back = 4,
    bottom = 5
};

/// 8 bytes. Position in 1/256 m from the chunk's origin.
struct WaterVertex {
    std::int16_t x = 0;
    std::int16_t y = 0;
    std::int16_t z = 0;
    std::uint8_t depth = 0;  ///< down to the ground, 1/16 m, at most 12 m
    WaterFace face = WaterFace::top;
};
static_assert(sizeof(WaterVertex) == 8);

struct WaterMesh {
    std::vector<WaterVertex> vertices;
    std::vector<std::uint32_t> indices;  ///< counter-clockwise from outside
    Aabb bounds;                         ///< metres from the chunk's origin
};

/// Clears `mesh` first. Thread: any.
void mesh_water(const ChunkVolume& volume, WaterMesh& mesh);

}  // namespace terrane
