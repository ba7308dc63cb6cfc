#include <doctest/doctest.h>

#include "server/world/apply_commands.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// Looks straight down.
PlayerControls look_down() {
    PlayerControls controls;
    controls.pitch = -16384;
    return controls;
}

RejectReason judge(SmallWorld& small, const Brush& brush,
                   const PlayerControls& controls = look_down()) {
    return judge_edit(small.world, small.world.players.at(7), controls, brush);
}

}  // namespace

TEST_CASE("apply_edits: a dig in reach and sight is applied in the same tick") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    small.edit(7, voxel_brush(BrushMode::dig, {2, -1, 0}));
    REQUIRE(small.result.edits.size() == 1);
    CHECK(small.result.rejections.empty());
    CHECK(small.result.edits[0].player == 7);
    CHECK(small.result.edits[0].edit == 1);
    CHECK(small.result.edits[0].op.revision == 1);
    CHECK(small.world.grid.voxel({2, -1, 0}) == kAirVoxel);
    CHECK(small.result.bricks_changed >= 1);
    CHECK(small.result.bricks_changed <= 8);
}

TEST_CASE("apply_edits: reach is measured from the server's eye") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    const Vec3 eye = eye_position(small.world.players.at(7).state, small.world.config.motion);
    const float reach = small.world.config.reach_m;
    Brush brush = voxel_brush(BrushMode::dig, {0, -1, 0});
    brush.shape = BrushShape::sphere;
    brush.size_x = 16;
    brush.centre_y = -8;
    brush.centre_z = 8;
    const float down = eye.y + 0.5F;
    const float level = std::sqrt(reach * reach - down * down);
    brush.centre_x = static_cast<std::int32_t>((eye.x + level) * 16.0F);
    CHECK(judge(small, brush) == RejectReason::none);
    brush.centre_x += 2;
    CHECK(judge(small, brush) == RejectReason::too_far);
}

TEST_CASE("apply_edits: what stands behind rock is out of sight, through a gap it is not") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    CHECK(judge(small, voxel_brush(BrushMode::dig, {2, -2, 0})) == RejectReason::no_sight);
    CHECK(judge(small, voxel_brush(BrushMode::dig, {0, -2, 0})) == RejectReason::no_sight);
    small.edit(7, voxel_brush(BrushMode::dig, {0, -1, 0}), 1, look_down());
    REQUIRE(small.result.edits.size() == 1);
    CHECK(judge(small, voxel_brush(BrushMode::dig, {0, -2, 0})) == RejectReason::none);
}

TEST_CASE("apply_edits: values, materials and bounds are judged before anything else") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    Brush brush = voxel_brush(BrushMode::place, {2, 0, 0}, kDirt);
    CHECK(judge(small, brush) == RejectReason::none);
    brush.material = 4;  // bedrock: known, but not for players
    CHECK(judge(small, brush) == RejectReason::bad_material);
    brush.material = 200;
    CHECK(judge(small, brush) == RejectReason::bad_value);
    brush.material = kWater;
    CHECK(judge(small, brush) != RejectReason::none);

    Brush sphere = voxel_brush(BrushMode::dig, {0, -1, 0});
    sphere.shape = BrushShape::sphere;
    sphere.size_x = 5 * 16;
    CHECK(judge(small, sphere) == RejectReason::bad_value);

    CHECK(judge(small, voxel_brush(BrushMode::dig, {64, -1, 0})) == RejectReason::out_of_zone);
    CHECK(judge(small, voxel_brush(BrushMode::dig, {0, -33, 0})) == RejectReason::out_of_zone);
}

TEST_CASE("apply_edits: a chunk that is not here refuses edits") {
    World world(small_config());
    StepResult result;
    std::vector<Command> chunks = flat_chunks(world.config.bounds);
    std::erase_if(chunks, [](const Command& command) {
        return std::get<ChunkCommand>(command).coord == ChunkCoord{0, 0, 0};
    });
    PlayerState state;
    state.position = {-0.5F, 0.02F, 0.5F};
    chunks.emplace_back(JoinCommand{7, "p", true, state});
    step_world(world, chunks, result);
    const Brush brush = voxel_brush(BrushMode::place, {1, 0, 0}, kRock);
    CHECK(judge_edit(world, world.players.at(7), {}, brush) == RejectReason::not_loaded);
}

TEST_CASE("apply_edits: placing into a player or a body is refused, next to them it is not") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    CHECK(judge(small, voxel_brush(BrushMode::place, {0, 0, 0}, kRock)) == RejectReason::occupied);
    CHECK(judge(small, voxel_brush(BrushMode::place, {0, 1, 0}, kRock)) == RejectReason::occupied);
    CHECK(judge(small, voxel_brush(BrushMode::place, {1, 0, 0}, kRock)) == RejectReason::none);
    small.step({SpawnCommand{"crate", {3.5F, 0.35F, 0.5F}}});
    CHECK(judge(small, voxel_brush(BrushMode::place, {3, 0, 0}, kRock)) == RejectReason::occupied);
    CHECK(judge(small, voxel_brush(BrushMode::place, {2, 0, 0}, kRock)) == RejectReason::none);
}

TEST_CASE("apply_edits: an edit that changes nothing is stale and tells the true revision") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    small.edit(7, voxel_brush(BrushMode::dig, {2, -1, 0}), 1);
    small.edit(7, voxel_brush(BrushMode::dig, {2, -1, 0}), 2);
    REQUIRE(small.result.rejections.size() == 1);
    CHECK(small.result.rejections[0].edit == 2);
    CHECK(small.result.rejections[0].reason == RejectReason::stale);
    CHECK(small.result.rejections[0].revision == 1);
    CHECK(small.result.edits.empty());
}

TEST_CASE(
    "apply_edits: two players, one voxel, one tick: the first to come wins, the other is stale") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    small.join(8, {3.5F, 0.02F, 0.5F});
    InputCommand first;
    first.player = 8;
    first.client_tick = 1;
    first.edits = {{1, voxel_brush(BrushMode::dig, {2, -1, 0})}};
    InputCommand second = first;
    second.player = 7;
    small.step({second, first});
    REQUIRE(small.result.edits.size() == 1);
    CHECK(small.result.edits[0].player == 7);
    REQUIRE(small.result.rejections.size() == 1);
    CHECK(small.result.rejections[0].player == 8);
    CHECK(small.result.rejections[0].reason == RejectReason::stale);
}
