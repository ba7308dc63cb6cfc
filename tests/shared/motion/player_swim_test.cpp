// A player in a lake: 5 m deep in the middle, with a beach to the east and a steep bank to the
// west.
#include <doctest/doctest.h>

#include "tests/shared/motion/motion_scene.h"

namespace terrane {
namespace {

constexpr std::uint16_t kEast = 49152;
constexpr std::uint16_t kWest = 16384;
constexpr float kSurface = 0.0F;

float lake_bottom(float x, float) {
    if (x < -10.0F) {
        return 0.6F;  // the bank, a step above the water
    }
    return std::min(-5.0F + std::max(0.0F, 0.4F * (x - 2.0F)), 1.5F);
}

struct Lake : MotionScene {
    Lake() { fill(lake_bottom, kSurface); }
};

TEST_CASE("motion: falls into water, comes up and stays at the surface with the eyes above") {
    Lake lake;
    lake.put({-3.0F, 6.0F, 0.5F});
    lake.run({}, 0.9F);
    lake.run({}, 8.0F);
    CHECK(lake.player.is_swimming);
    CHECK_FALSE(lake.player.is_grounded);
    float lowest = 100.0F;
    float highest = -100.0F;
    for (int i = 0; i < 600; ++i) {
        lake.run({}, kSubstepS);
        lowest = std::min(lowest, lake.player.position.y);
        highest = std::max(highest, lake.player.position.y);
        REQUIRE(lake.player.is_swimming);
    }
    CHECK(highest - lowest < 0.05F);
    CHECK(eye_position(lake.player, lake.config).y > kSurface);
    CHECK(lake.player.position.y + 0.65F * lake.config.height_m < kSurface);
}

TEST_CASE("motion: swims 2.5 m/s over the lake, down to the ground and up again") {
    Lake lake;
    lake.put({-8.0F, -1.3F, 0.5F});
    lake.run(walk_forward(kEast), 1.0F);
    const float from = lake.player.position.x;
    lake.run(walk_forward(kEast), 2.0F);
    CHECK((lake.player.position.x - from) / 2.0F == doctest::Approx(2.5F).epsilon(0.02));

    PlayerControls down;
    down.buttons = kButtonDown;
    lake.put({-3.0F, -1.3F, 0.5F});
    lake.run(down, 0.5F);
    const float deep = lake.player.position.y;
    lake.run(down, 0.5F);
    CHECK(deep - lake.player.position.y == doctest::Approx(1.25F).epsilon(0.02));
    lake.run(down, 3.0F);
    CHECK(lake.player.position.y == doctest::Approx(-5.0F + kPlayerGapM).epsilon(0.02));
    CHECK(lake.player.is_swimming);
    CHECK(lake.gap_m() > 0.015F);
    lake.run({}, 1.0F);  // buoyancy is slow
    const float risen = lake.player.position.y + 5.0F;
    CHECK(risen > 0.5F);
    CHECK(risen < 1.1F);
    PlayerControls up;
    up.buttons = kButtonJump;
    lake.run(up, 0.5F);
    CHECK(lake.player.velocity.y == doctest::Approx(2.5F).epsilon(0.02));
    lake.run(up, 4.0F);
    for (int i = 0; i < 120; ++i) {  // holding the button does not make a fountain of the swimmer
        lake.run(up, kSubstepS);
        REQUIRE(lake.player.is_swimming);
        REQUIRE(lake.player.position.y < kSurface - 0.9F);
    }
}

TEST_CASE("motion: leaves the lake over a beach on foot") {
    Lake lake;
    lake.put({0.0F, -1.3F, 0.5F});
    lake.run(walk_forward(kEast), 12.0F);
    CHECK_FALSE(lake.player.is_swimming);
    CHECK(lake.player.is_grounded);
    CHECK(lake.player.position.y > 1.0F);
    // And back in.
    lake.run(walk_forward(kWest), 6.0F);
    CHECK(lake.player.is_swimming);
}

TEST_CASE("motion: climbs out over a steep bank with the jump button") {
    Lake lake;
    lake.put({-8.0F, -1.3F, 0.5F});
    lake.run(walk_forward(kWest), 3.0F);
    CHECK(lake.player.is_swimming);  // not by swimming at it
    lake.run(walk_forward(kWest, kButtonJump), 3.0F);
    lake.run({}, 1.0F);
    CHECK(lake.player.position.x < -10.0F);
    CHECK(lake.player.position.y > 0.4F);
    CHECK(lake.player.is_grounded);
}

TEST_CASE("motion: wading is walking") {
    MotionScene scene;
    scene.fill([](float, float) { return -1.0F; }, 0.0F);
    scene.put({0.5F, -0.9F, 8.0F});
    scene.run({}, 0.3F);
    scene.run(walk_forward(), 2.0F);
    CHECK_FALSE(scene.player.is_swimming);
    CHECK(scene.player.is_grounded);
    CHECK(scene.player.position.z < 0.0F);
}

}  // namespace
}  // namespace terrane
