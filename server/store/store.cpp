#include "server/store/store.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "server/store/folder_lock.h"
#include "server/store/statements.h"
#include "server/store/store_file.h"
#include "shared/core/assert.h"
#include "shared/core/log.h"

namespace terrane {
namespace {

constexpr std::size_t kQueuedBatchesMax = 64;
/// A read that fails may be a disk that stumbled; one that fails this often is not.
constexpr int kReadAttempts = 4;
constexpr std::chrono::milliseconds kBetweenReads{10};

std::string name_of(const ChunkCoord& coord) {
    return fmt::format("chunk {} {} {}", coord.x, coord.y, coord.z);
}

}  // namespace

struct Store::State {
    FolderLock lock;
    std::string file;
    StoreMeta meta;  ///< at opening; afterwards the store thread's
    std::uint64_t opened_tick = 0;
    std::uint64_t opened_start_count = 0;
    std::optional<StoredPoint> opened_spawn_point;

    Database writer;  ///< store thread
    WriteStatements write;

    std::mutex read_mutex;  ///< taken before `mutex`
    Database reader;
    ReadStatements read;

    mutable std::mutex mutex;  ///< queue, stats, flags
    std::condition_variable wake;
    std::condition_variable idle;
    std::deque<StoreBatch> queue;
    std::set<ChunkCoord> damaged;  ///< chunks whose rows were found damaged and are still there
    StoreStats stats;
    bool is_writing = false;
    bool is_stopping = false;

    std::thread thread;  ///< last: it uses all of the above

