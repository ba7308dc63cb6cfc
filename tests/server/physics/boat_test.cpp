// Hollow bodies with passengers and ballast.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

constexpr float kPassengerKg = 70.0F;

/// Steps with a passenger's weight on each of `seats`.
void ride(PhysicsScene& scene, BodyHandle boat, const BodyKind& kind,
          const std::vector<std::size_t>& seats, float seconds) {
    const int steps = static_cast<int>(seconds / kSubstep + 0.5F);
    for (int i = 0; i < steps; ++i) {
        const BodyState state = scene.world.state(boat);
        for (const std::size_t seat : seats) {
            scene.world.push(boat, {0.0F, -kPassengerKg * 9.81F * kSubstep, 0.0F},
                             state.position + state.rotation * kind.seats[seat]);
        }
        scene.world.step(kSubstep);
    }
}

Vec3 up_of(const PhysicsScene& scene, BodyHandle body) {
    return scene.world.state(body).rotation * Vec3(0.0F, 1.0F, 0.0F);
}

}  // namespace

TEST_CASE("A14 physics_world: a boat sinks by the weight aboard and sleeps, whoever sits in it") {
    const BodyKind kind = boat_kind();
    const float area = 4.0F * kind.half_extents.x * kind.half_extents.z;
    for (const std::vector<std::size_t>& seats :
         {std::vector<std::size_t>{}, {0}, {2, 3}, {0, 1, 2, 3}}) {
        CAPTURE(seats.size());
        PhysicsScene scene(pool(kSceneBounds));
        const BodyHandle boat = scene.add(kind, {0.3F, 0.3F, 0.2F});
        ride(scene, boat, kind, seats, 20.0F);
        const float mass = 260.0F + kPassengerKg * static_cast<float>(seats.size());
        const float afloat = scene.world.submerged_share(boat) * volume_m3(kind) * 1000.0F;
        CHECK(std::abs(afloat / mass - 1.0F) < 0.03F);
        if (seats.size() != 1) {  // even keel: one in the stern lifts the bow
            const float draft = kind.half_extents.y - scene.position(boat).y;
            CHECK(std::abs(draft / (mass / 1000.0F / area) - 1.0F) < 0.03F);
        }
        CHECK(scene.is_asleep(boat));
    }
}

TEST_CASE("A14 physics_world: who boards a sleeping boat wakes it, who leaves lets it rise") {
    const BodyKind kind = boat_kind();
    PhysicsScene scene(pool(kSceneBounds));
    const BodyHandle boat = scene.add(kind, {0.3F, 0.3F, 0.2F});
    ride(scene, boat, kind, {}, 20.0F);
    REQUIRE(scene.is_asleep(boat));
    const float empty = scene.position(boat).y;
    ride(scene, boat, kind, {2, 3}, kSubstep);
    CHECK(scene.world.is_awake(boat));
    ride(scene, boat, kind, {2, 3}, 20.0F);
    CHECK_FALSE(scene.world.is_awake(boat));
    const float laden = scene.position(boat).y;
    CHECK(empty - laden == doctest::Approx(0.0259).epsilon(0.03));
    ride(scene, boat, kind, {}, kSubstep);
    CHECK(scene.world.is_awake(boat));
    ride(scene, boat, kind, {}, 20.0F);
    CHECK(scene.position(boat).y == doctest::Approx(empty).epsilon(0.01));
}

TEST_CASE("A14 physics_world: a boat rights itself from 30 degrees, about both axes, and sleeps") {
    for (const Vec3& axis : {Vec3(0.0F, 0.0F, 1.0F), Vec3(1.0F, 0.0F, 0.0F)}) {
        CAPTURE(axis.x);
        PhysicsScene scene(pool(kSceneBounds));
        const BodyHandle boat =
            scene.add(boat_kind(), {0.3F, 0.6F, 0.2F}, rotation_about(axis, 5461));
        float lowest = 1.0F;
        for (int i = 0; i < 60 * 20; ++i) {
            scene.world.step(kSubstep);
            lowest = std::min(lowest, up_of(scene, boat).y);
        }
        CHECK(lowest > 0.8F);  // it never went further over
        CHECK(up_of(scene, boat).y > 0.9999F);
        CHECK(scene.is_asleep(boat));
    }
}

TEST_CASE("A14 physics_world: one at the side heels a boat by its stability, no further") {
    const BodyKind kind = boat_kind();
    PhysicsScene scene(pool(kSceneBounds));
    const BodyHandle boat = scene.add(kind, {0.3F, 0.3F, 0.2F});
    float lowest = 1.0F;
    for (int i = 0; i < 60 * 20; ++i) {
        ride(scene, boat, kind, {2}, kSubstep);
        lowest = std::min(lowest, up_of(scene, boat).y);
    }
    CHECK(lowest > 0.98F);
    // A hull with upright sides: metacentre above keel = draft / 2 + width^2 / (12 draft).
    const float mass = 260.0F + kPassengerKg;
    const float draft = mass / 1000.0F / (1.5F * 3.6F);
    const float keel_to_weight = (260.0F * (0.35F - 0.15F) + kPassengerKg * 0.15F) / mass;
    const float height = draft / 2.0F + 1.5F * 1.5F / (12.0F * draft) - keel_to_weight;
    const float heel = kPassengerKg * 0.4F / (mass * height);
    const Vec3 up = up_of(scene, boat);
    CHECK(-up.x / up.y == doctest::Approx(heel).epsilon(0.05));
}

