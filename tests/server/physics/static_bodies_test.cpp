// Props: static bodies by the thousand.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "shared/math/trig.h"
#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

BodyKind boulder_kind() {
    BodyKind boulder;
    boulder.shape = BodyShape::sphere;
    boulder.half_extents = Vec3(0.9F);
    boulder.is_static = true;
    return boulder;
}

BodyKind table_kind() {
    BodyKind table;
    table.half_extents = {1.0F, 0.5F, 1.0F};
    table.is_static = true;
    return table;
}

}  // namespace

TEST_CASE("static_bodies: a crate rests on one, a sliding one is stopped, a ball rolls off") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    BodyKind trunk;
    trunk.shape = BodyShape::cylinder;
    trunk.half_extents = {0.22F, 3.0F, 0.22F};
    REQUIRE_FALSE(scene.world.add_static(table_kind(), {0.0F, 0.5F, 0.0F}, kNoRotation) ==
                  StaticHandle{});
    scene.world.add_static(trunk, {8.0F, 3.0F, 0.0F}, kNoRotation);
    scene.world.add_static(boulder_kind(), {0.0F, 0.45F, 10.0F}, kNoRotation);
    BodyKind ice = kCrate;
    ice.friction = 0.0F;
    const BodyHandle crate = scene.add(kCrate, {0.0F, 1.5F, 0.0F});
    const BodyHandle slider = scene.add(ice, {4.0F, 0.3F, 0.0F});
    const BodyHandle ball = scene.add(kBall, {0.1F, 2.0F, 10.0F});
    scene.world.set_velocity(slider, {5.0F, 0.0F, 0.0F}, Vec3(0.0F));
    for (int i = 0; i < 60 * 8; ++i) {
        scene.world.step(kSubstep);
        REQUIRE(scene.position(slider).x < 7.6F);
    }
    CHECK(scene.position(crate).y == doctest::Approx(1.3F).epsilon(0.01));
    CHECK(scene.is_asleep(crate));
    CHECK(scene.position(ball).y == doctest::Approx(0.25F).epsilon(0.02));
}

TEST_CASE("static_bodies: it stands turned as it was put") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    BodyKind beam = table_kind();
    beam.half_extents = {3.0F, 0.25F, 0.25F};
    scene.world.add_static(beam, {0.0F, 0.25F, 0.0F},
                           Quat(2.0F, 0.0F, 0.0F, 0.0F) *
                               rotation_about({0.0F, 1.0F, 0.0F}, kQuarterTurn));  // along z
    const BodyHandle on_it = scene.add(kCrate, {0.0F, 1.0F, -2.5F});
    const BodyHandle beside = scene.add(kCrate, {2.5F, 1.0F, 0.0F});
    scene.run(4.0F);
    CHECK(scene.position(on_it).y == doctest::Approx(0.8F).epsilon(0.02));
    CHECK(scene.position(beside).y == doctest::Approx(0.3F).epsilon(0.02));
}

TEST_CASE("static_bodies: what leans on one that goes wakes and falls, others sleep on") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const StaticHandle table =
        scene.world.add_static(table_kind(), {0.0F, 0.5F, 0.0F}, kNoRotation);
    const StaticHandle other =
        scene.world.add_static(table_kind(), {8.0F, 0.5F, 0.0F}, kNoRotation);
    const BodyHandle crate = scene.add(kCrate, {0.0F, 1.31F, 0.0F});
    const BodyHandle far_one = scene.add(kCrate, {8.0F, 1.31F, 0.0F});
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(crate));
    REQUIRE(scene.is_asleep(far_one));
    scene.world.remove_static(table);
    scene.run(kSubstep);
    CHECK_FALSE(scene.is_asleep(crate));
    CHECK(scene.is_asleep(far_one));
    scene.run(4.0F);
    CHECK(scene.position(crate).y == doctest::Approx(0.3F).epsilon(0.02));
    // The slot is used again under a new generation: the old handle takes nothing away.
    const StaticHandle third =
        scene.world.add_static(table_kind(), {16.0F, 0.5F, 0.0F}, kNoRotation);
    CHECK(third.index == table.index);
    CHECK_FALSE(third == table);
    scene.world.remove_static(table);
    scene.world.remove_static(StaticHandle{});
    scene.world.remove_static(StaticHandle{999, 1});
    const BodyHandle later = scene.add(kCrate, {16.0F, 1.5F, 0.0F});
    scene.run(4.0F);
    CHECK(scene.position(later).y == doctest::Approx(1.3F).epsilon(0.01));
    scene.world.remove_static(other);
}

TEST_CASE("static_bodies: kinds and poses that cannot be are refused; they are no bodies") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Vec3 place{0.0F, 1.0F, 0.0F};
    CHECK(scene.world.add_static(table_kind(), {nan, 0.0F, 0.0F}, kNoRotation) == StaticHandle{});
    CHECK(scene.world.add_static(table_kind(), place, Quat(0.0F, 0.0F, 0.0F, 0.0F)) ==
          StaticHandle{});
    CHECK(scene.world.add_static(table_kind(), place, Quat(nan, 0.0F, 0.0F, 0.0F)) ==
          StaticHandle{});
    BodyKind kind = table_kind();
    kind.half_extents.z = 0.0F;
    CHECK(scene.world.add_static(kind, place, kNoRotation) == StaticHandle{});
    kind.shape = BodyShape::player;
    CHECK(scene.world.add_static(kind, place, kNoRotation) == StaticHandle{});
    scene.world.add_static(table_kind(), place, kNoRotation);
    CHECK(scene.world.stats().bodies == 0);
    CHECK_FALSE(scene.world.overlaps_body({{-1.0F, 0.0F, -1.0F}, {1.0F, 2.0F, 1.0F}}));
    std::vector<BodyHandle> near;
    scene.world.bodies_near({{-1.0F, 0.0F, -1.0F}, {1.0F, 2.0F, 1.0F}}, near);
    CHECK(near.empty());
}

TEST_CASE("static_bodies: bodies that meet none of thousands move as if there were none") {
    std::uint64_t alone = 0;
    for (const int props : {0, 5000}) {
        PhysicsScene scene(flat_ground(kSceneBounds));
        std::vector<StaticHandle> handles;
        for (int i = 0; i < props; ++i) {
            const Vec3 place{20.0F + static_cast<float>(i % 40), static_cast<float>(i / 1600),
                             static_cast<float>(i / 40 % 40) - 20.0F};
            handles.push_back(scene.world.add_static(boulder_kind(), place, kNoRotation));
        }
        const std::vector<BodyHandle> bodies = drop_bodies(scene, 31, 40);
        scene.run(1.5F);
        for (std::size_t i = 0; i < handles.size(); i += 2) {
            scene.world.remove_static(handles[i]);
        }
        scene.run(1.5F);
        const std::uint64_t hash = hash_states(scene, bodies);
        if (props == 0) {
            alone = hash;
        }
        CHECK(hash == alone);
    }
}

}  // namespace terrane
