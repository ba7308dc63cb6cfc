#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "server/replication/replicator.h"
#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// A small world with its replicator; keeps what each session was sent in the last tick.
struct ReplicatedWorld {
    SmallWorld small;
    Replicator replicator;
    std::map<EntityId, std::vector<SharedBytes>> sent;
    SessionSink sink;

    ReplicatedWorld() {
        for (const ChunkCoord& coord : small.world.grid.sorted_coords()) {
            const Chunk& chunk = *small.world.grid.find(coord);
            replicator.archive().chunk_arrived(coord, chunk, encode_chunk(chunk));
        }
        sink.send = [this](EntityId player, SharedBytes frame) {
            sent[player].push_back(std::move(frame));
        };
        sink.waiting_bytes = [](EntityId) { return std::size_t{0}; };
    }
    void join(EntityId id, const Vec3& foot) {
        replicator.add_session(id, 3);
        PlayerState state;
        state.position = foot;
        tick({JoinCommand{id, "p" + std::to_string(id), true, state}});
    }
    void tick(const std::vector<Command>& commands = {}) {
        sent.clear();
        small.step(commands);
        replicator.replicate(small.world, small.result, sink);
    }
    /// Calls `visit` with every message of type `wire::T` that `player` was sent.
    template <typename T, typename Visit>
    int each(EntityId player, Visit visit) {
        int count = 0;
        for (const SharedBytes& frame : sent[player]) {
            AlignedBytes scratch;
            const auto message = verify_to_client(*frame, scratch);
            REQUIRE(message.has_value());
            if (const T* found = (*message)->template message_as<T>()) {
                visit(*found);
                ++count;
            }
        }
        return count;
    }
};

InputCommand edit_input(EntityId player, std::uint32_t client_tick, std::uint32_t edit,
                        const Brush& brush) {
    InputCommand input;
    input.player = player;
    input.client_tick = client_tick;
    input.edits = {{edit, brush}};
    return input;
}

}  // namespace

TEST_CASE("replicator: a session gets one State a tick, with its newest applied input") {
    ReplicatedWorld zone;
    zone.join(7, {0.5F, 0.02F, 0.5F});
    InputCommand input;
    input.player = 7;
    input.client_tick = 41;
    zone.tick({input});
    const int states = zone.each<wire::State>(7, [&](const wire::State& state) {
        CHECK(state.tick() == zone.small.world.tick);
        CHECK(state.applied_input() == 41);
        CHECK(from_wire(state.own()->position()) == zone.small.world.players.at(7).state.position);
    });
    CHECK(states == 1);
}

TEST_CASE("replicator: nodes enter with kind and name, move, and exit when they leave") {
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

TEST_CASE("replicator: an edit reaches all who have the chunk in its tick, and names its maker's") {
    ReplicatedWorld zone;
    zone.join(7, {0.5F, 0.02F, 0.5F});
    zone.join(8, {3.5F, 0.02F, 0.5F});
    zone.tick();
    zone.tick({edit_input(7, 1, 21, voxel_brush(BrushMode::dig, {2, -1, 0})),
               edit_input(8, 1, 5, voxel_brush(BrushMode::dig, {2, -1, 1}))});
    REQUIRE(zone.small.result.edits.size() == 2);
    for (const EntityId player : {EntityId{7}, EntityId{8}}) {
        const int messages = zone.each<wire::ChunkOps>(player, [&](const wire::ChunkOps& ops) {
            CHECK(from_wire(*ops.position()) == ChunkCoord{0, -1, 0});
            CHECK(ops.first_revision() == 1);
            CHECK(ops.ops()->size() == 2);
            REQUIRE(ops.edits()->size() == 1);
            CHECK(ops.edits()->Get(0) == (player == 7 ? 21U : 5U));
        });
        CHECK(messages == 1);
    }
}

TEST_CASE("replicator: more operations on a chunk than a message holds go out in several") {
    ReplicatedWorld zone;
    zone.join(7, {0.5F, 0.02F, 0.5F});
    zone.tick();
    StepResult flood;
    flood.tick = zone.small.world.tick;
    const std::size_t count = 2 * kOpsPerMessageMax + 5;
    for (std::uint32_t i = 1; i <= count; ++i) {
        const VoxelCoord v{static_cast<std::int32_t>(i % 32), -1, static_cast<std::int32_t>(i % 7)};
        AppliedOp op;
        op.chunk = {0, -1, 0};
        op.op = clip_to_chunk(voxel_brush(BrushMode::dig, v), op.chunk);
        op.revision = i;
        flood.edits.push_back({7, i, op});
    }
    zone.sent.clear();
    zone.replicator.replicate(zone.small.world, flood, zone.sink);
    std::uint32_t next = 1;
    std::size_t own = 0;
    const int messages = zone.each<wire::ChunkOps>(7, [&](const wire::ChunkOps& ops) {
        CHECK(ops.first_revision() == next);
        next += ops.ops()->size();
        own += ops.edits()->size();
    });
    CHECK(messages == 3);
    CHECK(next == count + 1);
    CHECK(own == count);
}

TEST_CASE("replicator: a refusal goes to its maker only, with reason and revision") {
    ReplicatedWorld zone;
    zone.join(7, {0.5F, 0.02F, 0.5F});
    zone.join(8, {3.5F, 0.02F, 0.5F});
    zone.tick({edit_input(7, 1, 9, voxel_brush(BrushMode::dig, {30, -1, 0}))});
    const int refused = zone.each<wire::Reject>(7, [](const wire::Reject& reject) {
        CHECK(reject.edit() == 9);
        CHECK(reject.reason() == wire::RejectReason::too_far);
    });
    CHECK(refused == 1);
    CHECK(zone.each<wire::Reject>(8, [](const wire::Reject&) {}) == 0);
}

TEST_CASE("replicator: hashes are the zone's for chunks the session has, unknown for others") {
    ReplicatedWorld zone;
    zone.join(7, {0.5F, 0.02F, 0.5F});
    zone.tick();
    const std::vector<ChunkCoord> asked{{0, -1, 0}, {50, 0, 0}};
    zone.replicator.request_hashes(7, std::span(asked).first(1));
    zone.replicator.request_hashes(7, std::span(asked).last(1));
    zone.tick();
    const int answers = zone.each<wire::Hash>(7, [&](const wire::Hash& hash) {
        REQUIRE(hash.hashes()->size() == 2);
        CHECK(hash.hashes()->Get(0)->hash() == hash_chunk(*zone.small.world.grid.find(asked[0])));
        CHECK(hash.hashes()->Get(1)->hash() == 0);
    });
    CHECK(answers == 1);
}

TEST_CASE("replicator: a session whose outbox is full gets no new chunks, but its State") {
    ReplicatedWorld zone;
    zone.sink.waiting_bytes = [](EntityId) { return std::size_t{64} << 20; };
    zone.join(7, {0.5F, 0.02F, 0.5F});
    zone.tick();
    CHECK(zone.each<wire::Chunk>(7, [](const wire::Chunk&) {}) == 0);
    CHECK(zone.each<wire::State>(7, [](const wire::State&) {}) == 1);
}
