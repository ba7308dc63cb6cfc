#include "server/replication/chunk_stream.h"

#include <doctest/doctest.h>

#include "server/world/view_offsets.h"
#include "shared/core/random.h"
#include "tests/server/replication/received_chunks.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

const GridBounds kBounds{{-12, -1, -12}, {12, 2, 12}};
const Vec3 kNorth(0.0F, 0.0F, -1.0F);

struct StreamedZone {
    VoxelGrid grid{kBounds};
    ChunkArchive archive;

    /// Viewed only: in the archive, not in the grid.
    void load(const ChunkCoord& coord) {
        if (contains(kBounds, coord) && !archive.has(coord)) {
            const Chunk chunk = uniform_chunk(kAirVoxel);
            archive.put(coord, {encode_chunk(chunk), 0, hash_chunk(chunk)});
        }
    }
    void load_around(const ChunkCoord& centre, std::uint32_t radius) {
        for (const ChunkCoord& offset : view_offsets(radius)) {
            load(centre + offset);
        }
    }
    /// One operation on a chunk that is simulated from now on.
    AppliedOp edit(const ChunkCoord& coord, std::int32_t x) {
        if (!grid.is_loaded(coord)) {
            grid.insert(coord, uniform_chunk(kAirVoxel));
        }
        const VoxelCoord origin = origin_of(coord);
        const auto ops = apply_brush(
            grid, voxel_brush(BrushMode::place, {origin.x + x, origin.y, origin.z}, kRock));
        REQUIRE(ops.size() == 1);
        archive.op_applied(ops[0], 1);
        return ops[0];
    }
};

std::size_t stream_all(ChunkStream& stream, StreamedZone& zone) {
    std::size_t count = 0;
    for (int round = 0; round < 100; ++round) {
        std::vector<SharedBytes> out;
        count += stream.send(zone.grid, zone.archive, kNorth, 1000, out).chunks;
    }
    return count;
}

void check_holds_view(const ChunkStream& stream, const ChunkCoord& centre) {
    const auto near = static_cast<std::int32_t>(stream.radius());
    std::size_t held = 0;
    for (std::int32_t y = kBounds.min.y; y < kBounds.max.y; ++y) {
        for (std::int32_t z = kBounds.min.z; z < kBounds.max.z; ++z) {
            for (std::int32_t x = kBounds.min.x; x < kBounds.max.x; ++x) {
                const ChunkCoord d = ChunkCoord{x, y, z} - centre;
                const std::int32_t d2 = d.x * d.x + d.y * d.y + d.z * d.z;
                if (d2 <= near * near) {
                    CHECK(stream.has({x, y, z}));
                } else if (d2 > (near + 1) * (near + 1)) {
                    CHECK_FALSE(stream.has({x, y, z}));
                }
                held += stream.has({x, y, z}) ? 1U : 0U;
            }
        }
    }
    CHECK(held == stream.count());
}

std::vector<ChunkCoord> order_of(const std::vector<SharedBytes>& frames) {
    std::vector<ChunkCoord> order;
    for (const SharedBytes& frame : frames) {
        AlignedBytes scratch;
        const auto message = verify_to_client(*frame, scratch);
        REQUIRE(message.has_value());
        order.push_back(from_wire(*(*message)->message_as_Chunk()->position()));
    }
    return order;
}

}  // namespace

TEST_CASE("chunk_stream: out and back, a spiral and teleports: the view is whole at each stop") {
    StreamedZone zone;
    ChunkStream stream(4);
    Random random(11);
    std::vector<ChunkCoord> stops;
    for (std::int32_t x = 0; x <= 8; ++x) {
        stops.push_back({x, 0, 0});
    }
    for (std::int32_t x = 8; x >= 0; --x) {
        stops.push_back({x, 0, 0});
    }
    for (std::int32_t i = 0; i < 12; ++i) {
        stops.push_back(i % 2 == 0 ? ChunkCoord{-10, 0, -10} : ChunkCoord{10, 1, 10});
    }
    for (int i = 0; i < 20; ++i) {
        stops.push_back({random.between(-11, 11), random.between(-1, 1), random.between(-11, 11)});
    }
    for (const ChunkCoord& stop : stops) {
        stream.move_to(stop);
        zone.load_around(stop, 4);
        stream_all(stream, zone);
        check_holds_view(stream, stop);
        CHECK(stream.move_to(stop).empty());
        CHECK(stream_all(stream, zone) == 0);  // standing still sends nothing
    }
}

TEST_CASE("chunk_stream: chunks that load late and out of order still arrive, each once") {
    StreamedZone zone;
    ChunkStream stream(5);
    stream.move_to({0, 0, 0});
    std::vector<ChunkCoord> late(view_offsets(5).begin(), view_offsets(5).end());
    Random random(5);
    for (std::size_t i = late.size() - 1; i > 0; --i) {
        std::swap(late[i], late[random.below(static_cast<std::uint32_t>(i + 1))]);
    }
    std::size_t sent = 0;
    for (const ChunkCoord& coord : late) {
        zone.load(coord);
        std::vector<SharedBytes> out;
        sent += stream.send(zone.grid, zone.archive, kNorth, 100000, out).chunks;
    }
    sent += stream_all(stream, zone);
    check_holds_view(stream, {0, 0, 0});
    CHECK(sent == stream.count());
}

TEST_CASE("chunk_stream: the budget bounds a tick, nearest first") {
    StreamedZone zone;
    ChunkStream stream(4);
    stream.move_to({0, 0, 0});
    zone.load_around({0, 0, 0}, 4);
    std::vector<SharedBytes> out;
    stream.send(zone.grid, zone.archive, kNorth, 1, out);
    CHECK(out.size() == 1);
    CHECK(stream.has({0, 0, 0}));
}

