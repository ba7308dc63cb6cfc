#include "server/physics/terrain_pairs.h"

#include <doctest/doctest.h>

#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

Aabb box_at(const Vec3& centre, float half = 0.3F) {
    return {centre - half, centre + half};
}

}  // namespace

TEST_CASE("A6 terrain_pairs: pairs follow movement, hold their colliders and let them go") {
    PhysicsScene scene(pool(kSceneBounds));
    ColliderCache& colliders = scene.terrain.colliders();
    TerrainPairs pairs;
    pairs.update(scene.terrain, box_at({20.0F, 10.0F, 20.0F}));
    CHECK(pairs.pairs().empty());
    pairs.update(scene.terrain, box_at({20.0F, 0.3F, 20.0F}));
    REQUIRE(pairs.solid_count() > 0);
    CHECK(pairs.water_count() == 0);
    CHECK(colliders.stats().pinned == pairs.solid_count());
    for (std::size_t i = 1; i < pairs.pairs().size(); ++i) {
        CHECK(pairs.pairs()[i - 1].brick < pairs.pairs()[i].brick);
    }
    pairs.update(scene.terrain, box_at({0.0F, 0.0F, 0.0F}));
    CHECK(pairs.solid_count() == 0);
    CHECK(pairs.water_count() > 0);
    CHECK(colliders.stats().pinned == 0);
    pairs.update(scene.terrain, box_at({-16.0F, 0.0F, 0.0F}));  // the shore: both
    CHECK(pairs.solid_count() > 0);
    CHECK(pairs.water_count() > 0);
    pairs.clear(scene.terrain);
    CHECK(pairs.pairs().empty());
    CHECK(colliders.stats().pinned == 0);
}

TEST_CASE("A6 terrain_pairs: a move inside the same voxels does not ask the masks") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    TerrainPairs pairs;
    CHECK(pairs.update(scene.terrain, box_at({4.5F, 0.5F, 4.5F})));
    CHECK_FALSE(pairs.update(scene.terrain, box_at({4.6F, 0.5F, 4.4F})));
    CHECK(pairs.update(scene.terrain, box_at({5.0F, 0.5F, 4.4F})));
    pairs.mark_changed();
    CHECK(pairs.update(scene.terrain, box_at({5.0F, 0.5F, 4.4F})));
    pairs.clear(scene.terrain);
}

TEST_CASE("A6 terrain_pairs: random walks equal the masks asked afresh") {
    const std::uint64_t seed = 6;
    CAPTURE(seed);
    Random random(seed);
    PhysicsScene scene(pool(kSceneBounds));
    TerrainPairs pairs;
    Vec3 centre{0.0F, 0.0F, 0.0F};
    for (int i = 0; i < 2000; ++i) {
        centre +=
            Vec3(random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F));
        centre = glm::clamp(centre, Vec3(-24.0F, -14.0F, -24.0F), Vec3(24.0F, 4.0F, 24.0F));
        const Aabb box = box_at(centre, 0.1F + 0.5F * random.unit());
        pairs.update(scene.terrain, box);
        std::vector<TerrainPair> expected;
        scene.terrain.masks().for_each_touched_brick(
            box, [&](const BrickCoord& brick, bool solid, bool water) {
                expected.push_back({brick, solid, water});
            });
        REQUIRE(std::vector<TerrainPair>(pairs.pairs().begin(), pairs.pairs().end()) == expected);
        const TerrainOverlap overlap = scene.terrain.overlap(box);
        REQUIRE(overlap.solid == (pairs.solid_count() > 0));
        REQUIRE(overlap.water == (pairs.water_count() > 0));
    }
    pairs.clear(scene.terrain);
    CHECK(scene.terrain.colliders().stats().pinned == 0);
}

TEST_CASE("A6 physics_world: a body hovering in a cave inside a brick's box makes no pair") {
    VoxelGrid grid = flat_ground(kSceneBounds);
    fill(grid, {{1, -15, 1}, {6, -10, 6}}, kAirVoxel);  // six voxels wide, all in one brick's box
    PhysicsConfig config;
    config.gravity_mps2 = 0.0F;
    PhysicsScene scene(std::move(grid), config);
    const BodyHandle ball = scene.add(kBall, {4.0F, -12.0F, 4.0F});
    scene.run(1.0F);
    CHECK(scene.world.stats().solid_contacts == 0);
    CHECK(scene.terrain.colliders().stats().built == 0);
    // Near the wall it does.
    scene.world.set_velocity(ball, {2.0F, 0.0F, 0.0F}, Vec3(0.0F));
    scene.run(1.0F);
    CHECK(scene.world.stats().solid_contacts > 0);
    CHECK(scene.terrain.colliders().stats().built > 0);
}

TEST_CASE("A6 physics_world: ground built beside a still body makes its pair in the next step") {
    PhysicsConfig config;
    config.gravity_mps2 = 0.0F;
    PhysicsScene scene(flat_ground(kSceneBounds), config);
    scene.add(kBall, {4.5F, 6.0F, 4.5F});
    scene.run(kSubstep);
    CHECK(scene.world.stats().solid_contacts == 0);
    scene.edit({{3, 3, 3}, {6, 4, 6}}, kRock);
    scene.run(kSubstep);
    CHECK(scene.world.stats().solid_contacts > 0);
    scene.edit({{3, 3, 3}, {6, 4, 6}}, kAirVoxel);
    scene.run(kSubstep);
    CHECK(scene.world.stats().solid_contacts == 0);
}

}  // namespace terrane
