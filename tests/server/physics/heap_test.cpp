// Heaps of bodies that touch each other: they come to rest, sleep, and wake when something happens.
#include <algorithm>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

/// A pit of 2 `half` m a side, 6 m deep, in which bodies must lie on each other.
VoxelGrid pit(std::int32_t half) {
    VoxelGrid grid = flat_ground(kSceneBounds);
    const std::int32_t wall = half + 2;
    fill(grid, {{-wall, 0, -wall}, {wall - 1, 5, wall - 1}}, kRock);
    fill(grid, {{-half, 0, -half}, {half - 1, 5, half - 1}}, kAirVoxel);
    return grid;
}

std::vector<BodyHandle> pour(PhysicsScene& scene, int count, float half) {
    Random random(5);
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < count; ++i) {
        const Vec3 place{random.range(-half, half), 1.0F + 0.08F * static_cast<float>(i),
                         random.range(-half, half)};
        bodies.push_back(scene.add(
            kCrate, place,
            rotation_about({0.0F, 1.0F, 0.0F}, static_cast<std::uint16_t>(random.below(65536)))));
    }
    return bodies;
}

/// Of 1 kg of each, J.
double energy(const PhysicsScene& scene, const std::vector<BodyHandle>& bodies) {
    double sum = 0.0;
    for (const BodyHandle body : bodies) {
        const BodyState state = scene.world.state(body);
        sum += 0.5 * static_cast<double>(glm::dot(state.linear_velocity, state.linear_velocity)) +
               9.81 * static_cast<double>(state.position.y);
    }
    return sum;
}

}  // namespace

TEST_CASE("A12 heap_rest: 80 crates in a pit sleep within 15 s, and their energy only falls") {
    PhysicsScene scene(pit(2));
    const std::vector<BodyHandle> bodies = pour(scene, 80, 1.5F);
    double before = energy(scene, bodies);
    int seconds = 0;
    while (seconds < 15 && (seconds < 2 || scene.world.stats().awake > 0)) {
        scene.run(1.0F);
        ++seconds;
        const double now = energy(scene, bodies);
        CAPTURE(seconds);
        CHECK(now < before + 0.001 * 80.0 * 9.81);  // a millimetre each
        before = now;
    }
    CHECK(scene.world.stats().awake == 0);
    for (const BodyHandle body : bodies) {
        CAPTURE(body.index);
        REQUIRE(scene.is_asleep(body));
        REQUIRE(scene.position(body).y > 0.25F);
        REQUIRE(scene.position(body).y < 8.0F);
    }

    // The floor goes: whoever lay on it falls in the next step, the others follow.
    scene.edit({{-2, -3, -2}, {1, -1, 1}}, kAirVoxel);
    scene.run(kSubstep);
    CHECK(scene.world.stats().awake >= 4);
    scene.run(2.0F);
    int fallen = 0;
    for (const BodyHandle body : bodies) {
        fallen += scene.position(body).y < 0.0F ? 1 : 0;
    }
    CHECK(fallen > 30);
    CHECK(energy(scene, bodies) < before - 80.0 * 9.81);
}

TEST_CASE("A12 heap_rest: a sleeping tower falls when its foot is taken out or shot away") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    std::vector<BodyHandle> tower;
    for (int i = 0; i < 4; ++i) {
        tower.push_back(scene.add(kCrate, {4.5F, 0.3F + 0.6F * static_cast<float>(i), 4.5F}));
    }
    scene.run(6.0F);
    for (const BodyHandle body : tower) {
        REQUIRE(scene.is_asleep(body));
    }
    REQUIRE(scene.position(tower[3]).y > 2.0F);
    SUBCASE("taken out") {
        scene.world.remove_body(tower[0]);
        scene.run(1.5F);
        CHECK(scene.position(tower[1]).y < 0.35F);
        CHECK(scene.position(tower[3]).y < 1.6F);
    }
    SUBCASE("pushed out") {
        scene.world.set_velocity(tower[0], {12.0F, 0.0F, 0.0F}, Vec3(0.0F));
        scene.run(1.5F);
        CHECK(scene.position(tower[3]).y < 1.6F);
    }
    SUBCASE("hit by a stone") {
        BodyKind stone = kStone;
        stone.half_extents.x = 0.3F;
        const BodyHandle shot = scene.add(stone, {0.0F, 1.5F, 4.5F});
        scene.world.set_velocity(shot, {20.0F, 1.0F, 0.0F}, Vec3(0.0F));
        scene.run(1.5F);
        CHECK(scene.position(tower[3]).y < 1.6F);
    }
}

TEST_CASE("A12 heap_rest: a dozing crate under a player's new weight or an impulse wakes") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle low = scene.add(kCrate, {4.5F, 0.3F, 4.5F});
    const BodyHandle high = scene.add(kCrate, {4.5F, 0.9F, 4.5F});
    scene.run(1.5F);
    REQUIRE(scene.world.stats().dozing == 2);
    REQUIRE(scene.speed(high) == 0.0F);
    SUBCASE("an impulse") {
        scene.world.apply_impulse(high, {kCrate.density_kg_m3 * 0.216F * 3.0F, 0.0F, 0.0F},
                                  scene.position(high));
        CHECK(scene.world.state(high).linear_velocity.x == doctest::Approx(3.0F).epsilon(0.01));
        scene.run(0.5F);
        CHECK(scene.position(high).x > 4.9F);
    }
    SUBCASE("a push that would move it") {
        for (int i = 0; i < 30; ++i) {
            scene.world.push(high, {75.6F * 9.81F * kSubstep, 0.0F, 0.0F}, scene.position(high));
            scene.run(kSubstep);
        }
        CHECK(scene.position(high).x > 4.55F);
    }
    SUBCASE("a push that would not show") {
        scene.world.push(high, {0.01F, 0.0F, 0.0F}, scene.position(high));
        scene.run(kSubstep);
        CHECK(scene.world.stats().dozing == 2);
    }
    CHECK(scene.position(low).x == doctest::Approx(4.5F).epsilon(0.02));
}

}  // namespace terrane
