#include "server/world/vehicles.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// A pond: water from y = -4 to -1 over rock, around the origin; land elsewhere.
struct Pond : SmallWorld {
    EntityId boat = 0;

    Pond() {
        for (const ChunkCoord& coord : world.grid.sorted_coords()) {
            if (coord.y == -1) {
                step({ChunkLeaveCommand{coord}});
                step({ChunkCommand{coord, pond_chunk()}});
            }
        }
        step({SpawnCommand{"boat", {0.0F, 0.5F, 0.0F}}});
        boat = result.spawned.at(0);
        steps(100);
    }
    static Chunk pond_chunk() {
        Chunk chunk = uniform_chunk(Voxel{kRock, kFullOccupancy});
        for (int y = 28; y < 32; ++y) {
            for (int z = 0; z < 32; ++z) {
                for (int x = 0; x < 32; ++x) {
                    set_voxel(chunk, index_in_chunk(VoxelCoord{x, y, z}), {kWater, 255});
                }
            }
        }
        return chunk;
    }
    void input(EntityId player, std::uint8_t buttons, std::int8_t forward = 0,
               std::int8_t right = 0) {
        InputCommand command;
        command.player = player;
        command.client_tick = world.players.at(player).applied_input + 1;
        command.controls.buttons = buttons;
        command.controls.move_forward = forward;
        command.controls.move_right = right;
        step({command});
    }
    void use(EntityId player) {
        input(player, kButtonUse);
        input(player, 0);
    }
    BodyState boat_state() const { return world.physics.state(world.bodies.at(boat).handle); }
    Player& player(EntityId id) { return world.players.at(id); }
};

