#include "server/replication/node_stream.h"

#include <set>

#include "server/world/pieces.h"
#include "server/world/vehicles.h"
#include "tests/server/replication/replicated_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// What session 7 was told of nodes.
struct SeenNodes {
    std::map<EntityId, std::uint16_t> slots;
    std::map<std::uint16_t, std::uint16_t> parents;
    std::map<std::uint16_t, int> poses;
    std::multiset<std::uint16_t> exits;
    std::size_t entered = 0;
    std::size_t seat_count = 0;

    void take(const wire::State& state) {
        exits.insert(state.exits()->begin(), state.exits()->end());
        entered += state.enters()->size();
        for (const wire::NodeEnter* enter : *state.enters()) {
            slots[enter->id()] = enter->slot();
        }
        for (const wire::NodeTransform* node : *state.nodes()) {
            ++poses[node->slot()];
        }
        if (state.seats() == nullptr) {
            return;
        }
        for (const wire::NodeSeat* seat : *state.seats()) {
            parents[seat->slot()] = seat->parent_slot();
            ++seat_count;
        }
    }
};

/// Players 7, who looks, and 8, and a boat with two seats between them.
struct Boarding : ReplicatedWorld {
    SeenNodes seen;
    EntityId vehicle = 0;

    Boarding() {
        BodyKind boat;
        boat.name = "boat";
        boat.half_extents = {1.8F, 0.35F, 0.75F};
        boat.seats = {{0.5F, 0.0F, 0.0F}, {-0.5F, 0.0F, 0.0F}};
        small.world.config.kinds.push_back(boat);
        join(7, {0.5F, 0.02F, 0.5F}, 1);
        read();
        join(8, {3.5F, 0.02F, 0.5F});
        read();
        tick({SpawnCommand{"boat", {9.5F, 1.5F, 0.5F}}});
        read();
        REQUIRE(small.result.spawned.size() == 1);
        vehicle = small.result.spawned[0];
    }
    void read() {
        each<wire::State>(7, [&](const wire::State& state) { seen.take(state); });
    }
    void sit(std::uint8_t seat) {
        small.step();
        REQUIRE(sit_down(small.world, small.world.players.at(8), vehicle, seat, small.result));
        replicate();
        read();
    }
};

}  // namespace

TEST_CASE("node_stream: nodes enter with kind and name, move, and exit when they leave") {
    ReplicatedWorld zone;
    zone.join(7, {0.5F, 0.02F, 0.5F});
    zone.tick({SpawnCommand{"crate", {4.5F, 1.0F, 0.5F}}});
    std::uint16_t crate_slot = 999;
    zone.each<wire::State>(7, [&](const wire::State& state) {
        REQUIRE(state.enters()->size() == 1);
        CHECK(state.enters()->Get(0)->kind() == 1);
        crate_slot = state.enters()->Get(0)->slot();
        REQUIRE(state.nodes()->size() == 1);
        CHECK(state.nodes()->Get(0)->slot() == crate_slot);
    });
    zone.tick();
    zone.each<wire::State>(7, [&](const wire::State& state) {
        REQUIRE(state.nodes()->size() == 1);  // it falls
        CHECK(state.nodes()->Get(0)->slot() == crate_slot);
        CHECK(state.enters()->size() == 0);
    });
    zone.join(8, {6.5F, 0.02F, 0.5F});
    std::uint16_t player_slot = 999;
    zone.each<wire::State>(7, [&](const wire::State& state) {
        REQUIRE(state.enters()->size() == 1);
        CHECK(state.enters()->Get(0)->kind() == 0);
        CHECK(state.enters()->Get(0)->name()->str() == "p8");
        player_slot = state.enters()->Get(0)->slot();
    });
    zone.replicator.remove_session(8);
    zone.tick({LeaveCommand{8}});
    zone.each<wire::State>(7, [&](const wire::State& state) {
        REQUIRE(state.exits()->size() == 1);
        CHECK(state.exits()->Get(0) == player_slot);
    });
    for (int i = 0; i < 200; ++i) {
        zone.tick();
    }
    zone.each<wire::State>(
        7, [&](const wire::State& state) { CHECK(state.nodes()->size() == 0); });  // at rest
}

TEST_CASE("A25 node_stream: a body's poses tell whether it is held") {
    ReplicatedWorld zone;
    zone.join(7, {-4.5F, 0.02F, 0.5F});
    zone.tick({SpawnCommand{"ball", {16.5F, 20.0F, 16.5F}}});
    const auto flags = [&](EntityId player) {
        std::multiset<unsigned> found;
        zone.each<wire::State>(player, [&](const wire::State& state) {
            for (const wire::NodeTransform* node : *state.nodes()) {
                found.insert(node->flags());
            }
        });
        return found;
    };
    zone.tick();
    CHECK(flags(7) == std::multiset<unsigned>{0});
    const ChunkCoord chunk{0, 0, 0};
    zone.tick({ChunkLeaveCommand{chunk}});
    zone.join(8, {-6.5F, 0.02F, 0.5F});
    CHECK(flags(8) == std::multiset<unsigned>{0, kNodeHeld});  // the other player, the ball
    zone.tick({ChunkCommand{chunk, flat_chunk(chunk), {}}});
    zone.tick();
    CHECK(flags(7) == std::multiset<unsigned>{0});  // it falls on
}

