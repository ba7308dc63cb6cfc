#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "server/world/chunk_residency.h"
#include "server/world/view_offsets.h"
#include "tests/support/small_world.h"

using namespace terrane;
using namespace terrane::test;

namespace {

FetchedChunk fetch_flat(const ChunkCoord& coord) {
    return {coord, flat_chunk(coord), {}};
}

}  // namespace

TEST_CASE("chunk_residency: a player's view is asked for once, nearest first, within the limit") {
    for (const unsigned threads : {0U, 2U}) {
        CAPTURE(threads);
        WorkerPool workers(threads);
        ChunkResidency residency(workers, fetch_flat, 5);
        World world(small_config());
        StepResult result;
        PlayerState state;
        state.position = {0.5F, 0.5F, 0.5F};
        step_world(world, std::vector<Command>{JoinCommand{7, "p", true, state}}, result);
        std::vector<ChunkCoord> arrived;
        for (int round = 0; round < 40; ++round) {
            residency.want_view(world, world.players.at(7), 2);
            CHECK(residency.in_flight() <= 5);
            workers.drain();
            std::vector<Command> commands;
            for (FetchedChunk& chunk : residency.take_finished()) {
                arrived.push_back(chunk.coord);
                commands.emplace_back(ChunkCommand{chunk.coord, std::move(chunk.chunk)});
            }
            step_world(world, commands, result);
        }
        std::size_t expected = 0;
        for (const ChunkCoord& offset : view_offsets(2)) {
            expected += contains(world.config.bounds, offset) ? 1U : 0U;
        }
        CHECK(arrived.size() == expected);
        CHECK(world.grid.chunk_count() == expected);
        CHECK(std::find(arrived.begin(), arrived.begin() + 5, ChunkCoord{0, 0, 0}) !=
              arrived.begin() + 5);
    }
}

TEST_CASE("view_offsets: a ball of chunks, each once, nearest first") {
    for (std::uint32_t radius = 0; radius <= 8; ++radius) {
        const auto offsets = view_offsets(radius);
        CHECK(offsets[0] == ChunkCoord{0, 0, 0});
        std::set<ChunkCoord> seen;
        std::int32_t last = 0;
        for (const ChunkCoord& c : offsets) {
            const std::int32_t d2 = c.x * c.x + c.y * c.y + c.z * c.z;
            CHECK(d2 >= last);
            CHECK(d2 <= static_cast<std::int32_t>(radius * radius));
            CHECK(seen.insert(c).second);
            last = d2;
        }
    }
    CHECK(view_offsets(8).size() == 2109);
}
