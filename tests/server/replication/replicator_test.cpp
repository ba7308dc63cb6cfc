#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/server/replication/received_chunks.h"
#include "tests/server/replication/replicated_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

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

TEST_CASE("replicator: who made an edit of a chunk it does not have yet is told all the same") {
    ReplicatedWorld zone;
    zone.sink.waiting_bytes = [](EntityId) { return std::size_t{64} << 20; };
    zone.join(7, {0.5F, 0.02F, 0.5F});  // gets no chunks
    zone.sink.waiting_bytes = [](EntityId) { return std::size_t{0}; };
    zone.tick({edit_input(7, 1, 21, voxel_brush(BrushMode::dig, {2, -1, 0}))});
    REQUIRE(zone.small.result.edits.size() == 1);
    ReceivedChunks client;
    client.take_all(zone.sent[7]);
    CHECK(client.own_edits == std::vector<std::uint32_t>{21});
    CHECK(hash_chunk(client.chunks[{0, -1, 0}]) ==
          hash_chunk(*zone.small.world.grid.find({0, -1, 0})));
}

TEST_CASE("replicator: a session with a full outbox gets State only, then catches up exactly") {
    for (const bool has_late_worker : {false, true}) {
        CAPTURE(has_late_worker);
        ReplicatedWorld zone;
        std::size_t waiting = 0;
        zone.sink.waiting_bytes = [&](EntityId player) { return player == 8 ? waiting : 0; };
        ReceivedChunks slow;
        ReceivedChunks quick;
        const auto take = [&] {
            slow.take_all(zone.sent[8]);
            quick.take_all(zone.sent[7]);
        };
        zone.join(7, {0.5F, 0.02F, 0.5F});
        take();
        zone.join(8, {3.5F, 0.02F, 0.5F});
        take();
        REQUIRE(slow.chunks.size() == zone.small.world.grid.chunk_count());
        waiting = std::size_t{64} << 20;
        const std::size_t bytes = slow.bytes;
        const ChunkCoord edited{0, -1, 0};
        for (std::uint32_t i = 1; i <= 40; ++i) {
            const auto x = static_cast<std::int32_t>(i % 5);
            const auto z = static_cast<std::int32_t>(i / 5 % 4);
            zone.tick({edit_input(7, i, i, voxel_brush(BrushMode::place, {x - 2, 1, z}, kDirt)),
                       edit_input(8, i, 100 + i, voxel_brush(BrushMode::dig, {x, -1, z}))});
            take();
            CHECK(zone.each<wire::State>(8, [](const wire::State&) {}) == 1);
            if (has_late_worker && i == 20) {
                const Chunk& chunk = *zone.small.world.grid.find(edited);
                zone.replicator.archive().encoded(edited, chunk.revision, encode_chunk(chunk),
                                                  hash_chunk(chunk));
            }
        }
        CHECK(slow.bytes == bytes);
        CHECK(slow.own_edits.empty());
        CHECK(zone.replicator.stats().ops_held_back > 10);
        const int whole = slow.whole_count;
        waiting = 0;
        zone.tick();
        take();
        for (const ChunkCoord& coord : zone.small.world.grid.sorted_coords()) {
            const std::uint64_t hash = hash_chunk(*zone.small.world.grid.find(coord));
            CHECK(hash_chunk(slow.chunks[coord]) == hash);
            CHECK(hash_chunk(quick.chunks[coord]) == hash);
        }
        CHECK(slow.whole_count == whole + (has_late_worker ? 1 : 0));
        std::set<std::uint32_t> told(slow.own_edits.begin(), slow.own_edits.end());
        REQUIRE(told.size() > 10);
        CHECK(told.size() == slow.own_edits.size());
        CHECK(*told.begin() == 101);
        zone.tick({edit_input(8, 41, 141, voxel_brush(BrushMode::place, {4, 1, 1}, kDirt))});
        take();
        CHECK(slow.own_edits.back() == 141);  // in its tick again
    }
}

