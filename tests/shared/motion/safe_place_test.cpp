// Wherever a player is put, and whatever is built under him: he ends up standing in the open.
#include <limits>

#include <doctest/doctest.h>

#include "shared/motion/surroundings.h"
#include "shared/motion/zone_border.h"
#include "tests/shared/motion/body_scene.h"

namespace terrane {
namespace {

constexpr std::uint16_t kEast = 49152;
constexpr std::uint16_t kWest = 16384;
const Capsule kCapsule{0.35F, 1.8F, 0.37F};

/// Stands free, in the zone, at rest.
void check_safe(BodyScene& scene) {
    CHECK(scene.player.is_grounded);
    CHECK(scene.gap_m() > 0.01F);
    CHECK_FALSE(is_buried(scene.grid, kCapsule, scene.player.position));
    CHECK_FALSE(is_out_of_zone(scene.player, scene.grid.bounds()));
    CHECK(std::abs(scene.player.position.x) <= 32.0F - 0.37F + 1e-4F);
    CHECK(std::abs(scene.player.position.z) <= 32.0F - 0.37F + 1e-4F);
    CHECK(glm::length(scene.player.velocity) < 2.0F);  // at most the border's push
}

TEST_CASE("motion: buried anywhere at the start, a player comes out on top within seconds") {
    BodyScene scene;
    scene.fill([](float x, float z) { return 12.0F - 0.005F * (x * x + z * z); });  // a hill
    for (const Vec3& at :
         {Vec3{0.5F, 11.0F, 0.5F}, Vec3{0.5F, -31.0F, 0.5F}, Vec3{7.3F, 2.0F, -4.0F},
          Vec3{-31.9F, -20.0F, 31.9F}, Vec3{0.5F, -500.0F, 0.5F}, Vec3{0.5F, 5000.0F, 0.5F},
          Vec3{500.0F, 3.0F, 0.5F}, Vec3{-500.0F, -500.0F, 900.0F}, Vec3{0.0F, -32.0F, 0.0F}}) {
        CAPTURE(at.x);
        CAPTURE(at.y);
        CAPTURE(at.z);
        scene.put(at);
        scene.run_all({}, at.y > 1000.0F ? 120.0F : 8.0F);
        check_safe(scene);
        const float ground = 12.0F - 0.005F * (scene.player.position.x * scene.player.position.x +
                                               scene.player.position.z * scene.player.position.z);
        CHECK(scene.player.position.y > ground - 1.0F);
    }
}

TEST_CASE("motion: wedged between a steep slope and the border, a player rests and can jump") {
    MotionScene scene;
    scene.fill([](float x, float z) { return 12.0F - 0.02F * (x * x + z * z); });
    scene.put({-31.9F, -20.0F, 31.9F});
    scene.run({}, 6.0F);
    const Vec3 before = scene.player.position;
    int grounded = 0;
    for (int i = 0; i < 60; ++i) {
        scene.run({}, kSubstepS);
        grounded += scene.player.is_grounded ? 1 : 0;
        REQUIRE(glm::length(scene.player.position - before) < 0.01F);
    }
    CHECK(grounded >= 20);
    PlayerControls jump;
    jump.buttons = kButtonJump;
    scene.run(jump, 0.2F);
    CHECK(scene.player.position.y > before.y + 0.5F);
}

TEST_CASE("motion: nobody jumps from a wall in the air") {
    MotionScene scene;
    scene.fill([](float x, float) { return x > 4.0F ? 12.0F : 0.0F; });
    for (int n = 0; n < 60; ++n) {  // one of them is at its highest just in a substep
        scene.config.gravity_mps2 = 9.0F + 0.03F * static_cast<float>(n);
        scene.put({3.0F, 0.05F, 0.5F});
        scene.run({}, 0.3F);
        for (int i = 0; i < 70; ++i) {
            scene.run(walk_forward(kEast, kButtonJump), kSubstepS);
            REQUIRE(scene.player.position.y < 1.6F);
        }
    }
}

TEST_CASE("motion: put into a prop, into a prop in a hill, between props: out and at rest") {
    BodyScene scene;
    scene.fill([](float x, float) { return x > 4.0F ? 3.0F : 0.0F; });
    scene.add(0, {0.0F, 1.5F, 0.0F}, {0.4F, 2.0F, 0.4F}, 0.0F, BodyShape::cylinder);  // a trunk
    scene.add(0, {-8.0F, 2.0F, 0.0F}, {2.0F, 2.0F, 2.0F});                            // a house
    scene.add(0, {8.0F, 3.0F, 0.0F}, {1.0F, 2.0F, 1.0F});  // half in the ground
    scene.add(0, {-8.0F, 2.0F, 10.0F}, {1.0F, 2.0F, 1.0F});
    scene.add(0, {-6.2F, 2.0F, 10.0F}, {1.0F, 2.0F, 1.0F});  // overlap each other
    for (const Vec3& at :
         {Vec3{0.0F, 0.1F, 0.0F}, Vec3{0.1F, 1.0F, 0.1F}, Vec3{-8.0F, 1.0F, 0.0F},
          Vec3{-8.3F, 0.1F, 0.2F}, Vec3{8.0F, 0.5F, 0.0F}, Vec3{-7.1F, 0.1F, 10.0F}}) {
        CAPTURE(at.x);
        CAPTURE(at.y);
        scene.put(at);
        scene.run_all({}, 6.0F);
        check_safe(scene);
        for (int i = 0; i < 5; ++i) {
            CHECK(scene.gap_to_m(scene.bodies.all[static_cast<std::size_t>(i)]) > 0.01F);
        }
        const Vec3 before = scene.player.position;
        scene.run_all({}, 1.0F);
        CHECK(glm::length(scene.player.position - before) < 1e-3F);
    }
}

TEST_CASE("motion: the border pushes inward, gently and growing, and a walker still reaches it") {
    MotionScene scene;
    const GridBounds& bounds = scene.grid.bounds();
    CHECK(border_push(bounds, {0.0F, 0.0F, 0.0F}) == Vec3{0.0F});
    CHECK(border_push(bounds, {28.0F, 5.0F, -28.0F}) == Vec3{0.0F});
    float before = 0.0F;
    for (float x = 28.5F; x <= 32.0F; x += 0.5F) {
        const Vec3 push = border_push(bounds, {x, 0.0F, 0.0F});
        CHECK(push.x < before);
        CHECK(push.z == 0.0F);
        before = push.x;
    }
    CHECK(border_push(bounds, {32.0F, 0.0F, 0.0F}).x == -1.0F);
    CHECK(border_push(bounds, {-32.0F, 0.0F, 40.0F}) == Vec3{1.0F, 0.0F, -1.0F});

    // Left alone at the wall a player drifts inward, ever more slowly, and comes to rest.
    scene.put({31.6F, 0.05F, 0.5F});
    float x = 100.0F;
    float speed = 100.0F;
    scene.run({}, 0.2F);
    for (int i = 0; i < 1200; ++i) {
        scene.run({}, kSubstepS);
        REQUIRE(scene.player.position.x <= x);
        REQUIRE(x - scene.player.position.x <= speed + 1e-5F);
        REQUIRE(scene.player.velocity.x >= -2.7F);
        speed = x - scene.player.position.x;
        x = scene.player.position.x;
    }
    CHECK(speed == 0.0F);
    CHECK(x > 27.9F);
    CHECK(x < 28.6F);
    const Vec3 rest = scene.player.position;
    scene.run({}, 2.0F);
    CHECK(scene.player.position == rest);
    // Walking against it gets to the wall and stands there without a tremble.
    scene.run(walk_forward(kEast), 4.0F);
    CHECK(scene.player.position.x == doctest::Approx(31.63F));
    const Vec3 there = scene.player.position;
    for (int i = 0; i < 120; ++i) {
        scene.run(walk_forward(kEast), kSubstepS);
        REQUIRE(glm::length(scene.player.position - there) < 1e-3F);
    }
}

TEST_CASE("motion: nobody leaves the zone, flying, falling, swimming or carried") {
    for (const float water : {-1000.0F, 3.0F}) {
        CAPTURE(water);
        BodyScene scene;
        scene.fill([](float, float) { return 0.0F; }, water);
        for (const Vec3& velocity : {Vec3{60.0F, 10.0F, 60.0F}, Vec3{-60.0F, 60.0F, 0.0F}}) {
            scene.put({0.0F, 5.0F, 0.0F});
            scene.player.velocity = velocity;
            for (int i = 0; i < 400; ++i) {
                scene.step(walk_forward(velocity.x > 0.0F ? kEast : kWest, kButtonRun));
                REQUIRE(std::abs(scene.player.position.x) <= 31.6301F);
                REQUIRE(std::abs(scene.player.position.z) <= 31.6301F);
            }
        }
    }
    BodyScene scene;
    scene.are_pushed = false;
    scene.add(8, {24.0F, 0.5F, 0.0F}, {2.0F, 0.5F, 2.0F}, 900.0F);
    scene.put({24.0F, 1.1F, 0.0F});
    scene.run_all({}, 0.3F);
    REQUIRE(scene.player.carrier == 8);
    scene.body(8).linear_velocity = {6.0F, 0.0F, 0.0F};
    for (int i = 0; i < 240; ++i) {
        scene.step({});
        REQUIRE(scene.player.position.x <= 31.6301F);
    }
    CHECK(scene.player.position.y < 0.1F);  // the raft went on without him
}

TEST_CASE("motion: out of the zone is a metre beside it, 8 m below it, or nowhere") {
    const GridBounds bounds{{-1, -1, -1}, {1, 1, 1}};
    const auto is_out = [&bounds](const Vec3& at) {
        PlayerState state;
        state.position = at;
        return is_out_of_zone(state, bounds);
    };
    CHECK_FALSE(is_out({0.0F, 0.0F, 0.0F}));
    CHECK_FALSE(is_out({32.9F, 0.0F, -32.9F}));
    CHECK_FALSE(is_out({0.0F, -39.9F, 0.0F}));
    CHECK_FALSE(is_out({0.0F, 1e6F, 0.0F}));  // he will come down
    CHECK(is_out({33.1F, 0.0F, 0.0F}));
    CHECK(is_out({-33.1F, 0.0F, 0.0F}));
    CHECK(is_out({0.0F, 0.0F, 33.1F}));
    CHECK(is_out({0.0F, 0.0F, -33.1F}));
    CHECK(is_out({0.0F, -40.1F, 0.0F}));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(is_out({nan, 0.0F, 0.0F}));
    CHECK(is_out({0.0F, nan, 0.0F}));
    CHECK(is_out({0.0F, std::numeric_limits<float>::infinity(), 0.0F}));
}

TEST_CASE("motion: bridging a gap never drops a player through the own voxels") {
    for (const std::uint8_t occupancy : {std::uint8_t{255}, std::uint8_t{140}}) {
        for (const bool runs : {false, true}) {
            for (const float lead_m : {0.6F, 1.0F, 1.6F}) {
                CAPTURE(static_cast<int>(occupancy));
                CAPTURE(runs);
                CAPTURE(lead_m);
                MotionScene scene;
                scene.fill([](float x, float) { return x > -20.0F && x < 24.0F ? -16.0F : 0.0F; });
                scene.put({-24.0F, 0.05F, 0.5F});
                scene.run({}, 0.3F);
                std::int32_t built = -21;
                float lowest = 0.0F;
                int substep = 0;
                for (; scene.player.position.x < 26.0F && substep < 4000; ++substep) {
                    while (built + 1 <= static_cast<std::int32_t>(
                                            std::floor(scene.player.position.x + lead_m)) &&
                           built < 24) {
                        ++built;
                        scene.set_box({{built, -1, 0}, {built, -1, 0}}, {kFirstSolid, occupancy});
                    }
                    const auto buttons = static_cast<std::uint8_t>(runs ? int{kButtonRun} : 0);
                    scene.run(walk_forward(kEast, buttons), kSubstepS);
                    lowest = std::min(lowest, scene.player.position.y);
                    REQUIRE_FALSE(is_buried(scene.grid, kCapsule, scene.player.position));
                }
                CHECK(lowest > -0.9F);
                CHECK(substep < 4000);
            }
        }
    }
}

TEST_CASE("motion: building a tower under the own feet while jumping lifts the builder") {
    MotionScene scene;
    scene.put({0.5F, 0.05F, 0.5F});
    scene.run({}, 0.3F);
    PlayerControls jump;
    jump.buttons = kButtonJump;
    std::int32_t top = 0;
    for (int i = 0; i < 60 * 12; ++i) {
        scene.run(jump, kSubstepS);
        // The zone refuses a voxel that meets the capsule's box: so does the builder.
        if (scene.player.position.y > static_cast<float>(top) + 1.0F && top < 8) {
            scene.set_box({{-1, top, -1}, {1, top, 1}}, {kFirstSolid, kFullOccupancy});
            ++top;
        }
        REQUIRE_FALSE(is_buried(scene.grid, kCapsule, scene.player.position));
        REQUIRE(scene.player.position.y > static_cast<float>(top) - 0.2F);
    }
    CHECK(top == 8);
}

}  // namespace
}  // namespace terrane
