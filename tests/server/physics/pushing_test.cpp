// What players do to bodies: pushes, weight, and their capsules.
#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

constexpr float kWeightNs = 70.0F * 9.81F * kSubstep;
/// The most with which a player pushes.
constexpr float kPushNs = 500.0F * kSubstep;

/// Pushes at `offset` from the body's middle before every step.
void push_for(PhysicsScene& scene, BodyHandle body, const Vec3& impulse, const Vec3& offset,
              float seconds) {
    const int steps = static_cast<int>(seconds / kSubstep + 0.5F);
    for (int i = 0; i < steps; ++i) {
        scene.world.push(body, impulse, scene.position(body) + offset);
        scene.world.step(kSubstep);
    }
}

}  // namespace

TEST_CASE("physics_world: a push acts through one step as force over mass, and no longer") {
    PhysicsConfig config;
    config.gravity_mps2 = 0.0F;
    PhysicsScene scene(flat_ground(kSceneBounds), config);
    const BodyHandle crate = scene.add(kCrate, {0.0F, 10.0F, 0.0F});
    const float mass = body_mass_kg(kCrate);
    push_for(scene, crate, {mass, 0.0F, 0.0F}, Vec3(0.0F), kSubstep);
    CHECK(scene.world.state(crate).linear_velocity.x == doctest::Approx(1.0F));
    scene.run(0.5F);
    CHECK(scene.world.state(crate).linear_velocity.x == doctest::Approx(1.0F));
    // Two in one step add up; off the middle it turns by impulse times arm over inertia.
    scene.world.push(crate, {-mass, 0.0F, 0.0F}, scene.position(crate));
    scene.world.push(crate, {0.0F, 0.0F, 10.0F}, scene.position(crate) + Vec3(0.3F, 0.0F, 0.0F));
    scene.world.step(kSubstep);
    const BodyState state = scene.world.state(crate);
    CHECK(std::abs(state.linear_velocity.x) < 1e-4F);
    CHECK(state.linear_velocity.z == doctest::Approx(10.0F / mass));
    CHECK(state.angular_velocity.y == doctest::Approx(-10.0F * 0.3F / (mass * 0.6F * 0.6F / 6.0F)));
}

TEST_CASE(
    "physics_world: who stands still on a crate lets it sleep; stepping on and off wakes it") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle crate = scene.add(kCrate, {0.0F, 0.3F, 0.0F});
    const Vec3 weight{0.0F, -kWeightNs, 0.0F};
    const Vec3 top{0.1F, 0.3F, 0.05F};
    push_for(scene, crate, weight, top, 6.0F);
    CHECK(scene.is_asleep(crate));
    push_for(scene, crate, weight, top, 5.0F);
    CHECK(scene.is_asleep(crate));
    scene.run(kSubstep);
    CHECK_FALSE(scene.is_asleep(crate));
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(crate));
    push_for(scene, crate, weight, top, kSubstep);
    CHECK_FALSE(scene.is_asleep(crate));
    push_for(scene, crate, weight, top, 6.0F);
    CHECK(scene.is_asleep(crate));
    // A foot that trembles by a millimetre is no news; one that walks half a crate on is.
    push_for(scene, crate, weight, top + Vec3(0.001F, 0.0F, 0.0F), 1.0F);
    CHECK(scene.is_asleep(crate));
    push_for(scene, crate, weight, top - Vec3(0.3F, 0.0F, 0.0F), kSubstep);
    CHECK_FALSE(scene.is_asleep(crate));
}

TEST_CASE("physics_world: a player moves a sleeping crate, not a boulder of ten tons") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    BodyKind boulder = kCrate;
    boulder.half_extents = Vec3(0.8F);
    boulder.density_kg_m3 = 2600.0F;
    const BodyHandle crate = scene.add(kCrate, {0.0F, 0.3F, 0.0F});
    const BodyHandle rock = scene.add(boulder, {6.0F, 0.8F, 0.0F});
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(crate));
    REQUIRE(scene.is_asleep(rock));
    const Vec3 start = scene.position(rock);
    for (int i = 0; i < 60; ++i) {
        scene.world.push(crate, {kPushNs, 0.0F, 0.0F}, scene.position(crate));
        scene.world.push(rock, {kPushNs, 0.0F, 0.0F}, start);
        scene.world.step(kSubstep);
        REQUIRE(scene.is_asleep(rock));
    }
    CHECK(scene.position(crate).x > 0.5F);
    CHECK(scene.position(rock) == start);
}