TEST_CASE("node_stream: a seated node costs no bytes; taking and leaving the seat are told once") {
    Boarding zone;
    zone.sit(1);
    CHECK(zone.seen.parents[zone.seen.slots[8]] == zone.seen.slots[zone.vehicle]);
    zone.seen.poses.clear();
    for (int i = 0; i < 30; ++i) {
        zone.tick();
        zone.read();
    }
    CHECK(zone.seen.poses[zone.seen.slots[zone.vehicle]] > 0);  // it settles on the ground
    CHECK(zone.seen.poses[zone.seen.slots[8]] == 0);
    CHECK(zone.seen.seat_count == 1);
    zone.small.step();
    stand_up(zone.small.world, zone.small.world.players.at(8), zone.small.result);
    zone.small.result.moved.clear();  // it has a pose again, moved or not
    zone.replicate();
    zone.read();
    CHECK(zone.seen.parents[zone.seen.slots[8]] == kNoParentSlot);
    CHECK(zone.seen.poses[zone.seen.slots[8]] == 1);
    CHECK(zone.seen.seat_count == 2);
}

TEST_CASE("node_stream: who is new sees a vehicle and its rider at once, seated") {
    Boarding zone;
    zone.sit(1);
    zone.join(9, {1.5F, 0.02F, 2.5F});
    zone.each<wire::State>(9, [&](const wire::State& state) { zone.seen.take(state); });
    CHECK(zone.seen.entered == 2 + 3);  // those of session 7, and these
    CHECK(zone.seen.seat_count == 2);
}

TEST_CASE("node_stream: a rider leaves the view with its vehicle and comes back with it, seated") {
    Boarding zone;
    zone.sit(0);
    World& world = zone.small.world;
    const auto move_away = [&](float x) {
        world.players.at(7).state.position.x = x;  // the looker goes, the boat stays
        for (int i = 0; i < 4; ++i) {
            zone.tick();
            zone.read();
        }
    };
    zone.seen.exits.clear();
    move_away(-40.0F);  // beyond the view of 32 m, and not by 32 m more
    CHECK(zone.seen.exits.empty());
    move_away(-59.0F);
    CHECK(zone.seen.exits ==
          std::multiset<std::uint16_t>{zone.seen.slots[8], zone.seen.slots[zone.vehicle]});
    zone.seen.slots.clear();
    zone.seen.parents.clear();
    move_away(0.5F);
    CHECK(zone.seen.slots.contains(8));
    CHECK(zone.seen.parents[zone.seen.slots[8]] == zone.seen.slots[zone.vehicle]);
}

TEST_CASE("node_stream: who sits down in what comes into view that tick is told once") {
    Boarding zone;
    zone.small.step({SpawnCommand{"boat", {4.5F, 0.5F, 4.5F}}});
    REQUIRE(sit_down(zone.small.world, zone.small.world.players.at(8),
                     zone.small.result.spawned.at(0), 0, zone.small.result));
    zone.replicate();
    zone.read();
    CHECK(zone.seen.seat_count == 1);
}

TEST_CASE("node_stream: a rider whose session ends is one exit, and the vehicle stays") {
    Boarding zone;
    zone.sit(0);
    zone.seen.exits.clear();
    zone.replicator.remove_session(8);
    zone.tick({LeaveCommand{8}});
    zone.read();
    CHECK(zone.seen.exits == std::multiset<std::uint16_t>{zone.seen.slots[8]});
}

