#include "server/app/chunk_loader.h"

#include <map>
#include <set>

#include <doctest/doctest.h>

#include "server/app/saver.h"
#include "server/world/apply_commands.h"
#include "shared/core/random.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/server/app/loaded_world.h"
#include "tests/server/store/scratch_folder.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// Players who come, jump about and dig, workers that are often late, saves that become durable
/// long after they were taken; and beside it what every edited chunk must be.
struct Soak {
    struct Save {
        std::uint64_t tick = 0;
        std::uint64_t durable_at = 0;
        std::map<ChunkCoord, Chunk> chunks;
    };
    LoadedWorld zone;
    Random random;
    std::map<ChunkCoord, Chunk> model;
    std::deque<Save> saves;
    std::set<ChunkCoord> unsaved;
    std::map<EntityId, ChunkCoord> players;
    std::size_t reloaded = 0;

    explicit Soak(std::uint64_t seed) : random(seed) {}

    void tick() {
        zone.tick(random.below(3) == 0);
        for (const ChunkCoord& coord : zone.result.chunks_arrived) {
            if (const auto was = model.find(coord); was != model.end()) {
                ++reloaded;
                REQUIRE(hash_chunk(*zone.world.grid.find(coord)) == hash_chunk(was->second));
            }
        }
        edit();
        save();
        move_players();
        zone.wishes.clear();
        if (random.below(2) == 0) {
            const Vec3 at(static_cast<float>(random.between(-200, 200)), -1.0F, 0.0F);
            zone.wishes.push_back({at, at + Vec3(1.0F)});
        }
        zone.end_tick();
    }
    void edit() {
        for (const auto& [player, centre] : players) {
            const VoxelCoord v{centre.x * 32 + random.between(-20, 50), random.between(-32, -1),
                               centre.z * 32 + random.between(-20, 50)};
            if (random.below(4) == 0 && contains(zone.world.grid.bounds(), chunk_of(v)) &&
                zone.dig(v)) {
                model[chunk_of(v)] = *zone.world.grid.find(chunk_of(v));
                unsaved.insert(chunk_of(v));
            }
        }
    }
    void save() {
        if (random.below(20) == 0) {
            Save save{zone.world.tick, zone.world.tick + random.below(60), {}};
            for (const ChunkCoord& coord : unsaved) {
                save.chunks[coord] = *zone.truth(coord);  // as the saver finds it
            }
            unsaved.clear();
            saves.push_back(std::move(save));
        }
        while (!saves.empty() && saves.front().durable_at <= zone.world.tick) {
            for (auto& [coord, chunk] : saves.front().chunks) {
                zone.stored[coord] = std::move(chunk);
            }
            zone.durable_tick = saves.front().tick;
            saves.pop_front();
        }
    }
    void move_players() {
        if (random.below(15) > 0) {
            return;
        }
        const EntityId player = 1 + random.below(3);
        if (random.below(4) == 0) {
            zone.loader.tickets().forget_player(player);
            players.erase(player);
        } else {
            players[player] = {random.between(-6, 6), 0, random.between(-6, 6)};
            zone.loader.tickets().set_player(player, players[player], 2);
        }
    }
    void check_model() {
        for (const auto& [coord, chunk] : model) {
            const std::optional<Chunk> now = zone.truth(coord);
            REQUIRE(hash_chunk(now ? *now : zone.stored.at(coord)) == hash_chunk(chunk));
            if (now) {
                CHECK(zone.archive.revision(coord) == chunk.revision);
                CHECK(zone.archive.hash(coord, zone.world.grid) == hash_chunk(chunk));
            }
        }
    }
    void leave() {
        for (const auto& [player, centre] : players) {
            zone.loader.tickets().forget_player(player);
        }
        zone.wishes.clear();
        zone.durable_tick = zone.world.tick;
        zone.ticks(12 * kLinger);
    }
};

}  // namespace

