// Bodies on ground: rest, slide, fall, and never through.
#include <algorithm>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/server/physics/drop_scene.h"

namespace terrane {
namespace {

/// A slope that rises by one in `run` along x, from y = 0 at x = -16, with exact part-filled
/// voxels.
VoxelGrid slope(int run) {
    VoxelGrid grid = flat_ground(kSceneBounds);
    for (std::int32_t x = -16; x < 16; ++x) {
        const int steps = (x + 16) * 255 / run;
        for (std::int32_t y = 0; y <= steps / 255; ++y) {
            const int part = std::min(255, steps - y * 255);
            if (part > 0) {
                fill(grid, {{x, y, -16}, {x, y, 15}},
                     {kFirstSolid, static_cast<std::uint8_t>(part)});
            }
        }
    }
    return grid;
}

}  // namespace

TEST_CASE("A12 physics_world: box, ball and log rest on flat ground at their height and sleep") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const std::array<Vec3, 4> places{Vec3(3.3F, 1.0F, 4.4F), Vec3(8.0F, 1.0F, 8.0F),
                                     Vec3(0.0F, 1.0F, 0.0F), Vec3(-32.0F, 1.0F, 32.0F)};
    for (const Vec3& place : places) {  // inside a brick, on a brick's and on chunks' borders
        CAPTURE(place.x);
        const BodyHandle box = scene.add(kCrate, place);
        const BodyHandle ball = scene.add(kBall, place + Vec3(2.0F, 0.0F, 0.0F));
        const BodyHandle log = scene.add(kLog, place + Vec3(0.0F, 0.5F, 3.0F));
        scene.run(8.0F);
        CHECK(scene.position(box).y == doctest::Approx(0.3F).epsilon(0.02));
        CHECK(scene.position(ball).y == doctest::Approx(0.25F).epsilon(0.02));
        CHECK(scene.position(log).y == doctest::Approx(1.0F).epsilon(0.02));
        for (const BodyHandle body : {box, ball, log}) {
            CHECK(scene.is_asleep(body));
            CHECK(scene.speed(body) == 0.0F);
        }
    }
}

TEST_CASE("A12 physics_world: wherever and however turned bodies stand, all sleep in six seconds") {
    const std::uint64_t seed = 4;
    CAPTURE(seed);
    Random random(seed);
    PhysicsScene scene(flat_ground(kSceneBounds));
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 150; ++i) {
        const BodyKind& kind = i % 3 == 0 ? kLog : kCrate;
        const float height = i % 6 == 0 ? kLog.half_extents.y : 0.3F;
        const Quat lying = rotation_about({1.0F, 0.0F, 0.0F}, 16384);
        const Quat turned =
            rotation_about({0.0F, 1.0F, 0.0F}, static_cast<std::uint16_t>(random.below(65536)));
        bodies.push_back(
            scene.add(kind,
                      {static_cast<float>(i % 13) * 4.0F - 26.0F + random.unit(), height,
                       static_cast<float>(i / 13) * 4.0F - 24.0F + random.unit()},
                      i % 6 == 3 ? turned * lying : turned));
    }
    scene.run(6.0F);
    for (const BodyHandle body : bodies) {
        CAPTURE(body.index);
        CHECK(scene.is_asleep(body));
        CHECK(scene.position(body).y > 0.29F);
    }
    CHECK(scene.world.stats().awake == 0);
}

TEST_CASE("A12 physics_world: a crate rests on a slope of one in four, an icy one slides down") {
    PhysicsScene scene(slope(4));
    BodyKind ice = kCrate;
    ice.friction = 0.0F;
    const BodyHandle crate = scene.add(kCrate, {4.0F, 6.0F, 4.0F});
    const BodyHandle slider = scene.add(ice, {4.0F, 6.0F, -4.0F});
    scene.run(4.0F);
    const Vec3 start = scene.position(crate);
    scene.run(4.0F);
    CHECK(glm::length(scene.position(crate) - start) < 0.005F);
    CHECK(scene.is_asleep(crate));
    CHECK(scene.position(slider).x < -4.0F);
    CHECK(scene.position(slider).y > 0.2F);
}

TEST_CASE("A12 physics_world: friction is that of the ground's material times the body's") {
    PhysicsConfig config;
    config.ground_friction = {0.8F, 0.8F, 0.0F};  // kRock is ice here
    PhysicsScene scene(slope(4), config);
    const BodyHandle crate = scene.add(kCrate, {8.0F, 7.0F, 4.0F});
    scene.run(4.0F);
    CHECK(scene.position(crate).x < 0.0F);
}

TEST_CASE("A12 physics_world: a rolling ball comes to rest on flat ground and sleeps") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle ball = scene.add(kBall, {0.3F, 0.25F, 0.3F});
    scene.world.set_velocity(ball, {2.0F, 0.0F, 0.0F}, {0.0F, 0.0F, -8.0F});
    scene.run(1.0F);
    CHECK(scene.position(ball).x > 1.3F);  // it does roll
    scene.run(9.0F);
    CHECK(scene.is_asleep(ball));
}

