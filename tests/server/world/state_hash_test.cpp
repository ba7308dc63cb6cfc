#include <functional>

#include <doctest/doctest.h>

#include "server/world/state_hash.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

TEST_CASE("state_hash: whatever decides the next tick changes it") {
    SmallWorld small;
    small.join(7, {0.5F, 0.02F, 0.5F});
    World& world = small.world;
    Player& player = world.players.at(7);
    const std::uint64_t before = hash_state(world);
    CHECK(hash_state(world) == before);
    const Player kept = player;
    const std::vector<std::function<void()>> changes{
        [&] { player.state.position.x += 0.001F; },
        [&] { player.state.velocity.y -= 0.001F; },
        [&] { player.state.yaw += 1; },
        [&] { player.state.pitch += 1; },
        [&] { player.state.is_grounded = !player.state.is_grounded; },
        [&] { player.state.is_swimming = !player.state.is_swimming; },
        [&] { player.applied_input += 1; },
        [&] { player.ticks_without_input += 1; },
        [&] { player.state.carrier = 9; },
        [&] { player.state.carrier_point.x = 0.5F; },
        [&] { player.vehicle = 9; },
        [&] { player.seat = 1; },
        [&] { player.is_using = true; },
        [&] { player.controls.move_forward = 1; },
        [&] { player.controls.move_right = 1; },
        [&] { player.controls.yaw = 1; },
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        CAPTURE(i);
        changes[i]();
        CHECK(hash_state(world) != before);
        player = kept;
        CHECK(hash_state(world) == before);
    }
    world.spawn_point = Vec3(1.0F, 2.0F, 3.0F);
    CHECK(hash_state(world) != before);
    world.spawn_point.reset();
    world.daytime.day_fraction += 0.1F;
    CHECK(hash_state(world) != before);
    world.daytime.day_fraction -= 0.1F;
    ++world.next_entity;
    CHECK(hash_state(world) != before);
    --world.next_entity;
    set_voxel(*world.grid.find({0, 0, 0}), 5, {kRock, 9});
    CHECK(hash_state(world) != before);
    CHECK(hash_state(world, true) == hash_state(world, true));
}
