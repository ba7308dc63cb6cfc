#include <cmath>

#include <doctest/doctest.h>

#include "server/world/apply_commands.h"
#include "server/world/state_hash.h"
#include "shared/core/random.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

InputCommand walk_input(EntityId player, std::uint32_t client_tick) {
    InputCommand input;
    input.player = player;
    input.client_tick = client_tick;
    input.controls.move_forward = 127;
    return input;
}

/// Two players who walk and dig about among crates: the same commands for the same seed.
std::vector<Command> random_commands(std::uint64_t seed, std::uint32_t tick) {
    Random random(mix_bits(seed * 1000 + tick));
    std::vector<Command> commands;
    for (const EntityId player : {EntityId{7}, EntityId{8}}) {
        InputCommand input;
        input.player = player;
        input.client_tick = tick;
        input.controls.move_forward = static_cast<std::int8_t>(random.between(-127, 127));
        input.controls.move_right = static_cast<std::int8_t>(random.between(-127, 127));
        input.controls.yaw = static_cast<std::uint16_t>(random.below(65536));
        const VoxelCoord target{random.between(-6, 6), random.between(-3, 2),
                                random.between(-6, 6)};
        const bool digs = random.below(2) == 0;
        input.edits = {{tick, digs ? voxel_brush(BrushMode::dig, target)
                                   : voxel_brush(BrushMode::place, target, kDirt)}};
        commands.emplace_back(input);
    }
    return commands;
}

std::uint64_t run_history(std::uint64_t seed, std::uint32_t ticks, std::size_t& edits) {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    small.join(8, {-3.5F, 0.02F, 2.5F});
    for (int i = 0; i < 10; ++i) {
        const auto x = static_cast<float>(i - 5);
        small.step({SpawnCommand{i % 2 == 0 ? "crate" : "ball", {x, 2.0F, 1.3F}}});
    }
    edits = 0;
    for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
        small.step(random_commands(seed, tick));
        edits += small.result.edits.size();
    }
    return hash_state(small.world);
}

}  // namespace

TEST_CASE("step_world: the same commands give the same state hash") {
    std::size_t edits = 0;
    const std::uint64_t first = run_history(1, 100, edits);
    CHECK(edits > 20);
    CHECK(run_history(1, 100, edits) == first);
    CHECK(run_history(2, 100, edits) != first);
}

TEST_CASE("step_world: the ball over a dug voxel falls, in the tick of the edit") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    small.step({SpawnCommand{"ball", {3.5F, 0.4F, 0.5F}}});
    REQUIRE(small.result.spawned.size() == 1);
    const Body& ball = small.world.bodies.at(small.result.spawned[0]);
    small.step({SpawnCommand{"crate", {20.5F, 0.4F, 0.5F}}});
    const Body& far_crate = small.world.bodies.at(small.result.spawned[0]);
    small.steps(200);
    REQUIRE(small.world.physics.state(ball.handle).is_asleep);
    REQUIRE(small.world.physics.state(far_crate.handle).is_asleep);
    const float before = small.world.physics.state(ball.handle).position.y;

    Brush hole = voxel_brush(BrushMode::dig, {3, -1, 0});
    hole.shape = BrushShape::sphere;
    hole.size_x = 24;
    small.edit(7, hole);
    REQUIRE(small.result.edits.size() >= 1);
    CHECK_FALSE(small.world.physics.state(ball.handle).is_asleep);
    CHECK(small.world.physics.state(far_crate.handle).is_asleep);
    CHECK(small.world.physics.state(ball.handle).linear_velocity.y < 0.0F);
    small.steps(40);
    CHECK(small.world.physics.state(ball.handle).position.y < before - 0.5F);
}

