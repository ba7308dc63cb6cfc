#include "server/physics/physics_world.h"

#include <limits>

#include <doctest/doctest.h>

#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("physics_world: handles name one body; a reused slot has a new generation") {
    PhysicsConfig config;
    config.bodies_max = 2;
    PhysicsScene scene(flat_ground(kSceneBounds), config);
    const BodyHandle first = scene.add(kCrate, {0.0F, 1.0F, 0.0F});
    const BodyHandle second = scene.add(kCrate, {4.0F, 1.0F, 0.0F});
    CHECK(scene.world.is_alive(first));
    CHECK_FALSE(scene.world.is_alive(BodyHandle{}));
    CHECK(scene.add(kCrate, {8.0F, 1.0F, 0.0F}) == BodyHandle{});  // bodies_max
    scene.world.remove_body(first);
    CHECK_FALSE(scene.world.is_alive(first));
    scene.world.remove_body(first);  // twice is harmless
    const BodyHandle third = scene.add(kCrate, {8.0F, 1.0F, 0.0F});
    CHECK(third.index == first.index);
    CHECK_FALSE(third == first);
    CHECK_FALSE(scene.world.is_alive(first));
    CHECK(scene.world.is_alive(second));
}

TEST_CASE("physics_world: states and kinds that cannot be are refused") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    CHECK(scene.add(kCrate, {kNan, 1.0F, 0.0F}) == BodyHandle{});
    CHECK(scene.add(kCrate, {0.0F, 1.0F, 0.0F}, Quat(0.0F, 0.0F, 0.0F, 0.0F)) == BodyHandle{});
    CHECK(scene.add(kCrate, {1e9F, 1.0F, 0.0F}) == BodyHandle{});
    CHECK(scene.add(kCrate, {0.0F, -200.0F, 0.0F}) == BodyHandle{});
    BodyKind kind = kCrate;
    kind.shape = BodyShape::player;
    CHECK(scene.add(kind, {0.0F, 1.0F, 0.0F}) == BodyHandle{});
    kind = kCrate;
    kind.half_extents.y = 0.0F;
    CHECK(scene.add(kind, {0.0F, 1.0F, 0.0F}) == BodyHandle{});
    kind = kCrate;
    kind.density_kg_m3 = -1.0F;
    CHECK(scene.add(kind, {0.0F, 1.0F, 0.0F}) == BodyHandle{});
    CHECK(scene.world.stats().bodies == 0);
}

TEST_CASE("physics_world: moved names each body that moved once, ascending, until cleared") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle still = scene.add(kCrate, {0.0F, 0.3F, 0.0F});
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(still));
    const BodyHandle a = scene.add(kBall, {4.0F, 5.0F, 0.0F});
    const BodyHandle b = scene.add(kBall, {8.0F, 5.0F, 0.0F});
    scene.world.clear_moved();
    CHECK(scene.world.moved().empty());
    scene.run(3 * kSubstep);
    REQUIRE(scene.world.moved().size() == 2);
    CHECK(scene.world.moved()[0] == a);
    CHECK(scene.world.moved()[1] == b);
    scene.world.remove_body(a);
    CHECK(scene.world.moved().size() == 1);
}

TEST_CASE("physics_world: bodies_near and overlaps_body see boxes of bodies, not players") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle a = scene.add(kCrate, {0.0F, 0.3F, 0.0F});
    const BodyHandle b = scene.add(kCrate, {1.0F, 0.3F, 0.0F});
    scene.world.set_player(7, {6.0F, 0.0F, 0.0F}, 0.35F, 1.8F);
    scene.run(kSubstep);
    std::vector<BodyHandle> near;
    scene.world.bodies_near({{-1.0F, 0.0F, -1.0F}, {1.0F, 1.0F, 1.0F}}, near);
    REQUIRE(near.size() == 2);
    CHECK(near[0] == a);
    CHECK(near[1] == b);
    CHECK(scene.world.overlaps_body({{0.2F, 0.0F, 0.0F}, {0.25F, 1.0F, 0.1F}}));
    CHECK_FALSE(scene.world.overlaps_body({{0.4F, 0.0F, 0.0F}, {0.6F, 1.0F, 0.1F}}));
    CHECK_FALSE(scene.world.overlaps_body({{5.0F, 0.0F, -1.0F}, {7.0F, 2.0F, 1.0F}}));
    CHECK(scene.world.bounds(b).max.x == doctest::Approx(1.3F));
}

