#include "server/physics/wet_voxels.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

/// The rule of buoyancy.h, voxel by voxel.
float height_by_rule(const VoxelGrid& grid, const VoxelCoord& at) {
    const Voxel here = grid.voxel(at);
    const bool is_under_water = is_water(grid.voxel(at + VoxelCoord{0, 1, 0}));
    if (is_water(here)) {
        return is_under_water ? 1.0F : static_cast<float>(here.occupancy) / 255.0F;
    }
    if (!is_solid(here) || is_core(here)) {
        return 0.0F;
    }
    if (is_under_water) {
        return 1.0F;
    }
    float highest = 0.0F;
    for (const VoxelCoord& side :
         {VoxelCoord{1, 0, 0}, VoxelCoord{-1, 0, 0}, VoxelCoord{0, 0, 1}, VoxelCoord{0, 0, -1}}) {
        if (is_water(grid.voxel(at + side))) {
            highest = std::max(highest, height_by_rule(grid, at + side));
        }
    }
    return highest;
}

bool is_dry_by_rule(const VoxelGrid& grid, const VoxelCoord& at) {
    return !is_solid(grid.voxel(at)) && !is_water(grid.voxel(at));
}

/// Voxels of every kind in all shares, about the corner of eight chunks.
VoxelGrid soaked(Random& random) {
    VoxelGrid grid = flat_ground(kSceneBounds);
    for (std::int32_t y = -12; y <= 12; ++y) {
        for (std::int32_t z = -12; z <= 12; ++z) {
            for (std::int32_t x = -12; x <= 12; ++x) {
                const auto some = static_cast<std::uint8_t>(random.between(1, 255));
                const Voxel kinds[] = {kAirVoxel, {kWater, some}, kFullWater, {kFirstSolid, some}};
                fill(grid, {{x, y, z}, {x, y, z}}, kinds[random.below(4)]);
            }
        }
    }
    return grid;
}

}  // namespace

TEST_CASE("A24 wet_voxels: each voxel is as high wet as the rule says, wherever the window is") {
    const std::uint64_t seed = 24;
    CAPTURE(seed);
    Random random(seed);
    const PhysicsScene scene(soaked(random));
    WetVoxels wet(scene.terrain);
    int wrong = 0;
    for (int i = 0; i < 30000; ++i) {
        const VoxelCoord at{random.between(-14, 14), random.between(-14, 14),
                            random.between(-14, 14)};
        if (random.below(8) == 0) {
            wet.aim(at -
                    VoxelCoord{random.between(0, 5), random.between(0, 5), random.between(0, 5)});
        }
        wrong += wet.height(at) != height_by_rule(scene.grid, at) ? 1 : 0;
    }
    CHECK(wrong == 0);
}

TEST_CASE("A24 wet_voxels: columns asked about tell full, level and dry voxels apart") {
    const std::uint64_t seed = 25;
    CAPTURE(seed);
    Random random(seed);
    const PhysicsScene scene(soaked(random));
    WetVoxels wet(scene.terrain);
    int wrong = 0;
    for (int i = 0; i < 300; ++i) {
        const VoxelCoord first{random.between(-12, 4), random.between(-12, 4),
                               random.between(-12, 4)};
        wet.aim(first);
        for (std::int32_t n = 0; n < 216; ++n) {
            const VoxelCoord at = first + VoxelCoord{n % 6, n / 36, n / 6 % 6};
            const std::uint64_t column = wet.columns(at, at);
            const WetSlice& slice = wet.slice(at.y);
            const float height = height_by_rule(scene.grid, at);
            wrong += ((slice.dry & column) != 0) != is_dry_by_rule(scene.grid, at) ? 1 : 0;
            wrong += (((slice.full | slice.level()) & column) != 0) != (height > 0.0F) ? 1 : 0;
            wrong += (slice.full & column) != 0 && height < 1.0F ? 1 : 0;
        }
    }
    CHECK(wrong == 0);
}

}  // namespace terrane
