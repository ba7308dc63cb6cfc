// Rot in the file and failing writes, with the real file and the real disk calls.
#include <atomic>
#include <csignal>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/store/row_codec.h"
#include "server/store/store.h"
#include "tests/server/store/scratch_folder.h"

namespace terrane {
namespace {

StoreBatch some_rows(std::uint64_t tick) {
    StoreBatch batch;
    batch.tick = tick;
    batch.chunks = {{{0, 0, 0}, make_blob(1)}, {{1, 0, 0}, make_blob(2)}};
    batch.players = {make_player("ada", 1), make_player("bob", 2)};
    batch.bodies = {make_body(1, 1), make_body(2, 2)};
    return batch;
}

void fill(const ScratchFolder& folder) {
    const auto store = open_store(folder);
    REQUIRE(store->submit(some_rows(1)));
    store->drain();
}

TEST_CASE("store: a flipped byte in a blob is found, counted, and the row is not served") {
    const ScratchFolder folder;
    fill(folder);
    const std::string whole = read_bytes(folder.file());
    const std::vector<std::uint8_t> blob = make_blob(1);
    const std::size_t at = whole.find(std::string(blob.begin(), blob.begin() + 64));
    REQUIRE(at != std::string::npos);
    for (const std::size_t offset : {std::size_t{0}, std::size_t{17}, std::size_t{63}}) {
        std::string rotten = whole;
        rotten[at + offset] = static_cast<char>(rotten[at + offset] ^ 0x10);
        std::ofstream(folder.file(), std::ios::binary | std::ios::trunc) << rotten;
        const auto store = open_store(folder);
        CHECK(!store->load_chunk({0, 0, 0}).has_value());
        CHECK(loaded(*store, {5, 0, 0}) == std::nullopt);  // absent is no error
        CHECK(store->stats().bad_rows == 1);
        CHECK(loaded(*store, {1, 0, 0}) == make_blob(2));  // others are served
        CHECK(store->stats().bad_rows == 1);
    }
}

TEST_CASE("store: cut, grown, swapped and reformatted rows are found out") {
    const ScratchFolder folder;
    fill(folder);
    const std::string first = std::to_string(chunk_key({0, 0, 0}));
    const std::string second = std::to_string(chunk_key({1, 0, 0}));
    folder.sql("UPDATE chunks SET blob = substr(blob, 1, 10) WHERE key = " + first);
    CHECK(!open_store(folder)->load_chunk({0, 0, 0}).has_value());
    // Both rows are sound, each under the other's key.
    folder.sql(
        "UPDATE chunks SET (length, hash, blob) = (SELECT length, hash, blob FROM chunks "
        "WHERE key = " +
        second + ") WHERE key = " + first);
    CHECK(!open_store(folder)->load_chunk({0, 0, 0}).has_value());
    folder.sql("UPDATE players SET record = zeroblob(37) WHERE name = 'ada'");
    folder.sql("UPDATE bodies SET hash = hash + 1 WHERE id = 1");
    const auto store = open_store(folder);
    CHECK(!store->load_player("ada"));
    CHECK(store->load_player("bob"));
    REQUIRE(store->load_bodies().size() == 1);
    CHECK(store->load_bodies()[0].id == 2);
    CHECK(store->stats().bad_rows == 3);  // ada, and body 1 twice
}

TEST_CASE("store: a row with a true checksum and another format is left out") {
    const ScratchFolder folder;
    fill(folder);
    const std::vector<std::uint8_t> record = {9, 9, 9};
    const std::string hash = std::to_string(checksum(StoreTable::players, "ada", record));
    folder.sql("UPDATE players SET record = x'090909', length = 3, hash = " + hash +
               " WHERE name = 'ada'");
    const auto store = open_store(folder);
    CHECK(!store->load_player("ada"));
    CHECK(store->stats().bad_rows == 1);
}

TEST_CASE("store: a damaged chunk's row is kept aside before it is replaced, once, as it was") {
    const ScratchFolder folder;
    fill(folder);
    const std::string key = std::to_string(chunk_key({0, 0, 0}));
    const std::int64_t hash = folder.sql("SELECT hash FROM chunks WHERE key = " + key);
    folder.sql("UPDATE chunks SET blob = substr(blob, 1, 10) WHERE key = " + key);
    {
        const auto store = open_store(folder);
        CHECK(!store->load_chunk({0, 0, 0}).has_value());
        CHECK(store->stats().chunks_kept_aside == 0);
        for (std::uint64_t tick = 5; tick < 8; ++tick) {
            StoreBatch batch;
            batch.tick = tick;
            batch.chunks = {{{0, 0, 0}, make_blob(tick)}, {{1, 0, 0}, make_blob(tick)}};
            CHECK(store->submit(batch));
        }
        store->drain();
        CHECK(loaded(*store, {0, 0, 0}) == make_blob(7));
        CHECK(store->stats().chunks_kept_aside == 1);
    }
    CHECK(folder.sql("SELECT count(*) FROM damaged_chunks") == 1);
    CHECK(folder.sql("SELECT count(*) FROM damaged_chunks WHERE x = 0 AND y = 0 AND z = 0 AND "
                     "tick = 5 AND hash = " +
                     std::to_string(hash) + " AND length = " + std::to_string(make_blob(1).size()) +
                     " AND length(blob) = 10") == 1);
}

TEST_CASE("store: a whole row that its reader cannot use is kept aside with negative coordinates") {
    const ScratchFolder folder;
    const ChunkCoord coord{-3, -1, 2};
    const auto store = open_store(folder);
    StoreBatch batch;
    batch.tick = 1;
    batch.chunks = {{coord, make_blob(1)}};
    CHECK(store->submit(batch));
    store->drain();
    store->report_damaged_chunk(coord, "a brick of kind 9");
    CHECK(store->stats().bad_rows == 1);
    batch.tick = 2;
    batch.chunks = {{coord, make_blob(2)}};
    CHECK(store->submit(batch));
    store->drain();
    CHECK(store->stats().chunks_kept_aside == 1);
    CHECK(folder.sql("SELECT count(*) FROM damaged_chunks WHERE x = -3 AND y = -1 AND z = 2 AND "
                     "length = " +
                     std::to_string(make_blob(1).size())) == 1);
}

TEST_CASE("store: a file that cannot be read stops the store, and nothing is written over it") {
    const ScratchFolder folder;
    fill(folder);
    const std::string whole = read_bytes(folder.file());
    {
        const auto store = open_store(folder);
        REQUIRE(truncate(folder.file().c_str(), 4096) == 0);
        CHECK(!store->load_chunk({0, 0, 0}).has_value());
        const StoreStats stats = store->stats();
        CHECK(stats.has_failed);
        CHECK(stats.failure.find("chunk 0 0 0 cannot be read: ") != std::string::npos);
        CHECK(stats.failure.ends_with("; the zone must stop"));
        CHECK(stats.bad_rows == 0);
        CHECK(!store->submit(some_rows(2)));
        store->drain();
        CHECK(store->stats().durable_tick == 1);
    }
    std::ofstream(folder.file(), std::ios::binary | std::ios::trunc) << whole;
    std::filesystem::remove(folder.file() + "-wal");
    const auto store = open_store(folder);
    CHECK(loaded(*store, {0, 0, 0}) == make_blob(1));
    CHECK(store->last_tick() == 1);
}

/// The system's own file calls, but for reads that fail when told to.
std::atomic<int> failing_reads = 0;
sqlite3_vfs* real_vfs = nullptr;
sqlite3_io_methods real_methods;
sqlite3_io_methods stumbling_methods;

int open_stumbling(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    const int code = real_vfs->xOpen(real_vfs, name, file, flags, out_flags);
    if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB) != 0) {
        real_methods = *file->pMethods;
        stumbling_methods = real_methods;
        stumbling_methods.xRead = [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
            return failing_reads > 0 && failing_reads-- > 0 ? SQLITE_IOERR_READ
                                                            : real_methods.xRead(f, to, size, at);
        };
        file->pMethods = &stumbling_methods;
    }
    return code;
}

