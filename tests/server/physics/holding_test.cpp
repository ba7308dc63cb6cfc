// Bodies and chunks that come and go.
#include <algorithm>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

constexpr ChunkCoord kLeaving{1, 0, 0};

std::vector<Aabb> wanted(const PhysicsScene& scene, float ahead_s = kSubstep) {
    std::vector<Aabb> boxes;
    scene.world.list_wanted(boxes, ahead_s);
    return boxes;
}

/// Rock from the zone's floor to y = 0, with a shaft of 8 x 8 m down to y = -200.
VoxelGrid shaft() {
    VoxelGrid grid(GridBounds{{-1, -7, -1}, {1, 1, 1}});
    for (std::int32_t y = -7; y < 1; ++y) {
        for (std::int32_t z = -1; z < 1; ++z) {
            for (std::int32_t x = -1; x < 1; ++x) {
                grid.insert({x, y, z}, uniform_chunk(y < 0 ? kRock : kAirVoxel));
            }
        }
    }
    fill(grid, {{-4, -200, -4}, {3, -1, 3}}, kAirVoxel);
    return grid;
}

/// Falls down the shaft. Chunks are there from the start, or come only once the body has waited for
/// them for `wait_steps`. Returns the state after `steps` in which it was not held.
BodyState fall(bool is_all_loaded, int wait_steps, const BodyState& start, int steps) {
    VoxelGrid whole = shaft();
    VoxelGrid grid = shaft();
    if (!is_all_loaded) {
        for (const ChunkCoord& chunk : whole.sorted_coords()) {
            if (chunk.y < 0) {
                grid.erase(chunk);
            }
        }
    }
    PhysicsScene scene(std::move(grid));
    const BodyHandle body = scene.world.add_body(kCrate, start);
    int waited = 0;
    for (int moved = 0; moved < steps;) {
        scene.world.step(kSubstep);
        if (scene.world.stats().held == 0) {
            ++moved;
            continue;
        }
        REQUIRE_FALSE(is_all_loaded);
        if (++waited % wait_steps != 0) {
            continue;
        }
        for (const Aabb& box : wanted(scene)) {
            for (const ChunkCoord& chunk : whole.sorted_coords()) {
                if (!scene.grid.is_loaded(chunk) && overlaps(box, to_aabb(box_of(chunk)))) {
                    scene.load(chunk, *whole.find(chunk));
                }
            }
        }
    }
    CHECK((is_all_loaded || waited >= 6 * wait_steps));
    return scene.world.state(body);
}

}  // namespace

TEST_CASE(
    "A25 physics_world: down a shaft of 200 m whose chunks come late it arrives at the place") {
    BodyState start;
    start.position = {0.2F, 8.0F, -0.3F};
    SUBCASE("straight down: the same bits") {
        const BodyState there = fall(true, 1, start, 60 * 14);
        const BodyState late = fall(false, 5, start, 60 * 14);
        CHECK(there.position.y == doctest::Approx(-200.0F + 0.3F).epsilon(0.0001));
        CHECK(late.position == there.position);
        CHECK(late.linear_velocity == there.linear_velocity);
        CHECK(late.is_asleep);
    }
    SUBCASE("tumbling, still in the air at the deepest chunk: within a millimetre") {
        start.linear_velocity = {0.2F, 0.0F, 0.1F};
        start.angular_velocity = {2.0F, 1.0F, -3.0F};
        const int steps = 60 * 6;
        const BodyState there = fall(true, 1, start, steps);
        const BodyState late = fall(false, 3, start, steps);
        CHECK(there.position.y < -165.0F);
        CHECK(there.position.y > -195.0F);
        CHECK(glm::length(late.position - there.position) < 0.001F);
        CHECK(glm::length(late.angular_velocity - there.angular_velocity) < 0.001F);
    }
}