TEST_CASE("physics_world: NaN velocity in one of 50 touching bodies quarantines only it") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 50; ++i) {
        bodies.push_back(scene.add(
            kCrate, {static_cast<float>(i % 5) * 0.6F, 0.3F + 0.6F * static_cast<float>(i / 25),
                     static_cast<float>(i / 5 % 5) * 0.6F}));
    }
    scene.run(0.5F);
    const BodyState before = scene.world.state(bodies[12]);
    SUBCASE("velocity") {
        scene.world.set_velocity(bodies[12], {0.0F, kNan, 0.0F}, Vec3(0.0F));
    }
    SUBCASE("impulse") {
        scene.world.apply_impulse(bodies[12], {std::numeric_limits<float>::infinity(), 0.0F, 0.0F},
                                  before.position);
    }
    scene.run(2.0F);
    CHECK(scene.world.stats().quarantined == 1);
    CHECK(scene.world.is_alive(bodies[12]));
    CHECK(scene.position(bodies[12]) == before.position);
    CHECK(scene.is_asleep(bodies[12]));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const BodyState state = scene.world.state(bodies[i]);
        CHECK(is_finite(state.position));
        CHECK(state.position.y > 0.2F);
    }
    scene.world.remove_body(bodies[12]);
    CHECK_FALSE(scene.world.is_alive(bodies[12]));
}

TEST_CASE(
    "physics_world: twenty crates in one place come apart below the speed limit, all in the zone") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 20; ++i) {
        bodies.push_back(scene.add(kCrate, {0.0F, 0.5F, 0.0F}));
    }
    for (int i = 0; i < 60; ++i) {
        scene.world.step(kSubstep);
        for (const BodyHandle body : bodies) {
            REQUIRE(scene.speed(body) <= 50.01F);
        }
    }
    scene.run(4.0F);
    for (const BodyHandle body : bodies) {
        CHECK(scene.position(body).y > 0.2F);
    }
    CHECK(scene.world.stats().lost == 0);
    CHECK(scene.world.stats().quarantined == 0);
}

TEST_CASE("A25 physics_world: a body over a chunk that is not loaded is held and then goes on") {
    VoxelGrid grid = flat_ground(kSceneBounds);
    const ChunkCoord missing{1, 0, 0};
    grid.erase(missing);
    PhysicsScene scene(std::move(grid));
    const BodyHandle ball = scene.add(kBall, {20.0F, 3.0F, 16.0F});
    const BodyHandle crate = scene.add(kCrate, {40.0F, 5.0F, 16.0F});  // starts in there
    scene.world.set_velocity(ball, {20.0F, 2.0F, 0.0F}, Vec3(0.0F));
    scene.run(2.0F);
    CHECK(scene.world.stats().held == 2);
    const BodyState held = scene.world.state(ball);
    CHECK(held.position.x < 32.0F);
    CHECK(held.linear_velocity.x > 15.0F);
    CHECK(scene.position(crate) == Vec3(40.0F, 5.0F, 16.0F));
    scene.run(1.0F);
    CHECK(scene.position(ball) == held.position);
    scene.load(missing, uniform_chunk(kAirVoxel));
    scene.run(kSubstep);
    CHECK(scene.world.stats().held == 0);
    CHECK(scene.position(ball).x > held.position.x + 0.2F);
    scene.run(3.0F);
    CHECK(scene.position(crate).y == doctest::Approx(0.3F).epsilon(0.02));
}

