#include <doctest/doctest.h>

#include <set>

#include "server/replication/chunk_view.h"
#include "server/world/view_offsets.h"
#include "shared/core/random.h"
#include "shared/voxel/chunk_codec.h"

using namespace terrane;

namespace {

const GridBounds kBounds{{-12, -1, -12}, {12, 2, 12}};

struct StreamedZone {
    VoxelGrid grid{kBounds};
    ChunkArchive archive;

    void load(const ChunkCoord& coord) {
        if (contains(kBounds, coord) && !grid.is_loaded(coord)) {
            const Chunk& chunk = grid.insert(coord, uniform_chunk(kAirVoxel));
            archive.chunk_arrived(coord, chunk, encode_chunk(chunk));
        }
    }
    void load_around(const ChunkCoord& centre, std::uint32_t radius) {
        for (const ChunkCoord& offset : view_offsets(radius)) {
            load(centre + offset);
        }
    }
};

std::size_t stream_all(ChunkView& view, StreamedZone& zone) {
    std::size_t count = 0;
    for (int round = 0; round < 100; ++round) {
        std::vector<SharedBytes> out;
        view.stream(zone.grid, zone.archive, 1000, out);
        count += out.size();
    }
    return count;
}

void check_holds_view(const ChunkView& view, const ChunkCoord& centre) {
    const auto near = static_cast<std::int32_t>(view.radius());
    for (std::int32_t y = kBounds.min.y; y < kBounds.max.y; ++y) {
        for (std::int32_t z = kBounds.min.z; z < kBounds.max.z; ++z) {
            for (std::int32_t x = kBounds.min.x; x < kBounds.max.x; ++x) {
                const ChunkCoord d = ChunkCoord{x, y, z} - centre;
                const std::int32_t d2 = d.x * d.x + d.y * d.y + d.z * d.z;
                if (d2 <= near * near) {
                    CHECK(view.has({x, y, z}));
                } else if (d2 > (near + 1) * (near + 1)) {
                    CHECK_FALSE(view.has({x, y, z}));
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("chunk_view: out and back, a spiral and teleports: the view is whole at each stop") {
    StreamedZone zone;
    ChunkView view(4);
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
        view.move_to(stop);
        zone.load_around(stop, 4);
        stream_all(view, zone);
        check_holds_view(view, stop);
        CHECK(view.move_to(stop).empty());
        CHECK(stream_all(view, zone) == 0);  // standing still sends nothing
    }
}

TEST_CASE("chunk_view: chunks that load late and out of order still arrive, each once") {
    StreamedZone zone;
    ChunkView view(5);
    view.move_to({0, 0, 0});
    std::vector<ChunkCoord> late(view_offsets(5).begin(), view_offsets(5).end());
    Random random(5);
    for (std::size_t i = late.size() - 1; i > 0; --i) {
        std::swap(late[i], late[random.below(static_cast<std::uint32_t>(i + 1))]);
    }
    std::size_t sent = 0;
    for (const ChunkCoord& coord : late) {
        zone.load(coord);
        std::vector<SharedBytes> out;
        view.stream(zone.grid, zone.archive, 100000, out);
        sent += out.size();
    }
    sent += stream_all(view, zone);
    check_holds_view(view, {0, 0, 0});
    CHECK(sent == view.count());
}

TEST_CASE("chunk_view: the budget bounds a tick, nearest first") {
    StreamedZone zone;
    ChunkView view(4);
    view.move_to({0, 0, 0});
    zone.load_around({0, 0, 0}, 4);
    std::vector<SharedBytes> out;
    view.stream(zone.grid, zone.archive, 1, out);
    CHECK(out.size() == 1);
    CHECK(view.has({0, 0, 0}));
}