TEST_CASE("store: a read that fails three times is served at the fourth attempt, not the fifth") {
    const ScratchFolder folder;
    fill(folder);
    real_vfs = sqlite3_vfs_find(nullptr);
    sqlite3_vfs stumbling = *real_vfs;
    stumbling.zName = "stumbling";
    stumbling.xOpen = open_stumbling;
    REQUIRE(sqlite3_vfs_register(&stumbling, 1) == SQLITE_OK);
    {
        const auto store = open_store(folder);
        failing_reads = 3;
        CHECK(loaded(*store, {0, 0, 0}) == make_blob(1));
        CHECK(failing_reads == 0);
        CHECK(!store->stats().has_failed);
    }
    {
        const auto store = open_store(folder);
        failing_reads = 4;
        CHECK(!store->load_chunk({0, 0, 0}).has_value());
        CHECK(failing_reads == 0);
        CHECK(store->stats().failure.find("disk I/O error") != std::string::npos);
    }
    sqlite3_vfs_register(real_vfs, 1);
    sqlite3_vfs_unregister(&stumbling);
}

TEST_CASE("store: a player or bodies that cannot be read stop the store too") {
    for (const bool is_player : {true, false}) {
        const ScratchFolder folder;
        fill(folder);
        const auto store = open_store(folder);
        REQUIRE(truncate(folder.file().c_str(), 4096) == 0);
        if (is_player) {
            CHECK(!store->load_player("ada"));
        } else {
            CHECK(store->load_bodies().empty());
        }
        CHECK(store->stats().has_failed);
    }
}

/// Body of a child process: may write no file beyond `bytes`. Exit code 0: the store did as told.
int write_until_the_disk_refuses(const std::string& folder, rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    auto store = Store::open(folder, {});
    if (!store) {
        return 10;
    }
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (std::uint64_t tick = 2; tick < 500; ++tick) {
        StoreBatch batch;
        batch.tick = tick;
        batch.chunks = {
            {{0, 0, 0}, std::vector<std::uint8_t>(4000, static_cast<std::uint8_t>(tick))},
            {{1, 0, 0}, std::vector<std::uint8_t>(4000, static_cast<std::uint8_t>(tick))}};
        const bool is_taken = (*store)->submit(batch);
        (*store)->drain();
        const StoreStats stats = (*store)->stats();
        if (stats.has_failed) {
            const bool is_right = stats.durable_tick == tick - 1 && !stats.failure.empty() &&
                                  is_taken && !(*store)->submit(batch);
            return is_right ? 0 : 11;
        }
        if (!is_taken || stats.durable_tick != tick) {
            return 12;
        }
    }
    return 13;
}

TEST_CASE("store: a write that the disk refuses stops the store; what was durable is there") {
    const ScratchFolder folder;
    fill(folder);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        _exit(write_until_the_disk_refuses(folder.path, 400 * 1024));
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    const auto store = open_store(folder);
    const std::uint64_t tick = store->last_tick();
    CHECK(tick > 2);
    const std::vector<std::uint8_t> expected(4000, static_cast<std::uint8_t>(tick));
    CHECK(loaded(*store, {0, 0, 0}) == expected);
    CHECK(loaded(*store, {1, 0, 0}) == expected);
}

}  // namespace
}  // namespace terrane