TEST_CASE("physics_world: a held body is an obstacle for others") {
    VoxelGrid grid = flat_ground(kSceneBounds);
    grid.erase({1, 0, 0});
    PhysicsScene scene(std::move(grid));
    BodyKind slab = kCrate;
    slab.half_extents = {4.0F, 0.5F, 4.0F};
    const BodyHandle held = scene.add(slab, {28.0F, 5.0F, 16.0F});  // reaches over x = 30
    const BodyHandle crate = scene.add(kCrate, {26.0F, 7.0F, 16.0F});
    scene.run(3.0F);
    CHECK(scene.world.stats().held == 1);
    CHECK(scene.position(held).y == 5.0F);
    CHECK(scene.position(crate).y == doctest::Approx(5.8F).epsilon(0.01));
}

TEST_CASE("physics_world: who is 2 m beyond a side is lost once, and stays until removed") {
    PhysicsConfig config;
    config.gravity_mps2 = 0.0F;
    PhysicsScene scene(flat_ground(kSceneBounds), config);
    const BodyHandle flyer = scene.add(kBall, {60.0F, 10.0F, 0.0F});
    const BodyHandle stayer = scene.add(kBall, {0.0F, 10.0F, 0.0F});
    scene.world.set_velocity(flyer, {5.0F, 0.0F, 0.0F}, Vec3(0.0F));
    scene.run(1.0F);
    CHECK(scene.world.take_lost().empty());  // outside, but near
    scene.run(0.5F);
    const std::vector<BodyHandle> lost = scene.world.take_lost();
    REQUIRE(lost.size() == 1);
    CHECK(lost[0] == flyer);
    CHECK(scene.world.take_lost().empty());
    CHECK(scene.world.is_alive(flyer));
    CHECK(scene.world.is_alive(stayer));
    CHECK(scene.world.stats().lost == 1);
}

TEST_CASE("physics_world: a player's capsule stops a crate and does not fling it") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    scene.world.set_player(1, {3.0F, 0.0F, 0.0F}, 0.35F, 1.8F);
    BodyKind ice = kCrate;
    ice.friction = 0.0F;
    const BodyHandle crate = scene.add(ice, {0.0F, 0.3F, 0.0F});
    scene.run(0.2F);
    scene.world.set_velocity(crate, {3.0F, 0.0F, 0.0F}, Vec3(0.0F));
    for (int i = 0; i < 120; ++i) {
        scene.world.set_player(1, {3.0F, 0.0F, 0.0F}, 0.35F, 1.8F);
        scene.world.step(kSubstep);
        REQUIRE(scene.position(crate).x < 2.4F);
    }
    // The capsule walks into it, 4 cm a substep: pushed, not flung.
    float fastest = 0.0F;
    Vec3 foot{3.0F, 0.0F, 0.0F};
    foot.x = scene.position(crate).x + 1.5F;
    for (int i = 0; i < 40; ++i) {
        foot.x -= 0.04F;
        scene.world.set_player(1, foot, 0.35F, 1.8F);
        scene.world.wake(crate);
        scene.world.step(kSubstep);
        fastest = std::max(fastest, scene.speed(crate));
    }
    CHECK(fastest < 4.0F);
    scene.world.remove_player(1);
    scene.world.remove_player(1);
    scene.run(kSubstep);
}

