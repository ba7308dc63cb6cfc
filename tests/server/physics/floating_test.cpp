// Bodies in a pool: what floats, what sinks, and when it is still.
#include <algorithm>

#include <doctest/doctest.h>

#include "server/physics/water_forces.h"
#include "shared/math/trig.h"
#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

/// The share under y = 0, by counting points.
float counted_share(const BodyKind& kind, const BodyState& state) {
    int inside = 0;
    int wet = 0;
    const int side = 60;
    const Vec3 half =
        kind.shape == BodyShape::box
            ? kind.half_extents
            : Vec3(kind.half_extents.x,
                   kind.shape == BodyShape::sphere ? kind.half_extents.x : kind.half_extents.y,
                   kind.half_extents.x);
    for (int i = 0; i < side * side * side; ++i) {
        const Vec3 unit =
            (Vec3(i % side, i / side % side, i / side / side) + 0.5F) * (2.0F / side) - 1.0F;
        const bool is_round = kind.shape != BodyShape::box;
        float y = kind.shape == BodyShape::sphere ? unit.y : 0.0F;
        if (kind.shape == BodyShape::capsule) {
            const float beyond = std::abs(unit.y) * half.y - (half.y - half.x);
            y = std::max(0.0F, beyond) / half.x;
        }
        if (is_round && unit.x * unit.x + unit.z * unit.z + y * y > 1.0F) {
            continue;
        }
        ++inside;
        wet += (state.position + state.rotation * (half * unit)).y < 0.0F ? 1 : 0;
    }
    return static_cast<float>(wet) / static_cast<float>(inside);
}

}  // namespace

TEST_CASE("A14 physics_world: crate, ball, log, pill float at their density, become still, sleep") {
    PhysicsScene scene(pool(kSceneBounds));
    const Quat lying = rotation_about({1.0F, 0.0F, 0.0F}, 16384);
    const std::array<const BodyKind*, 4> kinds{&kCrate, &kBall, &kLog, &kPill};
    std::array<BodyHandle, 4> bodies{
        scene.add(kCrate, {-8.0F, 1.0F, 0.0F}), scene.add(kBall, {0.0F, 1.0F, 0.0F}),
        scene.add(kLog, {8.0F, 1.0F, 0.0F}, lying), scene.add(kPill, {0.0F, 1.0F, 8.0F}, lying)};
    scene.run(20.0F);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        CAPTURE(kinds[i]->name);
        const BodyState state = scene.world.state(bodies[i]);
        CHECK(glm::length(state.linear_velocity) < 0.01F);
        const float ratio = kinds[i]->density_kg_m3 / 1000.0F;
        CHECK(std::abs(counted_share(*kinds[i], state) / ratio - 1.0F) < 0.03F);
    }
    scene.run(10.0F);
    std::array<Vec3, 4> places{};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        CAPTURE(kinds[i]->name);
        CHECK(scene.is_asleep(bodies[i]));
        places[i] = scene.position(bodies[i]);
    }
    scene.run(5.0F);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        CHECK(scene.position(bodies[i]) == places[i]);  // a sleeper does not drift
    }
}

TEST_CASE("A14 physics_world: crates of many densities float at theirs, tilted or not") {
    PhysicsScene scene(pool(kSceneBounds));
    std::vector<BodyKind> kinds;
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 8; ++i) {
        kinds.push_back(kCrate);
        kinds.back().density_kg_m3 = 100.0F + 115.0F * static_cast<float>(i);
        bodies.push_back(scene.add(kinds.back(),
                                   {-13.0F + 3.5F * static_cast<float>(i), 0.2F, 0.3F},
                                   rotation_about({0.6F, 0.0F, 0.8F}, 1500)));
    }
    scene.run(30.0F);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        CAPTURE(kinds[i].density_kg_m3);
        CHECK(scene.speed(bodies[i]) < 0.01F);
        const float share = counted_share(kinds[i], scene.world.state(bodies[i]));
        CHECK(std::abs(share / (kinds[i].density_kg_m3 / 1000.0F) - 1.0F) < 0.03F);
    }
}

TEST_CASE("A14 physics_world: density 2 sinks at the speed where drag equals weight") {
    for (const BodyShape shape :
         {BodyShape::box, BodyShape::sphere, BodyShape::cylinder, BodyShape::capsule}) {
        CAPTURE(static_cast<int>(shape));
        PhysicsScene scene(pool(kSceneBounds));
        BodyKind kind = kCrate;
        kind.shape = shape;
        kind.half_extents = Vec3(0.15F);
        kind.density_kg_m3 = 2000.0F;
        const BodyHandle body = scene.add(kind, {0.0F, -0.5F, 0.0F});
        scene.run(2.5F);
        const BodyState state = scene.world.state(body);
        CHECK(state.position.y > -11.0F);  // still on its way
        BodyVolume volume{shape, kind.half_extents, state.position, state.rotation};
        const float area = area_along(volume, {0.0F, 1.0F, 0.0F});
        const float v = std::sqrt(2.0F * 1000.0F * volume_m3(shape, kind.half_extents) * 9.81F /
                                  (1000.0F * drag_coefficient(shape) * area));
        CHECK(std::abs(state.linear_velocity.y / -v - 1.0F) < 0.1F);
    }
}