TEST_CASE("A25 chunk_loader: a player's view is viewed, what is near it simulated, and all goes") {
    LoadedWorld zone;
    zone.loader.tickets().set_player(1, {0, 0, 0}, 3);
    zone.ticks(12);
    std::size_t viewed = 0;
    std::size_t simulated = 0;
    for (std::int32_t y = -1; y < 1; ++y) {
        for (std::int32_t z = -5; z <= 5; ++z) {
            for (std::int32_t x = -5; x <= 5; ++x) {
                const std::int32_t away2 = x * x + y * y + z * z;
                CHECK(zone.archive.has({x, y, z}) == (away2 <= 9));
                CHECK(zone.world.grid.is_loaded({x, y, z}) == (away2 <= 1));
                viewed += away2 <= 9 ? 1U : 0U;
                simulated += away2 <= 1 ? 1U : 0U;
            }
        }
    }
    CHECK(zone.loader.stats().viewed == viewed);
    CHECK(zone.loader.stats().simulated == simulated);
    CHECK(zone.loader.stats().in_flight == 0);
    CHECK(zone.loader.stats().waiting == 0);
    const int fetches = zone.fetch_count;
    CHECK(static_cast<std::size_t>(fetches) == viewed);
    zone.ticks(50);
    CHECK(zone.fetch_count == fetches);
    zone.loader.tickets().forget_player(1);
    zone.ticks(kLinger);
    CHECK(zone.archive.count() == viewed);  // not at once
    zone.ticks(4 * kLinger);
    CHECK(zone.archive.count() == 0);
    CHECK(zone.world.grid.chunk_count() == 0);
    CHECK(zone.loader.tickets().count() == 0);
}

TEST_CASE("A25 chunk_loader: to and fro across a border moves nothing in or out") {
    LoadedWorld zone;
    zone.loader.tickets().set_player(1, {0, 0, 0}, 3);
    zone.ticks(12);
    zone.loader.tickets().set_player(1, {1, 0, 0}, 3);
    zone.ticks(12);
    const ChunkLoaderStats before = zone.loader.stats();
    for (std::int32_t i = 0; i < 60; ++i) {
        zone.loader.tickets().set_player(1, {i % 2, 0, 0}, 3);
        zone.ticks(3);
    }
    const ChunkLoaderStats after = zone.loader.stats();
    CHECK(after.fetched == before.fetched);
    CHECK(after.arrived == before.arrived);
    CHECK(after.left == before.left);
    CHECK(after.dropped == before.dropped);
}

TEST_CASE("A25 chunk_loader: work in flight and a tick's comings and goings are bounded") {
    ChunkLoaderConfig config = LoadedWorld::default_config();
    config.tickets.simulated_chunks = 4;
    config.fetches_max = 16;
    config.moves_max = 6;
    LoadedWorld zone(config);
    zone.loader.tickets().set_player(1, {0, 0, 0}, 4);
    std::size_t widest = 0;
    const auto watch = [&] {
        CHECK(zone.result.chunks_arrived.size() <= 6);
        CHECK(zone.result.chunks_left.size() <= 6);
        widest =
            std::max({widest, zone.result.chunks_arrived.size(), zone.result.chunks_left.size()});
    };
    for (int i = 0; i < 60; ++i) {
        zone.tick(i % 3 == 0);
        zone.end_tick();
        CHECK(zone.workers.pending() <= 16 + 6);
        watch();
    }
    const std::size_t near = zone.world.grid.chunk_count();
    CHECK(near > 50);
    zone.loader.tickets().forget_player(1);
    for (std::size_t i = 0; i < kLinger + near / 6 + 10; ++i) {
        zone.ticks(1);
        watch();
    }
    CHECK(zone.world.grid.chunk_count() == 0);
    CHECK(widest == 6);
}