TEST_CASE("replicator: what a session is still behind with gets no operation out of turn") {
    ReplicatedWorld zone(ReplicationConfig{.chunk_bytes_per_tick = 1});
    std::size_t waiting = 0;
    zone.sink.waiting_bytes = [&](EntityId) { return waiting; };
    ReceivedChunks client;
    const auto tick = [&](std::uint32_t edit, const VoxelCoord& dug) {
        zone.tick({edit_input(7, edit, edit, voxel_brush(BrushMode::dig, dug))});
        CHECK(zone.small.result.edits.size() == 1);
        client.take_all(zone.sent[7]);
    };
    zone.join(7, {0.5F, 0.02F, 0.5F});
    client.take_all(zone.sent[7]);
    for (std::size_t i = 0; i < zone.small.world.grid.chunk_count(); ++i) {
        zone.tick();  // a chunk a tick
        client.take_all(zone.sent[7]);
    }
    const std::vector<VoxelCoord> corners{{-1, -1, -1}, {0, -1, -1}, {-1, -1, 0}, {0, -1, 0}};
    waiting = std::size_t{64} << 20;
    std::uint32_t edit = 1;
    for (const VoxelCoord& corner : corners) {
        tick(edit++, corner);
    }
    CHECK(client.own_edits.empty());
    waiting = 0;
    for (std::int32_t depth = 2; depth <= 3; ++depth) {
        for (const VoxelCoord& corner : corners) {
            tick(edit++, {corner.x, -depth, corner.z});
        }
    }
    for (const ChunkCoord& coord : zone.small.world.grid.sorted_coords()) {
        CHECK(hash_chunk(client.chunks[coord]) == hash_chunk(*zone.small.world.grid.find(coord)));
    }
    CHECK(std::set(client.own_edits.begin(), client.own_edits.end()).size() == 12);
}

TEST_CASE("replicator: a chunk that is only viewed answers hashes and refusals with the truth") {
    ReplicatedWorld zone;
    const ChunkCoord far{1, -1, 0};
    zone.join(7, {0.5F, 0.02F, 0.5F});
    zone.tick({edit_input(7, 1, 1, voxel_brush(BrushMode::dig, {1, -1, 0}))});
    Chunk chunk = *zone.small.world.grid.find(far);
    chunk.revision = 12;
    zone.replicator.archive().drop(far);
    zone.replicator.archive().put(far, {encode_chunk(chunk), 12, hash_chunk(chunk)});
    zone.tick({ChunkLeaveCommand{far}});
    REQUIRE_FALSE(zone.small.world.grid.is_loaded(far));
    zone.replicator.request_hashes(7, std::span(&far, 1));
    zone.small.step();
    zone.small.result.rejections = {{7, 9, RejectReason::not_loaded, far, 0}};
    zone.replicate();
    CHECK(zone.each<wire::Hash>(7, [&](const wire::Hash& hash) {
        CHECK(hash.hashes()->Get(0)->revision() == 12);
        CHECK(hash.hashes()->Get(0)->hash() == hash_chunk(chunk));
    }) == 1);
    CHECK(zone.each<wire::Reject>(
              7, [](const wire::Reject& reject) { CHECK(reject.revision() == 12); }) == 1);
}