TEST_CASE("step_world: late inputs that come at once are caught up, input by input") {
    SmallWorld steady;
    SmallWorld late;
    steady.join(7, {0.5F, 0.02F, 20.5F});
    late.join(7, {0.5F, 0.02F, 20.5F});
    for (std::uint32_t tick = 1; tick <= 6; ++tick) {
        steady.step({walk_input(7, tick)});
    }
    late.step({walk_input(7, 1)});
    late.step();
    late.step();
    late.step({walk_input(7, 2), walk_input(7, 3), walk_input(7, 4)});
    late.step({walk_input(7, 5)});
    late.step({walk_input(7, 6)});
    CHECK(late.world.players.at(7).applied_input == 6);
    CHECK(late.world.players.at(7).state.position.z == steady.world.players.at(7).state.position.z);
}

TEST_CASE("step_world: an edit of a late input is judged from the pose before that input") {
    // `early` shows where the player stands after three inputs; `late` gets the last two of them
    // and a fourth, with an edit at the edge of its reach, in one tick.
    SmallWorld early;
    SmallWorld late;
    early.join(7, {0.5F, 0.02F, 20.5F});
    late.join(7, {0.5F, 0.02F, 20.5F});
    early.step({walk_input(7, 1)});
    early.step({walk_input(7, 2)});
    early.step({walk_input(7, 3)});
    late.step({walk_input(7, 1)});

    const Vec3 eye = eye_position(early.world.players.at(7).state, early.world.config.motion);
    const float down = eye.y + 0.5F;
    const float reach = early.world.config.reach_m;
    Brush brush = voxel_brush(BrushMode::dig, {0, -1, 0});
    brush.shape = BrushShape::sphere;
    brush.size_x = 16;
    brush.centre_x = 8;
    brush.centre_y = -8;
    brush.centre_z =
        static_cast<std::int32_t>((eye.z - std::sqrt(reach * reach - down * down)) * 16.0F) + 1;
    InputCommand last = walk_input(7, 4);
    last.edits = {{1, brush}};
    REQUIRE(judge_edit(late.world, late.world.players.at(7), last.controls, brush) ==
            RejectReason::too_far);
    late.step({walk_input(7, 2), walk_input(7, 3), last});
    CHECK(late.result.rejections.empty());
    CHECK(late.result.edits.size() >= 1);
}

TEST_CASE("step_world: commands about nobody and kinds that do not exist change nothing") {
    SmallWorld small;
    const std::uint64_t before = hash_state(small.world, true);
    small.step({LeaveCommand{99}, walk_input(99, 1), SpawnCommand{"dragon", Vec3(0.0F)},
                SpawnCommand{"player", Vec3(0.0F)}});
    CHECK(small.world.bodies.empty());
    CHECK(small.world.players.empty());
    --small.world.tick;
    CHECK(hash_state(small.world, true) == before);
}

TEST_CASE("step_world: a body that is not finite is refused, one that leaves the zone is removed") {
    SmallWorld small;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    small.step({SpawnCommand{"crate", {nan, 1.0F, 0.0F}}});
    CHECK(small.result.spawned.empty());
    small.step({SpawnCommand{"crate", {500.0F, 1.0F, 0.0F}}});
    small.steps(400);
    CHECK(small.world.bodies.empty());
}

TEST_CASE("step_world: a player is held while its ground is missing and falls when it arrives") {
    World world(small_config());
    StepResult result;
    PlayerState state;
    state.position = {0.5F, 5.0F, 0.5F};
    step_world(world, std::vector<Command>{JoinCommand{7, "p", true, state}}, result);
    for (std::uint32_t tick = 1; tick <= 20; ++tick) {
        step_world(world, std::vector<Command>{walk_input(7, tick)}, result);
    }
    CHECK(world.players.at(7).state.position == state.position);
    CHECK(world.players.at(7).applied_input == 20);
    step_world(world, flat_chunks(world.config.bounds), result);
    for (std::uint32_t tick = 21; tick <= 80; ++tick) {
        step_world(world, std::vector<Command>{walk_input(7, tick)}, result);
    }
    CHECK(world.players.at(7).state.is_grounded);
    CHECK(world.players.at(7).state.position.y < 0.2F);
}
