#include "shared/terrain/terrain.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/shared/terrain/terrain_samples.h"

namespace terrane {
namespace {

using test::kSmallBounds;

Aabb box_of_triangle(const TerrainTriangle& triangle) {
    return merge(merge(merge(Aabb{}, triangle.a), triangle.b), triangle.c);
}

bool are_equal(const TerrainTriangle& a, const TerrainTriangle& b) {
    return a.brick == b.brick && a.index == b.index && a.a == b.a && a.b == b.b && a.c == b.c &&
           a.material == b.material;
}

/// Gathers with random boxes near the surface and compares with every triangle there is.
void check_gather(Terrain& terrain, std::uint64_t seed, int rounds) {
    const std::vector<TerrainTriangle> all =
        test::all_triangles(terrain.grid(), terrain.masks().surface_range());
    REQUIRE(all.size() > 1000);
    Random random(seed);
    std::size_t found = 0;
    for (int i = 0; i < rounds; ++i) {
        Aabb box;
        if (i % 2 == 0) {
            box.min = all[random.below(static_cast<std::uint32_t>(all.size()))].a;
        } else {
            box.min = test::random_point(random, {Vec3(-40.0F), Vec3(40.0F)});
        }
        const float size = i % 10 == 0 ? 12.0F : 2.0F;
        box.max = box.min + test::random_point(random, {Vec3(0.0F), Vec3(size)});
        if (i % 4 == 1) {
            box.max = box.min;
        }
        std::vector<TerrainTriangle> expected;
        std::ranges::copy_if(all, std::back_inserter(expected), [&](const TerrainTriangle& t) {
            return overlaps(box_of_triangle(t), box);
        });
        std::vector<TerrainTriangle> gathered;
        terrain.gather_triangles(box, gathered);
        CAPTURE(i);
        REQUIRE(std::ranges::equal(gathered, expected, are_equal));
        if (!expected.empty()) {
            REQUIRE(terrain.overlap(box).solid);
        }
        found += expected.size();
    }
    CHECK(found > static_cast<std::size_t>(rounds));
}

}  // namespace

TEST_CASE("A5 terrain: gathering misses no triangle of any brick, and none is there twice") {
    for (const VoxelGrid& grid : {test::rolling_grid(1), test::patchy_grid(test::kTinyBounds, 9),
                                  test::made_grid([](const VoxelCoord& v) {
                                      return (v.x + 2 * v.y + 5 * v.z) % 11 == 0 ? Voxel{4, 128}
                                                                                 : kAirVoxel;
                                  })}) {
        Terrain terrain(grid);
        test::follow(grid, terrain);
        check_gather(terrain, 3, 300);
    }
}

TEST_CASE("A5 terrain: chunks that are not loaded own no surface") {
    VoxelGrid grid = test::rolling_grid(6);
    grid.erase({-1, 0, 0});
    grid.erase({0, -1, -1});
    Terrain terrain(grid);
    test::follow(grid, terrain);
    check_gather(terrain, 8, 200);
}

TEST_CASE("A1 terrain: after edits, arrivals and departures everything is as if made anew") {
    VoxelGrid grid = test::rolling_grid(4);
    Terrain terrain(grid);
    test::follow(grid, terrain);
    std::vector<TerrainTriangle> warm;
    terrain.gather_triangles({Vec3(-40.0F), Vec3(40.0F)}, warm);
    REQUIRE(terrain.colliders().stats().kept > 100);
    Random random(12);
    for (int i = 0; i < 60; ++i) {
        const auto place = [&] { return random.between(-32, 31); };
        const VoxelCoord low{place(), place() / 3, place()};
        const VoxelBox box =
            intersect(voxel_box(kSmallBounds), {low, low + VoxelCoord{random.between(0, 4), 1, 2}});
        // Every second edit changes occupancy or material only: no bit of a mask, but the surface.
        test::for_each_voxel(box, [&](const VoxelCoord& v) {
            Voxel voxel = test::random_voxel(random);
            const Voxel old = grid.voxel(v);
            if (i % 2 == 0 && is_solid(old)) {
                voxel = {static_cast<MaterialId>(random.between(2, 6)),
                         static_cast<std::uint8_t>(random.between(128, 255))};
            }
            test::put(grid, v, voxel);
        });
        const std::span<const BrickCoord> touched = terrain.voxels_changed(box);
        REQUIRE(std::ranges::is_sorted(touched));
        for (const BrickCoord& brick : touched) {
            REQUIRE_FALSE(terrain.colliders().has(brick));
        }
    }
    check_gather(terrain, 5, 150);
    const Chunk kept = *grid.find({0, -1, 0});
    grid.erase({0, -1, 0});
    terrain.chunk_left({0, -1, 0});
    check_gather(terrain, 6, 60);
    grid.insert({0, -1, 0}, kept);
    terrain.chunk_arrived({0, -1, 0});
    check_gather(terrain, 7, 60);
}

TEST_CASE("A1 terrain: a voxel touches one to eight bricks, remade before anything asks") {
    VoxelGrid grid =
        test::made_grid([](const VoxelCoord& v) { return v.y < 0 ? Voxel{2, 255} : kAirVoxel; });
    Terrain terrain(grid);
    test::follow(grid, terrain);
    const auto height = [&](float x, float z) {
        const auto hit = terrain.raycast({{x, 10.0F, z}, {0, -1, 0}, 40.0F});
        REQUIRE(hit);
        return 10.0F - hit->t;
    };
    for (const auto& [v, count] : {std::pair<VoxelCoord, std::size_t>{{3, 0, 3}, 2},
                                   {{0, 0, 0}, 8},
                                   {{3, 2, 3}, 1},
                                   {{7, 3, 12}, 2},
                                   {{-1, 0, 16}, 8}}) {
        CHECK(height(static_cast<float>(v.x) + 0.5F, static_cast<float>(v.z) + 0.5F) ==
              doctest::Approx(0.0));
        test::put(grid, v, {2, 255});
        CHECK(terrain.voxels_changed({v, v}).size() == count);
        CHECK(height(static_cast<float>(v.x) + 0.5F, static_cast<float>(v.z) + 0.5F) > 0.6F);
        test::put(grid, v, kAirVoxel);
        CHECK(terrain.voxels_changed({v, v}).size() == count);
    }
}

TEST_CASE("A1 terrain: the boxes of one tick remake each brick once, and as box by box") {
    VoxelGrid grid = test::rolling_grid(14);
    Terrain together(grid);
    Terrain one_by_one(grid);
    test::follow(grid, together);
    test::follow(grid, one_by_one);
    const std::vector<BrickCoord> held{{0, 0, 0}, {-1, -1, -1}, {3, 0, -4}};
    for (const BrickCoord& brick : held) {
        together.colliders().pin(brick);
    }
    Random random(91);
    for (int i = 0; i < 40; ++i) {
        std::vector<VoxelBox> boxes(random.below(6));
        for (VoxelBox& box : boxes) {
            // Near each other, so that most of them share bricks; some are empty.
            const VoxelCoord low{random.between(-9, 8), random.between(-6, 6),
                                 random.between(-9, 8)};
            box = {low, low + VoxelCoord{random.between(-1, 9), 2, 3}};
            test::for_each_voxel(
                box, [&](const VoxelCoord& v) { test::put(grid, v, test::random_voxel(random)); });
        }
        std::vector<BrickCoord> expected;
        for (const VoxelBox& box : boxes) {
            const std::span<const BrickCoord> bricks = one_by_one.voxels_changed(box);
            expected.insert(expected.end(), bricks.begin(), bricks.end());
        }
        std::ranges::sort(expected);
        expected.erase(std::ranges::unique(expected).begin(), expected.end());
        const std::uint64_t made = together.masks().masks_made();
        const std::uint64_t built = together.colliders().stats().built;
        const std::span<const BrickCoord> bricks = together.voxels_changed(boxes);
        CAPTURE(i);
        REQUIRE(std::ranges::equal(bricks, expected));
        REQUIRE(together.masks().masks_made() - made == expected.size());
        const auto is_touched = [&](const BrickCoord& brick) {
            return std::ranges::binary_search(expected, brick);
        };
        REQUIRE(together.colliders().stats().built - built ==
                static_cast<std::uint64_t>(std::ranges::count_if(held, is_touched)));
    }
    test::for_each_brick(together.masks().surface_range(), [&](const BrickCoord& brick) {
        REQUIRE(together.masks().bits(brick) == one_by_one.masks().bits(brick));
        REQUIRE(together.masks().mask(brick) == one_by_one.masks().mask(brick));
        REQUIRE(together.masks().mask(brick) == together.masks().derive_mask(brick));
        REQUIRE(together.masks().surface(brick) == one_by_one.masks().surface(brick));
        REQUIRE(together.masks().active_cells(brick) == one_by_one.masks().active_cells(brick));
    });
    check_gather(together, 15, 60);
    CHECK(together.voxels_changed(std::span<const VoxelBox>{}).empty());
    for (const BrickCoord& brick : held) {
        together.colliders().unpin(brick);
    }
}

TEST_CASE("A7 terrain: an edit rebuilds at once only what is held, and forgets the rest") {
    VoxelGrid grid =
        test::made_grid([](const VoxelCoord& v) { return v.y < 4 ? Voxel{2, 255} : kAirVoxel; });
    Terrain terrain(grid);
    test::follow(grid, terrain);
    ColliderCache& colliders = terrain.colliders();
    const BrickCollider& held = colliders.pin({0, 0, 0});
    colliders.get({1, 0, 0});
    colliders.get({0, 0, 2});
    const std::uint32_t flat = triangle_count(held);
    REQUIRE(flat == 64 * 2);
    const std::uint64_t built = colliders.stats().built;
    test::put(grid, {7, 4, 3}, {3, 255});
    terrain.voxels_changed({{7, 4, 3}, {7, 4, 3}});
    CHECK(triangle_count(held) > flat);
    CHECK(colliders.stats().built == built + 1);
    CHECK_FALSE(colliders.has({1, 0, 0}));
    CHECK(colliders.has({0, 0, 2}));
    colliders.unpin({0, 0, 0});
}

}  // namespace terrane
