// Bodies in a player's way: they stop, shove and are pushed, and nothing is crushed or flung.
#include "shared/motion/among_bodies.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "tests/shared/motion/body_scene.h"

namespace terrane {
namespace {

constexpr std::uint16_t kEast = 49152;
constexpr std::uint16_t kNorthEast = 57344;
constexpr float kStrengthNs = kPlayerStrengthN * kSubstepS;
constexpr float kFootM = kPlayerGapM;

/// What all pushes of the last substep give that body sideways.
float given_ns(const BodyScene& scene, std::uint64_t id) {
    Vec3 sum{0.0F};
    for (const MotionPush& push : scene.pushes) {
        sum += push.body == id ? push.impulse_ns : Vec3{0.0F};
    }
    return std::sqrt(sum.x * sum.x + sum.z * sum.z);
}

TEST_CASE("motion: a static box, ball and cylinder stop a walker at the gap, and are not pushed") {
    for (const BodyShape shape : {BodyShape::box, BodyShape::sphere, BodyShape::cylinder}) {
        CAPTURE(static_cast<int>(shape));
        BodyScene scene;
        // As high as the middle of the capsule, so that the way is as long to each of them.
        scene.add(0, {4.0F, 1.0F, 0.0F}, {1.0F, 1.0F, 1.0F}, 0.0F, shape);
        scene.put({0.0F, kFootM, 0.0F});
        for (int i = 0; i < 180; ++i) {
            scene.step(walk_forward(kEast));
            REQUIRE(scene.pushes.empty());
        }
        CHECK(scene.player.position.x == doctest::Approx(3.0F - 0.37F).epsilon(0.001));
        CHECK(scene.player.position.z == doctest::Approx(0.0F));
        CHECK(std::abs(scene.player.velocity.x) < 1e-3F);
        CHECK(scene.body_gap_m(0) == doctest::Approx(kPlayerGapM).epsilon(0.02));
        CHECK(scene.player.carrier == 0);
    }
}

TEST_CASE("motion: slides along a turned box at the part of the speed that goes along it") {
    BodyScene scene;
    scene.add(0, {9.0F, 1.0F, 0.0F}, {3.0F, 2.0F, 30.0F});
    scene.put({4.0F, kFootM, 20.0F});
    scene.run_all(walk_forward(kNorthEast), 1.5F);
    const float from = scene.player.position.z;
    scene.run_all(walk_forward(kNorthEast), 2.0F);
    CHECK(scene.player.position.x == doctest::Approx(6.0F - 0.37F).epsilon(0.001));
    CHECK(from - scene.player.position.z == doctest::Approx(4.5F * 0.7071F * 2.0F).epsilon(0.02));
}

TEST_CASE("motion: no sweep ends in or behind a body, of any shape, turned in any way") {
    const std::uint64_t seed = 41;
    CAPTURE(seed);
    Random random(seed);
    const Capsule capsule{0.35F, 1.8F, 0.37F};
    const auto point = [&random](float reach) {
        const float x = random.range(-reach, reach);
        const float y = random.range(-reach, reach);
        return Vec3{x, y, random.range(-reach, reach)};
    };
    int hits = 0;
    for (int round = 0; round < 3000; ++round) {
        CAPTURE(round);
        SceneBodies bodies;
        for (std::uint64_t id = 1; id <= 3; ++id) {
            MotionBody body;
            body.id = id;
            body.shape = static_cast<BodyShape>(random.between(1, 3));
            body.half_extents = glm::abs(point(1.0F)) + 0.1F;
            body.position = point(3.0F);
            const Vec3 axis = point(1.0F);
            body.rotation = glm::normalize(Quat{random.range(-1.0F, 1.0F), axis.x, axis.y, axis.z});
            bodies.all.push_back(body);
        }
        CapsuleSweep near;
        near.gather_bodies(bodies, {Vec3{-100.0F}, Vec3{100.0F}});
        REQUIRE(near.bodies().size() == 3);
        const auto gap = [&](const Vec3& foot) {
            float least = 100.0F;
            for (int i = 0; i < 3; ++i) {
                least = std::min(least, near.body_contact(i, capsule, foot).distance_m);
            }
            return least - capsule.touch_m;
        };
        const Vec3 foot = point(5.0F);
        if (gap(foot) < 0.0F) {
            continue;
        }
        const Vec3 direction = glm::normalize(point(1.0F) + Vec3{1e-3F});
        const float length = random.range(0.0F, 8.0F);
        const SweepResult found = near.sweep(capsule, foot, direction, length);
        hits += found.has_hit ? 1 : 0;
        REQUIRE(found.travelled_m <= length + 1e-4F);
        REQUIRE((found.has_hit || found.travelled_m == doctest::Approx(length)));
        for (int i = 0; i <= 40; ++i) {
            const float t = found.travelled_m * static_cast<float>(i) / 40.0F;
            REQUIRE(gap(foot + direction * t) > -1e-3F);
        }
        if (found.has_hit) {
            REQUIRE(gap(foot + direction * found.travelled_m) < 0.02F);
        }
    }
    CHECK(hits > 100);
}

TEST_CASE("motion: pushes a crate with 500 N, at the contact, until it goes as fast") {
    BodyScene scene;
    scene.friction_mps2 = 5.0F;
    scene.add(7, {2.0F, 0.5F, 0.0F}, Vec3{0.5F, 0.5F, 0.5F} * 1.6F, 60.0F);
    scene.put({0.0F, kFootM, 0.0F});
    bool has_pushed_fully = false;
    for (int i = 0; i < 300; ++i) {
        scene.step(walk_forward(kEast));
        REQUIRE(scene.pushes.size() <= 1);
        REQUIRE(given_ns(scene, 7) <= kStrengthNs * 1.0001F);
        REQUIRE(scene.body_gap_m(7) > 0.005F);
        if (!scene.pushes.empty()) {
            const MotionPush& push = scene.pushes[0];
            REQUIRE(push.body == 7);
            REQUIRE(push.impulse_ns.x > 0.0F);
            REQUIRE(std::abs(push.impulse_ns.z) < 1e-3F);
            REQUIRE(push.point.x - scene.player.position.x < 0.5F);
            REQUIRE(push.point.y < 1.0F);
            has_pushed_fully = has_pushed_fully || push.impulse_ns.x > 0.999F * kStrengthNs;
        }
        REQUIRE(scene.body(7).linear_velocity.x < 4.6F);
    }
    CHECK(has_pushed_fully);
    // 500 N against 60 kg and 300 N of friction: the crate comes up to the walker's speed.
    CHECK(scene.body(7).linear_velocity.x > 4.0F);
    CHECK(scene.player.velocity.x > 3.8F);
    CHECK(scene.player.position.x > 10.0F);
}

TEST_CASE("motion: a crate too heavy for 500 N stays, and stops the walker") {
    BodyScene scene;
    scene.friction_mps2 = 5.0F;
    scene.add(7, {2.0F, 1.0F, 0.0F}, Vec3{1.0F}, 200.0F);  // holds against 1,000 N
    scene.put({0.0F, kFootM, 0.0F});
    scene.run_all(walk_forward(kEast, kButtonRun), 2.0F);
    CHECK(scene.body(7).position.x < 2.02F);
    CHECK(given_ns(scene, 7) == doctest::Approx(kStrengthNs));
    CHECK(scene.player.position.x == doctest::Approx(0.63F).epsilon(0.05));
}

TEST_CASE("motion: a ball is kicked ahead at a runner's speed, not stepped on and not flung") {
    BodyScene scene;
    scene.add(9, {3.0F, 0.2F, 0.0F}, Vec3{0.2F}, 1.0F, BodyShape::sphere);
    scene.put({0.0F, kFootM, 0.0F});
    float slowest = 100.0F;
    for (int i = 0; i < 90; ++i) {
        scene.step(walk_forward(kEast, kButtonRun));
        REQUIRE(scene.player.position.y < 0.05F);
        REQUIRE(scene.player.is_grounded);
        REQUIRE(scene.body(9).linear_velocity.x < 7.5F);
        if (i > 30) {
            slowest = std::min(slowest, scene.player.velocity.x);
        }
    }
    CHECK(scene.body(9).linear_velocity.x > 5.5F);
    CHECK(slowest > 6.0F);
}

TEST_CASE("motion: what moves away as fast is not pushed, what moves away is pushed less") {
    const auto first_push = [](float leaving_mps) {
        BodyScene scene;
        scene.add(3, {1.4F, 1.0F, 0.0F}, {1.0F, 1.0F, 1.0F}, 5.0F).linear_velocity = {leaving_mps,
                                                                                      0.0F, 0.0F};
        scene.put({0.0F, kFootM, 0.0F});
        scene.player.is_grounded = true;
        scene.player.velocity = {4.5F, 0.0F, 0.0F};
        scene.step(walk_forward(kEast));
        return given_ns(scene, 3);
    };
    CHECK(first_push(0.0F) == doctest::Approx(kStrengthNs));
    const float less = first_push(4.0F);  // 0.5 m/s are missing, the contact is below the middle
    CHECK(less > 0.5F);
    CHECK(less <= 0.5F * 5.0F);
    CHECK(first_push(4.6F) == 0.0F);
}

TEST_CASE("motion: a crate that comes pushes a player along and is braked by at most 500 N") {
    BodyScene scene;
    scene.add(5, {-3.0F, 1.0F, 0.0F}, {1.0F, 1.0F, 1.0F}, 300.0F).linear_velocity = {3.0F, 0.0F,
                                                                                     0.0F};
    scene.put({0.0F, kFootM, 0.0F});
    float before = 3.0F;
    float fastest = 0.0F;
    for (int i = 0; i < 240; ++i) {
        const float from = scene.player.position.x;
        scene.step({});
        fastest = std::max(fastest, (scene.player.position.x - from) / kSubstepS);
        REQUIRE(scene.body_gap_m(5) > 0.0F);
        const float now = scene.body(5).linear_velocity.x;
        REQUIRE(before - now <= 500.0F / 300.0F * kSubstepS + 1e-4F);
        before = now;
    }
    CHECK(scene.player.position.x > 1.5F);
    CHECK(std::abs(scene.body(5).linear_velocity.x) < 0.05F);  // caught: 3 m/s at 1.7 m/s2
    CHECK(fastest < 3.05F);
    CHECK(scene.player.is_grounded);
}

TEST_CASE("motion: who walks against what comes is pushed back evenly, without a tremble") {
    BodyScene scene;
    scene.add(5, {4.0F, 1.0F, 0.0F}, {1.0F, 1.0F, 1.0F}).linear_velocity = {-3.0F, 0.0F, 0.0F};
    scene.put({0.0F, kFootM, 0.0F});
    scene.run_all(walk_forward(kEast), 1.0F);
    for (int i = 0; i < 120; ++i) {
        const float from = scene.player.position.x;
        scene.step(walk_forward(kEast));
        REQUIRE((from - scene.player.position.x) / kSubstepS ==
                doctest::Approx(3.0F).epsilon(0.02));
        REQUIRE(scene.body_gap_m(5) == doctest::Approx(kPlayerGapM).epsilon(0.05));
    }
}

TEST_CASE("motion: a light ball stops at a player instead of moving him") {
    BodyScene scene;
    scene.add(5, {-3.0F, 0.6F, 0.0F}, Vec3{0.15F}, 0.5F, BodyShape::sphere).linear_velocity = {
        9.0F, 0.0F, 0.0F};
    scene.put({0.0F, kFootM, 0.0F});
    scene.run_all({}, 2.0F);
    CHECK(scene.player.position.x < 0.05F);
    CHECK(scene.body(5).linear_velocity.x < 0.1F);
}

TEST_CASE("motion: a boat that comes on one side moves a player aside") {
    BodyScene scene;
    scene.add(5, {-4.0F, 1.0F, 0.9F}, {1.0F, 1.0F, 1.0F}, 0.0F, BodyShape::cylinder)
        .linear_velocity = {3.0F, 0.0F, 0.0F};
    scene.put({0.0F, kFootM, 0.0F});
    for (int i = 0; i < 240; ++i) {
        scene.step({});
        REQUIRE(scene.body_gap_m(5) > 0.0F);
    }
    CHECK(scene.player.position.z < -0.3F);  // it passed
    CHECK(scene.body(5).position.x > scene.player.position.x + 1.0F);
    CHECK(std::abs(scene.player.position.z) < 1.0F);
}

TEST_CASE("motion: between a crate and a wall of rock a player is neither crushed nor flung") {
    for (const float mass : {50.0F, 500.0F, 50000.0F}) {
        CAPTURE(mass);
        BodyScene scene;
        scene.fill([](float x, float) { return x > 6.0F ? 5.0F : 0.0F; });
        scene.put({3.0F, kFootM, 0.0F});
        scene.add(5, {-1.0F, 1.0F, 0.0F}, {1.0F, 1.0F, 1.0F}, mass);
        for (int i = 0; i < 300; ++i) {
            scene.body(5).linear_velocity.x = 2.5F;  // something drives it
            const Vec3 before = scene.player.position;
            scene.step(i > 150 ? walk_forward(kEast) : PlayerControls{});
            REQUIRE(scene.gap_m() > 0.01F);
            REQUIRE(scene.body_gap_m(5) > -1e-3F);
            REQUIRE(glm::length(scene.player.position - before) < 4.6F * kSubstepS + 0.02F);
            REQUIRE(given_ns(scene, 5) <= kStrengthNs * 1.0001F);
        }
        CHECK(scene.player.position.x > 4.0F);
        CHECK(scene.player.position.x < 6.0F);
        CHECK(std::abs(scene.player.position.z) < 0.1F);
        CHECK(scene.player.position.y < 0.5F);  // the foot of the rock
    }
}

TEST_CASE("motion: a crate between a player and a wall is not pushed through and not flung") {
    BodyScene scene;
    scene.friction_mps2 = 5.0F;
    scene.wall_x = 5.0F;
    scene.add(5, {3.0F, 0.5F, 0.0F}, {0.8F, 0.8F, 0.8F}, 40.0F);
    scene.put({0.0F, kFootM, 0.0F});
    for (int i = 0; i < 300; ++i) {
        scene.step(walk_forward(kEast, kButtonRun));
        REQUIRE(scene.body_gap_m(5) > 0.0F);
        REQUIRE(scene.body(5).position.x < 4.21F);
        REQUIRE(scene.body(5).linear_velocity.x > -0.01F);
        REQUIRE(given_ns(scene, 5) <= kStrengthNs * 1.0001F);
    }
    CHECK(scene.body(5).position.x == doctest::Approx(4.2F));
    CHECK(scene.player.position.x == doctest::Approx(4.2F - 0.8F - 0.37F).epsilon(0.01));
    scene.run_all({}, 1.0F);
    CHECK(scene.body(5).linear_velocity.x == 0.0F);
    CHECK(scene.pushes.empty());
}

TEST_CASE("motion: a body put over a player lets him out smoothly") {
    for (const BodyShape shape : {BodyShape::box, BodyShape::sphere, BodyShape::cylinder}) {
        for (const std::uint64_t id : {0U, 4U}) {
            CAPTURE(static_cast<int>(shape));
            CAPTURE(id);
            BodyScene scene;
            scene.put({0.3F, kFootM, 0.1F});
            scene.run_all({}, 0.5F);
            scene.add(id, {0.0F, 1.0F, 0.0F}, {1.0F, 1.0F, 1.0F}, id == 0 ? 0.0F : 80.0F, shape);
            scene.are_pushed = false;
            REQUIRE(scene.body_gap_m(id) < -0.5F);
            for (int i = 0; i < 120; ++i) {
                const Vec3 before = scene.player.position;
                scene.step({});
                REQUIRE(glm::length(scene.player.position - before) < 3.0F * kSubstepS);
                REQUIRE(glm::length(scene.player.velocity) < 3.0F);
                REQUIRE(scene.gap_m() > 0.015F);
            }
            CHECK(scene.body_gap_m(id) > 0.015F);
            CHECK(scene.player.is_grounded);
        }
    }
}

TEST_CASE("motion: bodies that make no sense are left out or mended") {
    BodyScene scene;
    const float bad[] = {std::numeric_limits<float>::quiet_NaN(),
                         std::numeric_limits<float>::infinity(), 1e30F};
    for (const float value : bad) {
        scene.bodies.all.clear();
        scene.add(1, {1.0F, 1.0F, 0.0F}, {0.5F, 0.5F, 0.5F}, 10.0F).linear_velocity.x = -value;
        scene.add(2, {-1.0F, 1.0F, 0.0F}, {0.5F, 0.5F, 0.5F}, value).angular_velocity.y = value;
        scene.add(3, {0.0F, 1.0F, 1.0F}, {0.5F, 0.5F, 0.5F}, 10.0F).rotation = {value, 0, 0, 0};
        scene.add(4, {0.0F, value, 0.0F}, {0.5F, 0.5F, 0.5F}, 10.0F);
        scene.add(5, {0.0F, 1.0F, -1.0F}, {0.5F, -1.0F, 0.5F}, -10.0F).rotation = {0, 0, 0, 0};
        scene.are_pushed = false;
        scene.put({0.0F, kFootM, 0.0F});
        scene.player.is_grounded = true;
        scene.player.carrier = 4;
        scene.player.carrier_point = Vec3{value};
        for (int i = 0; i < 30; ++i) {
            scene.world.pushes.clear();
            step_player(scene.player, walk_forward(kEast), scene.config, scene.world, kSubstepS);
            REQUIRE(is_finite(scene.player.position));
            REQUIRE(is_finite(scene.player.velocity));
            for (const MotionPush& push : scene.world.pushes) {
                REQUIRE(is_finite(push.impulse_ns));
                REQUIRE(is_finite(push.point));
            }
        }
    }
}

}  // namespace
}  // namespace terrane