TEST_CASE("A25 physics_world: sleepers whose chunk leaves are held, unmoved, and sleep on after") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 3; ++i) {  // a stack
        bodies.push_back(scene.add(kCrate, {44.5F, 0.31F + 0.61F * static_cast<float>(i), 12.5F}));
    }
    bodies.push_back(scene.add(kBall, {48.0F, 0.25F, 12.5F}));
    scene.run(10.0F);
    const std::uint64_t before = hash_states(scene, bodies);
    for (const BodyHandle body : bodies) {
        REQUIRE(scene.is_asleep(body));
    }
    REQUIRE(scene.terrain.colliders().stats().pinned > 0);
    CHECK(wanted(scene).empty());
    for (const bool is_ground : {false, true}) {
        CAPTURE(is_ground);
        const ChunkCoord chunk = is_ground ? ChunkCoord{1, -1, 0} : kLeaving;
        const Chunk voxels = scene.unload(chunk);
        scene.run(8 * kSubstep);
        CHECK(scene.world.stats().held == 4);
        CHECK(scene.terrain.colliders().stats().pinned == 0);
        CHECK(wanted(scene).empty());  // a sleeper asks for nothing
        CHECK_FALSE(scene.world.is_awake(bodies[0]));
        scene.run(3.0F);
        scene.load(chunk, voxels);
        scene.run(kSubstep);
        CHECK(scene.world.stats().held == 0);
        CHECK(scene.world.stats().awake == 0);
        CHECK(hash_states(scene, bodies) == before);
        scene.run(1.0F);
        CHECK(hash_states(scene, bodies) == before);
    }
    // They stand on what came back: the lowest is taken out and the others come down.
    scene.world.remove_body(bodies[0]);
    scene.run(3.0F);
    CHECK(scene.position(bodies[1]).y == doctest::Approx(0.3F).epsilon(0.02));
}

TEST_CASE(
    "A25 physics_world: a chunk leaves and comes with its props: who slept on one sleeps on") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    BodyKind table;
    table.half_extents = {1.0F, 0.5F, 1.0F};
    StaticHandle prop = scene.world.add_static(table, {44.5F, 0.5F, 12.5F}, kNoRotation);
    const BodyHandle crate = scene.add(kCrate, {44.5F, 1.31F, 12.5F});
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(crate));
    const Vec3 place = scene.position(crate);
    for (int i = 0; i < 3; ++i) {
        scene.world.remove_static(prop);
        const Chunk voxels = scene.unload(kLeaving);
        scene.run(1.0F);
        CHECK(scene.world.stats().held == 1);
        CHECK(wanted(scene).empty());
        scene.load(kLeaving, voxels);
        prop = scene.world.add_static(table, {44.5F, 0.5F, 12.5F}, kNoRotation);
        scene.run(1.0F);
        CHECK(scene.is_asleep(crate));
        CHECK(scene.position(crate) == place);
    }
}

TEST_CASE("A25 physics_world: a held sleeper that is woken asks for its ground and then moves") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle crate = scene.add(kCrate, {44.5F, 0.31F, 12.5F});
    scene.run(6.0F);
    REQUIRE(scene.is_asleep(crate));
    const Chunk voxels = scene.unload(kLeaving);
    scene.run(8 * kSubstep);
    REQUIRE(scene.world.stats().held == 1);
    scene.world.set_velocity(crate, {0.0F, 4.0F, 0.0F}, Vec3(0.0F));
    REQUIRE(wanted(scene).size() == 1);
    CHECK(overlaps(wanted(scene)[0], to_aabb(box_of(kLeaving))));
    scene.run(1.0F);
    CHECK(scene.position(crate).y == doctest::Approx(0.3F).epsilon(0.02));
    scene.load(kLeaving, voxels);
    scene.run(0.2F);
    CHECK(scene.world.is_awake(crate));
    CHECK(scene.position(crate).y > 0.6F);
}

