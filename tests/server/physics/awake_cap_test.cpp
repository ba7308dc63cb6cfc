// At most so many bodies awake: the calmest islands sleep first, the others go on later.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

std::vector<BodyHandle> rain(PhysicsScene& scene, int count) {
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < count; ++i) {
        bodies.push_back(scene.add(
            kBall, {static_cast<float>(i % 12) * 2.0F - 12.3F, 4.0F + static_cast<float>(i / 12),
                    static_cast<float>(i / 12 % 12) * 2.0F - 12.3F}));
    }
    return bodies;
}

PhysicsConfig at_most(std::uint32_t awake_max) {
    PhysicsConfig config;
    config.awake_max = awake_max;
    return config;
}

}  // namespace

TEST_CASE("awake_cap: of 100 falling balls 40 are awake at a time, and all come down") {
    PhysicsScene scene(flat_ground(kSceneBounds), at_most(40));
    const std::vector<BodyHandle> bodies = rain(scene, 100);
    for (int i = 0; i < 60 * 30; ++i) {
        scene.world.step(kSubstep);
        REQUIRE(scene.world.stats().awake - scene.world.stats().dozing <= 40);
    }
    CHECK(scene.world.stats().put_to_sleep >= 60);
    CHECK(scene.world.stats().parked == 0);
    for (const BodyHandle body : bodies) {
        CAPTURE(body.index);
        CHECK(scene.position(body).y == doctest::Approx(0.25F).epsilon(0.05));
        CHECK(scene.is_asleep(body));
    }
}

TEST_CASE("awake_cap: the calmest sleep first, the parked keep their velocity and their turn") {
    PhysicsScene scene(flat_ground(kSceneBounds), at_most(2));
    BodyHandle balls[4];
    for (int i = 0; i < 4; ++i) {
        balls[i] = scene.add(kBall, {static_cast<float>(i) * 4.0F - 8.0F, 20.0F, 0.0F});
        scene.world.set_velocity(balls[i], {0.0F, 2.0F + static_cast<float>(i), 0.0F}, Vec3(0.0F));
    }
    scene.world.step(kSubstep);
    CHECK(scene.is_asleep(balls[0]));
    CHECK(scene.is_asleep(balls[1]));
    CHECK_FALSE(scene.is_asleep(balls[2]));
    CHECK_FALSE(scene.is_asleep(balls[3]));
    CHECK(scene.world.stats().parked == 2);
    CHECK(scene.world.state(balls[0]).linear_velocity == Vec3(0.0F));
    scene.world.remove_body(balls[2]);
    scene.world.remove_body(balls[3]);
    scene.run(2.0F * kSubstep);
    CHECK_FALSE(scene.is_asleep(balls[0]));
    CHECK(scene.world.stats().parked == 0);
    CHECK(scene.world.state(balls[0]).linear_velocity.y > 1.0F);
}

TEST_CASE("awake_cap: an island is parked and goes on as one; a restart begins where it was") {
    PhysicsScene scene(flat_ground(kSceneBounds), at_most(12));
    // Twelve balls in a row, touching, which slide along; and eight fast ones apart.
    std::vector<BodyHandle> row;
    for (int i = 0; i < 12; ++i) {
        row.push_back(scene.add(kBall, {-10.0F + 0.5F * static_cast<float>(i), 30.0F, 0.0F}));
        scene.world.set_velocity(row.back(), {1.0F, 0.0F, 0.0F}, Vec3(0.0F));
    }
    std::vector<BodyHandle> fast;
    for (int i = 0; i < 8; ++i) {
        fast.push_back(scene.add(kBall, {-12.0F + 3.0F * static_cast<float>(i), 30.0F, 8.0F}));
        scene.world.set_velocity(fast.back(), {0.0F, 9.0F, 0.0F}, Vec3(0.0F));
    }
    scene.world.step(kSubstep);
    scene.world.step(kSubstep);
    REQUIRE(scene.world.stats().parked > 0);
    for (const BodyHandle ball : row) {
        if (scene.world.is_parked(ball)) {
            const BodyState kept = scene.world.state_to_keep(ball);
            CHECK_FALSE(kept.is_asleep);
            CHECK(kept.linear_velocity.x > 0.5F);
            CHECK(scene.world.state(ball).linear_velocity == Vec3(0.0F));
        }
    }
    for (const BodyHandle ball : fast) {
        scene.world.remove_body(ball);
    }
    // awake_max leaves room for ten and a half: each island goes on as soon as it fits.
    for (int i = 0; i < 60 * 20 && scene.world.stats().parked > 0; ++i) {
        scene.world.step(kSubstep);
    }
    CHECK(scene.world.stats().parked == 0);
}

TEST_CASE("awake_cap: who was put to sleep wakes by touch, edit and push") {
    PhysicsScene scene(flat_ground(kSceneBounds), at_most(1));
    const BodyHandle slow = scene.add(kCrate, {0.5F, 2.0F, 0.5F});
    const BodyHandle fast = scene.add(kCrate, {20.5F, 20.0F, 0.5F});
    scene.world.set_velocity(fast, {0.0F, 15.0F, 0.0F}, Vec3(0.0F));
    scene.world.step(kSubstep);
    REQUIRE(scene.is_asleep(slow));
    scene.world.remove_body(fast);
    SUBCASE("an edit") {
        scene.edit({{0, 1, 0}, {0, 1, 0}}, kRock);
        CHECK_FALSE(scene.is_asleep(slow));
    }
    SUBCASE("a push") {
        scene.world.push(slow, {10.0F, 0.0F, 0.0F}, scene.position(slow));
        scene.world.step(kSubstep);
        CHECK_FALSE(scene.is_asleep(slow));
    }
    SUBCASE("a wake") {
        scene.world.wake(slow);
        CHECK_FALSE(scene.is_asleep(slow));
    }
}

TEST_CASE("awake_cap: the same run twice gives the same bits") {
    std::uint64_t hashes[2];
    for (std::uint64_t& hash : hashes) {
        PhysicsScene scene(flat_ground(kSceneBounds), at_most(25));
        const std::vector<BodyHandle> bodies = drop_bodies(scene, 7, 80);
        scene.run(3.0F);
        CHECK(scene.world.stats().put_to_sleep > 0);
        hash = hash_states(scene, bodies);
    }
    CHECK(hashes[0] == hashes[1]);
}

}  // namespace terrane
