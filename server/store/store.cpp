#include "server/store/store.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "server/store/folder_lock.h"
#include "server/store/store_file.h"
#include "shared/core/assert.h"
#include "shared/core/log.h"

namespace terrane {
namespace {

constexpr std::size_t kQueuedBatchesMax = 64;

std::int64_t to_sql(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}
std::uint64_t from_sql(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

/// The statements that a transaction is made of.
struct WriteStatements {
    Statement put_chunk;
    Statement put_player;
    Statement put_body;
    Statement remove_body;
    Statement put_meta;
    Statement begin;
    Statement commit;
};

struct ReadStatements {
    Statement chunk;
    Statement player;
    Statement bodies;
};

Result<WriteStatements> prepare_writes(Database& database) {
    auto put_chunk = database.prepare(
        "INSERT OR REPLACE INTO chunks(key, length, hash, blob) VALUES(?, ?, ?, ?)");
    auto put_player = database.prepare(
        "INSERT OR REPLACE INTO players(name, length, hash, record) VALUES(?, ?, ?, ?)");
    auto put_body = database.prepare(
        "INSERT OR REPLACE INTO bodies(id, length, hash, record) VALUES(?, ?, ?, ?)");
    auto remove_body = database.prepare("DELETE FROM bodies WHERE id = ?");
    auto put_meta = database.prepare(
        "INSERT OR REPLACE INTO meta(id, length, hash, record) VALUES(?, ?, ?, ?)");
    auto begin = database.prepare("BEGIN IMMEDIATE");
    auto commit = database.prepare("COMMIT");
    if (!put_chunk || !put_player || !put_body || !remove_body || !put_meta || !begin || !commit) {
        return fail("{}", database.last_error());
    }
    return WriteStatements{std::move(*put_chunk),   std::move(*put_player), std::move(*put_body),
                           std::move(*remove_body), std::move(*put_meta),   std::move(*begin),
                           std::move(*commit)};
}

Result<ReadStatements> prepare_reads(Database& database) {
    auto chunk = database.prepare("SELECT length, hash, blob FROM chunks WHERE key = ?");
    auto player = database.prepare("SELECT length, hash, record FROM players WHERE name = ?");
    auto bodies = database.prepare("SELECT length, hash, record, id FROM bodies");
    if (!chunk || !player || !bodies) {
        return fail("{}", database.last_error());
    }
    return ReadStatements{std::move(*chunk), std::move(*player), std::move(*bodies)};
}

/// Binds key, length, checksum and bytes, runs, resets.
template <typename Key>
Result<void> put_row(Statement& statement, StoreTable table, const Key& key,
                     std::span<const std::uint8_t> bytes) {
    const StatementUse use(statement);
    if constexpr (std::is_same_v<Key, std::string>) {
        use->bind(std::string_view(key));
    } else {
        use->bind(to_sql(key));
    }
    use->bind(static_cast<std::int64_t>(bytes.size()))
        .bind(checksum(table, key, bytes))
        .bind(bytes);
    const Result<bool> done = use->step();
    return done ? Result<void>() : Result<void>(std::unexpected(done.error()));
}

Result<void> run(Statement& statement) {
    const StatementUse use(statement);
    const Result<bool> done = use->step();
    return done ? Result<void>() : Result<void>(std::unexpected(done.error()));
}

Result<void> put_batch(WriteStatements& write, const StoreBatch& batch) {
    for (const StoredChunk& chunk : batch.chunks) {
        const std::uint64_t key = from_sql(chunk_key(chunk.coord));
        if (auto put = put_row(write.put_chunk, StoreTable::chunks, key, chunk.blob); !put) {
            return put;
        }
    }
    for (const StoredPlayer& player : batch.players) {
        if (auto put =
                put_row(write.put_player, StoreTable::players, player.name, encode_player(player));
            !put) {
            return put;
        }
    }
    for (const StoredBody& body : batch.bodies) {
        if (auto put = put_row(write.put_body, StoreTable::bodies, body.id, encode_body(body));
            !put) {
            return put;
        }
    }
    for (const std::uint64_t id : batch.removed_bodies) {
        write.remove_body.bind(to_sql(id));
        if (auto removed = run(write.remove_body); !removed) {
            return removed;
        }
    }
    return {};
}

}  // namespace

struct Store::State {
    FolderLock lock;
    std::string file;
    StoreMeta meta;  ///< at opening; afterwards the store thread's
    std::uint64_t opened_tick = 0;
    std::uint64_t opened_next_entity = 0;
    std::uint64_t opened_start_count = 0;

    Database writer;  ///< store thread
    WriteStatements write;

    std::mutex read_mutex;
    Database reader;
    ReadStatements read;

