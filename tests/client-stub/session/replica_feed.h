// A replica and the frames that a session would give it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client-stub/session/replica.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/client-stub/session/scripted_zone.h"

namespace terrane::test {

inline constexpr ChunkCoord kHome{0, 0, 0};

inline Chunk rock() {
    return uniform_chunk({kRock, kFullOccupancy});
}

inline std::string message_of(const Result<void>& result) {
    return result.has_value() ? std::string() : result.error().message;
}

/// Feeds a replica with frames, as a session does.
struct Feed {
    Replica replica;
    std::vector<AppliedOp> applied;

    explicit Feed(const ReplicaConfig& config = {}) : replica(small_zone_info(), config) {}

    Result<void> take(Bytes frame) {
        const auto held = hold_to_client(std::move(frame));
        switch (held->root->message_type()) {
            case wire::ToClientMessage::State:
                return replica.apply(*held->root->message_as_State());
            case wire::ToClientMessage::Chunk:
                return replica.apply(*held->root->message_as_Chunk());
            case wire::ToClientMessage::ChunkOps:
                return replica.apply(*held->root->message_as_ChunkOps(), applied);
            case wire::ToClientMessage::ChunkRuns:
                return replica.apply(*held->root->message_as_ChunkRuns(), applied);
            case wire::ToClientMessage::PropsGone:
                replica.apply(*held->root->message_as_PropsGone());
                return {};
            case wire::ToClientMessage::Piece:
                return replica.apply(*held->root->message_as_Piece());
            case wire::ToClientMessage::SkyChanged:
                replica.apply(*held->root->message_as_SkyChanged());
                return {};
            case wire::ToClientMessage::Forget:
                replica.apply(*held->root->message_as_Forget());
                return {};
            default:
                replica.apply(*held->root->message_as_Hash());
                return {};
        }
    }
    Result<void> chunk(const ChunkCoord& c, const Chunk& chunk) {
        return take(encode_chunk(c, encode_chunk(chunk)));
    }
    Result<void> ops(std::uint32_t first_revision, const std::vector<ChunkOp>& ops) {
        return take(encode_chunk_ops(kHome, first_revision, ops, {}));
    }
    Result<void> hash(const ChunkCoord& c, std::uint32_t revision, std::uint64_t hash) {
        return take(encode_hash(1, std::vector<HashMessage>{{c, revision, hash}}));
    }
    const ReplicaCounters& counters() const { return replica.counters(); }
};

}  // namespace terrane::test
