#include "server/store/store.h"

#include <map>
#include <thread>

#include <doctest/doctest.h>

#include "shared/core/log.h"
#include "tests/server/store/scratch_folder.h"

namespace terrane {
namespace {

StoreBatch batch_of(std::uint64_t tick) {
    StoreBatch batch;
    batch.tick = tick;
    return batch;
}

TEST_CASE("store: chunks, players and bodies come back after reopening") {
    const ScratchFolder folder;
    const ChunkCoord low{-(1 << 20), -3, (1 << 20) - 1};
    {
        const auto store = open_store(folder);
        CHECK(store->last_tick() == 0);
        CHECK(loaded(*store, {0, 0, 0}) == std::nullopt);
        CHECK(!store->load_player("ada"));
        CHECK(store->load_bodies().empty());
        StoreBatch batch = batch_of(7);
        batch.chunks = {{{0, 0, 0}, make_blob(1)}, {{-1, 0, 0}, make_blob(2)}, {low, {}}};
        batch.players = {make_player("ada", 5), make_player("", 6)};
        batch.bodies = {make_body(~0ULL, 9), make_body(3, 4), make_body(2, 3)};
        CHECK(store->submit(batch));
        store->drain();
        CHECK(store->stats().durable_tick == 7);
        CHECK(loaded(*store, {0, 0, 0}) == make_blob(1));  // a reader sees it at once
    }
    const auto store = open_store(folder);
    CHECK(store->last_tick() == 7);
    CHECK(store->stats().durable_tick == 7);
    CHECK(loaded(*store, {0, 0, 0}) == make_blob(1));
    CHECK(loaded(*store, {-1, 0, 0}) == make_blob(2));
    CHECK(loaded(*store, low) == std::vector<std::uint8_t>{});
    CHECK(loaded(*store, {0, -1, 0}) == std::nullopt);
    REQUIRE(store->load_player("ada"));
    CHECK(is_same(*store->load_player("ada"), make_player("ada", 5)));
    CHECK(is_same(*store->load_player(""), make_player("", 6)));
    const std::vector<StoredBody> bodies = store->load_bodies();
    REQUIRE(bodies.size() == 3);
    CHECK(is_same(bodies[0], make_body(2, 3)));
    CHECK(is_same(bodies[1], make_body(3, 4)));
    CHECK(is_same(bodies[2], make_body(~0ULL, 9)));
    CHECK(store->stats().bad_rows == 0);
}

TEST_CASE("store: random batches over several openings equal a map") {
    const ScratchFolder folder;
    Random random(3);
    std::map<ChunkCoord, std::vector<std::uint8_t>> chunks;
    std::map<std::uint64_t, std::uint64_t> bodies;
    std::uint64_t tick = 0;
    for (int opening = 0; opening < 4; ++opening) {
        const auto store = open_store(folder);
        for (int i = 0; i < 25; ++i) {
            StoreBatch batch = batch_of(++tick);
            for (std::uint32_t n = random.below(6); n > 0; --n) {
                const ChunkCoord coord{random.between(-3, 3), random.between(-2, 2),
                                       random.between(-3, 3)};
                batch.chunks.push_back({coord, make_blob(random.next())});
                chunks[coord] = batch.chunks.back().blob;
            }
            for (std::uint32_t n = random.below(4); n > 0; --n) {
                const std::uint64_t id = 1 + random.below(40);
                batch.bodies.push_back(make_body(id, tick));
                bodies[id] = tick;
            }
            if (const std::uint64_t gone = 1 + random.below(40); bodies.erase(gone) > 0) {
                batch.removed_bodies.push_back(gone);
            }
            while (!store->submit(batch)) {
                store->drain();
            }
        }
        store->drain();
        CHECK(store->stats().durable_tick == tick);
    }
    const auto store = open_store(folder);
    CHECK(store->last_tick() == tick);
    for (const auto& [coord, blob] : chunks) {
        CHECK(loaded(*store, coord) == blob);
    }
    const std::vector<StoredBody> stored = store->load_bodies();
    REQUIRE(stored.size() == bodies.size());
    auto expected = bodies.begin();
    for (const StoredBody& body : stored) {
        CHECK(is_same(body, make_body(expected->first, expected->second)));
        ++expected;
    }
}

TEST_CASE("store: a removed body stays away, and one batch may add what another removed") {
    const ScratchFolder folder;
    const auto store = open_store(folder);
    StoreBatch first = batch_of(1);
    first.bodies = {make_body(1, 1), make_body(2, 2)};
    StoreBatch second = batch_of(2);
    second.removed_bodies = {1, 99};
    CHECK(store->submit(first));
    CHECK(store->submit(second));
    store->drain();
    REQUIRE(store->load_bodies().size() == 1);
    CHECK(store->load_bodies()[0].id == 2);
}

TEST_CASE("store: a grown chunk is written only where no row is, an edit replaces it") {
    const ScratchFolder folder;
    const ChunkCoord edited{1, 2, 3};
    const ChunkCoord fresh{4, 5, 6};
    const std::unique_ptr<Store> store = open_store(folder);
    StoreBatch batch;
    batch.tick = 1;
    batch.chunks = {{edited, make_blob(1)}};
    REQUIRE(store->submit(batch));
    StoreBatch grown;
    grown.tick = 2;
    grown.grown_chunks = {{edited, make_blob(2)}, {fresh, make_blob(3)}};
    REQUIRE(store->submit(grown));
    store->drain();
    CHECK(loaded(*store, edited) == make_blob(1));
    CHECK(loaded(*store, fresh) == make_blob(3));
    batch.tick = 3;
    batch.chunks = {{fresh, make_blob(4)}};
    REQUIRE(store->submit(batch));
    store->drain();
    CHECK(loaded(*store, fresh) == make_blob(4));
}

TEST_CASE("store: a new spawn point is there after reopening, older batches keep it") {
    const ScratchFolder folder;
    {
        const std::unique_ptr<Store> store = open_store(folder);
        CHECK_FALSE(store->spawn_point());
        StoreBatch batch;
        batch.tick = 1;
        batch.spawn_point = StoredPoint{{1.5F, 2.5F, -3.5F}};
        REQUIRE(store->submit(batch));
        batch.tick = 2;
        batch.spawn_point.reset();
        REQUIRE(store->submit(batch));
        store->drain();
    }
    const std::unique_ptr<Store> store = open_store(folder);
    REQUIRE(store->spawn_point());
    CHECK(store->spawn_point()->position[2] == -3.5F);
}

TEST_CASE("store: removed props come back, the newest word on a chunk wins, damage is left out") {
    const ScratchFolder folder;
    {
        const auto store = open_store(folder);
        StoreBatch batch;
        batch.tick = 1;
        batch.props = {{{1, -1, 2}, 1}, {{-3, 0, 0}, ~std::uint64_t{0}}};
        REQUIRE(store->submit(batch));
        batch.tick = 2;
        batch.props = {{{1, -1, 2}, 0b1001}};
        REQUIRE(store->submit(batch));
    }
    {
        const auto store = open_store(folder);
        CHECK(store->load_removed_props({1, -1, 2}) == 0b1001);
        CHECK(store->load_removed_props({-3, 0, 0}) == ~std::uint64_t{0});
        CHECK(store->load_removed_props({0, 0, 0}) == 0);
        CHECK(store->stats().bad_rows == 0);
    }
    folder.sql("UPDATE chunk_props SET hash = hash + 1");
    const auto store = open_store(folder);
    CHECK(store->load_removed_props({1, -1, 2}) == 0);
    CHECK(store->stats().bad_rows == 1);
}

TEST_CASE("store: what was submitted is written by the destructor") {
    const ScratchFolder folder;
    {
        const auto store = open_store(folder);
        for (std::uint64_t tick = 1; tick <= 20; ++tick) {
            StoreBatch batch = batch_of(tick);
            batch.chunks = {{{0, 0, 0}, make_blob(tick)}};
            CHECK(store->submit(batch));
        }
    }
    const auto store = open_store(folder);
    CHECK(store->last_tick() == 20);
    CHECK(loaded(*store, {0, 0, 0}) == make_blob(20));
}

TEST_CASE("store: the queue takes 64 batches, refuses the next, and merges what waited") {
    const ScratchFolder folder;
    const auto store = open_store(folder);
    StoreBatch large = batch_of(1);
    for (std::int32_t i = 0; i < 3000; ++i) {
        large.chunks.push_back({{i, 0, 0}, make_blob(static_cast<std::uint64_t>(i))});
    }
    REQUIRE(store->submit(large));  // keeps the store thread busy while the queue fills
    while (store->stats().queued_batches > 0) {
        std::this_thread::yield();  // until the store thread has taken it
    }
    std::uint64_t tick = 1;
    std::uint32_t accepted = 0;
    while (accepted < 10000) {
        if (!store->submit(batch_of(tick + 1))) {
            break;
        }
        ++tick;
        ++accepted;
    }
    CHECK(accepted >= 64);
    CHECK(accepted < 10000);  // it was refused at some point
    store->drain();
    const StoreStats stats = store->stats();
    CHECK(stats.durable_tick == tick);
    CHECK(stats.queued_batches == 0);
    CHECK(stats.commits < 1U + accepted);  // several batches shared a transaction
    CHECK(store->submit(batch_of(tick + 1)));
}

TEST_CASE("store: many threads read while batches are written, and see whole chunks only") {
    const ScratchFolder folder;
    const auto store = open_store(folder);
    StoreBatch first = batch_of(1);
    for (std::int32_t i = 0; i < 8; ++i) {
        first.chunks.push_back({{i, 0, 0}, std::vector<std::uint8_t>(3000, 1)});
    }
    REQUIRE(store->submit(first));
    store->drain();
    std::vector<std::thread> readers;
    std::array<std::uint32_t, 3> torn{};
    for (std::size_t r = 0; r < torn.size(); ++r) {
        readers.emplace_back([&store, &torn, r] {
            for (std::int32_t i = 0; i < 400; ++i) {
                const auto blob = store->load_chunk({i % 8, 0, 0}).value_or(std::nullopt);
                const bool is_whole =
                    blob && blob->size() == 3000 &&
                    std::ranges::count(*blob, blob->front()) == static_cast<long>(blob->size());
                torn[r] += is_whole ? 0U : 1U;
            }
        });
    }
    for (std::uint64_t tick = 2; tick < 40; ++tick) {
        StoreBatch batch = batch_of(tick);
        batch.chunks.push_back({{static_cast<std::int32_t>(tick % 8), 0, 0},
                                std::vector<std::uint8_t>(3000, static_cast<std::uint8_t>(tick))});
        while (!store->submit(batch)) {
            store->drain();
        }
    }
    for (std::thread& reader : readers) {
        reader.join();
    }
    store->drain();
    CHECK(torn == std::array<std::uint32_t, 3>{});
    CHECK(store->stats().bad_rows == 0);
}

TEST_CASE("store: every opening counts, and is durable before it returns") {
    const ScratchFolder folder;
    for (std::uint64_t start = 1; start <= 3; ++start) {
        CHECK(open_store(folder)->start_count() == start);
    }
    // A refused opening is none.
    StoreVersions other;
    other.seed = 2;
    CHECK(refusal(folder, other) != "");
    CHECK(open_store(folder)->start_count() == 4);
}

TEST_CASE("store: files are WAL with synchronous = FULL, and leave one file when closed") {
    const ScratchFolder folder;
    {
        const auto store = open_store(folder);
        CHECK(store->submit(batch_of(1)));
        store->drain();
        CHECK(std::filesystem::exists(folder.file() + "-wal"));
    }
    CHECK(!std::filesystem::exists(folder.file() + "-wal"));
    CHECK(std::filesystem::file_size(folder.file()) > 0);
    CHECK(folder.sql("PRAGMA application_id") == 0x5452524e);
}

}  // namespace
}  // namespace terrane