TEST_CASE("A25 physics_world: bodies on the move are held where they are and go on as fast") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const BodyHandle ball = scene.add(kBall, {44.0F, 3.0F, 12.0F});
    const BodyHandle boat = scene.add(boat_kind(), {50.0F, 3.0F, 12.0F});
    scene.world.set_velocity(ball, {6.0F, 3.0F, 0.0F}, {0.0F, 2.0F, 0.0F});
    scene.world.set_velocity(boat, {0.0F, 4.0F, 1.0F}, {1.0F, 0.0F, 0.5F});
    scene.run(0.1F);
    const BodyState ball_before = scene.world.state(ball);
    const BodyState boat_before = scene.world.state(boat);
    const Chunk voxels = scene.unload(kLeaving);
    scene.run(2.0F);
    CHECK(scene.world.stats().held == 2);
    CHECK(scene.world.stats().awake == 0);
    CHECK(wanted(scene).size() == 2);
    CHECK(scene.position(ball) == ball_before.position);
    CHECK(scene.position(boat) == boat_before.position);
    scene.load(kLeaving, voxels);
    scene.run(kSubstep);
    const BodyState ball_after = scene.world.state(ball);
    const BodyState boat_after = scene.world.state(boat);
    CHECK(glm::length(ball_after.linear_velocity - ball_before.linear_velocity -
                      Vec3(0.0F, -9.81F * kSubstep, 0.0F)) < 1e-3F);
    CHECK(glm::length(boat_after.angular_velocity - boat_before.angular_velocity) < 0.02F);
    CHECK(boat_after.position.y - boat_before.position.y ==
          doctest::Approx(boat_before.linear_velocity.y * kSubstep).epsilon(0.1));
}

TEST_CASE("A25 physics_world: chunks that come and go at random break nothing") {
    PhysicsScene scene(pool(kSceneBounds));
    const std::uint64_t seed = 61;
    CAPTURE(seed);
    Random random(seed);
    std::vector<BodyHandle> bodies = drop_bodies(scene, seed, 60);
    const std::vector<ChunkCoord> chunks = scene.grid.sorted_coords();
    std::vector<std::pair<ChunkCoord, Chunk>> away;
    for (int i = 0; i < 60 * 20; ++i) {
        if (i % 5 == 0 && random.below(2) == 0) {
            const ChunkCoord chunk =
                chunks[random.below(static_cast<std::uint32_t>(chunks.size()))];
            if (scene.grid.is_loaded(chunk)) {
                away.emplace_back(chunk, scene.unload(chunk));
            }
        } else if (i % 5 == 0 && !away.empty()) {
            const std::size_t which = random.below(static_cast<std::uint32_t>(away.size()));
            scene.load(away[which].first, away[which].second);
            away.erase(away.begin() + static_cast<std::ptrdiff_t>(which));
        }
        scene.world.step(kSubstep);
    }
    for (const auto& [chunk, voxels] : away) {
        scene.load(chunk, voxels);
    }
    scene.run(40.0F);
    CHECK(scene.world.stats().held == 0);
    CHECK(scene.world.stats().lost == 0);
    CHECK(scene.world.stats().quarantined == 0);
    VoxelReader reader(scene.grid);
    for (const BodyHandle body : bodies) {
        CAPTURE(body.index);
        CHECK_FALSE(is_in_ground(reader, scene.position(body)));
        CHECK(scene.position(body).y > -12.0F);
        CHECK(scene.is_asleep(body));
    }
    for (const BodyHandle body : bodies) {
        scene.world.remove_body(body);
    }
    CHECK(scene.terrain.colliders().stats().pinned == 0);
}

TEST_CASE("A25 physics_world: list_wanted names who is awake, stretched along its way") {
    PhysicsConfig config;
    config.gravity_mps2 = 0.0F;
    PhysicsScene scene(flat_ground(kSceneBounds), config);
    const BodyHandle ball = scene.add(kBall, {4.0F, 10.0F, 4.0F});
    BodyState asleep;
    asleep.position = {-20.0F, 0.3F, 0.0F};
    asleep.is_asleep = true;
    scene.world.add_body(kCrate, asleep);
    scene.world.set_velocity(ball, {-30.0F, 0.0F, 0.0F}, Vec3(0.0F));
    std::vector<Aabb> boxes{{Vec3(0.0F), Vec3(1.0F)}};
    scene.world.list_wanted(boxes, 0.5F);
    REQUIRE(boxes.size() == 2);  // appended
    CHECK(boxes[1].min.x == doctest::Approx(4.0F - 0.25F - 15.0F - 2.0F));
    CHECK(boxes[1].max.x == doctest::Approx(4.0F + 0.25F + 2.0F));
    CHECK(boxes[1].min.y == doctest::Approx(10.0F - 0.25F - 2.0F));
}

}  // namespace terrane
