#include "shared/voxel/water_fill.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr Voxel kRock{2, 255};
constexpr GridBounds kBounds{{-1, -1, -1}, {2, 1, 2}};
constexpr std::uint8_t kSurface = 200;

/// Rock below y = 8, and west of x = 4 a lake with its surface in layer y = 7.
VoxelGrid lake_shore() {
    VoxelGrid grid(kBounds);
    for (std::int32_t y = kBounds.min.y; y < kBounds.max.y; ++y) {
        for (std::int32_t z = kBounds.min.z; z < kBounds.max.z; ++z) {
            for (std::int32_t x = kBounds.min.x; x < kBounds.max.x; ++x) {
                Chunk& chunk = grid.insert({x, y, z}, uniform_chunk(kAirVoxel));
                const VoxelBox box = box_of(ChunkCoord{x, y, z});
                for (std::int32_t vy = box.min.y; vy <= std::min(box.max.y, 7); ++vy) {
                    for (std::int32_t vz = box.min.z; vz <= box.max.z; ++vz) {
                        for (std::int32_t vx = box.min.x; vx <= box.max.x; ++vx) {
                            const Voxel water{kWater, vy == 7 ? kSurface : std::uint8_t{255}};
                            const bool is_lake = vx < 4 && vy >= 2;
                            set_voxel(chunk, index_in_chunk(VoxelCoord{vx, vy, vz}),
                                      is_lake ? water : kRock);
                        }
                    }
                }
            }
        }
    }
    return grid;
}

std::vector<AppliedOp> dig(VoxelGrid& grid, const Brush& brush,
                           std::size_t voxels_max = kWaterFillMax) {
    const VoxelBox reach = reach_of(brush);
    const std::vector<VoxelCoord> air = list_air(grid, reach);
    REQUIRE(!apply_brush(grid, brush).empty());
    return fill_dug_water(grid, reach, air, voxels_max);
}

std::vector<AppliedOp> dig(VoxelGrid& grid, const VoxelCoord& v) {
    return dig(grid, voxel_brush(BrushMode::dig, v));
}

Brush box_at(const VoxelCoord& middle, int half) {
    Brush brush;
    brush.shape = BrushShape::box;
    brush.mode = BrushMode::dig;
    brush.centre_x = middle.x * kBrushUnitsPerVoxel + 8;
    brush.centre_y = middle.y * kBrushUnitsPerVoxel + 8;
    brush.centre_z = middle.z * kBrushUnitsPerVoxel + 8;
    const auto size = static_cast<std::uint8_t>(half * kBrushUnitsPerVoxel + 8);
    brush.size_x = brush.size_y = brush.size_z = size;
    return brush;
}

}  // namespace

TEST_CASE("water_fill: a voxel dug at the shore fills to the lake's level, one above stays dry") {
    VoxelGrid grid = lake_shore();
    CHECK(dig(grid, {4, 7, 0}).size() == 1);
    CHECK(grid.voxel({4, 7, 0}) == Voxel{kWater, kSurface});
    CHECK(dig(grid, {4, 5, 3}).size() == 1);
    CHECK(grid.voxel({4, 5, 3}) == Voxel{kWater, 255});
    grid.find(ChunkCoord{0, 0, 0});
    set_voxel(*grid.find(ChunkCoord{0, 0, 0}), index_in_chunk(VoxelCoord{4, 8, 0}), kRock);
    CHECK(dig(grid, {4, 8, 0}).empty());
    CHECK(grid.voxel({4, 8, 0}) == kAirVoxel);
}

TEST_CASE("water_fill: under the lake's floor a hole fills from above") {
    VoxelGrid grid = lake_shore();
    REQUIRE(dig(grid, {0, 1, 0}).size() == 1);
    CHECK(grid.voxel({0, 1, 0}) == Voxel{kWater, 255});
}

TEST_CASE("water_fill: a pit dug earlier fills once it is opened to the water, to its level") {
    VoxelGrid grid = lake_shore();
    CHECK(dig(grid, {6, 4, 0}).empty());
    for (const std::int32_t y : {7, 6, 5}) {  // a shaft, 2 m from the lake
        CHECK(dig(grid, {6, y, 0}).empty());
    }
    CHECK(dig(grid, {5, 5, 0}).empty());
    CHECK(dig(grid, {4, 5, 0}).size() == 1);
    for (const std::int32_t y : {4, 5, 6}) {
        CHECK(grid.voxel({6, y, 0}) == Voxel{kWater, 255});
    }
    CHECK(grid.voxel({6, 7, 0}) == Voxel{kWater, kSurface});
    CHECK(grid.voxel({6, 8, 0}) == kAirVoxel);
    CHECK(grid.voxel({5, 5, 0}) == Voxel{kWater, 255});
}