TEST_CASE("A25 chunk_loader: a body's wish is met from the store, never by the generator") {
    LoadedWorld zone;
    Chunk dug = flat_chunk({5, -1, 0});
    dug.revision = 3;
    zone.stored[{5, -1, 0}] = dug;
    zone.wishes = {{Vec3(5 * 32 + 4.0F, -4.0F, 4.0F), Vec3(5 * 32 + 5.0F, 4.0F, 5.0F)}};
    zone.ticks(3);
    CHECK(zone.world.grid.is_loaded({5, -1, 0}));
    CHECK_FALSE(zone.archive.has({5, 0, 0}));
    CHECK(zone.loader.stats().unstored == 1);
    CHECK(zone.generated.empty());
    const int fetches = zone.fetch_count;
    zone.ticks(10 * kLinger);  // the store is not asked again and again
    CHECK(zone.fetch_count <= fetches + 10);
    CHECK(zone.world.grid.is_loaded({5, -1, 0}));
    // A player comes: it is generated, and the body has what it waits for.
    zone.loader.tickets().set_player(1, {5, 0, 0}, 1);
    zone.ticks(4);
    CHECK(zone.world.grid.is_loaded({5, 0, 0}));
    CHECK(zone.loader.stats().unstored == 0);
    // The player goes, the body stays: so do its chunks, and no others.
    zone.loader.tickets().forget_player(1);
    zone.ticks(6 * kLinger);
    CHECK(zone.world.grid.sorted_coords() == std::vector<ChunkCoord>{{5, -1, 0}, {5, 0, 0}});
    zone.wishes.clear();  // it sleeps
    zone.ticks(6 * kLinger);
    CHECK(zone.world.grid.chunk_count() == 0);
    CHECK(zone.archive.count() == 0);
}

TEST_CASE(
    "A25 chunk_loader: a player who comes while the store is asked for a body gets the chunk") {
    LoadedWorld zone;
    zone.wishes = {{Vec3(1.0F), Vec3(2.0F)}};
    zone.tick();
    zone.end_tick();
    zone.loader.tickets().set_player(1, {0, 0, 0}, 1);
    zone.tick(false);  // still on its worker
    zone.end_tick();
    zone.ticks(4);
    CHECK(zone.world.grid.is_loaded({0, 0, 0}));
}

TEST_CASE("A25 chunk_loader: an edited chunk is not dropped before its change is durable") {
    for (const bool has_store : {true, false}) {
        CAPTURE(has_store);
        LoadedWorld zone;
        zone.durable_tick = has_store ? std::optional<std::uint64_t>(0) : std::nullopt;
        zone.loader.tickets().set_player(1, {0, 0, 0}, 1);
        zone.ticks(6);
        REQUIRE(zone.dig({3, -1, 3}));
        const std::uint64_t changed = zone.world.tick;
        const std::uint64_t hash = hash_chunk(*zone.world.grid.find({0, -1, 0}));
        zone.loader.tickets().forget_player(1);
        zone.ticks(20 * kLinger);
        CHECK(zone.world.grid.chunk_count() == 0);
        CHECK(zone.archive.count() == 1);
        REQUIRE(zone.truth({0, -1, 0}).has_value());
        CHECK(hash_chunk(*zone.truth({0, -1, 0})) == hash);
        const VoxelGrid nothing(wide_config().bounds);
        CHECK(zone.archive.hash({0, -1, 0}, nothing) == hash);
        // Back before anything is saved: out of the archive.
        zone.loader.tickets().set_player(1, {0, 0, 0}, 1);
        zone.ticks(6);
        REQUIRE(zone.world.grid.is_loaded({0, -1, 0}));
        CHECK(hash_chunk(*zone.world.grid.find({0, -1, 0})) == hash);
        zone.loader.tickets().forget_player(1);
        zone.durable_tick = has_store ? std::optional(changed - 1) : std::nullopt;
        zone.ticks(20 * kLinger);
        CHECK(zone.archive.count() == 1);
        if (!has_store) {
            continue;
        }
        zone.stored[{0, -1, 0}] = *zone.truth({0, -1, 0});
        zone.durable_tick = changed;
        zone.ticks(6 * kLinger);
        CHECK(zone.archive.count() == 0);
        zone.loader.tickets().set_player(1, {0, 0, 0}, 1);
        zone.ticks(6);
        CHECK(hash_chunk(*zone.world.grid.find({0, -1, 0})) == hash);
        CHECK(zone.archive.changed_tick({0, -1, 0}) == 0);
    }
}