TEST_CASE(
    "C3 node_stream: who boards a vehicle out of view brings it and all its riders into view") {
    ReplicatedWorld zone;
    BodyKind boat;
    boat.name = "boat";
    boat.half_extents = {1.8F, 0.35F, 0.75F};
    boat.seats = {{0.5F, 0.0F, 0.0F}, {-0.5F, 0.0F, 0.0F}};
    zone.small.world.config.kinds.push_back(boat);
    SeenNodes seen;
    const auto read = [&] {
        zone.each<wire::State>(7, [&](const wire::State& state) { seen.take(state); });
    };
    zone.join(7, {0.5F, 0.02F, 0.5F}, 1);
    read();
    zone.join(8, {20.5F, 0.02F, 0.5F});
    read();
    zone.join(9, {50.5F, 0.02F, 0.5F});
    read();
    zone.tick({TeleportCommand{8, {50.5F, 0.02F, 0.5F}},  // farther than it would come into view
               SpawnCommand{"boat", {50.5F, 1.5F, 0.5F}}});
    read();
    const EntityId vehicle = zone.small.result.spawned.at(0);
    const auto sit = [&](EntityId rider, std::uint8_t seat) {
        zone.small.step();
        REQUIRE(sit_down(zone.small.world, zone.small.world.players.at(rider), vehicle, seat,
                         zone.small.result));
        zone.replicate();
        read();
    };
    sit(9, 0);
    REQUIRE(seen.slots.contains(8));
    CHECK_FALSE(seen.slots.contains(9));
    CHECK_FALSE(seen.slots.contains(vehicle));
    sit(8, 1);
    REQUIRE(seen.slots.contains(vehicle));
    REQUIRE(seen.slots.contains(9));
    CHECK(seen.parents.at(seen.slots.at(8)) == seen.slots.at(vehicle));
    CHECK(seen.parents.at(seen.slots.at(9)) == seen.slots.at(vehicle));
    CHECK(seen.seat_count == 2);
}

TEST_CASE("A18 node_stream: pieces enter after their voxels, as many a tick as 32 KiB hold") {
    ReplicatedWorld zone;
    zone.join(7, {0.5F, 0.02F, 0.5F});
    World& world = zone.small.world;
    constexpr int kPieces = 40;
    for (int i = 0; i < kPieces; ++i) {
        VoxelPiece voxels = empty_piece({8, 8, 8});
        for (std::size_t v = 0; v < voxels.voxels.size(); ++v) {  // nothing to pack
            voxels.voxels[v] = {v % 2 == 0 ? kRock : kDirt, static_cast<std::uint8_t>(128 + v % 7)};
        }
        BodyState state;
        state.position = Vec3(-30.0F + 1.5F * static_cast<float>(i), 12.0F, -20.0F);
        const Body* body = add_piece(world, 0, make_cut_piece(world, std::move(voxels)), state);
        REQUIRE(body != nullptr);
        REQUIRE(body->piece->bytes.size() > 1024);
    }
    std::set<EntityId> known;
    int entered = 0;
    for (int tick = 0; tick < 40 && entered < kPieces; ++tick) {
        zone.tick();
        std::size_t bytes = 0;
        zone.each<wire::Piece>(7, [&](const wire::Piece& piece) {
            CHECK(known.insert(piece.id()).second);
            bytes += piece.voxels()->size();
            const auto& sent = world.bodies.at(piece.id()).piece->bytes;
            CHECK(std::equal(sent.begin(), sent.end(), piece.voxels()->begin(),
                             piece.voxels()->end()));
        });
        CHECK(bytes < 32 * 1024 + 2048);
        zone.each<wire::State>(7, [&](const wire::State& state) {
            for (const wire::NodeEnter* enter : *state.enters()) {
                CHECK(known.contains(enter->id()));
                ++entered;
            }
        });
        // State is the last of a tick's messages.
        AlignedBytes scratch;
        CHECK((*verify_to_client(*zone.sent[7].back(), scratch))->message_type() ==
              wire::ToClientMessage::State);
    }
    CHECK(entered == kPieces);
}

TEST_CASE("A18 node_stream: pieces wait for a session whose outbox is full") {
    ReplicatedWorld zone;
    std::size_t waiting = 10U << 20;
    zone.sink.waiting_bytes = [&](EntityId) { return waiting; };
    zone.join(7, {0.5F, 0.02F, 0.5F});
    World& world = zone.small.world;
    VoxelPiece voxels = empty_piece({1, 1, 1});
    voxels.voxels[0] = {kRock, kFullOccupancy};
    BodyState state;
    state.position = {6.0F, 6.0F, 0.5F};
    REQUIRE(add_piece(world, 0, make_cut_piece(world, voxels), state) != nullptr);
    const auto pieces_sent = [&] {
        int sent = 0;
        for (int i = 0; i < 6; ++i) {
            zone.tick();
            sent += zone.each<wire::Piece>(7, [](const wire::Piece&) {});
        }
        return sent;
    };
    CHECK(pieces_sent() == 0);
    waiting = 0;
    CHECK(pieces_sent() == 1);
}

TEST_CASE("B12 node_stream: who leaves the view exits once, who sits goes with the boat") {
    Boarding zone;
    zone.sit(0);
    zone.tick({TeleportCommand{7, {-60.0F, 0.02F, -60.0F}}});
    zone.read();
    for (int i = 0; i < 6; ++i) {
        zone.tick();
        zone.read();
    }
    const std::uint16_t boat = zone.seen.slots.at(zone.vehicle);
    const std::uint16_t rider = zone.seen.slots.at(8);
    CHECK(zone.seen.exits.count(boat) == 1);
    CHECK(zone.seen.exits.count(rider) == 1);
}