TEST_CASE("chunk_stream: the 27 around the player go first, then what it looks at, then the rest") {
    StreamedZone zone;
    ChunkStream stream(3);
    stream.move_to({0, 0, 0});
    zone.load_around({0, 0, 0}, 3);
    std::vector<SharedBytes> out;
    stream.send(zone.grid, zone.archive, kNorth, std::size_t{1} << 20, out);
    const std::vector<ChunkCoord> order = order_of(out);
    REQUIRE(order.size() > 27);
    const auto is_around = [](const ChunkCoord& c) {
        return std::abs(c.x) <= 1 && std::abs(c.y) <= 1 && std::abs(c.z) <= 1;
    };
    CHECK(std::all_of(order.begin(), order.begin() + 27, is_around));
    CHECK(std::none_of(order.begin() + 27, order.end(), is_around));
    const auto at = [&](const ChunkCoord& c) { return std::find(order.begin(), order.end(), c); };
    CHECK(at({0, 0, -3}) < at({0, 0, 2}));  // farther, but in front
    CHECK(at({0, 0, 2}) < at({0, 0, 3}));
    CHECK(at({0, 0, -3}) != order.end());
}

TEST_CASE("chunk_stream: what fell behind gets its operations, nearest first, and nothing twice") {
    StreamedZone zone;
    zone.load_around({0, 0, 0}, 2);
    ChunkStream stream(2);
    stream.move_to({0, 0, 0});
    ReceivedChunks client;
    std::vector<SharedBytes> out;
    stream.send(zone.grid, zone.archive, kNorth, std::size_t{1} << 20, out);
    client.take_all(out);
    for (const ChunkCoord coord : {ChunkCoord{2, 0, 0}, ChunkCoord{1, 0, 0}}) {
        for (std::int32_t i = 0; i < 3; ++i) {
            const AppliedOp op = zone.edit(coord, i);
            stream.fall_behind(coord, op.revision - 1);  // the first counts
            if (coord.x == 2) {
                stream.owe({static_cast<std::uint32_t>(10 + i), coord, op.revision, op.op});
            }
        }
    }
    CHECK(stream.behind_count() == 2);
    out.clear();
    stream.send(zone.grid, zone.archive, kNorth, 1, out);
    client.take_all(out);
    CHECK(stream.behind_count() == 1);
    CHECK(stream.is_behind({2, 0, 0}));
    CHECK(client.chunks[{1, 0, 0}].revision == 3);
    CHECK(client.own_edits.empty());  // of a chunk that it is still behind with
    out.clear();
    stream.send(zone.grid, zone.archive, kNorth, 1, out);
    client.take_all(out);
    CHECK(client.own_edits == std::vector<std::uint32_t>{10, 11, 12});
    for (const ChunkCoord coord : {ChunkCoord{2, 0, 0}, ChunkCoord{1, 0, 0}}) {
        CHECK(hash_chunk(client.chunks[coord]) == hash_chunk(*zone.grid.find(coord)));
    }
    out.clear();
    stream.send(zone.grid, zone.archive, kNorth, std::size_t{1} << 20, out);
    CHECK(out.empty());
}

TEST_CASE(
    "chunk_stream: a chunk that is forgotten while it is behind comes whole when it is back") {
    StreamedZone zone;
    zone.load_around({0, 0, 0}, 2);
    ChunkStream stream(2);
    stream.move_to({0, 0, 0});
    std::vector<SharedBytes> out;
    stream.send(zone.grid, zone.archive, kNorth, std::size_t{1} << 20, out);
    const AppliedOp op = zone.edit({2, 0, 0}, 1);
    stream.fall_behind({2, 0, 0}, op.revision - 1);
    stream.owe({5, {2, 0, 0}, op.revision, op.op});
    const std::vector<ChunkCoord> forgotten = stream.move_to({-4, 0, 0});
    CHECK(std::find(forgotten.begin(), forgotten.end(), ChunkCoord{2, 0, 0}) != forgotten.end());
    CHECK(stream.behind_count() == 0);
    ReceivedChunks client;
    out.clear();
    stream.send(zone.grid, zone.archive, kNorth, std::size_t{1} << 20, out);
    client.take_all(out);
    CHECK(client.own_edits == std::vector<std::uint32_t>{5});  // applied, wherever it was
    stream.move_to({0, 0, 0});
    out.clear();
    stream.send(zone.grid, zone.archive, kNorth, std::size_t{1} << 20, out);
    client.take_all(out);
    CHECK(hash_chunk(client.chunks[{2, 0, 0}]) == hash_chunk(*zone.grid.find({2, 0, 0})));
}

TEST_CASE("chunk_stream: owed edits are bounded, the oldest are given up") {
    StreamedZone zone;
    ChunkStream stream(2);
    for (std::uint32_t i = 1; i <= ChunkStream::kOwedEditsMax + 3; ++i) {
        stream.owe({i, {0, 0, 0}, i, clip_to_chunk(voxel_brush(BrushMode::dig, {0, 0, 0}), {})});
    }
    std::vector<SharedBytes> out;
    stream.move_to({0, 0, 0});
    stream.send(zone.grid, zone.archive, kNorth, 1, out);
    ReceivedChunks client;
    client.take_all(out);
    CHECK(client.own_edits.size() == ChunkStream::kOwedEditsMax);
    CHECK(client.own_edits.front() == 4);
}
