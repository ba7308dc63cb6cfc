#include "shared/terrain/terrain_masks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/shared/terrain/terrain_samples.h"

namespace terrane {
namespace {

using test::kSmallBounds;

constexpr Voxel kRock{2, 255};
constexpr Voxel kThin{3, 40};
constexpr Voxel kSea{kWater, 255};

/// What the masks of a brick must be, voxel by voxel, neighbour by neighbour.
struct Expected {
    BrickFill fill = BrickFill::empty;
    BrickMask mask;
    BrickBits bits;
    BrickWords surface{};
    BrickWords active{};
};

Expected look_at(const VoxelGrid& grid, const BrickCoord& brick) {
    Expected expected;
    const BrickBox box = copy_brick_box(grid, brick);
    const auto at = [&box](int x, int y, int z) {
        const auto i = static_cast<std::size_t>(((y + 1) * 10 + z + 1) * 10 + x + 1);
        return Voxel{box.material[i], box.occupancy[i]};
    };
    const auto set = [](BrickWords& words, int x, int y, int z) {
        words[static_cast<std::size_t>(y)] |= std::uint64_t{1} << (8 * z + x);
    };
    int solid_count = 0;
    int water_count = 0;
    for (int i = 0; i < 1000; ++i) {
        const Voxel voxel = at(i % 10 - 1, i / 100 - 1, i / 10 % 10 - 1);
        solid_count += is_solid(voxel) ? 1 : 0;
        water_count += is_water(voxel) ? 1 : 0;
    }
    for (int i = 0; i < 512; ++i) {
        const int x = i % 8;
        const int y = i / 64;
        const int z = i / 8 % 8;
        const Voxel voxel = at(x, y, z);
        if (is_solid(voxel)) {
            set(expected.bits.solid, x, y, z);
        }
        if (is_core(voxel)) {
            set(expected.bits.core, x, y, z);
        }
        if (is_water(voxel)) {
            set(expected.bits.water, x, y, z);
        }
        if (is_core(voxel) != is_core(at(x + 1, y, z)) ||
            is_core(voxel) != is_core(at(x, y + 1, z)) ||
            is_core(voxel) != is_core(at(x, y, z + 1))) {
            set(expected.surface, x, y, z);
        }
        int core_count = 0;
        for (int k = 0; k < 8; ++k) {
            core_count += is_core(at(x + k % 2, y + k / 4, z + k / 2 % 2)) ? 1 : 0;
        }
        if (core_count != 0 && core_count != 8) {
            set(expected.active, x, y, z);
        }
        for (int k = 0; k < 27; ++k) {
            const Voxel near = at(x + k % 3 - 1, y + k / 9 - 1, z + k / 3 % 3 - 1);
            if (is_solid(near)) {
                set(expected.mask.solid, x, y, z);
            }
            if (is_water(near)) {
                set(expected.mask.water, x, y, z);
            }
        }
    }
    if (solid_count == 1000) {
        expected.fill = BrickFill::solid;
    } else if (water_count == 1000) {
        expected.fill = BrickFill::water;
    } else if (solid_count + water_count > 0) {
        expected.fill = BrickFill::mixed;
    }
    return expected;
}

void check_brick(const TerrainMasks& masks, const VoxelGrid& grid, const BrickCoord& brick) {
    Expected expected = look_at(grid, brick);
    const BrickWords active = expected.active;  // even where nothing is loaded: quads reach there
    if (test::is_absent(grid, brick)) {
        expected = {};
    }
    CAPTURE(brick.x);
    CAPTURE(brick.y);
    CAPTURE(brick.z);
    REQUIRE(masks.fill(brick) == expected.fill);
    REQUIRE(masks.mask(brick) == expected.mask);
    REQUIRE(masks.bits(brick) == expected.bits);
    if (!test::is_absent(grid, brick)) {
        REQUIRE(masks.derive_mask(brick) == expected.mask);
    }
    REQUIRE(masks.surface(brick) == expected.surface);
    REQUIRE(masks.has_surface(brick) == (expected.surface != BrickWords{}));
    REQUIRE(masks.active_cells(brick) == active);
    const TerrainMasks::ActiveCells cells = masks.active_cells(chunk_of(brick));
    const std::size_t index = index_in_chunk(brick);
    const bool is_active = ((masks.active_bricks(chunk_of(brick)) >> index) & 1U) != 0;
    for (std::size_t y = 0; y < kBrickSize && cells.slices != nullptr; ++y) {
        REQUIRE(((cells.slices[index] >> y) & 1U) == (active[y] != 0 ? 1U : 0U));
    }
    if (active != BrickWords{}) {
        REQUIRE(is_active);
        REQUIRE((cells.slot == nullptr || cells.cells[cells.slot[index]].words == active));
    } else if (cells.slot != nullptr) {
        REQUIRE_FALSE(is_active);
    }
}

void check_all(const TerrainMasks& masks, const VoxelGrid& grid) {
    BrickRange range = masks.surface_range();
    // One brick of the outside each way is as good as four.
    range.min = range.min + BrickCoord{3, 3, 3};
    range.max = range.max - BrickCoord{3, 3, 3};
    test::for_each_brick(range, [&](const BrickCoord& brick) { check_brick(masks, grid, brick); });
}

TerrainMasks follow(const VoxelGrid& grid) {
    TerrainMasks masks(grid);
    for (const ChunkCoord& c : grid.sorted_coords()) {
        masks.chunk_arrived(c);
    }
    return masks;
}

}  // namespace

TEST_CASE("A2 dilate_box: the article's shifts equal a look at 27 neighbours, whatever the box") {
    Random random(21);
    for (int round = 0; round < 200; ++round) {
        VoxelGrid grid(GridBounds{{0, 0, 0}, {1, 1, 1}});
        Chunk& chunk = grid.insert({0, 0, 0}, uniform_chunk(kAirVoxel));
        const std::uint32_t percent = round % 3 == 0 ? 1 : random.below(100);
        for (std::size_t i = 0; i < kChunkVoxelCount; ++i) {
            if (random.below(100) < percent) {
                set_voxel(chunk, i, test::random_voxel(random));
            }
        }
        const BrickCoord brick{1, 2, 1};
        CAPTURE(round);
        REQUIRE(dilate_box(copy_brick_box(grid, brick)) == look_at(grid, brick).mask);
    }
}

TEST_CASE("A2 terrain_masks: kept bits, masks and fills equal the voxels' in every kind of world") {
    check_all(follow(test::patchy_grid(kSmallBounds, 5)), test::patchy_grid(kSmallBounds, 5));
    const auto check = [](const VoxelGrid& grid) { check_all(follow(grid), grid); };
    check(test::rolling_grid(3));
    check(test::uniform_grid(kAirVoxel));
    check(test::uniform_grid(kRock));
    check(test::uniform_grid(kThin));
    check(test::uniform_grid(kSea));
    check(test::made_grid(
        [](const VoxelCoord& v) { return ((v.x + v.y + v.z) & 1) != 0 ? kRock : kSea; }));
    // Thin walls along every axis, at and around the borders of bricks.
    check(test::made_grid(
        [](const VoxelCoord& v) { return (v.x + 40) % 9 == 0 ? kThin : kAirVoxel; }));
    check(test::made_grid(
        [](const VoxelCoord& v) { return (v.y + 40) % 8 == 7 ? kRock : kAirVoxel; }));
    check(test::made_grid(
        [](const VoxelCoord& v) { return (v.z + 40) % 15 == 0 ? kSea : kAirVoxel; }));
    // Full but for one voxel in each brick: all solid is not nearly all solid.
    check(test::made_grid([](const VoxelCoord& v) {
        return (v.x & 7) == 0 && (v.y & 7) == 7 && (v.z & 7) == (v.x >> 3 & 7) ? kAirVoxel : kRock;
    }));
}

TEST_CASE(
    "A2 terrain_masks: one voxel anywhere in a brick marks what is around it, and goes again") {
    for (const BrickCoord& brick : {BrickCoord{-1, -1, -1}, BrickCoord{0, 0, 0},
                                    BrickCoord{-4, -4, 3}, BrickCoord{1, -2, 2}}) {
        VoxelGrid grid = test::uniform_grid(kAirVoxel);
        TerrainMasks masks = follow(grid);
        std::vector<BrickCoord> changed;
        const VoxelCoord origin = origin_of(brick);
        for (int i = 0; i < 512; ++i) {
            // All positions with a coordinate on the border; the inside is like its middle.
            const VoxelCoord in{i % 8, i / 64, i / 8 % 8};
            const bool is_inside = in.x % 7 != 0 && in.y % 7 != 0 && in.z % 7 != 0;
            if (is_inside && i != 292) {
                continue;
            }
            const VoxelCoord v = origin + in;
            for (const Voxel voxel : {i % 2 == 0 ? kThin : kSea, kAirVoxel}) {
                test::put(grid, v, voxel);
                changed.clear();
                masks.voxels_changed({v, v}, changed);
                CAPTURE(i);
                const auto sides = [](int c) { return c % 7 == 0 ? 2U : 1U; };
                REQUIRE(changed.size() == sides(in.x) * sides(in.y) * sides(in.z));
                REQUIRE(std::ranges::is_sorted(changed));
                test::for_each_brick(
                    {brick - BrickCoord{1, 1, 1}, brick + BrickCoord{1, 1, 1}},
                    [&](const BrickCoord& near) { check_brick(masks, grid, near); });
            }
        }
    }
}

TEST_CASE("A1 terrain_masks: edits give the masks that a fresh start gives, and name the bricks") {
    VoxelGrid grid = test::rolling_grid(8);
    TerrainMasks masks = follow(grid);
    Random random(77);
    std::vector<BrickCoord> changed;
    for (int i = 0; i < 150; ++i) {
        const auto place = [&] { return random.between(-32, 31); };
        const VoxelCoord low{place(), place(), place()};
        const auto size = [&] { return i % 3 == 0 ? 0 : random.between(0, 10); };
        const VoxelBox box =
            intersect(voxel_box(kSmallBounds), {low, low + VoxelCoord{size(), size(), size()}});
        const Voxel voxel =
            i % 2 == 0 ? test::random_voxel(random) : (i % 4 == 1 ? kAirVoxel : kRock);
        test::for_each_voxel(box, [&](const VoxelCoord& v) { test::put(grid, v, voxel); });
        changed.clear();
        masks.voxels_changed(box, changed);
        std::vector<BrickCoord> expected;
        test::for_each_brick(masks.surface_range(), [&](const BrickCoord& brick) {
            const VoxelCoord origin = origin_of(brick);
            if (!is_empty(
                    intersect(box, {origin - VoxelCoord{1, 1, 1}, origin + VoxelCoord{8, 8, 8}}))) {
                expected.push_back(brick);
            }
        });
        CAPTURE(i);
        REQUIRE(changed == expected);
        for (const BrickCoord& brick : changed) {
            check_brick(masks, grid, brick);
        }
    }
    check_all(masks, grid);
    changed.clear();
    masks.voxels_changed(VoxelBox{}, changed);
    CHECK(changed.empty());
}

TEST_CASE(
    "A25 terrain_masks: chunks that come and go in any order leave the masks of what is here") {
    const VoxelGrid all = test::patchy_grid(kSmallBounds, 31);
    VoxelGrid grid(kSmallBounds);
    TerrainMasks masks(grid);
    Random random(5);
    check_all(masks, grid);
    for (int i = 0; i < 12; ++i) {
        const ChunkCoord c{random.between(-1, 0), random.between(-1, 0), random.between(-1, 0)};
        if (grid.is_loaded(c) && random.below(2) == 0) {
            grid.erase(c);
            masks.chunk_left(c);
        } else {
            grid.insert(c, i % 5 == 0 ? uniform_chunk(kRock) : *all.find(c));
            masks.chunk_arrived(c);
        }
        CHECK(masks.is_loaded(c) == grid.is_loaded(c));
        CAPTURE(i);
        check_all(masks, grid);
    }
}

TEST_CASE(
    "A3 terrain_masks: uniform chunks keep neither bits nor masks, and slots are used again") {
    // No floor below: its rock would reach into the lowest bricks.
    constexpr GridBounds kBounds{{0, -1, 0}, {1, 1, 1}};
    for (const Voxel voxel : {kAirVoxel, kRock, kSea}) {
        VoxelGrid grid(kBounds);
        grid.insert({0, 0, 0}, uniform_chunk(voxel));
        const TerrainMasks masks = follow(grid);
        // Air and rock beside rock have masks where they meet; kept bits there are none.
        CHECK(masks.memory_bytes() <
              (voxel == kAirVoxel ? 1024U
                                  : 1024U + 64 * (sizeof(BrickMask) + 2 * sizeof(LinedWords))));
    }
    VoxelGrid grid(kBounds);
    grid.insert({0, 0, 0}, uniform_chunk(kAirVoxel));
    TerrainMasks masks = follow(grid);
    std::vector<BrickCoord> changed;
    const auto edit = [&](const VoxelBox& box, Voxel voxel) {
        test::for_each_voxel(box, [&](const VoxelCoord& v) { test::put(grid, v, voxel); });
        masks.voxels_changed(box, changed);
    };
    std::size_t largest = 0;
    for (int i = 0; i < 40; ++i) {
        const VoxelCoord v{i * 7 % 32, i * 5 % 32, i * 3 % 32};
        edit({v, v}, kRock);
        largest = std::max(largest, masks.memory_bytes());
        edit({v, v}, kAirVoxel);
    }
    CHECK(masks.memory_bytes() == largest);
    // One brick with bits and at most eight around it with masks at a time, vectors doubled.
    CHECK(largest < 1024 + 8 * sizeof(BrickWords) + 4 * sizeof(BrickBits) + 32 * sizeof(BrickMask));
}

TEST_CASE("A4 terrain_masks: a word a Y slice, a byte a Z row, a bit an X") {
    VoxelGrid grid = test::uniform_grid(kAirVoxel);
    test::put(grid, {-6, 11, -3}, kRock);
    test::put(grid, {-1, 8, -8}, kSea);
    const TerrainMasks masks = follow(grid);
    const BrickBits& bits = masks.bits({-1, 1, -1});
    CHECK(bits.solid[3] == std::uint64_t{1} << (5 * 8 + 2));
    CHECK(bits.water[0] == std::uint64_t{1} << 7);
    CHECK(masks.is_solid_at({-6, 11, -3}));
    CHECK(masks.is_core_at({-6, 11, -3}));
    CHECK_FALSE(masks.is_solid_at({-5, 11, -3}));
    CHECK(masks.is_water_at({-1, 8, -8}));
    CHECK_FALSE(masks.is_water_at({-6, 11, -3}));
    // Below the floor is rock, beside the zone air.
    CHECK(masks.is_core_at({3, -33, 3}));
    CHECK(masks.is_core_at({3000, -33, -3000}));
    CHECK_FALSE(masks.is_solid_at({33, -3, 0}));
}

TEST_CASE("A21 terrain_masks: a voxel's cells are active, come and go with it, across bricks") {
    VoxelGrid grid = test::uniform_grid(kAirVoxel, {{-2, -2, -2}, {2, 2, 2}});
    TerrainMasks masks = follow(grid);
    std::vector<BrickCoord> changed;
    const auto is_active = [&masks](const BrickCoord& brick) {
        return ((masks.active_bricks(chunk_of(brick)) >> index_in_chunk(brick)) & 1U) != 0;
    };
    CHECK(masks.active_bricks({-1, 0, 0}) == 0);
    for (const Voxel voxel : {kRock, kAirVoxel, kRock}) {
        test::put(grid, {-32, 5, 0}, voxel);
        masks.voxels_changed({{-32, 5, 0}, {-32, 5, 0}}, changed);
        const bool is_there = voxel == kRock;
        // Its eight cells: those at -33 and -1 belong to the bricks before.
        CHECK(is_active({-4, 0, 0}) == is_there);
        CHECK(is_active({-5, 0, 0}) == is_there);
        CHECK(is_active({-4, 0, -1}) == is_there);
        CHECK(is_active({-5, 0, -1}) == is_there);
        CHECK_FALSE(is_active({-4, 1, 0}));
        CHECK_FALSE(is_active({-3, 0, 0}));
        CHECK(masks.has_surface({-5, 0, 0}) == is_there);
        // This one's two cells hold parts of quads, all of them owned by the bricks after it.
        CHECK_FALSE(masks.has_surface({-5, 0, -1}));
        const BrickWords cells = masks.active_cells(BrickCoord{-5, 0, -1});
        CHECK(cells[4] == (is_there ? std::uint64_t{1} << 63 : 0));
        CHECK(cells[5] == (is_there ? std::uint64_t{1} << 63 : 0));
    }
}

TEST_CASE("A5 rectangle_mask: every rectangle of a slice") {
    for (int i = 0; i < 8 * 8 * 8 * 8; ++i) {
        const int x0 = i % 8;
        const int x1 = i / 8 % 8;
        const int z0 = i / 64 % 8;
        const int z1 = i / 512;
        std::uint64_t expected = 0;
        for (int z = z0; z <= z1; ++z) {
            for (int x = x0; x <= x1; ++x) {
                expected |= std::uint64_t{1} << (8 * z + x);
            }
        }
        REQUIRE(rectangle_mask(x0, x1, z0, z1) == expected);
    }
}

TEST_CASE("A5 terrain_masks: overlap and touched bricks equal a walk over the grown box's voxels") {
    for (const VoxelGrid& grid : {test::patchy_grid(kSmallBounds, 4), test::rolling_grid(2)}) {
        const TerrainMasks masks = follow(grid);
        Random random(17);
        int solid = 0;
        int nothing = 0;
        for (int i = 0; i < 3000; ++i) {
            const Aabb zone{Vec3(-44.0F), Vec3(44.0F)};
            Aabb box;
            box.min = test::random_point(random, zone);
            box.max =
                box.min + test::random_point(random, {Vec3(0.0F), Vec3(i % 10 == 0 ? 9.0F : 1.5F)});
            if (i % 7 == 0) {
                box.min = glm::floor(box.min);
                box.max = box.min + 1.0F;
            }
            const VoxelBox voxels = grow({voxel_at(box.min), voxel_at(box.max)}, 1);
            std::vector<BrickCoord> expected;
            TerrainOverlap all;
            test::for_each_brick(
                {brick_of(voxels.min), brick_of(voxels.max)}, [&](const BrickCoord& brick) {
                    const BrickMask mask = masks.mask(brick);
                    const VoxelCoord origin = origin_of(brick);
                    bool is_touched = false;
                    test::for_each_voxel(
                        intersect(voxels, {origin, origin + VoxelCoord{7, 7, 7}}),
                        [&](const VoxelCoord& v) {
                            const auto shift = static_cast<unsigned>(8 * (v.z & 7) + (v.x & 7));
                            const auto y = static_cast<std::size_t>(v.y & 7);
                            all.solid = all.solid || (mask.solid[y] >> shift & 1U) != 0;
                            all.water = all.water || (mask.water[y] >> shift & 1U) != 0;
                            is_touched =
                                is_touched || ((mask.solid[y] | mask.water[y]) >> shift & 1U) != 0;
                        });
                    if (is_touched) {
                        expected.push_back(brick);
                    }
                });
            std::vector<BrickCoord> touched;
            TerrainOverlap merged;
            masks.for_each_touched_brick(box, [&](const BrickCoord& brick, bool s, bool w) {
                touched.push_back(brick);
                merged.solid = merged.solid || s;
                merged.water = merged.water || w;
            });
            const TerrainOverlap met = masks.overlap(box);
            CAPTURE(i);
            REQUIRE(touched == expected);
            REQUIRE(met.solid == all.solid);
            REQUIRE(met.water == all.water);
            REQUIRE(merged.solid == all.solid);
            REQUIRE(merged.water == all.water);
            solid += met.solid ? 1 : 0;
            nothing += !met.solid && !met.water ? 1 : 0;
        }
        CHECK(solid > 300);
        CHECK(nothing > 300);
    }
}

TEST_CASE("A5 terrain_masks: boxes that are empty, not numbers or beyond the zone meet nothing") {
    const VoxelGrid grid = test::uniform_grid(kRock);
    const TerrainMasks masks = follow(grid);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    CHECK(masks.overlap({Vec3(0.0F), Vec3(1.0F)}).solid);
    CHECK(masks.overlap({Vec3(-kInfinity), Vec3(kInfinity)}).solid);
    CHECK_FALSE(masks.overlap({}).solid);
    CHECK_FALSE(masks.overlap({Vec3(NAN), Vec3(1.0F)}).solid);
    CHECK_FALSE(masks.overlap({Vec3(1.0F), Vec3(NAN)}).solid);
    CHECK_FALSE(masks.overlap({Vec3(0.0F, 1e30F, 0.0F), Vec3(1e31F)}).solid);
    CHECK_FALSE(masks.overlap({Vec3(5000.0F, -40.0F, 0.0F), Vec3(5001.0F, -39.0F, 0.0F)}).solid);
    // The floor goes on a little beyond the zone.
    CHECK(masks.overlap({Vec3(50.0F, -32.0F, 0.0F), Vec3(51.0F, -31.0F, 1.0F)}).solid);
    CHECK_FALSE(masks.overlap({Vec3(50.0F, -20.0F, 0.0F), Vec3(51.0F, -19.0F, 1.0F)}).solid);
}

}  // namespace terrane
