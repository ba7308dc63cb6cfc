// Rot in the file and failing writes, with the real file and the real disk calls.
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
        CHECK(!store->load_chunk({0, 0, 0}));
        CHECK(store->stats().bad_rows == 1);
        CHECK(store->load_chunk({1, 0, 0}) == make_blob(2));  // others are served
        CHECK(store->stats().bad_rows == 1);
    }
}

TEST_CASE("store: cut, grown, swapped and reformatted rows are found out") {
    const ScratchFolder folder;
    fill(folder);
    const std::string first = std::to_string(chunk_key({0, 0, 0}));
    const std::string second = std::to_string(chunk_key({1, 0, 0}));
    folder.sql("UPDATE chunks SET blob = substr(blob, 1, 10) WHERE key = " + first);
    CHECK(!open_store(folder)->load_chunk({0, 0, 0}));
    // Both rows are sound, each under the other's key.
    folder.sql(
        "UPDATE chunks SET (length, hash, blob) = (SELECT length, hash, blob FROM chunks "
        "WHERE key = " +
        second + ") WHERE key = " + first);
    CHECK(!open_store(folder)->load_chunk({0, 0, 0}));
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
    CHECK(store->load_chunk({0, 0, 0}) == expected);
    CHECK(store->load_chunk({1, 0, 0}) == expected);
}

}  // namespace
}  // namespace terrane
