#include "shared/motion/surroundings.h"

#include <doctest/doctest.h>

#include "tests/shared/motion/motion_scene.h"

namespace terrane {
namespace {

const Capsule kCapsule{0.35F, 1.8F, 0.37F};

TEST_CASE("motion: the water's surface is the top of its column, also beside a flooded voxel") {
    MotionScene scene;
    scene.fill([](float, float) { return -4.0F; }, -0.5F);
    CHECK(*water_surface_m(scene.grid, {0.5F, -3.5F, 0.5F}) ==
          doctest::Approx(-0.5F).epsilon(0.01));
    CHECK_FALSE(water_surface_m(scene.grid, {0.5F, -0.4F, 0.5F}).has_value());
    CHECK_FALSE(water_surface_m(scene.grid, {0.5F, 3.0F, 0.5F}).has_value());
    CHECK_FALSE(water_surface_m(scene.grid, {0.5F, -4.5F, 0.5F}).has_value());
    scene.set_box({{0, -3, 0}, {0, -3, 0}}, {kFirstSolid, 100});
    CHECK(water_surface_m(scene.grid, {0.5F, -2.5F, 0.5F}).has_value());
    scene.set_box({{0, -3, 0}, {0, -3, 0}}, {kFirstSolid, 200});
    CHECK_FALSE(water_surface_m(scene.grid, {0.5F, -2.5F, 0.5F}).has_value());
}

TEST_CASE("motion: a capsule is buried from the surface on, not from the voxel's face") {
    MotionScene scene;
    scene.fill([](float, float) { return 0.5F; });
    CHECK(is_buried(scene.grid, kCapsule, {0.5F, 0.0F, 0.5F}));
    CHECK_FALSE(is_buried(scene.grid, kCapsule, {0.5F, 0.52F, 0.5F}));
}

TEST_CASE("motion: the nearest free spot is free, and none is none") {
    MotionScene scene;
    const auto spot = nearest_free_spot(scene.grid, kCapsule, {0.5F, -1.0F, 0.5F});
    REQUIRE(spot.has_value());
    CHECK(spot->y >= -0.01F);
    CHECK(spot->x == 0.5F);
    CHECK_FALSE(is_buried(scene.grid, kCapsule, *spot));
    CHECK_FALSE(nearest_free_spot(scene.grid, kCapsule, {0.5F, -20.0F, 0.5F}).has_value());
}

}  // namespace
}  // namespace terrane