TEST_CASE("A14 physics_world: a narrow hull stands upright by its ballast and falls over without") {
    PhysicsScene scene(pool(kSceneBounds));
    BodyKind hull = boat_kind();
    hull.half_extents = {0.2F, 0.5F, 1.0F};
    hull.mass_kg = 300.0F;
    hull.ballast_m = 0.4F;
    const Quat tilted = rotation_about({0.0F, 0.0F, 1.0F}, 900);
    const BodyHandle keel = scene.add(hull, {-5.0F, 0.2F, 0.0F}, tilted);
    hull.ballast_m = 0.0F;
    const BodyHandle none = scene.add(hull, {5.0F, 0.2F, 0.0F}, tilted);
    scene.run(30.0F);
    CHECK(up_of(scene, keel).y > 0.999F);
    CHECK(up_of(scene, none).y < 0.2F);
}

TEST_CASE(
    "physics_world: ballast turns nothing in the air; poses and velocities are the middle's") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const Quat tilted = rotation_about({0.0F, 0.0F, 1.0F}, 8192);
    const BodyHandle boat = scene.add(boat_kind(), {0.0F, 20.0F, 0.0F}, tilted);
    CHECK(scene.position(boat) == Vec3(0.0F, 20.0F, 0.0F));
    scene.run(0.5F);
    CHECK(glm::length(scene.world.state(boat).angular_velocity) < 1e-5F);
    CHECK(scene.world.state(boat).linear_velocity.y == doctest::Approx(-9.81F * 0.5F));
    // An impulse at the centre of mass moves it straight, one at the middle turns it.
    const Vec3 arm = tilted * Vec3(0.0F, -0.15F, 0.0F);
    scene.world.apply_impulse(boat, {260.0F, 0.0F, 0.0F}, scene.position(boat) + arm);
    BodyState state = scene.world.state(boat);
    CHECK(glm::length(state.angular_velocity) < 1e-4F);
    CHECK(state.linear_velocity.x == doctest::Approx(1.0F));
    scene.world.apply_impulse(boat, {260.0F, 0.0F, 0.0F}, scene.position(boat));
    CHECK(scene.world.state(boat).angular_velocity.z < -0.05F);
    // What is set is what is read, and the spin is about the centre of mass: the middle circles it.
    scene.world.set_velocity(boat, {1.0F, 2.0F, 3.0F}, {0.0F, 0.0F, 4.0F});
    state = scene.world.state(boat);
    CHECK(state.linear_velocity == Vec3(1.0F, 2.0F, 3.0F));
    CHECK(state.angular_velocity == Vec3(0.0F, 0.0F, 4.0F));
    const Vec3 before = state.position + arm;
    const Vec3 along = state.linear_velocity + glm::cross(state.angular_velocity, arm);
    for (int i = 0; i < 15; ++i) {
        const BodyState last = scene.world.state(boat);
        scene.world.step(kSubstep);
        state = scene.world.state(boat);
        const Vec3 mean = 0.5F * (last.linear_velocity + state.linear_velocity);
        const Vec3 gone = (state.position - last.position) / kSubstep;
        REQUIRE(glm::length(gone - mean - Vec3(0.0F, -9.81F * 0.5F * kSubstep, 0.0F)) < 0.02F);
    }
    const Vec3 centre = state.position + state.rotation * Vec3(0.0F, -0.15F, 0.0F);
    CHECK(centre.x - before.x == doctest::Approx(along.x * 0.25F).epsilon(0.01));
    CHECK(centre.z - before.z == doctest::Approx(along.z * 0.25F).epsilon(0.01));
}

TEST_CASE(
    "A12 physics_world: a boat rests level on land at its height and sleeps; a crate on it too") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle boat =
        scene.add(boat_kind(), {3.3F, 1.0F, 4.4F}, rotation_about({0.0F, 1.0F, 0.0F}, 5000));
    scene.run(6.0F);
    CHECK(scene.position(boat).y == doctest::Approx(0.35F).epsilon(0.02));
    CHECK(up_of(scene, boat).y > 0.9999F);
    CHECK(scene.is_asleep(boat));
    const BodyHandle crate = scene.add(kCrate, {3.3F, 1.4F, 4.4F});
    scene.run(8.0F);
    CHECK(scene.position(crate).y == doctest::Approx(1.0F).epsilon(0.02));
    CHECK(scene.is_asleep(crate));
}

}  // namespace terrane
