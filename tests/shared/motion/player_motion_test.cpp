// A player on the ground: speeds, jumps, steps, slopes, walls, holes, borders, bad input.
#include "shared/motion/player_motion.h"

#include <cstring>
#include <limits>

#include <doctest/doctest.h>

#include "tests/shared/motion/motion_scene.h"

namespace terrane {
namespace {

constexpr std::uint16_t kEast = 49152;  ///< +X
constexpr std::uint16_t kWest = 16384;  ///< -X

float level_speed(const PlayerState& player) {
    return std::sqrt(player.velocity.x * player.velocity.x + player.velocity.z * player.velocity.z);
}

TEST_CASE("motion: falls onto flat ground and stands a gap above it") {
    MotionScene scene;
    scene.put({0.3F, 5.0F, 0.2F});
    scene.run({}, 2.0F);
    CHECK(scene.player.is_grounded);
    CHECK(scene.player.position.y == doctest::Approx(kPlayerGapM).epsilon(0.05));
    CHECK(scene.gap_m() == doctest::Approx(kPlayerGapM).epsilon(0.05));
    CHECK(scene.player.velocity == Vec3{0.0F});
    const PlayerState resting = scene.player;
    scene.run({}, 5.0F);
    CHECK(glm::length(scene.player.position - resting.position) < 1e-3F);
}

TEST_CASE("motion: walks 4.5 m/s and runs 7 m/s on flat ground, in every direction") {
    MotionScene scene;
    for (const std::uint16_t yaw : {std::uint16_t{0}, kEast, std::uint16_t{5000}}) {
        for (const bool runs : {false, true}) {
            CAPTURE(yaw);
            CAPTURE(runs);
            const float speed = runs ? 7.0F : 4.5F;
            const auto controls =
                walk_forward(yaw, runs ? std::uint8_t{kButtonRun} : std::uint8_t{0});
            scene.put({0.0F, 0.05F, 0.0F});
            scene.run(controls, 1.0F);
            const Vec3 from = scene.player.position;
            scene.run(controls, 2.0F);
            const Vec3 way = scene.player.position - from;
            CHECK(glm::length(way) / 2.0F == doctest::Approx(speed).epsilon(0.02));
            const Vec3 ahead = look_direction(yaw, 0);
            CHECK(glm::dot(way, ahead) > 0.999F * glm::length(way));
            CHECK(scene.player.is_grounded);
            scene.run({}, 0.5F);
            CHECK(level_speed(scene.player) == 0.0F);
        }
    }
    // Both axes at once are no faster than one.
    PlayerControls both = walk_forward();
    both.move_right = 127;
    scene.put({0.0F, 0.05F, 0.0F});
    scene.run(both, 1.0F);
    CHECK(level_speed(scene.player) == doctest::Approx(4.5F).epsilon(0.02));
    CHECK(scene.player.velocity.x > 3.0F);  // right of -Z is +X
}

TEST_CASE("motion: a jump rises 1.25 m, whatever the substep") {
    MotionScene scene;
    for (const float dt : {1.0F / 30.0F, 1.0F / 60.0F, 1.0F / 120.0F}) {
        CAPTURE(dt);
        scene.put({0.0F, kPlayerGapM, 0.0F});
        scene.run({}, 0.5F);
        PlayerControls jump;
        jump.buttons = kButtonJump;
        float highest = 0.0F;
        step_player(scene.player, jump, scene.config, scene.world, dt);
        CHECK_FALSE(scene.player.is_grounded);
        for (float t = 0.0F; t < 1.5F; t += dt) {
            step_player(scene.player, {}, scene.config, scene.world, dt);
            highest = std::max(highest, scene.player.position.y - kPlayerGapM);
        }
        CHECK(highest == doctest::Approx(1.25F).epsilon(0.02));
        CHECK(scene.player.is_grounded);
    }
}

TEST_CASE("motion: a roof ends a jump") {
    MotionScene scene;
    scene.set_box({{-6, 2, -6}, {6, 3, 6}}, {kFirstSolid, kFullOccupancy});
    scene.put({0.0F, 0.05F, 0.0F});
    scene.run({}, 0.2F);
    PlayerControls jump;
    jump.buttons = kButtonJump;
    float highest = 0.0F;
    for (int i = 0; i < 300; ++i) {
        scene.run(jump, kSubstepS);
        highest = std::max(highest, scene.player.position.y);
        REQUIRE(scene.gap_m() > 0.01F);
    }
    CHECK(highest < 0.2F);  // 2 m of room, 1.8 m of player
    CHECK(highest > 0.1F);
}

TEST_CASE("motion: steps up 0.6 m but not a wall of two voxels") {
    MotionScene scene;
    const auto climb = [&](float rise, float slope_max_deg) {
        scene.fill([rise](float x, float) { return x > 4.0F ? rise : 0.0F; });
        scene.config.slope_max_deg = slope_max_deg;
        scene.put({0.0F, 0.05F, 0.5F});
        scene.run(walk_forward(kEast), 4.0F);
        return scene.player.position;
    };
    for (const float slope : {50.0F, 30.0F}) {  // with 30 degrees the riser itself is no ground
        CAPTURE(slope);
        const Vec3 up = climb(0.6F, slope);
        CHECK(up.x > 10.0F);
        CHECK(up.y > 0.4F);
        const Vec3 blocked = climb(2.0F, slope);
        CHECK(blocked.x < 5.0F);
        CHECK(blocked.y < 0.7F);
    }
    // A step height of zero takes the stepping away: the riser stops those who may not walk it.
    scene.config.step_height_m = 0.0F;
    CHECK(climb(0.6F, 30.0F).x < 5.0F);
}

TEST_CASE("motion: walks up and down a gentle slope at full speed, without leaving the ground") {
    MotionScene scene;
    scene.fill([](float x, float) { return 0.5F * x; });  // 27 degrees
    scene.put({-8.0F, -3.9F, 0.5F});
    scene.run({}, 0.5F);
    const float from = scene.player.position.x;
    scene.run(walk_forward(kEast), 3.0F);
    CHECK(scene.player.position.x - from > 0.9F * 13.5F);
    CHECK(scene.player.position.y == doctest::Approx(0.5F * scene.player.position.x).epsilon(0.2));
    int airborne = 0;
    for (int i = 0; i < 120; ++i) {
        scene.run(walk_forward(kWest, kButtonRun), kSubstepS);
        airborne += scene.player.is_grounded ? 0 : 1;
    }
    CHECK(airborne == 0);
    scene.run({}, 0.5F);
    const Vec3 stopped = scene.player.position;
    scene.run({}, 3.0F);
    CHECK(glm::length(scene.player.position - stopped) < 0.01F);  // nobody slides on it
}

TEST_CASE("motion: slides down a slope of more than 50 degrees and cannot walk up it") {
    MotionScene scene;
    const auto steep = [](float x, float) { return x > 0.0F ? 1.8F * x : 0.0F; };  // 61 degrees
    scene.fill(steep, -1000.0F, 2.06F);
    scene.put({6.0F, 13.0F, 0.5F});
    scene.run({}, 0.4F);
    CHECK_FALSE(scene.player.is_grounded);
    scene.run({}, 4.0F);
    CHECK(scene.player.is_grounded);
    CHECK(scene.player.position.x < 1.5F);
    CHECK(scene.player.position.y < 1.5F);
    scene.put({-5.0F, 0.05F, 0.5F});
    scene.run(walk_forward(kEast, kButtonRun), 4.0F);
    CHECK(scene.player.position.y < 2.0F);
    // Jumping at it does not help either.
    float highest = 0.0F;
    for (int i = 0; i < 600; ++i) {
        scene.run(walk_forward(kEast, kButtonRun | kButtonJump), kSubstepS);
        highest = std::max(highest, scene.player.position.y);
    }
    CHECK(highest < 4.0F);
}

TEST_CASE("motion: speed does not carry anybody up a steep face") {
    MotionScene scene;
    scene.fill([](float x, float) { return x > 0.0F ? 1.4F * x : 0.0F; }, -1000.0F, 1.72F);
    scene.put({-1.0F, 3.0F, 0.5F});  // 54 degrees, hit in flight
    scene.player.velocity = {20.0F, 0.0F, 0.0F};
    float highest = 0.0F;
    for (int i = 0; i < 60; ++i) {
        scene.run({}, kSubstepS);
        highest = std::max(highest, scene.player.position.y);
    }
    CHECK(highest < 3.1F);
}

TEST_CASE("motion: slides along a wall at the part of the speed that goes along it") {
    MotionScene scene;
    scene.fill([](float x, float) { return x > 4.0F ? 6.0F : 0.0F; });
    scene.put({2.0F, 0.05F, 10.0F});
    const std::uint16_t north_east = 57344;
    scene.run(walk_forward(north_east), 1.5F);
    const float from = scene.player.position.z;
    scene.run(walk_forward(north_east), 2.0F);
    CHECK(scene.player.position.x < 4.5F);
    CHECK(from - scene.player.position.z == doctest::Approx(4.5F * 0.7071F * 2.0F).epsilon(0.05));
    CHECK(scene.gap_m() > 0.015F);
}

TEST_CASE("motion: falls into a hole dug under its feet, and is stopped by the floor of the zone") {
    MotionScene scene;
    scene.put({0.5F, 0.05F, 0.5F});
    scene.run({}, 0.3F);
    scene.set_box({{-2, -6, -2}, {2, -1, 2}}, kAirVoxel);
    scene.run({}, kSubstepS);
    CHECK_FALSE(scene.player.is_grounded);  // in the very next substep
    scene.run({}, 2.0F);
    CHECK(scene.player.is_grounded);
    CHECK(scene.player.position.y == doctest::Approx(-6.0F + kPlayerGapM).epsilon(0.02));
    scene.set_box({{-2, -32, -2}, {2, -1, 2}}, kAirVoxel);
    scene.run({}, 5.0F);
    CHECK(scene.player.is_grounded);
    CHECK(scene.player.position.y == doctest::Approx(-32.0F).epsilon(0.01));
}

TEST_CASE("motion: nothing falls through ground at any legal speed") {
    MotionScene scene;
    scene.fill([](float, float) { return 0.0F; });
    scene.set_box({{-32, -32, -32}, {31, -2, 31}}, kAirVoxel);  // a floor of one voxel
    for (float speed = 5.0F; speed <= 60.0F; speed += 5.0F) {
        for (const float dt : {kSubstepS, 0.1F}) {
            CAPTURE(speed);
            scene.put({0.4F, 9.0F, 0.7F});
            scene.player.velocity = {0.3F * speed, -speed, 0.0F};
            for (int i = 0; i < 30; ++i) {
                step_player(scene.player, {}, scene.config, scene.world, dt);
                REQUIRE(scene.player.position.y > 0.0F);
            }
        }
    }
    // Sideways too.
    scene.fill([](float x, float) { return x > 8.0F && x < 10.0F ? 8.0F : 0.0F; });
    scene.put({0.5F, 3.0F, 0.5F});
    scene.player.velocity = {60.0F, 5.0F, 0.0F};
    scene.run({}, 1.0F);
    CHECK(scene.player.position.x < 9.0F);
}

TEST_CASE("motion: the zone's border holds, also where the ground ends") {
    MotionScene scene;
    for (const std::uint16_t yaw : {std::uint16_t{0}, kWest, std::uint16_t{32768}, kEast}) {
        CAPTURE(yaw);
        scene.put({0.0F, 0.05F, 0.0F});
        scene.run(walk_forward(yaw, kButtonRun), 6.0F);
        CHECK(std::max(std::abs(scene.player.position.x), std::abs(scene.player.position.z)) ==
              doctest::Approx(32.0F - 0.37F));
        CHECK(scene.player.position.y > -0.5F);
    }
}

TEST_CASE("motion: a player buried by an edit is put on the nearest free spot") {
    MotionScene scene;
    scene.put({0.5F, 0.05F, 0.5F});
    scene.run({}, 0.3F);
    scene.set_box({{-1, 0, -1}, {1, 3, 1}}, {kFirstSolid, kFullOccupancy});
    scene.run({}, 2.0F);
    CHECK(scene.player.is_grounded);
    CHECK(scene.gap_m() > 0.01F);
    CHECK_FALSE(is_core(scene.grid.voxel(voxel_at(scene.player.position + 0.4F))));
    CHECK(scene.player.position.y < 0.5F);  // beside the new rock, not on top of it
    // Far under ground: up, until there is air.
    scene.put({0.5F, -20.0F, 0.5F});
    scene.run({}, 4.0F);
    CHECK(scene.player.is_grounded);
    CHECK(scene.player.position.y > 0.0F);
}

TEST_CASE("motion: a chunk that is not here holds the player, who may look round") {
    MotionScene scene({{-1, -1, -1}, {1, 1, 1}});
    scene.put({0.5F, 0.05F, 0.5F});
    scene.run({}, 0.3F);
    scene.grid.erase({0, -1, 0});
    scene.terrain.chunk_left({0, -1, 0});
    const Vec3 before = scene.player.position;
    scene.run(walk_forward(1234), 1.0F);
    CHECK(scene.player.position == before);
    CHECK(scene.player.yaw == 1234);
}

TEST_CASE("motion: a chunk that is not here holds who is a metre before it, in the air too") {
    MotionScene scene({{-1, -1, -1}, {1, 1, 1}});
    scene.grid.erase({-1, 0, 0});
    scene.terrain.chunk_left({-1, 0, 0});
    const auto is_held_at = [&](float beside_m) {
        scene.put({0.35F + beside_m, 6.0F, 5.0F});
        scene.player.velocity = {0.0F, 3.0F, 0.0F};
        const Vec3 before = scene.player.position;
        PlayerControls controls = walk_forward(77);
        controls.pitch = 500;
        step_player(scene.player, controls, scene.config, scene.world, kSubstepS);
        CHECK(scene.player.yaw == 77);
        CHECK(scene.player.pitch == 500);
        return scene.player.position == before && scene.player.velocity == Vec3(0.0F);
    };
    CHECK(is_held_at(0.3F));
    CHECK(is_held_at(0.9F));
    CHECK_FALSE(is_held_at(1.1F));
}

TEST_CASE("motion: bad values in are finite values out") {
    MotionScene scene;
    const float bad[] = {std::numeric_limits<float>::quiet_NaN(),
                         std::numeric_limits<float>::infinity(), -1e30F, 1e30F};
    for (const float value : bad) {
        scene.put({0.5F, 2.0F, 0.5F});
        scene.player.velocity = {value, value, value};
        PlayerControls controls;
        controls.move_right = -128;
        controls.move_forward = -128;
        controls.buttons = 255;
        controls.pitch = -32768;
        for (int i = 0; i < 30; ++i) {
            step_player(scene.player, controls, scene.config, scene.world, i == 3 ? value : 0.02F);
            REQUIRE(is_finite(scene.player.position));
            REQUIRE(is_finite(scene.player.velocity));
        }
        CHECK(scene.player.pitch == -16384);
    }
    CHECK(look_direction(0, 0).z == -1.0F);
    CHECK(eye_position(scene.player, scene.config).y - scene.player.position.y ==
          doctest::Approx(1.62F));
}

}  // namespace
}  // namespace terrane