    /// A row's bytes if length and checksum fit; else counted, logged and not there.
    template <typename Key>
    std::optional<std::vector<std::uint8_t>> take_row(const Statement& row, StoreTable table,
                                                      const Key& key, const std::string& what);
    /// Looks up the row of `key`. A read that fails is tried again, then the store has failed.
    template <typename Key>
    Result<bool> step_first(Statement& statement, const std::string& what, const Key& key);
    void note_bad_row(const std::string& what, const std::string& why);
    void note_damaged_chunk(const ChunkCoord& coord);
    void work();
    Result<void> write_batches(const std::deque<StoreBatch>& batches, std::set<ChunkCoord>& rotten);
    void fail_writing(const std::string& why);
    void fail_reading(const std::string& what, const std::string& why);
};

void Store::State::note_bad_row(const std::string& what, const std::string& why) {
    {
        const std::lock_guard guard(mutex);
        ++stats.bad_rows;
    }
    log_error("{}: {} is damaged and left out: {}", file, what, why);
}

template <typename Key>
std::optional<std::vector<std::uint8_t>> Store::State::take_row(const Statement& row,
                                                                StoreTable table, const Key& key,
                                                                const std::string& what) {
    const std::span<const std::uint8_t> bytes = row.blob(2);
    if (row.integer(0) != static_cast<std::int64_t>(bytes.size())) {
        note_bad_row(what, fmt::format("{} bytes, not {}", bytes.size(), row.integer(0)));
        return std::nullopt;
    }
    if (row.integer(1) != checksum(table, key, bytes)) {
        note_bad_row(what, "its checksum differs");
        return std::nullopt;
    }
    return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
}

void Store::State::note_damaged_chunk(const ChunkCoord& coord) {
    const std::lock_guard guard(mutex);
    damaged.insert(coord);
}

template <typename Key>
Result<bool> Store::State::step_first(Statement& statement, const std::string& what,
                                      const Key& key) {
    Result<bool> row = statement.bind(key).step();
    for (int attempt = 1; !row && attempt < kReadAttempts; ++attempt) {
        std::this_thread::sleep_for(kBetweenReads);
        statement.reset();
        row = statement.bind(key).step();
    }
    if (!row) {
        fail_reading(what, row.error().message);
    }
    return row;
}

/// Store thread: whatever waits becomes one transaction.
void Store::State::work() {
    std::unique_lock guard(mutex);
    while (true) {
        wake.wait(guard, [this] { return is_stopping || !queue.empty(); });
        if (queue.empty()) {
            return;
        }
        std::deque<StoreBatch> batches = std::exchange(queue, {});
        stats.queued_batches = 0;
        is_writing = true;
        // A chunk is found damaged before anybody has it to change: these are all that matter here.
        const std::set<ChunkCoord> known = damaged;
        std::set<ChunkCoord> left = known;
        guard.unlock();
        const auto begin = std::chrono::steady_clock::now();
        const Result<void> written = write_batches(batches, left);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        guard.lock();
        is_writing = false;
        if (!written) {
            fail_writing(written.error().message);
            return;
        }
        for (const ChunkCoord& coord : known) {
            if (!left.contains(coord)) {
                damaged.erase(coord);
                ++stats.chunks_kept_aside;
                log_warn("{}: {} is replaced; its damaged row is kept in damaged_chunks", file,
                         name_of(coord));
            }
        }
        stats.durable_tick = batches.back().tick;
        ++stats.commits;
        stats.last_commit_s = took.count();
        idle.notify_all();
    }
}

Result<void> Store::State::write_batches(const std::deque<StoreBatch>& batches,
                                         std::set<ChunkCoord>& rotten) {
    StoreMeta next = meta;
    next.last_tick = batches.back().tick;
    Result<void> done = run(write.begin);
    for (const StoreBatch& batch : batches) {
        done = done ? put_batch(write, batch, rotten) : done;
        next.spawn_point = batch.spawn_point ? batch.spawn_point : next.spawn_point;
    }
    done = done ? put_meta(write, next) : done;
    done = done ? run(write.commit) : done;
    if (done) {
        meta = next;
    }
    return done;
}

/// A COMMIT that failed may still come true at the next opening: nothing is known, so nothing more
/// is written and nothing is taken back. Holds the mutex.
void Store::State::fail_writing(const std::string& why) {
    stats.has_failed = true;
    stats.failure = fmt::format("{}: cannot be written: {}; the zone must stop", file, why);
    queue.clear();
    stats.queued_batches = 0;
    writer.leave_files_alone();
    log_error("{}", stats.failure);
    idle.notify_all();
}

/// What was submitted before is still written: it knows nothing of what could not be read.
void Store::State::fail_reading(const std::string& what, const std::string& why) {
    const std::lock_guard guard(mutex);
    if (!stats.has_failed) {
        stats.has_failed = true;
        stats.failure =
            fmt::format("{}: {} cannot be read: {}; the zone must stop", file, what, why);
        log_error("{}", stats.failure);
    }
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {
    state_->thread = std::thread([state = state_.get()] { state->work(); });
}

Store::~Store() {
    {
        const std::lock_guard guard(state_->mutex);
        state_->is_stopping = true;
    }
    state_->wake.notify_all();
    state_->thread.join();
}

Result<std::unique_ptr<Store>> Store::open(const std::string& folder,
                                           const StoreVersions& versions) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder)) {
        return fail("--data {}: cannot be made a folder: {}", folder,
                    error ? error.message() : "a file has that name");
    }
    Result<FolderLock> lock = FolderLock::take(folder);
    if (!lock) {
        return std::unexpected(lock.error());
    }
    Result<StoreFile> opened = open_store_file(folder, versions);
    if (!opened) {
        return std::unexpected(opened.error());
    }
    const std::string file = folder + "/zone.db";
    Result<WriteStatements> write = prepare_writes(opened->writer);
    Result<Database> reader = Database::open(file, Database::Mode::read);
    if (!write || !reader) {
        return fail("{}: cannot be opened: {}", file,
                    write ? reader.error().message : write.error().message);
    }
    Result<ReadStatements> read = prepare_reads(*reader);
    if (!read) {
        return fail("{}: cannot be read: {}", file, read.error().message);
    }
    auto state = std::unique_ptr<State>(new State{.lock = std::move(*lock),
                                                  .file = file,
                                                  .meta = opened->meta,
                                                  .opened_tick = opened->meta.last_tick,
                                                  .opened_start_count = opened->meta.start_count,
                                                  .opened_spawn_point = opened->meta.spawn_point,
                                                  .writer = std::move(opened->writer),
                                                  .write = std::move(*write),
                                                  .read_mutex = {},
                                                  .reader = std::move(*reader),
                                                  .read = std::move(*read),
                                                  .mutex = {},
                                                  .wake = {},
                                                  .idle = {},
                                                  .queue = {},
                                                  .damaged = {},
                                                  .stats = {},
                                                  .thread = {}});
    state->stats.durable_tick = opened->meta.last_tick;
    return std::unique_ptr<Store>(new Store(std::move(state)));
}

