#include "server/app/chunk_loader.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "shared/core/assert.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

/// Chunks that may be looked at in a tick whether they are still kept.
constexpr std::size_t kReleasesPerTick = 512;
/// Chunks that went, at either level.
constexpr std::size_t kTrimAfter = 512;

template <typename T>
void sort_by_coord(std::vector<T>& items) {
    std::ranges::sort(items, {}, &T::coord);
}

}  // namespace

ChunkLoader::ChunkLoader(WorkerPool& workers, ChunkSource source, ChunkArchive& archive,
                         const ChunkLoaderConfig& config)
    : workers_(&workers),
      source_(std::move(source)),
      archive_(&archive),
      config_(config),
      tickets_(config.bounds, config.tickets),
      mailbox_(std::make_shared<Mailbox>()) {}

std::optional<ChunkCommand> ChunkLoader::load_now(const ChunkCoord& coord) {
    Record& record = records_[coord];
    if (!contains(config_.bounds, coord) || record.stage > Stage::viewed) {
        return std::nullopt;
    }
    if (record.stage == Stage::fetching) {
        --fetching_count_;  // overtaken
    }
    ChunkCommand command;
    command.coord = coord;
    if (record.stage == Stage::viewed) {
        command.chunk = *decode_chunk(archive_->blob(coord).bytes, config_.material_count);
    } else {
        std::optional<FetchedChunk> fetched = source_(coord, true);
        archive_->put(coord, fetched->archived);
        command.chunk = std::move(fetched->chunk);
        ++stats_.fetched;
    }
    const std::span<const PropPlacement> props = archive_->props(coord);
    command.props.assign(props.begin(), props.end());
    record.stage = Stage::simulated;
    record.is_unstored = false;
    ++simulated_count_;
    ++stats_.arrived;
    queue_release(coord, record);
    return command;
}

void ChunkLoader::take_finished(std::vector<Command>& commands) {
    Finished finished;
    {
        const std::lock_guard lock(mailbox_->mutex);
        std::swap(finished, mailbox_->finished);
    }
    sort_by_coord(finished.fetched);
    sort_by_coord(finished.decoded);
    sort_by_coord(finished.encoded);
    for (const Encoded& encoded : finished.encoded) {
        take_encoded(encoded);
    }
    for (Decoded& decoded : finished.decoded) {
        --decoding_count_;
        moving_in_.push_back(std::move(decoded));
    }
    for (Fetched& fetched : finished.fetched) {
        take_fetched(fetched);
    }
    move_out(commands);
    move_in(commands);
}

void ChunkLoader::run(const VoxelGrid& grid, std::uint64_t tick, std::span<const Aabb> wishes,
                      std::optional<std::uint64_t> durable_tick) {
    tick_ = tick;
    take_changes(wishes);
    start_fetches();
    start_moves();
    release_due(grid, durable_tick);
    start_encodings(grid);
    trim_memory();
}

ChunkLoaderStats ChunkLoader::stats() const {
    ChunkLoaderStats stats = stats_;
    stats.viewed = archive_->count();
    stats.simulated = simulated_count_;
    stats.in_flight = fetching_count_ + decoding_count_ + encoding_.size() + moving_in_.size();
    stats.waiting = tickets_.waiting_count() + to_fetch_.size() + to_move_.size();
    stats.unstored = static_cast<std::size_t>(std::count_if(
        records_.begin(), records_.end(), [](const auto& it) { return it.second.is_unstored; }));
    return stats;
}

ChunkLoader::Record* ChunkLoader::find(const ChunkCoord& coord) {
    const auto found = records_.find(coord);
    return found == records_.end() ? nullptr : &found->second;
}

void ChunkLoader::take_fetched(Fetched& fetched) {
    Record* record = find(fetched.coord);
    if (record == nullptr || record->stage != Stage::fetching ||
        record->fetch_number != fetched.number) {
        return;  // load_now was quicker; what it brought may be newer
    }
    --fetching_count_;
    if (!fetched.chunk) {
        record->stage = Stage::absent;
        record->is_unstored = true;
        if (tickets_.is_view_wanted(fetched.coord)) {
            to_fetch_.push_back(fetched.coord);  // a player came while only a body wanted it
        }
        queue_release(fetched.coord, *record);
        return;
    }
    archive_->put(fetched.coord, fetched.chunk->archived);
    ++stats_.fetched;
    if (tickets_.is_simulation_wanted(fetched.coord, tick_)) {
        record->stage = Stage::moving;
        moving_in_.push_back({fetched.coord, std::move(fetched.chunk->chunk)});
        return;
    }
    record->stage = Stage::viewed;
    if (!tickets_.is_view_kept(fetched.coord, tick_)) {
        queue_release(fetched.coord, *record);
    }
}

