#include <doctest/doctest.h>

#include "server/replication/chunk_archive.h"
#include "shared/core/random.h"
#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// What a client makes of the archive's messages.
Chunk receive(const ChunkArchive::Messages& messages, const ChunkCoord& coord) {
    AlignedBytes scratch;
    const auto chunk_message = verify_to_client(*messages.chunk, scratch);
    REQUIRE(chunk_message.has_value());
    const wire::Chunk* message = (*chunk_message)->message_as_Chunk();
    REQUIRE(message != nullptr);
    CHECK(from_wire(*message->position()) == coord);
    Result<Chunk> chunk = decode_chunk({message->blob()->data(), message->blob()->size()}, 8);
    REQUIRE(chunk.has_value());
    if (messages.ops != nullptr) {
        AlignedBytes ops_scratch;
        const auto ops_message = verify_to_client(*messages.ops, ops_scratch);
        REQUIRE(ops_message.has_value());
        const wire::ChunkOps* ops = (*ops_message)->message_as_ChunkOps();
        REQUIRE(ops != nullptr);
        CHECK(ops->first_revision() == chunk->revision + 1);
        for (const wire::ChunkOp* op : *ops->ops()) {
            apply_op(*chunk, coord, from_wire(*op));
        }
    }
    return *chunk;
}

Brush random_dig(Random& random) {
    return voxel_brush(BrushMode::dig,
                       {random.between(0, 31), random.between(-32, -1), random.between(0, 31)});
}

}  // namespace

TEST_CASE("chunk_archive: old blob and operations equal the chunk, also past the kept operations") {
    const ChunkCoord coord{0, -1, 0};
    VoxelGrid grid(small_config().bounds);
    grid.insert(coord, flat_chunk(coord));
    ChunkArchive archive;
    archive.chunk_arrived(coord, *grid.find(coord), encode_chunk(*grid.find(coord)));
    Random random(3);
    for (std::size_t edit = 1; edit <= 3 * kChunkOpsKept; ++edit) {
        for (const AppliedOp& op : apply_brush(grid, random_dig(random))) {
            archive.op_applied(op);
        }
        if (edit % 16 == 0) {
            const Chunk& truth = *grid.find(coord);
            CHECK(hash_chunk(receive(archive.messages(coord, truth), coord)) == hash_chunk(truth));
            CHECK(archive.hash(coord, truth) == hash_chunk(truth));
        }
    }
    CHECK(archive.encoded_count() >= 2);
    CHECK(archive.encoded_count() <= 3);  // not once an edit
}

TEST_CASE("chunk_archive: two newcomers share one message") {
    const ChunkCoord coord{0, -1, 0};
    const Chunk chunk = flat_chunk(coord);
    ChunkArchive archive;
    archive.chunk_arrived(coord, chunk, encode_chunk(chunk));
    const auto first = archive.messages(coord, chunk);
    const auto second = archive.messages(coord, chunk);
    CHECK(first.chunk == second.chunk);
    CHECK(first.ops == nullptr);
}