std::uint64_t Store::last_tick() const {
    return state_->opened_tick;
}
std::uint64_t Store::start_count() const {
    return state_->opened_start_count;
}
std::optional<StoredPoint> Store::spawn_point() const {
    return state_->opened_spawn_point;
}

Result<std::optional<std::vector<std::uint8_t>>> Store::load_chunk(const ChunkCoord& coord) {
    using Blob = std::optional<std::vector<std::uint8_t>>;
    const std::string what = name_of(coord);
    const std::int64_t key = chunk_key(coord);
    const std::lock_guard guard(state_->read_mutex);
    const StatementUse use(state_->read.chunk);
    const Result<bool> row = state_->step_first(state_->read.chunk, what, key);
    if (!row) {
        return std::unexpected(row.error());
    }
    if (!*row) {
        return Blob();
    }
    Blob blob = state_->take_row(state_->read.chunk, StoreTable::chunks, from_sql(key), what);
    if (!blob) {
        state_->note_damaged_chunk(coord);
        return fail("{}: {} is damaged", state_->file, what);
    }
    return blob;
}

void Store::report_damaged_chunk(const ChunkCoord& coord, const std::string& why) {
    state_->note_bad_row(name_of(coord), why);
    state_->note_damaged_chunk(coord);
}

std::uint64_t Store::load_removed_props(const ChunkCoord& coord) const {
    const std::string what = fmt::format("the props of {}", name_of(coord));
    const std::int64_t key = chunk_key(coord);
    const std::lock_guard guard(state_->read_mutex);
    const StatementUse use(state_->read.props);
    const Result<bool> row = state_->step_first(state_->read.props, what, key);
    if (!row || !*row) {
        return 0;
    }
    const auto record =
        state_->take_row(state_->read.props, StoreTable::props, from_sql(key), what);
    if (!record) {
        return 0;
    }
    const std::optional<std::uint64_t> removed = decode_props(*record);
    if (!removed) {
        state_->note_bad_row(what, "its record has another format");
    }
    return removed.value_or(0);
}

std::optional<StoredPlayer> Store::load_player(const std::string& name) const {
    const std::string what = fmt::format("player '{}'", name);
    const std::lock_guard guard(state_->read_mutex);
    const StatementUse use(state_->read.player);
    const Result<bool> row = state_->step_first(state_->read.player, what, std::string_view(name));
    if (!row || !*row) {
        return std::nullopt;
    }
    const auto record = state_->take_row(state_->read.player, StoreTable::players, name, what);
    if (!record) {
        return std::nullopt;
    }
    std::optional<StoredPlayer> player = decode_player(name, *record);
    if (!player) {
        state_->note_bad_row(what, "its record has another format");
    }
    return player;
}

std::vector<StoredBody> Store::load_bodies() const {
    std::vector<StoredBody> bodies;
    const std::lock_guard guard(state_->read_mutex);
    const StatementUse use(state_->read.bodies);
    while (true) {
        const Result<bool> row = use->step();
        if (!row) {
            state_->fail_reading("the table of bodies", row.error().message);
            break;
        }
        if (!*row) {
            break;
        }
        const std::uint64_t id = from_sql(use->integer(3));
        const std::string what = fmt::format("body {:#x}", id);
        const auto record = state_->take_row(state_->read.bodies, StoreTable::bodies, id, what);
        if (!record) {
            continue;
        }
        if (auto body = decode_body(id, *record)) {
            bodies.push_back(std::move(*body));
        } else {
            state_->note_bad_row(what, "its record has another format");
        }
    }
    // SQL's integers are signed, ids are not.
    std::ranges::sort(bodies, {}, &StoredBody::id);
    return bodies;
}

bool Store::submit(StoreBatch batch) {
    const std::lock_guard guard(state_->mutex);
    if (state_->stats.has_failed || state_->queue.size() >= kQueuedBatchesMax) {
        return false;
    }
    state_->queue.push_back(std::move(batch));
    state_->stats.queued_batches = static_cast<std::uint32_t>(state_->queue.size());
    state_->wake.notify_one();
    return true;
}

void Store::drain() {
    std::unique_lock guard(state_->mutex);
    state_->idle.wait(guard, [this] { return state_->queue.empty() && !state_->is_writing; });
}

StoreStats Store::stats() const {
    const std::lock_guard guard(state_->mutex);
    return state_->stats;
}

}  // namespace terrane