TEST_CASE("A17 physics_world: a ball without friction keeps its height and speed over borders") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    BodyKind ball = kBall;
    ball.friction = 0.0F;
    ball.restitution = 0.0F;
    const BodyHandle body = scene.add(ball, {-30.0F, 0.25F, -29.7F});
    scene.run(0.5F);
    scene.world.set_velocity(body, {7.0F, 0.0F, 6.3F}, Vec3(0.0F));
    float low = 1.0F;
    float high = 0.0F;
    for (int i = 0; i < 60 * 8; ++i) {  // 56 m: seven bricks and two chunks
        scene.world.step(kSubstep);
        low = std::min(low, scene.position(body).y);
        high = std::max(high, scene.position(body).y);
    }
    CHECK(low > 0.245F);
    CHECK(high < 0.255F);
    CHECK(scene.speed(body) == doctest::Approx(std::sqrt(7.0F * 7.0F + 6.3F * 6.3F)).epsilon(0.01));
}

TEST_CASE("A17 physics_world: a box without friction slides straight over borders") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    BodyKind box = kCrate;
    box.friction = 0.0F;
    box.restitution = 0.0F;
    const BodyHandle body = scene.add(box, {-30.0F, 0.3F, 3.3F});
    scene.run(0.5F);
    scene.world.set_velocity(body, {6.0F, 0.0F, 0.0F}, Vec3(0.0F));
    for (int i = 0; i < 60 * 8; ++i) {
        scene.world.step(kSubstep);
        REQUIRE(scene.position(body).y > 0.28F);
        REQUIRE(scene.position(body).y < 0.32F);
    }
    const BodyState state = scene.world.state(body);
    CHECK(state.linear_velocity.x == doctest::Approx(6.0F).epsilon(0.03));
    CHECK(std::abs(state.position.z - 3.3F) < 0.1F);
}

TEST_CASE("A7 physics_world: digging under a sleeping crate drops it in the next step, only it") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle near_one = scene.add(kCrate, {4.5F, 0.31F, 4.5F});
    const BodyHandle far_one = scene.add(kCrate, {30.5F, 0.31F, 30.5F});
    scene.run(5.0F);
    REQUIRE(scene.is_asleep(near_one));
    REQUIRE(scene.is_asleep(far_one));
    const Vec3 far_place = scene.position(far_one);
    scene.edit({{2, -4, 2}, {6, -1, 6}}, kAirVoxel);
    scene.run(kSubstep);
    CHECK_FALSE(scene.is_asleep(near_one));
    CHECK(scene.world.state(near_one).linear_velocity.y == doctest::Approx(-9.81F * kSubstep));
    CHECK(scene.is_asleep(far_one));
    CHECK(scene.position(far_one) == far_place);
    scene.run(3.0F);
    CHECK(scene.position(near_one).y == doctest::Approx(-4.0F + 0.3F).epsilon(0.01));
}

TEST_CASE("A7 physics_world: ground built under a falling crate catches it in the same step") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle crate = scene.add(kCrate, {4.5F, 9.0F, 4.5F});
    scene.run(0.5F);
    scene.edit({{2, 4, 2}, {6, 6, 6}}, kRock);
    scene.run(3.0F);
    CHECK(scene.position(crate).y == doctest::Approx(7.3F).epsilon(0.01));
}

TEST_CASE("A12 physics_world: a slab wider than a brick rests level on many bricks") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    BodyKind slab = kCrate;
    slab.half_extents = {8.0F, 0.5F, 6.0F};
    const BodyHandle body = scene.add(slab, {3.0F, 1.0F, 2.0F});
    scene.run(6.0F);
    const BodyState state = scene.world.state(body);
    CHECK(state.position.y == doctest::Approx(0.5F).epsilon(0.02));
    CHECK((state.rotation * Vec3(0.0F, 1.0F, 0.0F)).y > 0.9999F);
    CHECK(scene.is_asleep(body));
}

TEST_CASE("A23 physics_world: 100 bodies dropped on a slope, none is below the ground after 10 s") {
    PhysicsScene scene(slope(3));
    const std::vector<BodyHandle> bodies = drop_bodies(scene, 23, 100);
    scene.run(10.0F);
    int inside = 0;
    for (const BodyHandle body : bodies) {
        CAPTURE(body.index);
        const Vec3 at = scene.position(body);
        if (at.x < -64.0F) {
            continue;  // rolled over the zone's edge
        }
        ++inside;
        CHECK(at.y > 0.1F);
        CHECK_FALSE(is_in_mesh(scene.terrain, at));
    }
    CHECK(inside > 90);
    CHECK(scene.world.stats().lost == 0);
}