TEST_CASE("A14 physics_world: a stone sinks to the bottom of the pool and rests there") {
    PhysicsScene scene(pool(kSceneBounds));
    const BodyHandle stone = scene.add(kStone, {0.0F, 1.0F, 0.0F});
    scene.run(12.0F);
    CHECK(scene.position(stone).y == doctest::Approx(-12.0F + 0.2F).epsilon(0.005));
    CHECK(scene.speed(stone) < 0.01F);
}

TEST_CASE("A14 physics_world: density 1 drifts less than 5 cm in 10 s") {
    PhysicsScene scene(pool(kSceneBounds));
    BodyKind kind = kCrate;
    kind.density_kg_m3 = 1000.0F;
    const Vec3 start{2.3F, -5.2F, 1.7F};
    const BodyHandle body = scene.add(kind, start);
    scene.run(10.0F);
    CHECK(glm::length(scene.position(body) - start) < 0.05F);
}

TEST_CASE(
    "A14 physics_world: a body above the water falls freely, one that leaves it gets no force") {
    PhysicsScene scene(pool(kSceneBounds));
    const BodyHandle high = scene.add(kCrate, {0.0F, 20.0F, 0.0F});
    const BodyHandle jumper = scene.add(kCrate, {5.0F, 0.6F, 0.0F});
    scene.world.set_velocity(jumper, {0.0F, 8.0F, 0.0F}, Vec3(0.0F));
    scene.run(0.5F);
    CHECK(scene.world.state(high).linear_velocity.y == doctest::Approx(-9.81F * 0.5F));
    CHECK(scene.world.state(jumper).linear_velocity.y == doctest::Approx(8.0F - 9.81F * 0.5F));
}

TEST_CASE("A14 physics_world: a flat boat of low density rights itself from 30 degrees") {
    PhysicsScene scene(pool(kSceneBounds));
    BodyKind raft = kCrate;
    raft.half_extents = {1.0F, 0.2F, 1.5F};
    const Quat tilted = rotation_about({0.0F, 0.0F, 1.0F}, 5461);
    const BodyHandle body = scene.add(raft, {0.0F, 0.2F, 0.0F}, tilted);
    scene.run(15.0F);
    const Vec3 up = scene.world.state(body).rotation * Vec3(0.0F, 1.0F, 0.0F);
    CHECK(up.y > 0.999F);
}

TEST_CASE(
    "A24 physics_world: in a pool whose floor opens the water's edit wakes the floating crate") {
    PhysicsScene scene(pool(kSceneBounds));
    const BodyHandle crate = scene.add(kCrate, {0.0F, 0.1F, 0.0F});
    scene.run(30.0F);
    REQUIRE(scene.is_asleep(crate));
    scene.edit({{-2, -3, -2}, {2, -1, 2}}, kAirVoxel);  // the water under it is gone
    scene.run(kSubstep);
    CHECK_FALSE(scene.is_asleep(crate));
    CHECK(scene.world.state(crate).linear_velocity.y < -0.1F);
}

TEST_CASE("A24 physics_world: bodies afloat at a shore of thin ground come to rest and sleep") {
    VoxelGrid grid = pool(kSceneBounds);
    fill(grid, {{-16, -1, -16}, {4, -1, 15}}, {kFirstSolid, 60});
    fill(grid, {{-16, -2, -16}, {0, -2, 15}}, {kFirstSolid, 100});
    fill(grid, {{-16, -3, -16}, {-2, -3, 15}}, kRock);
    PhysicsScene scene(std::move(grid));
    const std::uint64_t seed = 9;
    CAPTURE(seed);
    Random random(seed);
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 18; ++i) {
        const BodyKind& kind = i % 3 == 2 ? kBall : kCrate;
        const auto turn = static_cast<std::uint16_t>(random.below(65536));
        bodies.push_back(
            scene.add(kind, {random.range(4.0F, 6.0F), 0.2F, static_cast<float>(i) * 1.6F - 14.0F},
                      rotation_about({0.6F, 0.0F, 0.8F}, turn)));
    }
    scene.run(40.0F);
    for (const BodyHandle body : bodies) {
        CAPTURE(body.index);
        CHECK(scene.is_asleep(body));
    }
}

}  // namespace terrane