TEST_CASE("water_fill: a cave beyond the limit stays dry, water ends at its mouth") {
    VoxelGrid grid = lake_shore();
    for (std::int32_t z = 0; z < 24; z += 8) {
        for (std::int32_t x = 8; x < 32; x += 8) {
            CHECK(dig(grid, box_at({x + 4, 4, z + 4}, 3)).empty());  // 7^3 rooms ...
        }
    }
    for (std::int32_t i = 8; i < 32; ++i) {  // ... joined by passages
        for (std::int32_t row = 4; row < 24; row += 8) {
            apply_brush(grid, voxel_brush(BrushMode::dig, {i, 4, row}));
            apply_brush(grid, voxel_brush(BrushMode::dig, {12, 4, i - 8}));
        }
    }
    for (std::int32_t x = 7; x > 4; --x) {
        dig(grid, {x, 4, 4});
    }
    CHECK(dig(grid, {4, 4, 4}).size() == 1);
    CHECK(grid.voxel({4, 4, 4}) == Voxel{kWater, 255});
    CHECK(grid.voxel({5, 4, 4}) == kAirVoxel);
    CHECK(grid.voxel({12, 2, 4}) == kAirVoxel);
}

TEST_CASE("water_fill: one box of voxels fills through its own voxels, and around a corner") {
    VoxelGrid grid = lake_shore();
    const auto ops = dig(grid, box_at({6, 6, 0}, 2));  // 4..8, y 4..8, z -2..2: two chunks in z
    CHECK(ops.size() == 2);
    for (std::int32_t y = 4; y <= 7; ++y) {
        for (std::int32_t x = 4; x <= 8; ++x) {
            for (std::int32_t z = -2; z <= 2; ++z) {
                CHECK(grid.voxel({x, y, z}) ==
                      Voxel{kWater, y == 7 ? kSurface : std::uint8_t{255}});
            }
        }
    }
    CHECK(grid.voxel({6, 8, 0}) == kAirVoxel);
}

TEST_CASE(
    "water_fill: over the limit the lowest voxels fill, and the operations say what they did") {
    VoxelGrid grid = lake_shore();
    const auto ops = dig(grid, box_at({6, 6, 16}, 1), 9);  // 5..7: not beside the lake
    CHECK(ops.empty());
    VoxelGrid again = lake_shore();
    const auto limited = dig(again, box_at({5, 5, 16}, 1), 9);  // 4..6 in x, 4..6 in y
    REQUIRE(limited.size() == 1);
    for (std::int32_t x = 4; x <= 6; ++x) {
        for (std::int32_t z = 15; z <= 17; ++z) {
            CHECK(is_water(again.voxel({x, 4, z})));
            CHECK(again.voxel({x, 5, z}) == kAirVoxel);
        }
    }
    CHECK(limited[0].changed == VoxelBox{{4, 4, 15}, {6, 4, 17}});
    CHECK(is_valid(limited[0].runs, 4));
    CHECK(limited[0].revision == again.find(ChunkCoord{0, 0, 0})->revision);
}

TEST_CASE("water_fill: the runs make the same chunk elsewhere, over random digs") {
    Random random(77);
    VoxelGrid zone = lake_shore();
    VoxelGrid client = lake_shore();
    int filled = 0;
    for (int i = 0; i < 300; ++i) {
        Brush brush =
            box_at({random.between(-8, 12), random.between(0, 7), random.between(-20, 40)},
                   random.between(0, 2));
        if (i % 3 == 0) {
            brush.shape = BrushShape::sphere;
        }
        const VoxelBox reach = reach_of(brush);
        const std::vector<VoxelCoord> air = list_air(zone, reach);
        std::vector<AppliedOp> ops = apply_brush(zone, brush);
        const std::vector<AppliedOp> fills = fill_dug_water(zone, reach, air);
        ops.insert(ops.end(), fills.begin(), fills.end());
        filled += static_cast<int>(fills.size());
        for (const AppliedOp& op : ops) {
            Chunk& chunk = *client.find(op.chunk);
            CAPTURE(i);
            CHECK(op.changed == (op.runs.empty() ? apply_op(chunk, op.chunk, op.op)
                                                 : apply_runs(chunk, op.chunk, op.runs)));
            CHECK(chunk.revision == op.revision);
        }
    }
    CHECK(filled > 20);
    for (const ChunkCoord& coord : zone.sorted_coords()) {
        CHECK(hash_chunk(*zone.find(coord)) == hash_chunk(*client.find(coord)));
    }
}

}  // namespace terrane