TEST_CASE("A23 physics_world: bodies shot at the ground at full speed do not tunnel") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    fill(scene.grid, {{-20, -20, -20}, {19, -2, 19}}, kAirVoxel);  // one voxel of ground is left
    for (const ChunkCoord& chunk : scene.grid.sorted_coords()) {
        scene.terrain.chunk_arrived(chunk);
    }
    Random random(5);
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 60; ++i) {
        const BodyKind& kind = i % 3 == 0 ? kCrate : (i % 3 == 1 ? kBall : kLog);
        const Vec3 place{static_cast<float>(i % 8) * 4.0F - 14.0F, random.range(2.0F, 6.0F),
                         static_cast<float>(i / 8) * 4.0F - 14.0F};
        bodies.push_back(scene.add(
            kind, place,
            rotation_about({0.6F, 0.0F, 0.8F}, static_cast<std::uint16_t>(random.below(65536)))));
        scene.world.set_velocity(bodies.back(),
                                 {random.range(-20.0F, 20.0F), -80.0F, random.range(-20.0F, 20.0F)},
                                 Vec3(0.0F));
    }
    for (int i = 0; i < 120; ++i) {
        scene.world.step(kSubstep);
        for (const BodyHandle body : bodies) {
            REQUIRE(scene.speed(body) <= 50.01F);
            const Vec3 at = scene.position(body);
            const bool is_over_shell = std::abs(at.x) < 19.0F && std::abs(at.z) < 19.0F;
            if (is_over_shell) {
                REQUIRE(at.y > -0.5F);
            }
        }
    }
}

TEST_CASE("A23 physics_world: small fast bodies do not pass a plate of 25 cm") {
    VoxelGrid grid = flat_ground(kSceneBounds);
    fill(grid, {{-40, -32, -40}, {39, -1, 39}}, kAirVoxel);
    fill(grid, {{-40, -4, -40}, {39, -4, 39}}, {kFirstSolid, 160});
    PhysicsScene scene(std::move(grid));
    const std::uint64_t seed = 3;
    CAPTURE(seed);
    Random random(seed);
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 300; ++i) {
        BodyKind kind = i % 3 == 0 ? kCrate : (i % 3 == 1 ? kBall : kLog);
        kind.half_extents *= 0.2F;
        const Vec3 place{static_cast<float>(i % 18) * 4.0F - 34.0F, random.range(0.0F, 4.0F),
                         static_cast<float>(i / 18) * 4.0F - 34.0F};
        const auto turn = static_cast<std::uint16_t>(random.below(65536));
        bodies.push_back(scene.add(kind, place, rotation_about({0.6F, 0.0F, 0.8F}, turn)));
        scene.world.set_velocity(bodies.back(),
                                 {random.range(-20.0F, 20.0F), -45.0F, random.range(-20.0F, 20.0F)},
                                 {random.range(-20.0F, 20.0F), random.range(-20.0F, 20.0F), 0.0F});
    }
    scene.run(1.5F);
    int passed = 0;
    for (const BodyHandle body : bodies) {
        const Vec3 at = scene.position(body);
        const bool is_over_plate = std::abs(at.x) < 38.0F && std::abs(at.z) < 38.0F;
        passed += is_over_plate && at.y < -4.0F ? 1 : 0;
    }
    CHECK(passed == 0);
}

TEST_CASE(
    "A23 physics_world: a body whose centre is in the ground is pushed out and rests on top") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle shallow = scene.add(kCrate, {4.5F, -0.4F, 4.5F});
    const BodyHandle deep = scene.add(kBall, {12.5F, -3.5F, 12.5F});
    scene.run(kSubstep);
    CHECK(scene.world.stats().pushed_out == 2);
    scene.run(8.0F);
    CHECK(scene.position(shallow).y == doctest::Approx(0.3F).epsilon(0.02));
    CHECK(scene.position(deep).y == doctest::Approx(0.25F).epsilon(0.02));
    CHECK(scene.world.stats().pushed_out == 0);
}

TEST_CASE("A23 physics_world: ground that is put over a resting body pushes it out at once") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle crate = scene.add(kCrate, {4.5F, 0.3F, 4.5F});
    const BodyHandle ball = scene.add(kBall, {12.5F, 0.25F, 12.5F});
    scene.run(1.0F);
    REQUIRE(scene.world.stats().pushed_out == 0);
    scene.edit({{2, 0, 2}, {14, 1, 14}}, kRock);
    scene.run(kSubstep);
    CHECK(scene.world.stats().pushed_out == 2);
    scene.run(8.0F);
    CHECK(scene.position(crate).y == doctest::Approx(2.3F).epsilon(0.02));
    CHECK(scene.position(ball).y == doctest::Approx(2.25F).epsilon(0.02));
}

}  // namespace terrane
