#include "client-stub/bots/swarm.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr Nanoseconds kConnectTimeout{10'000'000'000};
constexpr Nanoseconds kQuiet{500'000'000};  // without an operation anywhere: at rest
constexpr Nanoseconds kSettleMax{5'000'000'000};
constexpr Nanoseconds kCheckMax{20'000'000'000};
constexpr Nanoseconds kQuitMax{3'000'000'000};
/// Bots that may start in one round: a thousand at once would fill the zone's accept queue.
constexpr std::size_t kStartsPerRound = 16;

double cpu_s() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double to_s(Nanoseconds duration) {
    return std::chrono::duration<double>(duration).count();
}

Nanoseconds from_s(double seconds) {
    return Nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace

Swarm::Swarm(const SwarmConfig& config, const Clock& clock)
    : config_(config),
      clock_(&clock),
      started_(clock.now()),
      stage_started_(started_),
      cpu_started_s_(cpu_s()) {}

void Swarm::step(Nanoseconds timeout) {
    const Nanoseconds now = clock_->now();
    if (stage_ == Stage::running) {
        start_bots(now);
    }
    tick_bots(now);
    advance_stage(now);
    if (is_finished()) {
        return;
    }
    ready_.clear();
    connector_.wait(next_wake(now, timeout), ready_);
    for (const std::uint64_t bot : ready_) {
        bots_[bot]->receive(clock_->now());
    }
}

void Swarm::start_bots(Nanoseconds now) {
    std::size_t wanted = config_.bots;
    if (config_.ramp_s > 0.0) {
        const double part = to_s(now - started_) / config_.ramp_s;
        wanted = std::min<std::size_t>(
            wanted, 1 + static_cast<std::size_t>(part * static_cast<double>(config_.bots)));
    }
    wanted = std::min(wanted, bots_.size() + kStartsPerRound);
    while (bots_.size() < wanted && !is_stopping_) {
        const auto index = static_cast<std::uint32_t>(bots_.size());
        ClientSessionConfig session;
        session.name = fmt::format("bot-{:06x}-{:x}-{}", mix_bits(config_.seed) >> 40,
                                   config_.process_id & 0xFFFFFFU, index);
        session.view_chunks = config_.view_chunks;
        session.client_version = config_.client_version;
        session.replica.cache = &cache_;
        BotConfig bot;
        bot.index = index;
        bot.seed = config_.seed;
        bot.behaviour = config_.behaviour;
        bot.is_verifying = config_.is_verifying;
        bots_.push_back(
            std::make_unique<Bot>(bot, connector_.start(config_.zone, kConnectTimeout, index),
                                  std::move(session), now, record_));
        Random random(mix_bits(config_.seed) + index);
        const auto tick = static_cast<float>(bots_.back()->tick_length().count());
        due_.push({now + Nanoseconds(static_cast<std::int64_t>(random.unit() * tick)), index});
    }
}

void Swarm::tick_bots(Nanoseconds now) {
    while (!due_.empty() && due_.top().at <= now) {
        Due due = due_.top();
        due_.pop();
        Bot& bot = *bots_[due.bot];
        if (bot.is_left()) {
            continue;
        }
        bot.tick(now);
        // Late by more than a tick: the missed ones are dropped, the phase stays.
        const Nanoseconds length = bot.tick_length();
        due.at += length * ((now - due.at) / length + 1);
        due_.push(due);
    }
}

Nanoseconds Swarm::next_wake(Nanoseconds now, Nanoseconds timeout) const {
    if (stage_ == Stage::running && bots_.size() < config_.bots) {
        timeout = std::min(timeout, Nanoseconds(1'000'000));
    }
    if (!due_.empty()) {
        timeout = std::min(timeout, due_.top().at - now);
    }
    return std::max(timeout, Nanoseconds(0));
}

bool Swarm::all_bots(bool (Bot::*is_so)() const) const {
    return std::ranges::all_of(bots_, [is_so](const auto& bot) { return (*bot.*is_so)(); });
}

void Swarm::advance_stage(Nanoseconds now) {
    const Nanoseconds in_stage = now - stage_started_;
    // Nobody there, or nobody was ever let in: the rest of the ramp would fare no better.
    const bool is_hopeless =
        std::ranges::none_of(bots_, [](const auto& bot) { return bot->has_joined(); });
    const bool is_alone =
        !bots_.empty() && (bots_.size() == config_.bots || is_hopeless) && all_bots(&Bot::is_left);
    switch (stage_) {
        case Stage::running:
            if (is_stopping_ || in_stage >= from_s(config_.duration_s) || is_alone) {
                enter(config_.is_verifying && !is_alone ? Stage::settling : Stage::quitting, now);
            }
            break;
        case Stage::settling:
            if (is_at_rest(now) || in_stage >= kSettleMax) {
                enter(Stage::checking, now);
            }
            break;
        case Stage::checking:
            if (all_bots(&Bot::is_checked) || in_stage >= kCheckMax) {
                enter(Stage::quitting, now);
            }
            break;
        case Stage::quitting:
            if (all_bots(&Bot::is_left) || in_stage >= kQuitMax) {
                enter(Stage::finished, now);
            }
            break;
        case Stage::finished:
            break;
    }
}

void Swarm::enter(Stage stage, Nanoseconds now) {
    if (stage == Stage::settling) {
        ops_at_rest_ = record_.ops_applied;
        resting_since_ = now;
        for (const auto& bot : bots_) {
            bot->settle();
        }
    }
    if (stage == Stage::checking) {
        for (const auto& bot : bots_) {
            bot->check(now);
        }
    }
    if (stage == Stage::quitting) {
        run_ended_ = now;
        cpu_ended_s_ = cpu_s();
        for (const auto& bot : bots_) {
            unanswered_ += stage_ == Stage::checking && !bot->is_checked() ? 1U : 0U;
            connected_s_.push_back(bot->connected_s(now));
            bot->quit(now);
        }
    }
    stage_ = stage;
    stage_started_ = now;
}

bool Swarm::is_at_rest(Nanoseconds now) {
    if (record_.ops_applied != ops_at_rest_) {
        ops_at_rest_ = record_.ops_applied;
        resting_since_ = now;
    }
    return now - resting_since_ >= kQuiet;
}

SwarmReport Swarm::report() const {
    const bool has_ended = stage_ == Stage::quitting || stage_ == Stage::finished;
    const Nanoseconds now = has_ended ? run_ended_ : clock_->now();
    SwarmReport report;
    // Bots that were never started because somebody ended the run are no failures.
    report.bots = is_stopping_ ? static_cast<std::uint32_t>(bots_.size()) : config_.bots;
    report.duration_s = to_s(now - started_);
    report.join_ms = record_.join_ms;
    report.playable_ms = record_.playable_ms;
    report.edit_to_seen_ms = record_.sightings.delays_ms();
    report.snapshot_interval_ms = record_.snapshot_interval_ms;
    report.bots_cpu_s = (has_ended ? cpu_ended_s_ : cpu_s()) - cpu_started_s_;
    report.is_verified = config_.is_verifying;
    report.unanswered = unanswered_;
    for (std::size_t reason = 1; reason < kRejectReasons; ++reason) {
        if (record_.rejected[reason] > 0) {
            const auto name = wire::EnumNameRejectReason(static_cast<wire::RejectReason>(reason));
            report.edits_rejected[name] = record_.rejected[reason];
        }
    }
    for (std::size_t i = 0; i < bots_.size(); ++i) {
        const Bot& bot = *bots_[i];
        const SessionCounters& counters = bot.session().counters();
        report.edits_sent += counters.edits_sent;
        report.edits_applied += counters.edits_applied;
        report.joined += bot.has_joined() ? 1U : 0U;
        report.dropped += bot.is_dropped() ? 1U : 0U;
        if ((bot.is_dropped() || !bot.has_joined()) && report.first_failure.empty()) {
            report.first_failure = fmt::format(
                "{}: {}", bot.session().name(),
                bot.is_left() ? bot.session().leave_text() : "no answer from the zone yet");
        }
        if (const Replica* replica = bot.session().replica()) {
            report.chunks_received += replica->counters().chunks_received;
            report.divergences += replica->counters().divergences();
            report.hashes_compared +=
                replica->counters().hashes_equal + replica->counters().hashes_unequal;
        }
        const double connected_s = has_ended ? connected_s_[i] : bot.connected_s(now);
        if (connected_s > 0.0) {
            report.bytes_in_per_s.add(static_cast<double>(counters.bytes_in) / connected_s);
            report.bytes_out_per_s.add(static_cast<double>(counters.bytes_out) / connected_s);
        }
    }
    if (report.joined < report.bots && report.first_failure.empty()) {
        report.first_failure = "the run ended before they were started";
    }
    return report;
}

std::string Swarm::progress() const {
    std::size_t here = 0;
    std::uint64_t applied = 0;
    std::uint64_t divergences = 0;
    for (const auto& bot : bots_) {
        const Replica* replica = bot->session().replica();
        here += replica != nullptr && !bot->is_left() ? 1U : 0U;
        applied += bot->session().counters().edits_applied;
        divergences += replica != nullptr ? replica->counters().divergences() : 0;
    }
    return fmt::format("{:.0f} s  {} of {} bots  {} edits applied  {} divergences",
                       to_s(clock_->now() - started_), here, config_.bots, applied, divergences);
}

}  // namespace terrane
