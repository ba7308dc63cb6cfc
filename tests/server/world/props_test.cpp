#include "server/world/props.h"

#include <doctest/doctest.h>

#include "server/world/apply_commands.h"
#include "server/world/state_hash.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

constexpr ChunkCoord kChunk{0, 0, 0};

/// The flat world again, with a pine at (8.5, 0, 8.5).
struct Grove : SmallWorld {
    Grove() { grow_pine(); }
    void grow_pine() {
        step({ChunkLeaveCommand{kChunk}});
        ChunkCommand chunk{kChunk, flat_chunk(kChunk), {}};
        chunk.props = {{5, kPineKind, 1000, 8 * 16 + 8, 0, 8 * 16 + 8},
                       {6, 1, 0, 16, 0, 16},    // no static kind: left out
                       {7, 99, 0, 32, 0, 32}};  // no kind at all
        step({chunk});
    }
    std::size_t prop_count() const {
        const auto found = world.props.find(kChunk);
        return found == world.props.end() ? 0 : found->second.size();
    }
};

}  // namespace

TEST_CASE("props: they come and go with their chunk, those without a static kind do not") {
    Grove grove;
    CHECK(grove.prop_count() == 1);
    std::vector<MotionBody> near;
    grove.world.motion_bodies.gather({{8.0F, 1.0F, 8.0F}, {9.0F, 2.0F, 9.0F}}, near);
    REQUIRE(near.size() == 1);
    CHECK(near[0].id == 0);
    CHECK(near[0].position.y == doctest::Approx(3.0F));
    grove.step({ChunkLeaveCommand{kChunk}});
    CHECK(grove.prop_count() == 0);
    near.clear();
    grove.world.motion_bodies.gather({{8.0F, 1.0F, 8.0F}, {9.0F, 2.0F, 9.0F}}, near);
    CHECK(near.empty());
}

TEST_CASE("props: a crate that falls on one does not reach the ground, a player walks into it") {
    Grove grove;
    grove.step({SpawnCommand{"ball", {8.5F, 7.0F, 8.5F}}});
    const BodyHandle ball = grove.world.bodies.at(grove.result.spawned.at(0)).handle;
    grove.steps(15);
    CHECK(grove.world.physics.state(ball).position.y > 5.5F);
    grove.join(7, {8.5F, 0.02F, 11.0F});
    for (std::uint32_t i = 1; i <= 40; ++i) {
        InputCommand input;
        input.player = 7;
        input.client_tick = i;
        input.controls.move_forward = 127;  // towards -z: the trunk
        grove.step({input});
    }
    CHECK(grove.world.players.at(7).state.position.z > 8.5F + 0.22F + 0.3F);
}

TEST_CASE("props: one whose ground is dug away becomes a body, and is gone from its chunk") {
    Grove grove;
    grove.join(7, {10.5F, 0.02F, 8.5F});
    PlayerControls down;
    down.pitch = -16384;
    grove.edit(7, voxel_brush(BrushMode::dig, {10, -1, 8}), 1, down);
    CHECK(grove.result.props_gone.empty());  // beside it
    grove.edit(7, voxel_brush(BrushMode::dig, {9, -1, 8}), 2, down);
    CHECK(grove.prop_count() == 1);
    grove.edit(7, voxel_brush(BrushMode::dig, {8, -1, 8}), 3, down);
    REQUIRE(grove.result.edits.size() == 1);
    REQUIRE(grove.result.props_gone.size() == 1);
    CHECK(grove.result.props_gone[0].chunk == kChunk);
    CHECK(grove.result.props_gone[0].index == 5);
    CHECK(grove.prop_count() == 0);
    REQUIRE(grove.result.spawned.size() == 1);
    const Body& trunk = grove.world.bodies.at(grove.result.spawned[0]);
    CHECK(trunk.kind == kPineKind);
    const float before = grove.world.physics.state(trunk.handle).position.y;
    grove.steps(40);
    CHECK(grove.world.physics.state(trunk.handle).position.y < before - 0.1F);
}

TEST_CASE("props: nothing is placed into one") {
    Grove grove;
    grove.join(7, {8.5F, 0.02F, 11.0F});
    const Player& player = grove.world.players.at(7);
    CHECK(judge_edit(grove.world, player, {}, voxel_brush(BrushMode::place, {8, 1, 8}, kDirt)) ==
          RejectReason::occupied);
    CHECK(judge_edit(grove.world, player, {}, voxel_brush(BrushMode::place, {9, 1, 9}, kDirt)) ==
          RejectReason::none);
}

TEST_CASE("props: which ones stand is part of the state hash") {
    Grove grove;
    SmallWorld bare;
    bare.steps(2);
    CHECK(hash_state(grove.world) != hash_state(bare.world));
}

TEST_CASE("props: one whose ground is not simulated stands, whatever is dug near it") {
    SmallWorld small;
    const ChunkCoord below{0, -1, 0};
    small.step({ChunkLeaveCommand{kChunk}});
    ChunkCommand chunk{kChunk, flat_chunk(kChunk), {}};
    chunk.props = {{5, kPineKind, 1000, 8 * 16 + 8, 0, 8 * 16 + 8}};
    for (int i = 0; i < 2; ++i) {  // something to dig, beside it
        set_voxel(chunk.chunk, index_in_chunk(VoxelCoord{11, i, 8}), {kRock, 255});
    }
    small.step({chunk, ChunkLeaveCommand{below}});
    small.join(7, {12.5F, 4.0F, 8.5F});
    PlayerControls down;
    down.pitch = -16384;
    small.edit(7, voxel_brush(BrushMode::dig, {11, 1, 8}), 1, down);
    REQUIRE(small.result.edits.size() == 1);
    CHECK(small.result.props_gone.empty());
    CHECK(small.world.props.at(kChunk).size() == 1);
}