    mutable std::mutex mutex;  ///< queue, stats, flags
    std::condition_variable wake;
    std::condition_variable idle;
    std::deque<StoreBatch> queue;
    StoreStats stats;
    bool is_writing = false;
    bool is_stopping = false;

    std::thread thread;  ///< last: it uses all of the above

    /// A row's bytes if length and checksum fit; else counted, logged and not there.
    template <typename Key>
    std::optional<std::vector<std::uint8_t>> take_row(const Statement& row, StoreTable table,
                                                      const Key& key, const std::string& what);
    void note_bad_row(const std::string& what, const std::string& why);
    void work();
    Result<void> write_batches(const std::deque<StoreBatch>& batches);
    void fail_for_good(const std::string& why);
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

/// Store thread: whatever waits becomes one transaction.
void Store::State::work() {
    std::unique_lock guard(mutex);
    while (true) {
        wake.wait(guard, [this] { return is_stopping || !queue.empty(); });
        if (queue.empty() || stats.has_failed) {
            return;
        }
        std::deque<StoreBatch> batches = std::exchange(queue, {});
        stats.queued_batches = 0;
        is_writing = true;
        guard.unlock();
        const Result<void> written = write_batches(batches);
        guard.lock();
        is_writing = false;
        if (!written) {
            fail_for_good(written.error().message);
            return;
        }
        stats.durable_tick = batches.back().tick;
        ++stats.commits;
        idle.notify_all();
    }
}

Result<void> Store::State::write_batches(const std::deque<StoreBatch>& batches) {
    StoreMeta next = meta;
    next.last_tick = batches.back().tick;
    for (const StoreBatch& batch : batches) {
        next.next_entity = std::max(next.next_entity, batch.next_entity);
    }
    Result<void> done = run(write.begin);
    for (const StoreBatch& batch : batches) {
        done = done ? put_batch(write, batch) : done;
    }
    done = done ? put_row(write.put_meta, StoreTable::meta, std::uint64_t{1}, encode_meta(next))
                : done;
    done = done ? run(write.commit) : done;
    if (done) {
        meta = next;
    }
    return done;
}

/// A COMMIT that failed may still come true at the next opening: nothing is known, so nothing more
/// is written and nothing is taken back. Holds the mutex.
void Store::State::fail_for_good(const std::string& why) {
    stats.has_failed = true;
    stats.failure = fmt::format("{}: cannot be written: {}; the zone must stop", file, why);
    queue.clear();
    stats.queued_batches = 0;
    writer.leave_files_alone();
    log_error("{}", stats.failure);
    idle.notify_all();
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
                                                  .opened_next_entity = opened->meta.next_entity,
                                                  .opened_start_count = opened->meta.start_count,
                                                  .writer = std::move(opened->writer),
                                                  .write = std::move(*write),
                                                  .read_mutex = {},
                                                  .reader = std::move(*reader),
                                                  .read = std::move(*read),
                                                  .mutex = {},
                                                  .wake = {},
                                                  .idle = {},
                                                  .queue = {},
                                                  .stats = {},
                                                  .thread = {}});
    state->stats.durable_tick = opened->meta.last_tick;
    return std::unique_ptr<Store>(new Store(std::move(state)));
}

std::uint64_t Store::next_entity() const {
    return state_->opened_next_entity;
}
std::uint64_t Store::last_tick() const {
    return state_->opened_tick;
}
std::uint64_t Store::start_count() const {
    return state_->opened_start_count;
}

std::optional<std::vector<std::uint8_t>> Store::load_chunk(const ChunkCoord& coord) const {
    const std::string what = fmt::format("chunk {} {} {}", coord.x, coord.y, coord.z);
    const std::int64_t key = chunk_key(coord);
    const std::lock_guard guard(state_->read_mutex);
    const StatementUse use(state_->read.chunk);
    use->bind(key);
    const Result<bool> row = use->step();
    if (!row) {
        state_->note_bad_row(what, row.error().message);
        return std::nullopt;
    }
    return *row ? state_->take_row(state_->read.chunk, StoreTable::chunks, from_sql(key), what)
                : std::nullopt;
}

std::optional<StoredPlayer> Store::load_player(const std::string& name) const {
    const std::string what = fmt::format("player '{}'", name);
    const std::lock_guard guard(state_->read_mutex);
    const StatementUse use(state_->read.player);
    use->bind(std::string_view(name));
    const Result<bool> row = use->step();
    if (!row) {
        state_->note_bad_row(what, row.error().message);
        return std::nullopt;
    }
    if (!*row) {
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
            state_->note_bad_row("the table of bodies", row.error().message);
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
    state_->idle.wait(guard, [this] {
        return state_->stats.has_failed || (state_->queue.empty() && !state_->is_writing);
    });
}

StoreStats Store::stats() const {
    const std::lock_guard guard(state_->mutex);
    return state_->stats;
}

}  // namespace terrane