TEST_CASE(
    "physics_world: a crate that sleeps on a player falls when he walks off, shrinks or goes") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    scene.world.set_player(1, {0.0F, 0.0F, 0.0F}, 0.35F, 1.8F);
    BodyKind slab = kCrate;
    slab.half_extents = {0.6F, 0.2F, 0.6F};
    const BodyHandle far_one = scene.add(kCrate, {6.0F, 0.3F, 0.0F});
    const BodyHandle on_him = scene.add(slab, {0.0F, 2.01F, 0.0F});
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(on_him));
    REQUIRE(scene.is_asleep(far_one));
    REQUIRE(scene.position(on_him).y > 1.9F);
    SUBCASE("walks off") {
        for (int i = 1; i <= 30; ++i) {
            scene.world.set_player(1, {0.0F, 0.0F, 0.07F * static_cast<float>(i)}, 0.35F, 1.8F);
            scene.world.step(kSubstep);
        }
    }
    SUBCASE("creeps off by less than a millimetre a step") {
        for (int i = 1; i <= 3000; ++i) {
            scene.world.set_player(1, {0.0F, 0.0F, 0.0007F * static_cast<float>(i)}, 0.35F, 1.8F);
            scene.world.step(kSubstep);
        }
    }
    SUBCASE("is somewhere else") {
        scene.world.set_player(1, {20.0F, 0.0F, 0.0F}, 0.35F, 1.8F);
    }
    SUBCASE("ducks") {
        scene.world.set_player(1, {0.0F, 0.0F, 0.0F}, 0.35F, 1.0F);
        scene.run(0.2F);
        CHECK(scene.position(on_him).y < 1.9F);
        scene.world.remove_player(1);
    }
    SUBCASE("goes") {
        scene.world.remove_player(1);
    }
    scene.run(kSubstep);
    CHECK(scene.is_asleep(far_one));
    scene.run(4.0F);
    CHECK(scene.position(on_him).y < 1.0F);
}

TEST_CASE("physics_world: a player who stands still beside a sleeping crate lets it sleep") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle crate = scene.add(kCrate, {0.72F, 0.3F, 0.0F});
    scene.world.set_player(1, {0.0F, 0.0F, 0.0F}, 0.35F, 1.8F);
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(crate));
    for (int i = 0; i < 60; ++i) {  // trembling by half a millimetre
        const float x = i % 2 == 0 ? 0.0F : 0.0005F;
        scene.world.set_player(1, {x, 0.0F, 0.0F}, 0.35F, 1.8F);
        scene.world.step(kSubstep);
        REQUIRE(scene.is_asleep(crate));
        REQUIRE(scene.world.stats().awake == 0);
    }
}

TEST_CASE("physics_world: an impulse moves a body by impulse over mass and wakes it") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle crate = scene.add(kCrate, {0.0F, 0.3F, 0.0F});
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(crate));
    const Vec3 before = scene.world.state(crate).linear_velocity;
    CHECK(before == Vec3(0.0F));
    scene.world.apply_impulse(crate, {0.0F, 75.6F * 2.0F, 0.0F}, scene.position(crate));
    CHECK(scene.world.state(crate).linear_velocity.y == doctest::Approx(2.0F));
    CHECK_FALSE(scene.is_asleep(crate));
    scene.run(0.1F);
    CHECK(scene.position(crate).y > 0.4F);
}

TEST_CASE("physics_world: the same run twice gives the same bits") {
    std::uint64_t first = 0;
    for (int run = 0; run < 2; ++run) {
        PhysicsScene scene(pool(kSceneBounds));
        std::vector<BodyHandle> bodies = drop_bodies(scene, 99, 60);
        scene.run(1.0F);
        scene.world.remove_body(bodies[17]);
        bodies.erase(bodies.begin() + 17);
        scene.edit({{-20, -3, -4}, {-14, 0, 4}}, kAirVoxel);
        bodies.push_back(scene.add(kCrate, {1.0F, 12.0F, 2.0F}));
        scene.run(2.0F);
        const std::uint64_t hash = hash_states(scene, bodies);
        if (run == 0) {
            first = hash;
        } else {
            CHECK(hash == first);
        }
    }
}

TEST_CASE("physics_world: a body stored asleep comes back asleep") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    BodyState state;
    state.position = {4.5F, 0.3F, 4.5F};
    state.is_asleep = true;
    const BodyHandle crate = scene.world.add_body(kCrate, state);
    scene.run(0.5F);
    CHECK(scene.is_asleep(crate));
    CHECK(scene.position(crate) == state.position);
    scene.edit({{3, -4, 3}, {6, -1, 6}}, kAirVoxel);
    scene.run(0.5F);
    CHECK(scene.position(crate).y < 0.0F);
}

}  // namespace terrane
