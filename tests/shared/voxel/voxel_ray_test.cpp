#include "shared/voxel/voxel_ray.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tests/shared/voxel/voxel_samples.h"

namespace terrane {
namespace {

constexpr GridBounds kBounds{{-1, -1, -1}, {1, 1, 1}};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

VoxelGrid one_voxel(const VoxelCoord& v, Voxel voxel = {2, 255}) {
    VoxelGrid grid(kBounds);
    grid.insert(chunk_of(v), {});
    set_voxel(*grid.find(chunk_of(v)), index_in_chunk(v), voxel);
    return grid;
}

/// The interval of t in which the ray is inside the closed voxel, by the slab test in double.
std::optional<std::pair<double, double>> slab(const Ray& ray, const VoxelCoord& v) {
    double enter = 0.0;
    double leave = ray.t_max;
    const std::int32_t low[3] = {v.x, v.y, v.z};
    for (int axis = 0; axis < 3; ++axis) {
        const double origin = ray.origin[axis];
        const double direction = ray.direction[axis];
        if (direction == 0.0) {
            if (origin < low[axis] || origin > low[axis] + 1.0) {
                return std::nullopt;
            }
            continue;
        }
        const double a = (low[axis] - origin) / direction;
        const double b = (low[axis] + 1.0 - origin) / direction;
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
    }
    return enter <= leave ? std::optional(std::pair(enter, leave)) : std::nullopt;
}

}  // namespace

TEST_CASE("voxel ray: the hit, its time and the voxel before it, along each axis both ways") {
    const VoxelCoord target{-3, 4, -5};
    const VoxelGrid grid = one_voxel(target);
    const Vec3 middle = corner_of(target) + Vec3{0.5F};
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-1.0F, 1.0F}) {
            CAPTURE(axis);
            CAPTURE(side);
            Ray ray{middle, Vec3{0.0F}, 10.0F};
            ray.origin[axis] += side * 3.0F;
            ray.direction[axis] = -side * 0.5F;
            const auto hit = raycast_voxels(grid, ray);
            REQUIRE(hit.has_value());
            CHECK(hit->voxel == target);
            CHECK(hit->t == doctest::Approx(5.0));
            Vec3 before = middle;
            before[axis] += side;
            CHECK(hit->before == voxel_at(before));
        }
    }
}

TEST_CASE("voxel ray: t_max is exact") {
    const VoxelGrid grid = one_voxel({5, 0, 0});
    Ray ray{{0.5F, 0.5F, 0.5F}, {1.0F, 0.0F, 0.0F}, 4.5F};
    CHECK(raycast_voxels(grid, ray).has_value());
    ray.t_max = std::nextafter(4.5F, 0.0F);
    CHECK_FALSE(raycast_voxels(grid, ray).has_value());
    ray.direction = {0.25F, 0.0F, 0.0F};
    ray.t_max = 18.0F;
    CHECK(raycast_voxels(grid, ray).has_value());
    ray.t_max = std::nextafter(18.0F, 0.0F);
    CHECK_FALSE(raycast_voxels(grid, ray).has_value());
    ray.t_max = kInfinity;
    CHECK(raycast_voxels(grid, ray)->t == 18.0F);
}

TEST_CASE("voxel ray: starts inside, on a face, and with nothing to walk") {
    const VoxelGrid grid = one_voxel({1, 1, 1});
    const auto inside = raycast_voxels(grid, {{1.5F, 1.5F, 1.5F}, {1.0F, 0.0F, 0.0F}, 1.0F});
    REQUIRE(inside.has_value());
    CHECK(inside->t == 0.0F);
    CHECK(inside->before == inside->voxel);
    // On the top face: the origin belongs to the voxel above.
    const auto on_top = raycast_voxels(grid, {{1.5F, 2.0F, 1.5F}, {0.0F, -1.0F, 0.0F}, 1.0F});
    REQUIRE(on_top.has_value());
    CHECK(on_top->t == 0.0F);
    CHECK(on_top->before == VoxelCoord{1, 2, 1});
    CHECK_FALSE(raycast_voxels(grid, {{1.5F, 2.0F, 1.5F}, {0.0F, 1.0F, 0.0F}, 50.0F}).has_value());
    CHECK(raycast_voxels(grid, {{1.5F, 1.5F, 1.5F}, Vec3{0.0F}, 1.0F}).has_value());
    CHECK_FALSE(raycast_voxels(grid, {{0.5F, 1.5F, 1.5F}, Vec3{0.0F}, kInfinity}).has_value());
}

TEST_CASE("voxel ray: zero of either sign and denormal directions never cross a face") {
    const VoxelGrid grid = one_voxel({4, 0, 0});
    const float tiny = std::numeric_limits<float>::denorm_min();
    for (const float other : {0.0F, -0.0F, tiny, -tiny}) {
        for (const float start : {0.5F, 0.0F}) {
            CAPTURE(other);
            CAPTURE(start);
            const auto hit =
                raycast_voxels(grid, {{0.5F, start, 0.5F}, {1.0F, other, -other}, 100.0F});
            // From exactly y = 0 the smallest step down leaves the row at t = 0.
            const bool leaves = start == 0.0F && other < 0.0F;
            CHECK(hit.has_value() != leaves);
        }
    }
    CHECK_FALSE(raycast_voxels(grid, {{3.5F, 0.5F, 0.5F}, {tiny, 0.0F, 0.0F}, 1e30F}).has_value());
}

