#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/shared/terrain/terrain_samples.h"

namespace terrane {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct SlowHit {
    float t = kInfinity;
    BrickCoord brick;
    std::uint32_t triangle = 0;
};

/// The closest hit among all triangles; they ascend, so the first of equal ones stays.
SlowHit slow_raycast(const std::vector<TerrainTriangle>& all, const Ray& ray) {
    SlowHit best;
    for (const TerrainTriangle& triangle : all) {
        const auto t = intersect_triangle(ray, triangle.a, triangle.b, triangle.c);
        if (t && *t < best.t) {
            best = {*t, triangle.brick, triangle.index};
        }
    }
    return best;
}

void check_ray(Terrain& terrain, const std::vector<TerrainTriangle>& all, const Ray& ray,
               int& hit_count) {
    const SlowHit expected = slow_raycast(all, ray);
    const std::optional<TerrainHit> hit = terrain.raycast(ray);
    CAPTURE(ray.origin.x);
    CAPTURE(ray.origin.y);
    CAPTURE(ray.origin.z);
    CAPTURE(ray.direction.x);
    CAPTURE(ray.direction.y);
    CAPTURE(ray.direction.z);
    CAPTURE(ray.t_max);
    REQUIRE(hit.has_value() == (expected.t < kInfinity));
    if (hit) {
        REQUIRE(hit->t == expected.t);
        REQUIRE(hit->brick == expected.brick);
        REQUIRE(hit->triangle == expected.triangle);
        REQUIRE(glm::length(hit->normal) == doctest::Approx(1.0));
        ++hit_count;
    }
}

Ray random_ray(Random& random, const std::vector<TerrainTriangle>& all, int i) {
    Ray ray;
    ray.origin = test::random_point(random, {Vec3(-40.0F), Vec3(40.0F)});
    ray.direction = test::random_point(random, {Vec3(-1.0F), Vec3(1.0F)});
    ray.t_max = i % 3 == 0 ? 6.0F : 150.0F;
    const auto vertex = [&] { return all[random.below(static_cast<std::uint32_t>(all.size()))].b; };
    switch (i % 6) {
        case 0:  // at a vertex, where up to eight bricks meet
            ray.direction = vertex() - ray.origin;
            ray.t_max = 2.0F;
            break;
        case 1:
            ray.origin = vertex();
            break;
        case 2:  // along the sides of bricks
            ray.origin = 8.0F * glm::round(ray.origin / 8.0F);
            break;
        case 3:
            ray.origin = glm::floor(ray.origin) + 0.5F;
            break;
        default:
            break;
    }
    constexpr std::array<float, 4> kAwkward{0.0F, -0.0F, 1e-42F, -1e-25F};
    const int whole_axis = random.between(0, 2);  // a direction of nothing at all is another test
    for (int axis = 0; axis < 3; ++axis) {
        if (i % 6 != 0 && axis != whole_axis && random.below(2) == 0) {
            ray.direction[axis] = kAwkward[random.below(4)];
        }
    }
    return ray;
}

}  // namespace

TEST_CASE("A13 raycast: equals brute force over all triangles, to the bit") {
    const VoxelGrid patchy = test::patchy_grid(test::kTinyBounds, 19);
    VoxelGrid holed = test::rolling_grid(7);
    holed.erase({0, 0, -1});
    const VoxelGrid sparse = test::made_grid([](const VoxelCoord& v) {
        return hash_value(v) % 997 == 0
                   ? Voxel{2, static_cast<std::uint8_t>(128 + hash_value(v) % 128)}
                   : kAirVoxel;
    });
    for (const VoxelGrid& grid : {test::rolling_grid(3), holed, patchy, sparse}) {
        Terrain flat(grid);
        Terrain kd(grid, {.collider = ColliderKind::kd});
        test::follow(grid, flat);
        test::follow(grid, kd);
        const std::vector<TerrainTriangle> all =
            test::all_triangles(grid, flat.masks().surface_range());
        Random random(23);
        int hit_count = 0;
        for (int i = 0; i < (all.size() < 10000 ? 3000 : 300); ++i) {
            check_ray(i % 3 == 0 ? kd : flat, all, random_ray(random, all, i), hit_count);
        }
        CHECK(hit_count > 60);
    }
}