TEST_CASE("physics_world: a plank over an edge tips when somebody walks out on it") {
    VoxelGrid grid = flat_ground(kSceneBounds);
    fill(grid, {{0, -12, -16}, {15, -1, 15}}, kAirVoxel);  // the ground ends at x = 0
    PhysicsScene scene(std::move(grid));
    BodyKind plank = kCrate;
    plank.half_extents = {2.0F, 0.05F, 0.3F};
    const BodyHandle body = scene.add(plank, {-1.2F, 0.05F, 0.0F});
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(body));
    const Vec3 weight{0.0F, -kWeightNs, 0.0F};
    push_for(scene, body, weight, {-0.5F, 0.05F, 0.0F}, 6.0F);
    CHECK(scene.is_asleep(body));
    CHECK(scene.position(body).y == doctest::Approx(0.05F).epsilon(0.2));
    push_for(scene, body, weight, {2.9F, 0.05F, 0.0F}, 1.0F);
    CHECK(scene.position(body).y < -0.2F);
}

TEST_CASE("physics_world: pushes that cannot be are harmless, one that is not finite quarantines") {
    VoxelGrid grid = flat_ground(kSceneBounds);
    grid.erase({1, 0, 0});
    PhysicsScene scene(std::move(grid));
    const BodyHandle crate = scene.add(kCrate, {0.0F, 0.3F, 0.0F});
    const BodyHandle held = scene.add(kCrate, {40.0F, 5.0F, 16.0F});
    scene.world.push(BodyHandle{}, {1.0F, 0.0F, 0.0F}, Vec3(0.0F));
    scene.world.push(BodyHandle{77, 3}, {1.0F, 0.0F, 0.0F}, Vec3(0.0F));
    scene.run(kSubstep);
    push_for(scene, held, {1000.0F, 0.0F, 0.0F}, Vec3(0.0F), 0.5F);
    CHECK(scene.position(held) == Vec3(40.0F, 5.0F, 16.0F));
    scene.load({1, 0, 0}, uniform_chunk(kAirVoxel));
    scene.run(2 * kSubstep);
    CHECK(scene.world.state(held).linear_velocity.x == 0.0F);  // nothing was kept for later
    scene.world.push(crate, {std::numeric_limits<float>::infinity(), 0.0F, 0.0F}, Vec3(0.0F));
    scene.run(kSubstep);
    CHECK(scene.world.stats().quarantined == 1);
    scene.world.push(crate, {1.0F, 0.0F, 0.0F}, Vec3(0.0F));
    scene.run(kSubstep);
    CHECK(is_finite(scene.position(crate)));
}

TEST_CASE("physics_world: a crate between a walking player's capsule and a wall is not flung") {
    for (const float speed : {1.0F, 4.5F, 7.0F}) {
        for (const float beside : {0.0F, 0.2F, 0.31F}) {
            CAPTURE(speed);
            CAPTURE(beside);
            VoxelGrid grid = flat_ground(kSceneBounds);
            fill(grid, {{4, 0, -16}, {6, 4, 15}}, kRock);  // its side is the plane x = 4
            PhysicsScene scene(std::move(grid));
            const BodyHandle crate = scene.add(kCrate, {3.69F, 0.3F, 0.0F});
            scene.run(1.0F);
            // Walks on as if nothing were there, up to the wall, and stays: ruder than any player,
            // whom the crate stops. It may only fall faster than it is pushed.
            Vec3 foot{1.5F, 0.0F, beside};
            float fastest = 0.0F;
            for (int i = 0; i < 60 * 5; ++i) {
                foot.x = std::min(foot.x + speed * kSubstep, 3.6F);
                scene.world.set_player(1, foot, 0.35F, 1.8F);
                scene.world.wake(crate);
                scene.world.step(kSubstep);
                const Vec3 v = scene.world.state(crate).linear_velocity;
                fastest = std::max({fastest, std::hypot(v.x, v.z), v.y});
                REQUIRE(scene.position(crate).x < 4.0F);
                REQUIRE(scene.position(crate).y > 0.0F);
            }
            CHECK(fastest < 2.0F);
        }
    }
}

}  // namespace terrane