TEST_CASE("voxel ray: only core voxels stop it; the floor does, the outside does not") {
    const Ray ray{{0.5F, 0.5F, 0.5F}, {1.0F, 0.0F, 0.0F}, 20.0F};
    CHECK(raycast_voxels(one_voxel({5, 0, 0}, {2, 128}), ray).has_value());
    CHECK_FALSE(raycast_voxels(one_voxel({5, 0, 0}, {2, 127}), ray).has_value());
    CHECK_FALSE(raycast_voxels(one_voxel({5, 0, 0}, {kWater, 255}), ray).has_value());
    const VoxelGrid empty(kBounds);
    const auto floor = raycast_voxels(empty, {{0.5F, 0.5F, 0.5F}, {0.0F, -1.0F, 0.0F}, 100.0F});
    REQUIRE(floor.has_value());
    CHECK(floor->voxel == VoxelCoord{0, -33, 0});
    CHECK(floor->t == 32.5F);
}

TEST_CASE("voxel ray: values that are not finite, far origins and endless rays end without a hit") {
    const VoxelGrid grid = one_voxel({1, 1, 1});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Vec3 ahead{1.0F, 0.0F, 0.0F};
    CHECK_FALSE(raycast_voxels(grid, {{nan, 1.5F, 1.5F}, ahead, 1.0F}).has_value());
    CHECK_FALSE(raycast_voxels(grid, {{1.5F, 1.5F, 1.5F}, {kInfinity, 0.0F, 0.0F}, 1.0F}));
    CHECK_FALSE(raycast_voxels(grid, {{1.5F, 1.5F, 1.5F}, ahead, nan}).has_value());
    CHECK_FALSE(raycast_voxels(grid, {{1.5F, 1.5F, 1.5F}, ahead, -1.0F}).has_value());
    CHECK_FALSE(raycast_voxels(grid, {{3e9F, 1.5F, 1.5F}, ahead, 1.0F}).has_value());
    CHECK_FALSE(raycast_voxels(grid, {{1073741823.0F, 1.5F, 1.5F}, ahead, kInfinity}).has_value());
    CHECK_FALSE(raycast_voxels(grid, {{2.5F, 1.5F, 1.5F}, {1.0F, 1.0F, 1.0F}, kInfinity}));
}

TEST_CASE("voxel ray: equals a brute-force search over all voxels and fine sampling") {
    constexpr std::uint64_t kSeed = 51;
    CAPTURE(kSeed);
    Random random(kSeed);
    VoxelGrid grid(kBounds);
    for (std::int32_t i = 0; i < 8; ++i) {
        grid.insert({(i & 1) - 1, (i >> 1 & 1) - 1, (i >> 2) - 1}, {});
    }
    const VoxelBox field{{-6, -6, -6}, {5, 5, 5}};
    test::for_each_voxel(field, [&](const VoxelCoord& v) {
        if (random.below(12) == 0) {
            set_voxel(*grid.find(chunk_of(v)), index_in_chunk(v),
                      {2, static_cast<std::uint8_t>(random.between(100, 255))});
        }
    });
    int hits = 0;
    for (int round = 0; round < 1500; ++round) {
        CAPTURE(round);
        Ray ray{{random.range(-9, 9), random.range(-9, 9), random.range(-9, 9)},
                {random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)},
                random.range(0, 30)};
        if (round % 3 == 0) {  // whole numbers and zeros: edges, corners, faces
            ray.origin = glm::floor(ray.origin) + Vec3{0.5F};
            ray.direction = glm::round(ray.direction * 1.4F);
        }
        const auto hit = raycast_voxels(grid, ray);
        // No core voxel may be crossed in its inside before the hit.
        const double end = hit ? hit->t : ray.t_max;
        bool is_free = true;
        for (double t = 0.0; t < end - 1e-4; t += 0.007) {
            const Vec3 at = point_at(ray, static_cast<float>(t));
            const Vec3 to_face = glm::abs(glm::fract(at) - 0.5F);
            const bool is_near_face = std::max({to_face.x, to_face.y, to_face.z}) > 0.4999F;
            is_free &= is_near_face || !is_core(grid.voxel(voxel_at(at)));
        }
        CHECK(is_free);
        if (!hit) {
            continue;
        }
        ++hits;
        CHECK(is_core(grid.voxel(hit->voxel)));
        const auto inside = slab(ray, hit->voxel);
        REQUIRE(inside.has_value());
        CHECK(hit->t == doctest::Approx(inside->first).epsilon(1e-5));
        const VoxelCoord step = hit->voxel - hit->before;
        CHECK(std::abs(step.x) + std::abs(step.y) + std::abs(step.z) ==
              (hit->before == hit->voxel ? 0 : 1));
    }
    CHECK(hits > 200);
}

}  // namespace terrane
