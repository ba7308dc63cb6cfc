// What is not finite, or no number a body may have, at every entry of the physics world.
#include <limits>

#include <doctest/doctest.h>

#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kHuge = std::numeric_limits<float>::max();

/// A body, and one that lies on it; both are looked at after every step.
struct Stack {
    PhysicsScene scene{flat_ground(kSceneBounds)};
    BodyHandle below = scene.add(kCrate, {0.4F, 0.3F, 0.4F});
    BodyHandle above = scene.add(kCrate, {0.4F, 0.92F, 0.4F});

    Stack() { scene.run(0.5F); }
    /// The zone ticks on, and what it shows is finite and within the limits.
    void run_and_check() {
        for (int i = 0; i < 30; ++i) {
            scene.world.step(kSubstep);
            for (const BodyHandle body : {below, above}) {
                const BodyState state = scene.world.state(body);
                REQUIRE(is_finite(state.position));
                REQUIRE(glm::length(state.linear_velocity) <= 50.01F);
                REQUIRE(glm::length(state.angular_velocity) <= 60.01F);
            }
        }
    }
    std::uint32_t quarantined() const { return scene.world.stats().quarantined; }
};

}  // namespace

TEST_CASE("A23 guard: impulses, pushes and velocities that are not finite quarantine one body") {
    Stack s;
    const Vec3 at = s.scene.position(s.below);
    for (const float bad : {kNan, kInf, -kInf}) {
        SUBCASE("impulse") {
            s.scene.world.apply_impulse(s.below, {0.0F, bad, 0.0F}, at);
        }
        SUBCASE("its point") {
            s.scene.world.apply_impulse(s.below, {1.0F, 0.0F, 0.0F}, {at.x, bad, at.z});
        }
        SUBCASE("push") {
            s.scene.world.push(s.below, {bad, 0.0F, 0.0F}, at);
        }
        SUBCASE("its point") {
            s.scene.world.push(s.below, {1.0F, 0.0F, 0.0F}, {at.x, bad, at.z});
        }
        SUBCASE("speed") {
            s.scene.world.set_velocity(s.below, {bad, 0.0F, 0.0F}, Vec3(0.0F));
        }
        SUBCASE("spin") {
            s.scene.world.set_velocity(s.below, Vec3(0.0F), {0.0F, 0.0F, bad});
        }
        s.run_and_check();
        CHECK(s.quarantined() == 1);
        CHECK(s.scene.position(s.below) == at);
    }
}

TEST_CASE("A23 guard: finite but huge is capped, at once in state() and in every step") {
    Stack s;
    const Vec3 at = s.scene.position(s.below);
    SUBCASE("velocities") {
        s.scene.world.set_velocity(s.below, {kHuge, kHuge, 0.0F}, {0.0F, kHuge, -kHuge});
        const BodyState state = s.scene.world.state(s.below);
        CHECK(glm::length(state.linear_velocity) == doctest::Approx(50.0F));
        CHECK(state.linear_velocity.x == state.linear_velocity.y);
        CHECK(glm::length(state.angular_velocity) == doctest::Approx(60.0F));
    }
    SUBCASE("an impulse") {
        s.scene.world.apply_impulse(s.below, {0.0F, 1e30F, 0.0F}, at + Vec3(0.1F, 0.0F, 0.0F));
        CHECK(glm::length(s.scene.world.state(s.below).linear_velocity) <= 50.01F);
        CHECK(glm::length(s.scene.world.state(s.below).angular_velocity) <= 60.01F);
    }
    SUBCASE("a push") {
        s.scene.world.push(s.below, {0.0F, kHuge, 0.0F}, at);
    }
    SUBCASE("a push at arm's length") {
        s.scene.world.push(s.below, {0.0F, 1e36F, 0.0F}, at + Vec3(1.0F, 0.0F, 0.0F));
    }
    s.run_and_check();
    CHECK(s.quarantined() == 0);
    CHECK(s.scene.world.stats().lost == 0);
}

