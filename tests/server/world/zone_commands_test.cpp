// Commands of operators and rules: respawn, teleport, spawn point, chat, time of day, and chunks
// that leave.
#include <limits>

#include <doctest/doctest.h>

#include "server/world/step_world.h"
#include "shared/voxel/water_fill.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

TEST_CASE("step_world: chat and the zone's own lines are in the result in order") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F}, "Ada");
    small.step({ChatCommand{7, "hi"}, SayCommand{7, "only you"}, SayCommand{0, "all"},
                ChatCommand{99, "a ghost"}});
    REQUIRE(small.result.lines.size() == 3);
    CHECK(small.result.lines[0].sender == "Ada");
    CHECK(small.result.lines[0].to == 0);
    CHECK(small.result.lines[0].text == "hi");
    CHECK(small.result.lines[1].sender.empty());
    CHECK(small.result.lines[1].to == 7);
    CHECK(small.result.lines[2].text == "all");
    small.step();
    CHECK(small.result.lines.empty());
}

TEST_CASE("step_world: a spawn point is where newcomers start and the fallen come back") {
    SmallWorld small;
    small.step({SpawnPointCommand{{20.5F, 0.1F, -20.5F}}});
    CHECK(small.result.is_spawn_point_changed);
    small.step({JoinCommand{7, "Ada", false, {}, 0, 0}});
    REQUIRE(small.result.joined.size() == 1);
    CHECK(small.result.joined[0].is_new);
    CHECK(glm::length(small.world.players.at(7).state.position - Vec3(20.5F, 0.1F, -20.5F)) < 0.2F);
    small.step({TeleportCommand{7, {0.5F, 0.1F, 0.5F}}});
    small.step({RespawnCommand{7}});
    CHECK(std::abs(small.world.players.at(7).state.position.x - 20.5F) < 0.1F);
    small.step({SpawnPointCommand{{2000.0F, 0.0F, 0.0F}},
                SpawnPointCommand{{std::numeric_limits<float>::quiet_NaN(), 0.0F, 0.0F}}});
    CHECK_FALSE(small.result.is_spawn_point_changed);
    CHECK(small.world.spawn_point->x == 20.5F);
    small.step({TeleportCommand{7, {2000.0F, 0.0F, 0.0F}}});
    CHECK(std::abs(small.world.players.at(7).state.position.x - 20.5F) < 0.1F);
}

TEST_CASE("step_world: who is out of the zone is named in the tick that finds it there") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    CHECK(small.result.out_of_zone.empty());
    for (const Vec3& outside : {Vec3(500.0F, 5.0F, 0.0F), Vec3(0.0F, -100.0F, 0.0F)}) {
        small.world.players.at(7).state.position = outside;
        small.step();
        CHECK(small.result.out_of_zone == std::vector<EntityId>{7});
        small.step({RespawnCommand{7}});
        CHECK(small.result.out_of_zone.empty());
        CHECK(glm::length(small.world.players.at(7).state.position) < 20.0F);
    }
}

TEST_CASE("step_world: the sky is set with the tick it was set at") {
    SmallWorld small;
    small.step({SkyCommand{0.75F, 600.0F}});
    CHECK(small.result.is_sky_changed);
    CHECK(small.world.daytime.tick == small.world.tick);
    CHECK(small.world.daytime.day_fraction == 0.75F);
    CHECK(small.world.daytime.day_length_s == 600.0F);
    small.step();
    CHECK_FALSE(small.result.is_sky_changed);
}

TEST_CASE("A25 step_world: a body whose chunk leaves is held, and falls on when it is back") {
    SmallWorld small;
    small.step({SpawnCommand{"ball", {16.5F, 20.0F, 16.5F}}});
    const BodyHandle ball = small.world.bodies.at(small.result.spawned.at(0)).handle;
    small.steps(10);
    const ChunkCoord chunk{0, 0, 0};
    small.step({ChunkLeaveCommand{chunk}, ChunkLeaveCommand{{9, 9, 9}}});
    CHECK(small.result.chunks_left == std::vector<ChunkCoord>{chunk});
    const Vec3 held = small.world.physics.state(ball).position;
    small.steps(20);
    CHECK(small.world.physics.state(ball).position == held);
    CHECK(small.world.physics.stats().held == 1);
    small.step({ChunkCommand{chunk, flat_chunk(chunk), {}}});
    small.steps(60);
    CHECK(small.world.physics.state(ball).position.y == doctest::Approx(0.3F).epsilon(0.1));
}

TEST_CASE("step_world: a dig beside water fills in the tick of the edit, as the zone's own edit") {
    SmallWorld small;
    for (const ChunkCoord& coord : {ChunkCoord{-1, -1, 0}, ChunkCoord{-1, -1, -1}}) {
        Chunk lake = uniform_chunk(Voxel{kRock, kFullOccupancy});
        for (int y = 28; y < 32; ++y) {
            for (int z = 0; z < 32; ++z) {
                for (int x = 0; x < 32; ++x) {
                    set_voxel(lake, index_in_chunk(VoxelCoord{x, y, z}), {kWater, 255});
                }
            }
        }
        small.step({ChunkLeaveCommand{coord}});
        small.step({ChunkCommand{coord, lake, {}}});
    }
    small.join(7, {1.5F, 0.02F, 0.5F});
    PlayerControls down;
    down.pitch = -16384;
    small.edit(7, voxel_brush(BrushMode::dig, {0, -1, 0}), 1, down);
    REQUIRE(small.result.edits.size() == 2);
    CHECK(small.result.edits[0].player == 7);
    CHECK(small.result.edits[1].player == 0);
    CHECK_FALSE(small.result.edits[1].op.runs.empty());
    CHECK(small.world.grid.voxel({0, -1, 0}) == Voxel{kWater, 255});
    small.edit(7, voxel_brush(BrushMode::dig, {2, -1, 0}), 2, down);
    CHECK(small.result.edits.size() == 1);  // no water beside it
}
