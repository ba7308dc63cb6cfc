#include "server/physics/ground_probe.h"

#include <doctest/doctest.h>

#include "tests/server/physics/drop_scene.h"

namespace terrane {

TEST_CASE("A23 ground_probe: out is along the falling density") {
    VoxelGrid grid = flat_ground(kSceneBounds);
    VoxelReader reader(grid);
    CHECK(glm::length(way_out(reader, {3.3F, -0.2F, 3.9F}) - Vec3(0.0F, 1.0F, 0.0F)) < 1e-4F);
    fill(grid, {{-8, 0, -8}, {-1, 15, 7}}, kRock);  // a wall whose face is x = 0
    CHECK(way_out(reader, {-0.3F, 8.2F, 0.2F}).x > 0.99F);
}

TEST_CASE("A23 ground_probe: deep inside, out is the nearest free voxel, a side before a roof") {
    VoxelGrid grid = flat_ground(kSceneBounds);
    VoxelReader reader(grid);
    fill(grid, {{4, -20, -8}, {5, -5, 7}}, kAirVoxel);  // a shaft east of x = 0, 5 m below the top
    const Vec3 way = way_out(reader, {0.5F, -9.5F, 0.5F});
    CHECK(way.x > 0.9F);
    CHECK(way_out(reader, {-40.5F, -24.5F, 0.5F}) == Vec3(0.0F, 1.0F, 0.0F));  // none within 16
    CHECK(way_out(reader, {-40.5F, -10.5F, 0.5F}).y > 0.99F);
}

TEST_CASE("A23 ground_probe: the distance out ends at the surface or at the limit") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const Vec3 up{0.0F, 1.0F, 0.0F};
    CHECK(distance_out(scene.terrain, {0.5F, -0.4F, 0.5F}, up, 5.0F) ==
          doctest::Approx(0.4F).epsilon(0.001));
    CHECK(distance_out(scene.terrain, {0.5F, -9.0F, 0.5F}, up, 0.25F) == 0.25F);
}

TEST_CASE("A23 ground_probe: what triangles enclose is counted as on the way up to the sky") {
    // Checkerboards, single voxels and walls, where density and mesh are apart.
    const std::uint64_t seed = 61;
    CAPTURE(seed);
    Random random(seed);
    PhysicsScene scene(drop_ground(DropGround::adversarial, {0, 0, 0}));
    VoxelReader reader(scene.grid);
    int inside = 0;
    int doubtful = 0;
    for (int i = 0; i < 4000; ++i) {
        const Vec3 point{random.range(-29.0F, 29.0F), random.range(-1.0F, 5.0F),
                         random.range(-29.0F, 29.0F)};
        const bool is_inside = is_in_mesh(scene.terrain, point);
        inside += is_inside ? 1 : 0;
        doubtful += is_inside != is_in_ground(reader, point) ? 1 : 0;
        CAPTURE(point.x);
        CAPTURE(point.y);
        CAPTURE(point.z);
        if (ground_density(reader, point) >= 64.0F || !is_inside) {
            CHECK(is_enclosed(scene.terrain, reader, point) == is_inside);
        }
    }
    CHECK(inside > 400);
    CHECK(doubtful > 40);
    CHECK(is_enclosed(scene.terrain, reader, {0.3F, -40.0F, 0.4F}));  // no triangle within reach
}

}  // namespace terrane