TEST_CASE(
    "replicator: props that are gone are told to those who have the chunk, late if they must") {
    ReplicatedWorld zone;
    const ChunkCoord coord{0, 0, 0};
    ArchivedChunk wood{encode_chunk(flat_chunk(coord)), 0, hash_chunk(flat_chunk(coord))};
    wood.props = {{.index = 3, .kind = 2}, {.index = 5, .kind = 2}, {.index = 9, .kind = 2}};
    zone.replicator.archive().drop(coord);
    zone.replicator.archive().put(coord, wood);
    std::size_t waiting = 0;
    zone.sink.waiting_bytes = [&](EntityId player) { return player == 8 ? waiting : 0; };
    std::map<EntityId, ReceivedChunks> clients;
    const auto take = [&] {
        clients[7].take_all(zone.sent[7]);
        clients[8].take_all(zone.sent[8]);
    };
    zone.join(7, {0.5F, 0.02F, 0.5F});
    take();
    zone.join(8, {3.5F, 0.02F, 0.5F});
    take();
    CHECK(clients[8].props[coord] == std::set<std::uint8_t>{3, 5, 9});
    for (const std::uint8_t index : {std::uint8_t{5}, std::uint8_t{3}}) {
        zone.small.step();
        zone.small.result.props_gone = {{coord, index}};
        zone.replicate();
        take();
        waiting = std::size_t{64} << 20;
    }
    CHECK(clients[7].props[coord] == std::set<std::uint8_t>{9});
    CHECK(clients[8].props[coord] == std::set<std::uint8_t>{3, 9});
    waiting = 0;
    zone.tick();
    take();
    CHECK(clients[8].props[coord] == std::set<std::uint8_t>{9});
    CHECK(clients[8].whole_count == clients[7].whole_count);
}

TEST_CASE("replicator: water that ran is a message of its own, in the order of revisions") {
    ReplicatedWorld zone;
    zone.join(7, {0.5F, 0.02F, 0.5F});
    zone.tick();
    StepResult flood;
    flood.tick = zone.small.world.tick;
    const ChunkCoord coord{0, -1, 0};
    for (std::uint32_t revision = 1; revision <= 4; ++revision) {
        AppliedOp op;
        op.chunk = coord;
        op.revision = revision;
        op.op = clip_to_chunk(
            voxel_brush(BrushMode::dig, {static_cast<std::int32_t>(revision), -1, 0}), coord);
        if (revision == 3) {
            op.runs = {{7, 2, {kWater, 255}}};
        }
        flood.edits.push_back({revision == 3 ? EntityId{0} : EntityId{7}, revision, op});
    }
    zone.sent.clear();
    zone.replicator.replicate(zone.small.world, flood, zone.sink);
    std::vector<std::uint32_t> revisions;
    for (const SharedBytes& frame : zone.sent[7]) {
        AlignedBytes scratch;
        const auto message = verify_to_client(*frame, scratch);
        REQUIRE(message.has_value());
        if (const wire::ChunkOps* ops = (*message)->message_as_ChunkOps()) {
            for (std::uint32_t i = 0; i < ops->ops()->size(); ++i) {
                revisions.push_back(ops->first_revision() + i);
            }
            CHECK(ops->edits()->size() == ops->ops()->size());
        } else if (const wire::ChunkRuns* runs = (*message)->message_as_ChunkRuns()) {
            revisions.push_back(runs->revision());
        }
    }
    CHECK(revisions == std::vector<std::uint32_t>{1, 2, 3, 4});
}

TEST_CASE("replicator: lines go to everybody or to one, the sky to everybody") {
    ReplicatedWorld zone;
    zone.join(7, {0.5F, 0.02F, 0.5F});
    zone.join(8, {3.5F, 0.02F, 0.5F});
    zone.small.step();
    zone.small.result.lines = {{"ada", 0, "hello"}, {"", 8, "only you"}};
    zone.small.result.is_sky_changed = true;
    zone.replicate();
    for (const EntityId player : {EntityId{7}, EntityId{8}}) {
        std::vector<std::string> lines;
        zone.each<wire::Chat>(player, [&](const wire::Chat& chat) {
            const std::string sender = chat.sender() == nullptr ? "" : chat.sender()->str();
            lines.push_back(sender + ": " + chat.text()->str());
        });
        CHECK(lines == (player == 7 ? std::vector<std::string>{"ada: hello"}
                                    : std::vector<std::string>{"ada: hello", ": only you"}));
        CHECK(zone.each<wire::SkyChanged>(player, [](const wire::SkyChanged&) {}) == 1);
    }
}