void ChunkLoader::take_encoded(const Encoded& encoded) {
    encoding_.erase(encoded.coord);
    Record* record = find(encoded.coord);
    if (record == nullptr || !archive_->has(encoded.coord)) {
        return;
    }
    archive_->encoded(encoded.coord, encoded.revision, encoded.blob, encoded.hash);
    if (record->stage == Stage::leaving) {
        moving_out_.push_back(encoded.coord);
    }
}

/// The archive and the grid are at the same revision now: edits of this tick come later.
void ChunkLoader::move_out(std::vector<Command>& commands) {
    for (const ChunkCoord& coord : moving_out_) {
        Record& record = records_.at(coord);
        --leaving_count_;
        if (tickets_.is_simulation_kept(coord, tick_) || !archive_->is_exact(coord)) {
            record.stage = Stage::simulated;
        } else {
            commands.emplace_back(ChunkLeaveCommand{coord});
            record.stage = Stage::viewed;
            --simulated_count_;
            ++stats_.left;
            ++freed_count_;
        }
        queue_release(coord, record);
    }
    moving_out_.clear();
}

void ChunkLoader::move_in(std::vector<Command>& commands) {
    for (std::uint32_t moved = 0; moved < config_.moves_max && !moving_in_.empty();) {
        Decoded next = std::move(moving_in_.front());
        moving_in_.pop_front();
        Record& record = records_.at(next.coord);
        queue_release(next.coord, record);
        if (!tickets_.is_simulation_kept(next.coord, tick_)) {
            record.stage = Stage::viewed;
            continue;
        }
        const std::span<const PropPlacement> props = archive_->props(next.coord);
        commands.emplace_back(
            ChunkCommand{next.coord, std::move(next.chunk), {props.begin(), props.end()}});
        record.stage = Stage::simulated;
        ++simulated_count_;
        ++stats_.arrived;
        ++moved;
    }
}

void ChunkLoader::want_simulated(const ChunkCoord& coord, Record& record) {
    if (record.stage == Stage::viewed && !record.is_move_queued) {
        record.is_move_queued = true;
        to_move_.push_back(coord);
    }
}

void ChunkLoader::take_changes(std::span<const Aabb> wishes) {
    wished_.clear();
    tickets_.wish(wishes, tick_, wished_);
    for (const ChunkCoord& coord : wished_) {
        Record& record = records_[coord];
        want_simulated(coord, record);
        if (record.stage == Stage::absent && !record.is_unstored &&
            fetching_count_ < config_.fetches_max) {
            fetch(coord, record, tickets_.is_view_wanted(coord));
        }
        queue_release(coord, record);
    }
    for (const ChunkCoord& coord : tickets_.gained()) {
        Record& record = records_[coord];
        want_simulated(coord, record);
        if (record.stage == Stage::absent) {
            to_fetch_.push_back(coord);
        }
    }
    for (const ChunkCoord& coord : tickets_.lost()) {
        Record& record = records_[coord];
        record.lost_tick = tick_;
        queue_release(coord, record);
    }
    tickets_.clear_changes();
}

void ChunkLoader::start_fetches() {
    const auto ask = [this](const ChunkCoord& coord) {
        Record& record = records_[coord];
        if (record.stage != Stage::absent) {
            return true;  // if a body's fetch finds nothing, take_fetched asks again
        }
        if (fetching_count_ + moving_in_.size() >= config_.fetches_max) {
            return false;
        }
        fetch(coord, record, true);
        return true;
    };
    while (!to_fetch_.empty()) {
        const ChunkCoord coord = to_fetch_.front();
        if (tickets_.is_view_wanted(coord) && !ask(coord)) {
            return;
        }
        to_fetch_.pop_front();
    }
    tickets_.walk(ask);
}

void ChunkLoader::start_moves() {
    while (!to_move_.empty() && decoding_count_ + moving_in_.size() < config_.moves_max) {
        const ChunkCoord coord = to_move_.front();
        to_move_.pop_front();
        Record* record = find(coord);
        if (record == nullptr) {
            continue;
        }
        record->is_move_queued = false;
        if (record->stage == Stage::viewed && tickets_.is_simulation_wanted(coord, tick_)) {
            record->stage = Stage::moving;
            decode(coord);
        }
    }
}

void ChunkLoader::start_encodings(const VoxelGrid& grid) {
    for (const ChunkCoord& coord : archive_->take_overgrown()) {
        const Chunk* chunk = grid.find(coord);
        if (chunk != nullptr && !encoding_.contains(coord)) {
            encode(coord, *chunk);
        }
    }
}

