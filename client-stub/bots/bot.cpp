#include "client-stub/bots/bot.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr std::size_t kSentTimesMax = 1024;
constexpr Nanoseconds kTickBeforeWelcome{50'000'000};

double to_ms(Nanoseconds duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

Bot::Bot(const BotConfig& config, std::unique_ptr<ByteStream> stream, ClientSessionConfig session,
         Nanoseconds now, SwarmRecord& record)
    : config_(config),
      record_(&record),
      started_(now),
      session_(std::move(stream), std::move(session), now),
      behaviour_(config.behaviour, mix_bits(config.seed + config.index)) {}

void Bot::receive(Nanoseconds now) {
    if (is_left()) {
        return;
    }
    measure(session_.receive(now), now);
    if (is_left()) {
        ended_ = now;
    }
}

void Bot::measure(const SessionEvents& events, Nanoseconds now) {
    if (events.is_welcomed) {
        welcomed_ = now;
        record_->join_ms.add(to_ms(now - started_));
        // The first sweeps of a thousand bots are spread over a whole period.
        Random random(config_.seed ^ mix_bits(config_.index));
        next_sweep_ = now + Nanoseconds(static_cast<std::int64_t>(
                                random.unit() * static_cast<float>(config_.verify_period.count())));
    }
    if (events.states > 0) {
        if (last_state_ != Nanoseconds(0)) {
            record_->snapshot_interval_ms.add(to_ms(now - last_state_) / events.states);
        }
        last_state_ = now;
    }
    if (!is_playable_ && (events.states > 0 || !events.arrived_chunks.empty()) && is_playable()) {
        is_playable_ = true;
        record_->playable_ms.add(to_ms(now - started_));
    }
    for (const OwnEdit& own : events.own_edits) {
        const bool is_known = !sent_edits_.empty() && own.id >= sent_edits_.front().id &&
                              own.id <= sent_edits_.back().id;
        if (is_known && own.revision != 0) {
            record_->sightings.claim(config_.index, own.chunk, own.revision,
                                     sent_edits_[own.id - sent_edits_.front().id].at);
        }
    }
    for (const ChunkCoord& chunk : events.arrived_chunks) {
        held_since_[chunk] = now;
    }
    for (const AppliedOp& applied : events.ops) {
        record_->sightings.see(config_.index, applied.chunk, applied.revision, now,
                               held_since_[applied.chunk]);
    }
    record_->ops_applied += events.ops.size();
    for (const RefusedOwnEdit& refused : events.refused_edits) {
        ++record_->rejected[static_cast<std::size_t>(refused.reason)];
    }
}

/// The chunks that touch the player's are here, as far as the view allows.
bool Bot::is_playable() const {
    const Replica* replica = session_.replica();
    if (replica == nullptr || !replica->has_state()) {
        return false;
    }
    const ChunkCoord centre = chunk_of(voxel_at(replica->own().position));
    const int view = replica->zone().view_chunks;
    for (int y = -1; y <= 1; ++y) {
        for (int z = -1; z <= 1; ++z) {
            for (int x = -1; x <= 1; ++x) {
                const ChunkCoord c = centre + ChunkCoord{x, y, z};
                if (x * x + y * y + z * z <= view * view && contains(replica->zone().bounds, c) &&
                    !replica->grid().is_loaded(c)) {
                    return false;
                }
            }
        }
    }
    return true;
}

void Bot::tick(Nanoseconds now) {
    if (is_left()) {
        return;
    }
    if (session_.state() != ClientSessionState::playing) {
        receive(now);
        return;
    }
    const Intent intent = behaviour_.think(*session_.replica(), can_edit_);
    std::uint32_t id = session_.tick(intent.controls, intent.edits);
    for (std::size_t i = 0; i < intent.edits.size(); ++i) {
        sent_edits_.push_back({id++, now});
        if (sent_edits_.size() > kSentTimesMax) {
            sent_edits_.pop_front();
        }
    }
    if (config_.is_verifying) {
        if (can_edit_ && now >= next_sweep_ && sweep_next_ >= sweep_.size()) {
            start_sweep(now);
        }
        continue_sweep(now);
    }
}

void Bot::start_sweep(Nanoseconds now) {
    sweep_ = session_.replica()->grid().sorted_coords();
    sweep_next_ = 0;
    next_sweep_ = now + config_.verify_period;
}

/// One request at a time: the next leaves when the last is answered.
void Bot::continue_sweep(Nanoseconds now) {
    const SessionCounters& counters = session_.counters();
    if (sweep_next_ >= sweep_.size() || now < next_batch_ ||
        counters.hash_answers < counters.hash_requests) {
        return;
    }
    const std::size_t count = std::min(kHashRequestChunksMax, sweep_.size() - sweep_next_);
    session_.request_hashes(std::span(sweep_).subspan(sweep_next_, count));
    sweep_next_ += count;
    next_batch_ = now + kHashRequestGap;
}

void Bot::check(Nanoseconds now) {
    if (session_.state() == ClientSessionState::playing) {
        start_sweep(now);
    }
}

bool Bot::is_checked() const {
    if (session_.state() != ClientSessionState::playing) {
        return true;
    }
    const SessionCounters& counters = session_.counters();
    return sweep_next_ >= sweep_.size() && counters.hash_answers >= counters.hash_requests &&
           session_.replica()->hashes_waiting() == 0;
}

void Bot::quit(Nanoseconds now) {
    if (is_left()) {
        return;
    }
    has_quit_ = true;
    session_.quit(now);
    if (is_left()) {
        ended_ = now;
    }
}

Nanoseconds Bot::tick_length() const {
    const Replica* replica = session_.replica();
    return replica == nullptr ? kTickBeforeWelcome
                              : Nanoseconds(1'000'000'000) / replica->zone().tick_rate_hz;
}

double Bot::connected_s(Nanoseconds now) const {
    if (!has_joined()) {
        return 0.0;
    }
    return std::chrono::duration<double>((is_left() ? ended_ : now) - welcomed_).count();
}

}  // namespace terrane