bool has(const std::vector<EntityId>& list, EntityId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

TEST_CASE("C3 vehicles: use near a boat takes its nearest free seat, and again leaves it") {
    Pond pond;
    pond.join(7, {0.0F, 0.5F, -0.9F});
    pond.input(7, kButtonUse);
    CHECK(pond.player(7).vehicle == pond.boat);
    CHECK(pond.player(7).seat == 0);
    CHECK(has(pond.result.seats_changed, 7));
    CHECK(pond.world.bodies.at(pond.boat).riders[0] == 7);
    CHECK(pond.world.scene.parent(pond.player(7).node) == pond.world.bodies.at(pond.boat).node);
    pond.input(7, kButtonUse);  // still down: nothing
    CHECK(pond.player(7).vehicle == pond.boat);
    pond.input(7, 0);
    pond.join(8, {0.0F, 0.5F, 0.0F});
    pond.input(8, kButtonUse);
    CHECK(pond.player(8).seat == 1);  // 0 is taken
    pond.join(9, {0.0F, 0.5F, 0.0F});
    pond.use(9);
    CHECK(pond.player(9).vehicle == 0);  // full
    pond.use(7);
    CHECK(pond.player(7).vehicle == 0);
    CHECK(pond.world.bodies.at(pond.boat).riders[0] == 0);
    CHECK(pond.world.scene.parent(pond.player(7).node) == kNoNode);
    CHECK(pond.player(7).state.position.y >
          pond.world.physics.bounds(pond.world.bodies.at(pond.boat).handle).max.y - 0.02F);
}

TEST_CASE("C3 vehicles: a seat out of reach is not taken") {
    Pond pond;
    pond.join(7, {6.0F, 0.5F, 0.0F});
    pond.use(7);
    CHECK(pond.player(7).vehicle == 0);
}

TEST_CASE("C3 vehicles: whoever sits in seat 0 rows, riders move with the boat") {
    Pond pond;
    pond.join(7, {0.0F, 0.5F, -0.9F});
    pond.use(7);
    pond.join(8, {0.0F, 0.5F, 0.9F});
    pond.use(8);
    REQUIRE(pond.player(8).seat == 1);
    const Vec3 start = pond.boat_state().position;
    for (int i = 0; i < 60; ++i) {
        pond.input(8, 0, 127);  // a passenger's controls do nothing
    }
    CHECK(glm::length(pond.boat_state().position - start) < 0.3F);
    for (int i = 0; i < 100; ++i) {
        pond.input(7, 0, 127);
    }
    const Vec3 way = pond.boat_state().position - start;
    CHECK(way.z < -4.0F);  // bow first
    CHECK(std::abs(way.x) < 0.5F);
    const BodyState boat = pond.boat_state();
    const Vec3 seat = pond.world.config.kinds[3].seats[1];
    const Vec3 rider = pond.player(8).state.position;
    CHECK(glm::length(rider - (boat.position + boat.rotation * seat)) < 1e-4F);
    const Transform& node = pond.world.scene.world(pond.player(8).node);
    CHECK(glm::length(node.position - rider) < 1e-3F);
}

TEST_CASE("C3 vehicles: the rower turns the boat to the right, and not on land") {
    Pond pond;
    pond.join(7, {0.0F, 0.5F, -0.9F});
    pond.use(7);
    for (int i = 0; i < 60; ++i) {
        pond.input(7, 0, 100, 127);
    }
    const Vec3 bow = pond.boat_state().rotation * Vec3(0.0F, 0.0F, -1.0F);
    CHECK(bow.x > 0.3F);

    SmallWorld land;
    land.step({SpawnCommand{"boat", {0.0F, 0.4F, 0.0F}}});
    const EntityId boat = land.result.spawned.at(0);
    land.steps(60);
    land.join(7, {0.0F, 0.8F, -0.9F});
    const Vec3 start = land.world.physics.state(land.world.bodies.at(boat).handle).position;
    for (std::uint32_t i = 1; i <= 60; ++i) {
        InputCommand input;
        input.player = 7;
        input.client_tick = i;
        input.controls.buttons = i == 1 ? kButtonUse : 0;
        input.controls.move_forward = 127;
        land.step({input});
    }
    CHECK(land.world.players.at(7).vehicle == boat);
    const Vec3 end = land.world.physics.state(land.world.bodies.at(boat).handle).position;
    CHECK(glm::length(end - start) < 0.1F);
}

TEST_CASE("C3 vehicles: two passengers sink the boat by their weight") {
    Pond pond;
    const float empty_m = pond.boat_state().position.y;
    pond.join(7, {0.0F, 0.5F, -0.9F});
    pond.use(7);
    pond.join(8, {0.0F, 0.5F, 0.9F});
    pond.use(8);
    for (int i = 0; i < 100; ++i) {
        pond.input(7, 0);
        pond.input(8, 0);
    }
    const float area_m2 = 1.5F * 3.6F;
    const float expected_m = 2.0F * kPlayerMassKg / (1000.0F * area_m2);
    CHECK(empty_m - pond.boat_state().position.y == doctest::Approx(expected_m).epsilon(0.1));
}

TEST_CASE("C3 vehicles: a rider who leaves the zone frees the seat and sits there again later") {
    Pond pond;
    pond.join(7, {0.0F, 0.5F, -0.9F});
    pond.use(7);
    pond.step({LeaveCommand{7}});
    REQUIRE(pond.result.left.size() == 1);
    CHECK(pond.result.left[0].vehicle == pond.boat);
    CHECK(pond.world.bodies.at(pond.boat).riders[0] == 0);
    JoinCommand join{7, "p", true, pond.result.left[0].state, pond.boat, 0};
    pond.step({join});
    CHECK(pond.player(7).vehicle == pond.boat);
    pond.step({LeaveCommand{7}});
    pond.join(8, {0.0F, 0.5F, -0.9F});
    pond.use(8);
    pond.step({join});
    CHECK(pond.player(7).vehicle == 0);  // taken meanwhile
    CHECK(pond.player(8).vehicle == pond.boat);
}

TEST_CASE("C3 vehicles: a teleport and a boat lost from the zone leave nobody in it") {
    Pond pond;
    pond.join(7, {0.0F, 0.5F, -0.9F});
    pond.use(7);
    pond.step({TeleportCommand{7, {10.0F, 2.0F, 10.0F}}});
    CHECK(pond.player(7).vehicle == 0);
    CHECK(glm::length(pond.player(7).state.position - Vec3(10.0F, 2.0F, 10.0F)) < 1.0F);
    pond.step({TeleportCommand{7, {0.0F, 0.5F, -0.9F}}});
    pond.use(7);
    REQUIRE(pond.player(7).vehicle == pond.boat);
    pond.world.physics.set_velocity(pond.world.bodies.at(pond.boat).handle, {0.0F, 50.0F, 0.0F},
                                    Vec3(0.0F));
    for (int i = 0; i < 80 && pond.world.bodies.contains(pond.boat); ++i) {
        pond.world.physics.set_velocity(pond.world.bodies.at(pond.boat).handle, {0.0F, 50.0F, 0.0F},
                                        Vec3(0.0F));
        pond.input(7, 0);
    }
    CHECK_FALSE(pond.world.bodies.contains(pond.boat));
    CHECK(pond.player(7).vehicle == 0);
}

TEST_CASE("C3 vehicles: nobody rows off the world") {
    Pond pond;
    pond.join(7, {0.0F, 0.5F, -0.9F});
    pond.use(7);
    const float border = static_cast<float>(pond.world.config.bounds.min.z * kChunkSize);
    float nearest = 1e9F;
    for (int i = 0; i < 800; ++i) {
        pond.input(7, 0, 127);
        nearest = std::min(nearest, pond.boat_state().position.z - border);
        REQUIRE(pond.result.out_of_zone.empty());
    }
    CHECK(nearest < 4.0F);
    CHECK(nearest > 0.0F);
    CHECK(pond.player(7).vehicle == pond.boat);
}

TEST_CASE("vehicles: a boat sleeps under who stands still on it, also if inputs come late") {
    Pond pond;
    const float top = pond.world.physics.bounds(pond.world.bodies.at(pond.boat).handle).max.y;
    pond.join(7, {0.0F, top + 0.05F, 0.0F});
    for (int i = 0; i < 600 && !pond.boat_state().is_asleep; ++i) {
        pond.input(7, 0);
    }
    REQUIRE(pond.player(7).state.carrier == pond.boat);
    REQUIRE(pond.boat_state().is_asleep);
    for (int i = 0; i < 100; ++i) {
        pond.input(7, 0);
        CHECK(pond.boat_state().is_asleep);
        pond.step();  // no input in this tick
        CHECK(pond.boat_state().is_asleep);
    }
}

TEST_CASE("C3 vehicles: nobody sits down or stands up through rock") {
    Pond pond;
    pond.join(7, {0.0F, 0.5F, -0.9F});
    pond.use(7);
    REQUIRE(pond.player(7).vehicle == pond.boat);
    // A cage of rock around the boat, its ceiling a metre over the rider's head.
    const auto build = [&](VoxelCoord low, VoxelCoord high) {
        for (std::int32_t y = low.y; y <= high.y; ++y) {
            for (std::int32_t z = low.z; z <= high.z; ++z) {
                for (std::int32_t x = low.x; x <= high.x; ++x) {
                    const VoxelCoord v{x, y, z};
                    set_voxel(*pond.world.grid.find(chunk_of(v)), index_in_chunk(v), {kRock, 255});
                }
            }
        }
        pond.world.terrain.voxels_changed({low, high});
    };
    build({-4, -1, -4}, {-3, 6, 4});
    build({2, -1, -4}, {4, 6, 4});
    build({-4, -1, -5}, {4, 6, -4});
    build({-4, -1, 4}, {4, 6, 5});
    build({-4, 1, -5}, {4, 3, 5});  // a roof too low to stand under, three metres thick
    for (int i = 0; i < 3; ++i) {
        pond.input(7, kButtonUse);
        CHECK(pond.player(7).state.position.y < 1.0F);
        pond.input(7, 0);
    }
    pond.step({LeaveCommand{7}});
    REQUIRE(pond.result.left.size() == 1);
    CHECK(pond.result.left[0].state.position.y < 1.0F);
    pond.join(8, {6.0F, 0.5F, 0.0F});  // outside, the seat is near but behind the wall
    pond.world.players.at(8).state.position = {5.4F, 0.1F, 0.0F};
    pond.use(8);
    CHECK(pond.player(8).vehicle == 0);
}
