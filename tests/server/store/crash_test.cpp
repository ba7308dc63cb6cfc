// kill -9 under write load. A child process writes batches whose content follows from their tick
// and reports every durable tick through a pipe; the parent kills it after a seeded number of
// reports and looks at what is left: a prefix of what was submitted, at least up to the last tick
// reported durable, every batch whole.
#include <csignal>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/store/store.h"
#include "tests/server/store/scratch_folder.h"

namespace terrane {
namespace {

constexpr std::uint64_t kChunkCount = 16;
constexpr std::uint64_t kBodyCount = 8;

/// The batch of `tick` rewrites three chunks, one player and two bodies, and removes one body.
StoreBatch batch_of(std::uint64_t tick) {
    StoreBatch batch;
    batch.tick = tick;
    for (std::uint64_t i = 0; i < 3; ++i) {
        const auto x = static_cast<std::int32_t>((tick * 5 + i) % kChunkCount);
        batch.chunks.push_back({{x, 0, 0}, make_blob(tick * 3 + i)});
    }
    batch.players = {make_player("ada", tick)};
    for (std::uint64_t i = 0; i < 2; ++i) {
        batch.bodies.push_back(make_body((tick + i) % kBodyCount, tick));
    }
    batch.removed_bodies = {(tick + 4) % kBodyCount};
    return batch;
}

[[noreturn]] void write_for_ever(const std::string& folder, int reports) {
    const auto store = Store::open(folder, {});
    if (!store) {
        _exit(1);
    }
    std::uint64_t reported = (*store)->last_tick();
    for (std::uint64_t tick = reported + 1;; ++tick) {
        while (!(*store)->submit(batch_of(tick))) {
            (*store)->drain();
        }
        const std::uint64_t durable = (*store)->stats().durable_tick;
        if (durable > reported) {
            reported = durable;
            if (write(reports, &reported, sizeof(reported)) != sizeof(reported)) {
                _exit(2);
            }
        }
    }
}

/// Kills the child after `report_count` reports; returns the last tick it reported durable.
std::uint64_t write_and_kill(const std::string& folder, std::uint32_t report_count) {
    int reports[2];
    REQUIRE(pipe(reports) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        close(reports[0]);
        write_for_ever(folder, reports[1]);
    }
    close(reports[1]);
    std::uint64_t durable = 0;
    for (std::uint32_t i = 0; i < report_count; ++i) {
        REQUIRE(read(reports[0], &durable, sizeof(durable)) == sizeof(durable));
    }
    kill(child, SIGKILL);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    // What it still managed to report before it died counts as told.
    std::uint64_t late = 0;
    while (read(reports[0], &late, sizeof(late)) == sizeof(late)) {
        durable = late;
    }
    close(reports[0]);
    return durable;
}

/// What every tick up to `last` makes, one after the other.
struct Expected {
    std::array<std::vector<std::uint8_t>, kChunkCount> chunks;
    std::array<std::uint64_t, kBodyCount> bodies{};  ///< tick of its last write, 0: not there

    void apply(std::uint64_t tick) {
        const StoreBatch batch = batch_of(tick);
        for (const StoredChunk& chunk : batch.chunks) {
            chunks[static_cast<std::size_t>(chunk.coord.x)] = chunk.blob;
        }
        for (const StoredBody& body : batch.bodies) {
            bodies[body.id] = tick;
        }
        for (const std::uint64_t id : batch.removed_bodies) {
            bodies[id] = 0;
        }
    }
};

void check_prefix(Store& store, const Expected& expected, std::uint64_t last) {
    for (std::uint64_t i = 0; i < kChunkCount; ++i) {
        const auto blob = store.load_chunk({static_cast<std::int32_t>(i), 0, 0});
        REQUIRE(blob);
        CHECK(blob->value_or(std::vector<std::uint8_t>{}) == expected.chunks[i]);
    }
    std::vector<StoredBody> bodies;
    for (std::uint64_t id = 0; id < kBodyCount; ++id) {
        if (expected.bodies[id] != 0) {
            bodies.push_back(make_body(id, expected.bodies[id]));
        }
    }
    const std::vector<StoredBody> stored = store.load_bodies();
    REQUIRE(stored.size() == bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        CHECK(is_same(stored[i], bodies[i]));
    }
    const auto player = store.load_player("ada");
    REQUIRE(player);
    CHECK(is_same(*player, make_player("ada", last)));
    CHECK(store.stats().bad_rows == 0);
}

TEST_CASE("D1 store: 100 kills under load lose nothing durable and leave a whole prefix") {
    const ScratchFolder folder;
    Random random(1);
    Expected expected;
    std::uint64_t applied = 0;
    for (std::uint64_t kill_count = 1; kill_count <= 100; ++kill_count) {
        CAPTURE(kill_count);
        const std::uint64_t durable = write_and_kill(folder.path, 1 + random.below(12));
        const auto store = open_store(folder);
        const std::uint64_t last = store->last_tick();
        CHECK(last >= durable);
        while (applied < last) {
            expected.apply(++applied);
        }
        check_prefix(*store, expected, last);
        CHECK(store->start_count() == kill_count * 2);
    }
    MESSAGE("100 kills, " << applied << " ticks durable, 0 lost");
}

}  // namespace
}  // namespace terrane
