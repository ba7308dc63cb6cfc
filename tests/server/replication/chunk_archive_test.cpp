#include "server/replication/chunk_archive.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/voxel/terrain_generator.h"
#include "tests/server/replication/received_chunks.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

constexpr ChunkCoord kCoord{0, -1, 0};

ArchivedChunk archived(const Chunk& chunk) {
    return {encode_chunk(chunk), chunk.revision, hash_chunk(chunk)};
}

/// One chunk of rock in a grid, edited voxel by voxel and now and then by runs; follows in the
/// archive.
struct EditedChunk {
    VoxelGrid grid{small_config().bounds};
    ChunkArchive archive;
    Random random{3};
    std::vector<Chunk> history;  ///< by revision

    EditedChunk() {
        grid.insert(kCoord, flat_chunk(kCoord));
        archive.put(kCoord, archived(truth()));
        history.push_back(truth());
    }
    const Chunk& truth() const { return *grid.find(kCoord); }
    void edit(bool by_runs = false) {
        const std::uint32_t target = truth().revision + 1;
        while (truth().revision < target) {
            by_runs ? fill_run() : dig();
        }
        history.push_back(truth());
    }
    void dig() {
        const VoxelCoord v{random.between(0, 31), random.between(-32, -1), random.between(0, 31)};
        for (const AppliedOp& op : apply_brush(grid, voxel_brush(BrushMode::dig, v))) {
            archive.op_applied(op, op.revision);
        }
    }
    void fill_run() {
        AppliedOp op;
        op.chunk = kCoord;
        const auto first = static_cast<std::uint16_t>(random.below(30000));
        const auto occupancy = static_cast<std::uint8_t>(random.between(1, 255));
        op.runs = {{first, 40, {kDirt, occupancy}}};
        op.changed = apply_runs(*grid.find(kCoord), kCoord, op.runs);
        op.revision = truth().revision;
        if (!is_empty(op.changed)) {
            archive.op_applied(op, op.revision);
        }
    }
    /// What a worker does: the chunk as it was at `revision`.
    void encode(std::uint32_t revision) {
        const Chunk& chunk = history[revision];
        archive.encoded(kCoord, revision, encode_chunk(chunk), hash_chunk(chunk));
    }
    ReceivedChunks receive(std::optional<std::uint32_t> from) {
        ReceivedChunks client;
        if (from) {
            client.chunks[kCoord] = history[*from];
        }
        std::vector<SharedBytes> out;
        const ChunkArchive::Appended appended = archive.append_messages(kCoord, from, grid, out);
        client.take_all(out);
        CHECK(appended.bytes == client.bytes);
        CHECK(appended.is_whole == (client.whole_count == 1));
        CHECK(hash_chunk(client.chunks[kCoord]) == hash_chunk(truth()));
        return client;
    }
};

}  // namespace

TEST_CASE("chunk_archive: a client with any revision, or none, ends with the chunk itself") {
    EditedChunk chunk;
    for (std::uint32_t edit = 1; edit <= 200; ++edit) {
        chunk.edit(chunk.random.below(5) == 0);
        if (chunk.random.below(40) == 0) {
            chunk.encode(chunk.random.below(edit + 1));  // a worker is done, perhaps late
        }
        if (edit % 8 == 0) {
            chunk.receive(edit - 1);
            chunk.receive(chunk.random.below(edit + 1));
            chunk.receive(std::nullopt);
            chunk.receive(edit);
            CHECK(chunk.archive.hash(kCoord, chunk.grid) == hash_chunk(chunk.truth()));
            CHECK(chunk.archive.revision(kCoord) == edit);
        }
    }
    CHECK(chunk.archive.encoded_count() == 0);
}

TEST_CASE("chunk_archive: who is up to date gets nothing, one behind gets one small message") {
    EditedChunk chunk;
    chunk.edit();
    chunk.edit();
    CHECK(chunk.receive(2).bytes == 0);
    const ReceivedChunks late = chunk.receive(1);
    CHECK(late.whole_count == 0);
    CHECK(late.ops_count == 1);
    CHECK(late.bytes < 120);
    chunk.encode(2);
    CHECK(chunk.receive(1).whole_count == 1);  // the operation is no longer kept
}

TEST_CASE("chunk_archive: newcomers share one message, and so do those equally far behind") {
    EditedChunk chunk;
    chunk.edit();
    chunk.edit();
    std::vector<SharedBytes> first;
    std::vector<SharedBytes> second;
    for (std::vector<SharedBytes>* out : {&first, &second}) {
        chunk.archive.append_messages(kCoord, std::nullopt, chunk.grid, *out);
    }
    REQUIRE(first.size() == 2);
    CHECK(first == second);
    first.clear();
    second.clear();
    for (std::vector<SharedBytes>* out : {&first, &second}) {
        chunk.archive.append_messages(kCoord, 1, chunk.grid, *out);
    }
    REQUIRE(first.size() == 1);
    CHECK(first == second);
}

