#include "server/physics/ground_probe.h"

#include <doctest/doctest.h>

#include "tests/server/physics/physics_scene.h"

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
    VoxelGrid grid = flat_ground(kSceneBounds);
    VoxelReader reader(grid);
    const Vec3 up{0.0F, 1.0F, 0.0F};
    CHECK(distance_out(reader, {0.5F, -0.4F, 0.5F}, up, 5.0F) ==
          doctest::Approx(0.4F).epsilon(0.2));
    CHECK(distance_out(reader, {0.5F, -9.0F, 0.5F}, up, 0.25F) == doctest::Approx(0.25F));
    CHECK(distance_out(reader, {0.5F, 2.0F, 0.5F}, up, 5.0F) == 0.0F);
}

}  // namespace terrane
