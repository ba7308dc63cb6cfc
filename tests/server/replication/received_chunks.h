// What a client makes of the messages about chunks, by the rules of the protocol: a chunk replaces,
// an operation of the next revision is applied, an older one is skipped, a gap is a failure.
#pragma once

#include <map>
#include <set>

#include <doctest/doctest.h>

#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane::test {

struct ReceivedChunks {
    std::map<ChunkCoord, Chunk> chunks;
    std::map<ChunkCoord, std::set<std::uint8_t>> props;
    std::vector<std::uint32_t> own_edits;  ///< named by operations, in their order
    int whole_count = 0;
    int ops_count = 0;  ///< messages of operations
    std::size_t bytes = 0;

    void take(const SharedBytes& frame) {
        AlignedBytes scratch;
        const auto message = verify_to_client(*frame, scratch);
        REQUIRE_MESSAGE(message.has_value(), (message ? "" : message.error().message));
        if (const wire::Chunk* chunk = (*message)->message_as_Chunk()) {
            take(*chunk);
        } else if (const wire::ChunkOps* ops = (*message)->message_as_ChunkOps()) {
            take(*ops);
        } else if (const wire::ChunkRuns* runs = (*message)->message_as_ChunkRuns()) {
            take(*runs);
        } else if (const wire::PropsGone* gone = (*message)->message_as_PropsGone()) {
            for (const std::uint8_t index : *gone->indices()) {
                props[from_wire(*gone->position())].erase(index);
            }
        } else if (const wire::Forget* forget = (*message)->message_as_Forget()) {
            for (const wire::ChunkPos* position : *forget->chunks()) {
                CHECK(chunks.erase(from_wire(*position)) == 1);
            }
        } else {
            return;  // not about chunks
        }
        bytes += frame->size();
    }
    void take_all(const std::vector<SharedBytes>& frames) {
        for (const SharedBytes& frame : frames) {
            take(frame);
        }
    }

  private:
    void take(const wire::Chunk& message) {
        const ChunkCoord coord = from_wire(*message.position());
        Result<Chunk> chunk = decode_chunk({message.blob()->data(), message.blob()->size()}, 256);
        REQUIRE(chunk.has_value());
        chunks[coord] = std::move(*chunk);
        props[coord].clear();
        if (message.props() != nullptr) {
            for (const wire::Prop* prop : *message.props()) {
                props[coord].insert(prop->index());
            }
        }
        ++whole_count;
    }
    void take(const wire::ChunkOps& message) {
        ++ops_count;
        if (message.edits() != nullptr) {
            own_edits.insert(own_edits.end(), message.edits()->begin(), message.edits()->end());
        }
        const ChunkCoord coord = from_wire(*message.position());
        const auto chunk = chunks.find(coord);
        std::uint32_t revision = message.first_revision();
        for (const wire::ChunkOp* op : *message.ops()) {
            if (chunk != chunks.end() && is_next(chunk->second, revision)) {
                apply_op(chunk->second, coord, from_wire(*op));
            }
            ++revision;
        }
    }
    void take(const wire::ChunkRuns& message) {
        ++ops_count;
        const ChunkCoord coord = from_wire(*message.position());
        const auto chunk = chunks.find(coord);
        std::vector<VoxelRun> runs;
        for (const wire::VoxelRun* run : *message.runs()) {
            runs.push_back(from_wire(*run));
        }
        if (chunk != chunks.end() && is_next(chunk->second, message.revision())) {
            apply_runs(chunk->second, coord, runs);
        }
    }
    static bool is_next(const Chunk& chunk, std::uint32_t revision) {
        CHECK(revision <= chunk.revision + 1);
        return revision == chunk.revision + 1;
    }
};

}  // namespace terrane::test