TEST_CASE(
    "A25 chunk_loader: a chunk that is edited while it leaves stays until that is exact too") {
    LoadedWorld zone;
    zone.loader.tickets().hold_columns({0, 0, 0}, 0);
    zone.ticks(4);
    REQUIRE(zone.dig({3, -1, 3}));
    zone.loader.tickets().release_columns({0, 0, 0}, 0);
    for (int i = 0; i < 200 && zone.loader.stats().in_flight == 0; ++i) {
        zone.tick(false);
        zone.end_tick();
    }
    REQUIRE(zone.loader.stats().in_flight == 1);  // a worker has revision 1
    REQUIRE(zone.dig({4, -1, 3}));
    zone.tick();
    zone.end_tick();
    REQUIRE(zone.world.grid.is_loaded({0, -1, 0}));
    const std::uint64_t hash = hash_chunk(*zone.world.grid.find({0, -1, 0}));
    zone.ticks(10 * kLinger);
    CHECK_FALSE(zone.world.grid.is_loaded({0, -1, 0}));
    CHECK(hash_chunk(*zone.truth({0, -1, 0})) == hash);
    CHECK(zone.archive.revision({0, -1, 0}) == 2);
}

TEST_CASE("A25 chunk_loader: what load_now brought is not undone by a fetch that ends later") {
    LoadedWorld zone;
    zone.loader.tickets().hold_columns({0, 0, 0}, 0);
    zone.tick();
    zone.end_tick();
    REQUIRE(zone.workers.pending() == 2);
    const auto chunk = zone.loader.load_now({0, -1, 0});
    REQUIRE(chunk.has_value());
    CHECK_FALSE(zone.loader.load_now({0, -1, 0}).has_value());
    CHECK_FALSE(zone.loader.load_now({99, 0, 0}).has_value());
    apply_commands(zone.world, std::vector<Command>{*chunk}, zone.result);
    REQUIRE(zone.dig({3, -1, 3}));
    zone.ticks(3);
    CHECK(zone.world.grid.find({0, -1, 0})->revision == 1);
    CHECK(zone.archive.revision({0, -1, 0}) == 1);
    CHECK(zone.loader.stats().in_flight == 0);
    CHECK(zone.loader.stats().simulated == 2);
}

TEST_CASE("A25 chunk_loader: no edit is ever lost: random walks, edits, slow workers, slow store") {
    for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL, 4ULL}) {
        CAPTURE(seed);
        Soak soak(seed);
        for (int i = 0; i < 3000; ++i) {
            soak.tick();
        }
        CHECK(soak.reloaded > 50);
        CHECK(soak.zone.loader.stats().dropped > 100);
        soak.check_model();
        soak.leave();
        CHECK(soak.zone.world.grid.chunk_count() == 0);
        CHECK(soak.zone.archive.count() == 0);
        CHECK(soak.zone.loader.stats().in_flight == 0);
    }
}

TEST_CASE("saver: a chunk that left the grid before its save is stored as it was") {
    const ScratchFolder folder;
    const auto store = open_store(folder);
    LoadedWorld zone;
    Saver saver(*store, zone.workers, zone.archive, 1000);
    zone.loader.tickets().hold_columns({0, 0, 0}, 0);
    zone.ticks(4);
    const auto ops = apply_brush(zone.world.grid, voxel_brush(BrushMode::dig, {3, -1, 3}));
    REQUIRE(ops.size() == 1);
    zone.archive.op_applied(ops[0], zone.world.tick);
    zone.archive.prop_gone({0, 0, 0}, 7, zone.world.tick);
    zone.result.edits.push_back({1, 1, ops[0]});
    zone.result.props_gone.push_back({{0, 0, 0}, 7});
    saver.note(zone.world, zone.result);
    const std::uint64_t hash = hash_chunk(*zone.world.grid.find({0, -1, 0}));
    zone.loader.tickets().release_columns({0, 0, 0}, 0);
    zone.ticks(10 * kLinger);
    REQUIRE(zone.world.grid.chunk_count() == 0);
    CHECK(saver.finish(zone.world));
    const auto blob = loaded(*store, {0, -1, 0});
    REQUIRE(blob.has_value());
    CHECK(hash_chunk(*decode_chunk(*blob, 5)) == hash);
    CHECK_FALSE(loaded(*store, {0, 0, 0}).has_value());
    CHECK(store->load_removed_props({0, 0, 0}) == std::uint64_t{1} << 7U);
    CHECK(store->stats().durable_tick == zone.world.tick);
}
