// A sleeper wakes in the tick in which its ground or its water changes.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

struct Sleeper {
    explicit Sleeper(VoxelGrid grid, const BodyKind& kind, const Vec3& place)
        : scene(std::move(grid)), body(scene.add(kind, place)), far(scene.add(kind, kFar)) {
        scene.run(30.0F);
        REQUIRE(scene.is_asleep(body));
        REQUIRE(scene.is_asleep(far));
    }
    static constexpr Vec3 kFar{40.5F, 0.5F, 40.5F};

    PhysicsScene scene;
    BodyHandle body;
    BodyHandle far;
};

}  // namespace

TEST_CASE("A7 wake: ground placed into a sleeper's side or beside it wakes it, it alone") {
    Sleeper s(flat_ground(kSceneBounds), kCrate, {4.5F, 0.5F, 4.5F});
    SUBCASE("beside") {
        s.scene.edit({{5, 0, 4}, {5, 0, 4}}, kRock);
    }
    SUBCASE("under it, by occupancy only") {
        s.scene.edit({{4, -1, 4}, {4, -1, 4}}, {kFirstSolid, 200});
    }
    CHECK_FALSE(s.scene.is_asleep(s.body));
    CHECK(s.scene.is_asleep(s.far));
}

TEST_CASE("A14 wake: water that comes lifts a sleeper, water that goes drops it, the same step") {
    SUBCASE("comes") {
        VoxelGrid grid = flat_ground(kSceneBounds);
        fill(grid, {{0, -4, 0}, {8, -1, 8}}, kAirVoxel);
        Sleeper s(std::move(grid), kCrate, {4.5F, -3.5F, 4.5F});
        s.scene.edit({{0, -4, 0}, {8, -1, 8}}, kFullWater);
        CHECK_FALSE(s.scene.is_asleep(s.body));
        s.scene.run(kSubstep);
        CHECK(s.scene.world.state(s.body).linear_velocity.y > 0.1F);
        CHECK(s.scene.is_asleep(s.far));
        s.scene.run(20.0F);
        CHECK(s.scene.position(s.body).y > -0.3F);
        CHECK(s.scene.speed(s.body) < 0.01F);
    }
    SUBCASE("goes") {
        Sleeper s(pool(kSceneBounds), kCrate, {4.5F, 0.0F, 4.5F});
        REQUIRE(s.scene.position(s.body).y > -0.3F);
        s.scene.edit({{-16, -12, -16}, {15, -1, 15}}, kAirVoxel);
        CHECK_FALSE(s.scene.is_asleep(s.body));
        s.scene.run(kSubstep);
        CHECK(s.scene.world.state(s.body).linear_velocity.y ==
              doctest::Approx(-9.81F * kSubstep).epsilon(0.01));
        CHECK(s.scene.world.submerged_share(s.body) == 0.0F);
        s.scene.run(4.0F);
        CHECK(s.scene.position(s.body).y == doctest::Approx(-12.0F + 0.3F).epsilon(0.01));
        CHECK(s.scene.is_asleep(s.far));
    }
}

TEST_CASE("A14 wake: a crate that came asleep is seen in its water, and falls when that goes") {
    PhysicsScene scene(pool(kSceneBounds));
    const auto add_asleep = [&](const Vec3& position) {
        BodyState state;
        state.position = position;
        state.is_asleep = true;
        return scene.world.add_body(kCrate, state);
    };
    const BodyHandle afloat = add_asleep({4.5F, 0.09F, 4.5F});
    const BodyHandle dry = add_asleep({34.5F, 0.3F, 4.5F});
    scene.run(1.0F);
    REQUIRE(scene.is_asleep(afloat));
    const std::vector<WaterView> seen = scene.world.water_near({Vec3(-40.0F), Vec3(40.0F)}, 8);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].middle == scene.position(afloat));
    CHECK(seen[0].level_m == doctest::Approx(0.0F));
    CHECK(seen[0].share == doctest::Approx(0.35F).epsilon(0.01));
    CHECK(scene.world.water_near({Vec3(-40.0F), Vec3(40.0F)}, 0).empty());
    CHECK(scene.world.water_near({Vec3(20.0F), Vec3(40.0F)}, 8).empty());

    scene.edit({{-16, -12, -16}, {15, -1, 15}}, kAirVoxel);
    CHECK(scene.world.water_near({Vec3(-40.0F), Vec3(40.0F)}, 8).empty());
    scene.run(kSubstep);
    CHECK_FALSE(scene.is_asleep(afloat));
    CHECK(scene.world.state(afloat).linear_velocity.y ==
          doctest::Approx(-9.81F * kSubstep).epsilon(0.01));
    CHECK(scene.is_asleep(dry));
}