TEST_CASE("chunk_archive: asks for a worker once after kChunkOpsKept operations, then again") {
    EditedChunk chunk;
    for (std::size_t i = 1; i < kChunkOpsKept; ++i) {
        chunk.edit();
        CHECK(chunk.archive.take_overgrown().empty());
    }
    chunk.edit();
    CHECK(chunk.archive.take_overgrown() == std::vector<ChunkCoord>{kCoord});
    chunk.edit();
    CHECK(chunk.archive.take_overgrown().empty());
    chunk.encode(static_cast<std::uint32_t>(kChunkOpsKept));
    CHECK_FALSE(chunk.archive.is_exact(kCoord));
    for (std::size_t i = 2; i < kChunkOpsKept; ++i) {
        chunk.edit();
    }
    CHECK(chunk.archive.take_overgrown().empty());
    chunk.edit();
    CHECK(chunk.archive.take_overgrown().size() == 1);
    CHECK(chunk.archive.encoded_count() == 0);
}

TEST_CASE("chunk_archive: a log that no worker shortens is given up, and the tick encodes once") {
    EditedChunk chunk;
    for (std::size_t i = 0; i <= kChunkOpsMax; ++i) {
        chunk.edit();
    }
    CHECK(chunk.receive(std::nullopt).ops_count == 0);
    CHECK(chunk.receive(5).whole_count == 1);
    CHECK(chunk.archive.encoded_count() == 1);
    chunk.edit();
    CHECK(chunk.receive(std::nullopt).ops_count == 1);
    CHECK(chunk.archive.encoded_count() == 1);
}

TEST_CASE("chunk_archive: exact is a blob of the newest revision, with its hash") {
    EditedChunk chunk;
    CHECK(chunk.archive.is_exact(kCoord));
    CHECK(chunk.archive.changed_tick(kCoord) == 0);
    chunk.edit();
    CHECK_FALSE(chunk.archive.is_exact(kCoord));
    chunk.edit();
    CHECK(chunk.archive.changed_tick(kCoord) == 2);
    chunk.encode(1);
    CHECK_FALSE(chunk.archive.is_exact(kCoord));
    chunk.encode(2);
    CHECK(chunk.archive.is_exact(kCoord));
    chunk.encode(1);  // came late: nothing older replaces anything newer
    REQUIRE(chunk.archive.is_exact(kCoord));
    const ChunkArchive::Blob blob = chunk.archive.blob(kCoord);
    const Result<Chunk> decoded = decode_chunk(blob.bytes, 8);
    REQUIRE(decoded.has_value());
    CHECK(hash_chunk(*decoded) == hash_chunk(chunk.truth()));
    // Without the grid from now on: the chunk is only viewed.
    const std::uint64_t hash = hash_chunk(chunk.truth());
    const VoxelGrid empty(small_config().bounds);
    CHECK(chunk.archive.hash(kCoord, empty) == hash);
    std::vector<SharedBytes> out;
    chunk.archive.append_messages(kCoord, std::nullopt, empty, out);
    CHECK(out.size() == 1);
}

TEST_CASE("chunk_archive: props that are gone stay away from newcomers, also with a newer blob") {
    EditedChunk chunk;
    chunk.archive.drop(kCoord);
    CHECK_FALSE(chunk.archive.has(kCoord));
    CHECK_FALSE(chunk.archive.revision(kCoord).has_value());
    ArchivedChunk with_props = archived(chunk.truth());
    for (std::uint8_t i = 0; i < 4; ++i) {
        with_props.props.push_back({.index = i, .kind = 3});
    }
    with_props.props_removed = 1U << 9U;
    chunk.archive.put(kCoord, with_props);
    chunk.archive.prop_gone(kCoord, 2, 77);
    CHECK(chunk.archive.changed_tick(kCoord) == 77);
    CHECK(chunk.archive.props_removed(kCoord) == (1U << 9U | 1U << 2U));
    CHECK(chunk.archive.props(kCoord).size() == 3);
    CHECK(chunk.receive(std::nullopt).props[kCoord] == std::set<std::uint8_t>{0, 1, 3});
    chunk.edit();
    chunk.encode(1);
    CHECK(chunk.receive(std::nullopt).props[kCoord] == std::set<std::uint8_t>{0, 1, 3});
    CHECK(chunk.archive.revision(kCoord) == 1);
}

TEST_CASE("M1 chunk_archive: a viewed chunk is at most 5 KB if it is mixed, 512 B if uniform") {
    const GeneratorConfig generator;
    const GridBounds bounds;
    ChunkArchive mixed;
    ChunkArchive uniform;
    std::size_t mixed_count = 0;
    std::size_t uniform_count = 0;
    for (std::int32_t y = -2; y < 2; ++y) {
        for (std::int32_t z = -3; z < 3; ++z) {
            for (std::int32_t x = -3; x < 3; ++x) {
                const Chunk chunk = generate_chunk(generator, bounds, {x, y, z});
                (chunk.is_uniform() ? uniform : mixed).put({x, y, z}, archived(chunk));
                ++(chunk.is_uniform() ? uniform_count : mixed_count);
            }
        }
    }
    REQUIRE(mixed_count > 20);
    REQUIRE(uniform_count > 20);
    MESSAGE("bytes a viewed chunk: mixed ", mixed.memory_bytes() / mixed_count, ", uniform ",
            uniform.memory_bytes() / uniform_count);
    CHECK(mixed.memory_bytes() / mixed_count <= 5 * 1024);
    CHECK(uniform.memory_bytes() / uniform_count <= 512);
}