TEST_CASE("A23 guard: pushes whose sum is no number quarantine the body before the step") {
    Stack s;
    const Vec3 at = s.scene.position(s.below);
    s.scene.world.push(s.below, {kHuge, 0.0F, 0.0F}, at);
    s.scene.world.push(s.below, {kHuge, 0.0F, 0.0F}, at);
    s.run_and_check();
    CHECK(s.quarantined() == 1);
}

TEST_CASE("A23 guard: what turns bad within a step is quarantined, and the zone ticks on") {
    PhysicsConfig config;
    config.gravity_mps2 = 1e38F;
    PhysicsScene scene(flat_ground(kSceneBounds), config);
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 6; ++i) {
        bodies.push_back(scene.add(kCrate, {0.4F, 0.3F + 0.6F * static_cast<float>(i), 0.4F}));
    }
    scene.run(0.5F);
    CHECK(scene.world.stats().quarantined > 0);
    for (const BodyHandle body : bodies) {
        const BodyState state = scene.world.state(body);
        CHECK(is_finite(state.position));
        CHECK(glm::length(state.linear_velocity) <= 50.01F);
    }
    CHECK(scene.add(kBall, {8.0F, 3.0F, 8.0F}) != BodyHandle{});
}

TEST_CASE("A23 guard: a player's capsule that cannot be is refused and stays where it was") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    scene.world.set_player(1, {0.4F, 0.0F, 0.4F}, 0.35F, 1.8F);
    scene.world.set_player(1, {kNan, 0.0F, 0.4F}, 0.35F, 1.8F);
    scene.world.set_player(1, {0.4F, kInf, 0.4F}, 0.35F, 1.8F);
    scene.world.set_player(1, {0.4F, 0.0F, 0.4F}, 0.0F, 1.8F);
    scene.world.set_player(1, {0.4F, 0.0F, 0.4F}, kNan, 1.8F);
    scene.world.set_player(1, {0.4F, 0.0F, 0.4F}, 0.35F, 0.6F);
    scene.world.set_player(1, {0.4F, 0.0F, 0.4F}, 0.35F, kInf);
    scene.world.set_player(2, {kNan, 0.0F, 0.4F}, 0.35F, 1.8F);  // nobody yet
    CHECK(scene.world.stats().refused == 7);
    const BodyHandle ball = scene.add(kBall, {0.4F, 3.0F, 0.4F});
    scene.run(0.7F);
    CHECK(scene.position(ball).y > 1.8F);  // on his head
    scene.world.remove_player(2);
    scene.world.remove_player(1);
    scene.run(2.0F);
    CHECK(scene.position(ball).y < 0.3F);
}

TEST_CASE("A23 guard: kinds and props that cannot be are refused") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const auto is_refused = [&](const BodyKind& kind) {
        return scene.add(kind, {0.0F, 3.0F, 0.0F}) == BodyHandle{};
    };
    BodyKind kind = kCrate;
    CHECK_FALSE(is_refused(kind));
    kind.half_extents = Vec3(1e-5F);
    CHECK(is_refused(kind));
    kind.half_extents = Vec3(1000.0F);
    CHECK(is_refused(kind));
    kind = kCrate;
    kind.friction = kNan;
    CHECK(is_refused(kind));
    CHECK(scene.world.add_static(kind, {0.0F, 3.0F, 0.0F}, kNoRotation) == StaticHandle{});
    kind = kCrate;
    kind.restitution = kInf;
    CHECK(is_refused(kind));
    kind = kCrate;
    kind.density_kg_m3 = kNan;
    CHECK(is_refused(kind));
    CHECK(scene.world.add_static(kCrate, {0.0F, kNan, 0.0F}, kNoRotation) == StaticHandle{});
    BodyState state;
    state.angular_velocity = {0.0F, kInf, 0.0F};
    CHECK(scene.world.add_body(kCrate, state) == BodyHandle{});
    scene.run(0.5F);
}

}  // namespace terrane