TEST_CASE("A7 wake: a crate that came asleep and is hit does not sink into its ground") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    BodyState state;
    state.position = {4.5F, 0.3F, 4.5F};
    state.is_asleep = true;
    const BodyHandle crate = scene.world.add_body(kCrate, state);
    const BodyHandle ball = scene.add(kBall, {4.5F, 2.0F, 4.5F});
    float lowest_m = 1.0F;
    for (int i = 0; i < 240; ++i) {
        scene.world.step(kSubstep);
        lowest_m = std::min(lowest_m, scene.position(crate).y);
    }
    CHECK(lowest_m > 0.29F);
    CHECK(scene.world.is_alive(ball));
}

TEST_CASE("A14 wake: a crate floats alike across brick and chunk borders, and 4 km from here") {
    const auto share_and_drift = [](const ChunkCoord& middle, const Vec3& place) {
        const GridBounds bounds{{middle.x - 2, -1, middle.z - 2}, {middle.x + 2, 1, middle.z + 2}};
        VoxelGrid grid = flat_ground(bounds);
        const VoxelCoord at = origin_of(middle);
        fill(grid, {at + VoxelCoord{-16, -12, -16}, at + VoxelCoord{15, -1, 15}}, kFullWater);
        PhysicsScene scene(std::move(grid));
        const Vec3 start = corner_of(at) + place;
        const BodyHandle crate = scene.add(kCrate, start);
        scene.run(25.0F);
        CHECK(scene.speed(crate) < 0.01F);
        CHECK(scene.is_asleep(crate));
        const Vec3 drift = scene.position(crate) - start;
        CHECK(std::abs(drift.x) + std::abs(drift.z) < 0.05F);
        return scene.world.submerged_share(crate);
    };
    const float inside = share_and_drift({0, 0, 0}, {4.0F, 0.0F, 4.0F});
    CHECK(inside == doctest::Approx(0.35F).epsilon(0.03));
    for (const Vec3& place : {Vec3(8.0F, 0.0F, 4.0F), Vec3(0.0F), Vec3(0.1F, 0.0F, -8.1F)}) {
        CHECK(share_and_drift({0, 0, 0}, place) == doctest::Approx(inside).epsilon(0.005));
        CHECK(share_and_drift({124, 0, -124}, place) == doctest::Approx(inside).epsilon(0.005));
    }
}

TEST_CASE("A23 wake: 4 km from the middle a ball rolls as far and a crate rests as here") {
    const auto way = [](const ChunkCoord& middle) {
        const GridBounds bounds{{middle.x - 2, -1, middle.z - 2}, {middle.x + 2, 1, middle.z + 2}};
        PhysicsScene scene(flat_ground(bounds));
        const Vec3 start = corner_of(origin_of(middle)) + Vec3(-20.0F, 0.25F, 0.3F);
        const BodyHandle ball = scene.add(kBall, start);
        const BodyHandle crate = scene.add(kCrate, start + Vec3(0.0F, 2.0F, 6.0F));
        scene.world.set_velocity(ball, {6.0F, 0.0F, 0.0F}, {0.0F, 0.0F, -24.0F});
        scene.run(10.0F);
        CHECK(scene.is_asleep(crate));
        CHECK(scene.position(crate).y == doctest::Approx(0.3F).epsilon(0.02));
        return scene.position(ball).x - start.x;
    };
    const float here = way({0, 0, 0});
    CHECK(here > 4.0F);
    CHECK(way({124, 0, -124}) == doctest::Approx(here).epsilon(0.005));
    CHECK(way({-124, 0, 124}) == doctest::Approx(here).epsilon(0.005));
}

}  // namespace terrane
