// A small world with its replicator, and what it sends to whom.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "server/replication/replicator.h"
#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/support/small_world.h"

namespace terrane::test {

/// Keeps what each session was sent in the last tick.
struct ReplicatedWorld {
    SmallWorld small;
    Replicator replicator;
    std::map<EntityId, std::vector<SharedBytes>> sent;
    SessionSink sink;

    explicit ReplicatedWorld(const ReplicationConfig& config = {}) : replicator(config) {
        for (const ChunkCoord& coord : small.world.grid.sorted_coords()) {
            const Chunk& chunk = *small.world.grid.find(coord);
            replicator.archive().chunk_arrived(coord, chunk, encode_chunk(chunk));
        }
        sink.send = [this](EntityId player, SharedBytes frame) {
            sent[player].push_back(std::move(frame));
        };
        sink.waiting_bytes = [](EntityId) { return std::size_t{0}; };
    }
    void join(EntityId id, const Vec3& foot, std::uint32_t view_chunks = 3) {
        replicator.add_session(id, view_chunks);
        PlayerState state;
        state.position = foot;
        tick({JoinCommand{id, "p" + std::to_string(id), true, state}});
    }
    void tick(const std::vector<Command>& commands = {}) {
        small.step(commands);
        replicate();
    }
    void replicate() {
        sent.clear();
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

}  // namespace terrane::test
