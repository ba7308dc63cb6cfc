// A player on bodies: carried by what moves and turns, over hours without a drift, and left with
// the carrier's speed.
#include <doctest/doctest.h>

#include "shared/motion/among_bodies.h"
#include "tests/shared/motion/body_scene.h"

namespace terrane {
namespace {

constexpr std::uint16_t kEast = 49152;
constexpr std::uint16_t kWest = 16384;
constexpr float kWeightNs = 70.0F * 9.81F * kSubstepS;

/// A raft of 6 x 1 x 6 m whose top is at 3 m, with the player on it.
struct Raft : BodyScene {
    explicit Raft(const Vec3& velocity = Vec3{0.0F}, float turn_radps = 0.0F,
                  const Vec3& foot = {1.0F, 3.1F, 0.5F}, const Vec3& at = Vec3{0.0F},
                  const GridBounds& bounds = {{-1, -1, -1}, {1, 1, 1}})
        : BodyScene(bounds) {
        are_pushed = false;
        add(8, at + Vec3{0.0F, 2.5F, 0.0F}, {3.0F, 0.5F, 3.0F}, 5000.0F);
        put(at + foot);
        run_all({}, 0.5F);
        body(8).linear_velocity = velocity;
        body(8).angular_velocity.y = turn_radps;
    }
};

TEST_CASE("motion: stands on a body, which is the carrier and feels 70 kg under the foot") {
    Raft raft;
    CHECK(raft.player.is_grounded);
    CHECK(raft.player.carrier == 8);
    CHECK(raft.player.position.y == doctest::Approx(3.0F + kPlayerGapM).epsilon(1e-4));
    CHECK(raft.player.carrier_point.x == doctest::Approx(1.0F));
    CHECK(raft.player.carrier_point.y == doctest::Approx(0.52F).epsilon(0.001));
    raft.step({});
    REQUIRE(raft.pushes.size() == 1);
    CHECK(raft.pushes[0].body == 8);
    CHECK(raft.pushes[0].impulse_ns.x == 0.0F);
    CHECK(raft.pushes[0].impulse_ns.y == doctest::Approx(-kWeightNs));
    CHECK(raft.pushes[0].point.x == doctest::Approx(1.0F));
    CHECK(raft.pushes[0].point.y == doctest::Approx(3.0F));
    // A prop carries nobody and feels nothing.
    BodyScene scene;
    scene.add(0, {0.0F, 2.5F, 0.0F}, {3.0F, 0.5F, 3.0F});
    scene.put({1.0F, 3.1F, 0.5F});
    scene.run_all({}, 0.5F);
    CHECK(scene.player.is_grounded);
    CHECK(scene.player.position.y == doctest::Approx(3.0F + kPlayerGapM).epsilon(1e-4));
    CHECK(scene.player.carrier == 0);
    CHECK(scene.pushes.empty());
}

TEST_CASE("motion: is carried along, up, down and round without slipping") {
    struct Ride {
        Vec3 velocity;
        float turn_radps;
    };
    for (const Ride& ride : {Ride{{3.0F, 0.0F, 1.0F}, 0.0F}, Ride{{0.0F, 1.0F, 0.0F}, 0.0F},
                             Ride{{0.0F, -0.7F, 0.0F}, 0.0F}, Ride{{0.0F, 0.0F, 0.0F}, 1.0F},
                             Ride{{-2.0F, 0.3F, 0.5F}, -2.0F}}) {
        CAPTURE(ride.velocity.x);
        CAPTURE(ride.velocity.y);
        CAPTURE(ride.turn_radps);
        Raft raft(ride.velocity, ride.turn_radps);
        const Vec3 from = raft.player.carrier_point;
        for (int i = 0; i < 240; ++i) {
            raft.step({});
            REQUIRE(raft.player.is_grounded);
            REQUIRE(raft.player.carrier == 8);
            REQUIRE(glm::length(raft.player.carrier_point - from) < 1e-3F);
            // The raft moves after the player: back by that one substep the foot is on its point.
            const float slack =
                2e-3F + kSubstepS * (glm::length(ride.velocity) + 2.0F * std::abs(ride.turn_radps));
            REQUIRE(glm::length(raft.foot_on(8) - from) < slack);
            REQUIRE(raft.player.velocity == Vec3{0.0F});
        }
    }
}

TEST_CASE("motion: ten minutes on a raft that goes to and fro and turns: no drift") {
    for (const Vec3& at : {Vec3{0.0F}, Vec3{4000.0F, 0.0F, -4000.0F}}) {
        CAPTURE(at.x);
        const auto chunk_x = static_cast<std::int32_t>(at.x) / 32;
        const auto chunk_z = static_cast<std::int32_t>(at.z) / 32;
        Raft raft({}, 0.0F, {1.0F, 3.1F, 0.5F}, at,
                  {{chunk_x - 1, -1, chunk_z - 1}, {chunk_x + 1, 1, chunk_z + 1}});
        raft.run_all({}, 0.2F);
        const Vec3 from = raft.player.carrier_point;
        for (int i = 0; i < 36000; ++i) {
            const bool is_back = i / 120 % 2 == 1;
            raft.body(8).linear_velocity = {is_back ? -2.0F : 2.0F, is_back ? -0.5F : 0.5F, 0.0F};
            raft.body(8).angular_velocity.y = is_back ? 0.5F : -1.0F;
            raft.step({});
            REQUIRE(raft.player.carrier == 8);
        }
        CHECK(glm::length(raft.player.carrier_point - from) < 2e-3F);
    }
}

TEST_CASE("motion: rests on a raft that rests, to the bit") {
    Raft raft;
    raft.run_all({}, 1.0F);
    const PlayerState before = raft.player;
    raft.run_all({}, 10.0F);
    CHECK(raft.player.position == before.position);
    CHECK(raft.player.velocity == Vec3{0.0F});
}

TEST_CASE("motion: walks 4.5 m/s over the deck, whatever the raft does") {
    Raft raft({-3.0F, 0.0F, 0.0F}, 0.0F, {-2.5F, 3.1F, 0.0F});
    raft.run_all(walk_forward(kEast), 0.3F);
    const float from = raft.foot_on(8).x;
    raft.run_all(walk_forward(kEast), 0.5F);
    CHECK((raft.foot_on(8).x - from) / 0.5F == doctest::Approx(4.5F).epsilon(0.02));
    CHECK(raft.player.velocity.x == doctest::Approx(4.5F));  // over the deck
}

TEST_CASE("motion: who jumps or walks off takes the carrier's speed along") {
    Raft raft({5.0F, 0.0F, 0.0F});
    raft.run_all({}, 0.2F);
    PlayerControls jump;
    jump.buttons = kButtonJump;
    raft.step(jump);
    CHECK(raft.player.carrier == 0);
    CHECK(raft.player.velocity.x == doctest::Approx(5.0F).epsilon(0.001));
    CHECK(raft.player.velocity.y > 4.0F);
    const float from = raft.foot_on(8).x;
    raft.run_all({}, 1.2F);
    CHECK(raft.player.carrier == 8);  // came down where it jumped
    CHECK(raft.foot_on(8).x == doctest::Approx(from).epsilon(0.05));

    Raft forward({3.0F, 0.0F, 0.0F}, 0.0F, {2.5F, 3.1F, 0.0F});
    for (int i = 0; i < 60 && forward.player.is_grounded; ++i) {
        forward.step(walk_forward(kEast));
    }
    CHECK_FALSE(forward.player.is_grounded);
    CHECK(forward.player.carrier == 0);
    CHECK(forward.player.velocity.x == doctest::Approx(7.5F).epsilon(0.05));
}

TEST_CASE("motion: a carrier that vanishes drops its rider, one that jumps away leaves him") {
    Raft raft({4.0F, 0.0F, 0.0F});
    raft.run_all({}, 0.5F);
    raft.bodies.all.clear();
    const Vec3 before = raft.player.position;
    raft.step({});
    CHECK(raft.player.carrier == 0);
    CHECK_FALSE(raft.player.is_grounded);
    CHECK(glm::length(raft.player.position - before) < 0.1F);
    CHECK(std::abs(raft.player.velocity.x) < 0.01F);
    raft.run_all({}, 2.0F);
    CHECK(raft.player.is_grounded);
    CHECK(raft.player.position.y < 0.1F);

    Raft leaps;
    leaps.body(8).position.x += 20.0F;
    const Vec3 here = leaps.player.position;
    leaps.step({});
    CHECK(leaps.player.carrier == 0);
    CHECK(glm::length(leaps.player.position - here) < 0.1F);
}

TEST_CASE("motion: a wall holds a rider while the raft goes on below, however fast") {
    for (const float speed : {2.0F, 20.0F}) {
        CAPTURE(speed);
        Raft raft({speed, 0.0F, 0.0F});
        raft.add(20, {5.0F, 4.5F, 0.5F}, {0.02F, 1.2F, 9.0F});  // a board across, above the deck
        int held = 0;
        for (int i = 0; i < 400; ++i) {
            raft.step({});
            REQUIRE(raft.body_gap_m(20) > 0.01F);
            REQUIRE(raft.player.position.x < 5.0F);
            held += raft.player.carrier == 8 && raft.player.position.x > 4.5F ? 1 : 0;
        }
        CHECK(held > static_cast<int>(30.0F / speed));  // at the board, the raft still below
        CHECK(raft.player.position.y < 0.1F);           // and gone
        // Terrain holds as well.
        Raft second({speed, 0.0F, 0.0F});
        second.fill([](float x, float) { return x > 6.0F && x < 8.0F ? 9.0F : 0.0F; });
        for (int i = 0; i < 400; ++i) {
            second.step({});
            REQUIRE(second.gap_m() > 0.01F);
            REQUIRE(second.player.position.x < 6.5F);
        }
    }
}

TEST_CASE("motion: a raft that moves far at once takes its rider as far as the way is free") {
    Raft raft;
    raft.add(20, {3.5F, 4.5F, 0.5F}, {0.02F, 1.2F, 9.0F});  // a board across, above the deck
    raft.body(8).position.x += 2.7F;
    raft.step({});
    CHECK(raft.player.position.x == doctest::Approx(3.48F - 0.37F).epsilon(0.001));
    CHECK(raft.player.carrier == 8);
}

TEST_CASE("motion: lands on a raft that sinks or rises and stays on it") {
    for (const float speed : {-1.5F, 1.5F}) {
        CAPTURE(speed);
        Raft raft;
        raft.put({1.0F, 4.0F, 0.5F});
        raft.body(8).linear_velocity.y = speed;
        int landed = 0;
        for (int i = 0; i < 75; ++i) {
            raft.step({});
            landed += raft.player.carrier == 8 ? 1 : 0;
            REQUIRE((landed == 0 || raft.player.carrier == 8));
        }
        CHECK(landed > 10);
    }
}

TEST_CASE("motion: a rider is out of the way of the deck that rises, however fast") {
    for (const float speed : {0.4F, 1.0F, 4.0F, 9.0F}) {
        CAPTURE(speed);
        Raft raft({0.0F, speed, 0.0F});
        raft.step({});
        for (int i = 0; i < 60; ++i) {
            raft.step({});
            // The deck has moved by now, the capsule not.
            REQUIRE(raft.body_gap_m(8) > 0.0F);
            REQUIRE(raft.body_gap_m(8) <= kPlayerGapM + 1e-3F);
            REQUIRE(raft.player.carrier == 8);
        }
        raft.body(8).linear_velocity.y = 0.0F;
        raft.step({});
        CHECK(raft.player.carrier == 8);
        CHECK(raft.body_gap_m(8) == doctest::Approx(kPlayerGapM).epsilon(0.01));
    }
}

TEST_CASE("motion: a lift under a roof does not press its rider into it") {
    Raft raft({0.0F, 0.6F, 0.0F});
    raft.set_box({{-6, 6, -6}, {6, 7, 6}}, {kFirstSolid, kFullOccupancy});
    for (int i = 0; i < 300; ++i) {
        if (raft.body_gap_m(8) < 1e-3F) {
            raft.body(8).linear_velocity.y = 0.0F;  // Bullet would stop it at the capsule
        }
        raft.step({});
        REQUIRE(raft.gap_m() > 0.01F);
        REQUIRE(raft.player.position.y + 1.8F < 6.0F);
    }
}

TEST_CASE("motion: steps up on a body of 0.5 m, not on one of 0.9 m, and stands on its rim") {
    const auto climbed = [](float height, BodyShape shape) {
        BodyScene scene;
        scene.are_pushed = false;
        scene.add(6, {4.0F, 0.5F * height, 0.0F}, {2.0F, 0.5F * height, 2.0F}, 900.0F, shape);
        scene.put({0.0F, kPlayerGapM, 0.0F});
        scene.run_all(walk_forward(kEast), 0.8F);
        const bool is_up = scene.player.carrier == 6;
        CHECK(scene.player.is_grounded);
        CHECK(scene.player.position.y ==
              doctest::Approx(is_up ? height + 0.02F : 0.02F).epsilon(0.01));
        return is_up;
    };
    CHECK(climbed(0.5F, BodyShape::box));
    CHECK(climbed(0.5F, BodyShape::cylinder));
    CHECK_FALSE(climbed(0.9F, BodyShape::box));
    CHECK_FALSE(climbed(0.9F, BodyShape::cylinder));
    // Down again on the other side, without hanging in the air.
    BodyScene scene;
    scene.are_pushed = false;
    scene.add(6, {4.0F, 0.25F, 0.0F}, {1.0F, 0.25F, 2.0F}, 900.0F);
    scene.put({0.0F, kPlayerGapM, 0.0F});
    scene.run_all(walk_forward(kEast), 2.0F);
    CHECK(scene.player.position.x > 7.0F);
    CHECK(scene.player.position.y < 0.03F);
}

TEST_CASE("motion: a light crate is pushed, not climbed; a low board and a heavy block are") {
    const auto climbed = [](float height, float mass_kg) {
        BodyScene scene;
        scene.are_pushed = false;
        scene.add(6, {4.0F, 0.5F * height, 0.0F}, {2.0F, 0.5F * height, 2.0F}, mass_kg);
        scene.put({0.0F, kPlayerGapM, 0.0F});
        scene.run_all(walk_forward(kEast), 0.8F);
        return scene.player.carrier == 6;
    };
    CHECK_FALSE(climbed(0.5F, 76.0F));
    CHECK(climbed(0.25F, 76.0F));
    CHECK(climbed(0.5F, 120.0F));
}

TEST_CASE("motion: the rim of a body holds as that of the ground does") {
    for (const BodyShape shape : {BodyShape::box, BodyShape::cylinder}) {
        CAPTURE(static_cast<int>(shape));
        BodyScene scene;
        scene.are_pushed = false;
        scene.add(6, {0.0F, 1.0F, 0.0F}, {2.0F, 1.0F, 2.0F}, 900.0F, shape);
        scene.put({2.3F, 2.0F, 0.0F});  // only an edge of the foot is over the top
        scene.run_all({}, 1.0F);
        CHECK(scene.player.carrier == 6);
        CHECK(scene.player.position.x == doctest::Approx(2.3F).epsilon(0.01));
        scene.put({2.45F, 2.0F, 0.0F});
        scene.run_all({}, 1.0F);
        CHECK(scene.player.carrier == 0);
        CHECK(scene.player.position.y < 0.1F);
    }
}

TEST_CASE("motion: a swimmer gets on a raft with the jump button") {
    BodyScene scene;
    scene.fill([](float, float) { return -6.0F; }, 0.0F);
    scene.are_pushed = false;
    scene.add(8, {4.0F, 0.0F, 0.0F}, {2.0F, 0.35F, 2.0F}, 900.0F);
    scene.put({0.0F, -1.3F, 0.0F});
    scene.run_all(walk_forward(kEast), 2.0F);
    CHECK(scene.player.is_swimming);
    CHECK(scene.player.position.x == doctest::Approx(2.0F - 0.37F).epsilon(0.01));
    for (int i = 0; i < 120 && scene.player.is_swimming; ++i) {
        scene.step(walk_forward(kEast, kButtonJump));
    }
    scene.run_all(walk_forward(kEast), 0.3F);
    scene.run_all({}, 1.0F);
    CHECK(scene.player.carrier == 8);
    CHECK(scene.player.position.y == doctest::Approx(0.37F).epsilon(0.01));
}

TEST_CASE("motion: a raft that tilts too far lets its rider slide off") {
    Raft raft;
    raft.body(8).rotation = {0.8660254F, 0.0F, 0.0F, 0.5F};  // 60 degrees about Z
    raft.body(8).position.y = 6.0F;
    raft.put({0.0F, 8.0F, 0.0F});
    raft.run_all({}, 3.0F);
    CHECK(raft.player.carrier == 0);
    CHECK(raft.player.is_grounded);
    CHECK(raft.player.position.y < 0.1F);
}

TEST_CASE("motion: on a rolling log a rider is carried to where it rolls") {
    BodyScene scene;
    scene.are_pushed = false;
    MotionBody& log =
        scene.add(8, {0.0F, 1.0F, 0.0F}, {1.0F, 4.0F, 1.0F}, 2000.0F, BodyShape::cylinder);
    log.rotation = {0.70710678F, 0.70710678F, 0.0F, 0.0F};  // its axis along Z
    scene.put({0.0F, 2.1F, 0.0F});
    scene.run_all({}, 0.5F);
    CHECK(scene.player.carrier == 8);
    CHECK(scene.player.position.y == doctest::Approx(2.02F).epsilon(0.001));
    scene.run_all(walk_forward(kWest), 1.5F);
    CHECK(scene.player.carrier == 0);  // walked down its side
    CHECK(scene.player.position.y < 0.1F);
}

}  // namespace
}  // namespace terrane