void ChunkLoader::release_due(const VoxelGrid& grid, std::optional<std::uint64_t> durable_tick) {
    for (std::size_t i = 0; i < kReleasesPerTick; ++i) {
        if (releases_.empty() || releases_.front().due_tick > tick_ ||
            leaving_count_ >= config_.moves_max) {
            return;  // whoever is not looked at now is in the next tick
        }
        const ChunkCoord coord = releases_.front().coord;
        releases_.pop_front();
        Record* record = find(coord);
        TERRANE_ASSERT(record != nullptr && record->is_in_releases);
        record->is_in_releases = false;
        const bool is_recent = tick_ < record->lost_tick + config_.tickets.linger_ticks;
        if (is_recent || release(coord, *record, grid, durable_tick)) {
            queue_release(coord, *record);
            continue;
        }
        tickets_.forget_idle(coord, tick_);
        if (record->stage == Stage::absent) {
            records_.erase(coord);
        }
    }
}

bool ChunkLoader::release(const ChunkCoord& coord, Record& record, const VoxelGrid& grid,
                          std::optional<std::uint64_t> durable_tick) {
    switch (record.stage) {
        case Stage::absent:
            return tickets_.is_wished(coord, tick_);
        case Stage::viewed:
            if (tickets_.is_view_kept(coord, tick_)) {
                return tickets_.is_wished(coord, tick_);
            }
            return !drop(coord, record, durable_tick) && durable_tick;
        case Stage::simulated:
            if (tickets_.is_simulation_kept(coord, tick_)) {
                return tickets_.is_wished(coord, tick_);
            }
            start_leaving(coord, record, grid);
            return false;
        case Stage::fetching:
        case Stage::moving:
        case Stage::leaving:
            break;
    }
    return true;
}

void ChunkLoader::start_leaving(const ChunkCoord& coord, Record& record, const VoxelGrid& grid) {
    ++leaving_count_;
    record.stage = Stage::leaving;
    if (encoding_.contains(coord)) {
        return;  // goes on when that is done
    }
    if (archive_->is_exact(coord)) {
        moving_out_.push_back(coord);
    } else {
        const Chunk* chunk = grid.find(coord);
        TERRANE_ASSERT(chunk != nullptr);
        encode(coord, *chunk);
    }
}

/// The allocator keeps what many chunks have left, until it is told. On a worker: it takes a while.
void ChunkLoader::trim_memory() {
    if (freed_count_ >= kTrimAfter && releases_.size() < kTrimAfter / 8) {
        freed_count_ = 0;
#ifdef __GLIBC__
        workers_->post([] { malloc_trim(0); });
#endif
    }
}

/// false: its last change is not durable yet.
bool ChunkLoader::drop(const ChunkCoord& coord, Record& record,
                       std::optional<std::uint64_t> durable_tick) {
    const std::uint64_t changed_tick = archive_->changed_tick(coord);
    if (changed_tick > durable_tick.value_or(0)) {
        return false;
    }
    archive_->drop(coord);
    record.stage = Stage::absent;
    record.is_unstored = false;
    ++stats_.dropped;
    ++freed_count_;
    return true;
}

void ChunkLoader::queue_release(const ChunkCoord& coord, Record& record) {
    if (!record.is_in_releases) {
        record.is_in_releases = true;
        releases_.push_back({coord, tick_ + config_.tickets.linger_ticks});
    }
}

void ChunkLoader::fetch(const ChunkCoord& coord, Record& record, bool may_generate) {
    record.stage = Stage::fetching;
    record.is_unstored = false;
    record.fetch_number = ++last_fetch_number_;
    ++fetching_count_;
    workers_->post(
        [source = source_, mailbox = mailbox_, coord, number = record.fetch_number, may_generate] {
            Fetched fetched{coord, number, source(coord, may_generate)};
            const std::lock_guard lock(mailbox->mutex);
            mailbox->finished.fetched.push_back(std::move(fetched));
        });
}

void ChunkLoader::decode(const ChunkCoord& coord) {
    ++decoding_count_;
    workers_->post([mailbox = mailbox_, coord, blob = archive_->blob(coord),
                    material_count = config_.material_count] {
        Result<Chunk> chunk = decode_chunk(blob.bytes, material_count);
        TERRANE_ASSERT(chunk.has_value());  // encoded or decoded here before
        const std::lock_guard lock(mailbox->mutex);
        mailbox->finished.decoded.push_back({coord, std::move(*chunk)});
    });
}

void ChunkLoader::encode(const ChunkCoord& coord, const Chunk& chunk) {
    encoding_.insert(coord);
    workers_->post([mailbox = mailbox_, coord, chunk] {
        Encoded encoded{coord, chunk.revision, encode_chunk(chunk), hash_chunk(chunk)};
        const std::lock_guard lock(mailbox->mutex);
        mailbox->finished.encoded.push_back(std::move(encoded));
    });
}

}  // namespace terrane
