// Broadphase of the terrain: which bricks hold something to collide with, one bit a voxel
// ("Voxel Terrain: Physics", the Roblox engine's account). For every brick of a loaded chunk the
// undilated solid, core and water words are kept; the masks that queries test are dilated by one
// voxel in all 26 directions, derived from the kept words of the 27 bricks around (5-6x faster than
// from voxels). Bricks that are empty, all solid or all water have a tag and no masks.
//
//   BrickMask.solid[y]: one word a Y slice; in it a byte a Z row (row z = bits 8z..8z+7), a bit an X
//
// Owner: Terrain. Thread: tick (server), main (client).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "shared/voxel/voxel_grid.h"

namespace terrane {

/// One kind of one brick, undilated or dilated.
using BrickWords = std::array<std::uint64_t, kBrickSize>;

struct BrickMask {
    BrickWords solid{};
    BrickWords water{};
};
static_assert(sizeof(BrickMask) == 128);

struct TerrainOverlap {
    bool solid = false;
    bool water = false;
};

}  // namespace terrane