TEST_CASE("A13 raycast: nothing is missed behind, before and between chunks of air") {
    constexpr GridBounds kWide{{-4, -1, -4}, {4, 3, 4}};
    VoxelGrid grid = test::uniform_grid(kAirVoxel, kWide);
    Random random(31);
    for (int i = 0; i < 40; ++i) {
        // Half of them where chunks meet.
        VoxelCoord v{random.between(-128, 127), random.between(0, 90), random.between(-128, 127)};
        if (i % 2 == 0) {
            v.x = 32 * random.between(-3, 3) - random.between(0, 1);
        }
        test::put(grid, v, {2, static_cast<std::uint8_t>(random.between(128, 255))});
    }
    Terrain terrain(grid);
    test::follow(grid, terrain);
    int far_count = 0;
    test::for_each_chunk(kWide, [&](const ChunkCoord& chunk) {
        far_count += terrain.masks().active_bricks(chunk) == 0 ? 1 : 0;
    });
    CHECK(far_count > 10);
    const BrickRange above{{-17, -4, -17}, {16, 13, 16}};  // the floor is not asked for here
    const std::vector<TerrainTriangle> all = test::all_triangles(grid, above);
    int hit_count = 0;
    for (int i = 0; i < 3000; ++i) {
        Ray ray;
        ray.origin = test::random_point(random, {Vec3(-140, 0, -140), Vec3(140, 96, 140)});
        const Vec3 to = all[random.below(static_cast<std::uint32_t>(all.size()))].b;
        ray.direction = to - ray.origin;
        ray.t_max = 1.1F;
        if (i % 4 == 0) {  // along chunk borders, exactly
            ray.origin = 32.0F * glm::round(ray.origin / 32.0F);
            ray.direction = Vec3(0.0F);
            ray.direction[static_cast<int>(random.below(3))] =
                random.below(2) == 0 ? 99.0F : -99.0F;
            ray.origin.y = std::max(ray.origin.y, 1.0F);
        }
        if (point_at(ray, ray.t_max).y > -30.0F) {
            check_ray(terrain, all, ray, hit_count);
        }
    }
    CHECK(hit_count > 1500);
}

TEST_CASE("A13 raycast: asks only colliders on its way, and none in the air") {
    const VoxelGrid grid =
        test::made_grid([](const VoxelCoord& v) { return v.y < -8 ? Voxel{2, 255} : kAirVoxel; });
    Terrain terrain(grid);
    test::follow(grid, terrain);
    CHECK_FALSE(terrain.raycast({{-30, 20, -30}, {1, 0.01F, 1}, 100.0F}));
    CHECK_FALSE(terrain.raycast({{-30, -5, 3}, {1, 0, 0}, 60.0F}));
    CHECK(terrain.colliders().stats().built == 0);
    const auto hit = terrain.raycast({{3, 20, 3}, {0, -1, 0}, 100.0F});
    REQUIRE(hit);
    CHECK(hit->t == 28.0F);
    CHECK(hit->normal == Vec3(0, 1, 0));
    CHECK(hit->brick == BrickCoord{0, -2, 0});
    CHECK(hit->material == 2);
    CHECK(terrain.colliders().stats().built <= 2);
    // From below the surface upward: the same face from behind.
    const auto from_below = terrain.raycast({{3, -20, 3}, {0, 2, 0}, 100.0F});
    REQUIRE(from_below);
    CHECK(from_below->t == 6.0F);
    CHECK(from_below->normal == Vec3(0, 1, 0));
}

TEST_CASE("A13 raycast: the zone's floor and walls are surfaces") {
    const VoxelGrid air = test::uniform_grid(kAirVoxel);
    Terrain terrain(air);
    test::follow(air, terrain);
    const auto floor = terrain.raycast({{0.25F, 30, 0.25F}, {0, -1, 0}, 1000.0F});
    REQUIRE(floor);
    CHECK(floor->t == 62.0F);
    CHECK(floor->brick.y == -5);
    const VoxelGrid rock = test::uniform_grid({2, 255});
    Terrain full(rock);
    test::follow(rock, full);
    const auto wall = full.raycast({{-60, 5, 5}, {1, 0, 0}, 1000.0F});
    REQUIRE(wall);
    CHECK(wall->t == 28.0F);
    CHECK(wall->normal == Vec3(-1, 0, 0));
    const auto top = full.raycast({{3, 90, 5}, {0, -1, 0}, 1000.0F});
    REQUIRE(top);
    CHECK(top->t == 58.0F);
}

TEST_CASE("A13 raycast: rays without length, direction or sense hit nothing, huge ones end") {
    const VoxelGrid grid = test::rolling_grid(2);
    Terrain terrain(grid);
    test::follow(grid, terrain);
    CHECK_FALSE(terrain.raycast({{0, 30, 0}, {0, 0, 0}, 100.0F}));
    CHECK_FALSE(terrain.raycast({{0, 30, 0}, {0, -1, 0}, 0.0F}));
    CHECK_FALSE(terrain.raycast({{0, 30, 0}, {0, -1, 0}, -5.0F}));
    CHECK_FALSE(terrain.raycast({{0, 30, 0}, {0, -1, 0}, NAN}));
    CHECK_FALSE(terrain.raycast({{0, NAN, 0}, {0, -1, 0}, 100.0F}));
    CHECK_FALSE(terrain.raycast({{0, 30, 0}, {0, -kInfinity, 0}, 100.0F}));
    CHECK_FALSE(terrain.raycast({{0, 1e30F, 0}, {0, -1, 0}, 1e38F}));
    CHECK_FALSE(terrain.raycast({{0, 30, 0}, {0, -1e-40F, 0}, 1e38F}));
    CHECK_FALSE(terrain.raycast({{0, 300, 0}, {1e20F, 1e20F, 0}, kInfinity}));
    CHECK(terrain.raycast({{0, 30, 0}, {0, -1, 0}, kInfinity}));
    CHECK(terrain.raycast({{0, 30, 0}, {0, -1e-20F, 0}, kInfinity}));
    CHECK(terrain.raycast({{0, 30, 0}, {0, -1e30F, 0}, 1.0F}));
    CHECK(terrain.raycast({{0, 500000, 0}, {0, -1, 0}, 1e6F}));
}

}  // namespace terrane
