#include "server/app/tick_stats.h"

#include <algorithm>

#include <fmt/format.h>

#include "shared/core/assert.h"

namespace terrane {
namespace {

double to_ms(Nanoseconds time) {
    return static_cast<double>(time.count()) * 1e-6;
}

}  // namespace

const char* name_of(TickPhase phase) {
    static constexpr std::array<const char*, kTickPhaseCount> kNames{
        "receive", "decode", "apply",     "edit", "terrain", "motion",
        "scene",   "rules",  "replicate", "send", "store"};
    const auto index = static_cast<std::size_t>(phase);
    TERRANE_ASSERT(index < kNames.size());
    return kNames[index];
}

TickStats::TickStats(std::uint32_t rate_hz)
    : period_(Nanoseconds(1'000'000'000) / rate_hz), recent_max_(rate_hz * 60U) {
    recent_.reserve(recent_max_);
}

void TickStats::start_tick(Nanoseconds now) {
    tick_start_ = now;
    phase_start_ = now;
}

void TickStats::finish_phase(TickPhase phase, Nanoseconds now) {
    phase_total_[static_cast<std::size_t>(phase)] += now - phase_start_;
    phase_start_ = now;
}

void TickStats::finish_tick(Nanoseconds now) {
    const Nanoseconds took = now - tick_start_;
    if (recent_.size() < recent_max_) {
        recent_.push_back(took);
    } else {
        recent_[ticks_ % recent_max_] = took;
    }
    ++ticks_;
    late_ += took > period_ ? 1U : 0U;
}

Percentiles TickStats::tick_times() const {
    if (recent_.empty()) {
        return {};
    }
    std::vector<Nanoseconds> sorted = recent_;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](std::size_t percent) {
        return to_ms(sorted[(sorted.size() - 1) * percent / 100]);
    };
    return {at(50), at(99), to_ms(sorted.back())};
}

double TickStats::phase_mean_ms(TickPhase phase) const {
    return ticks_ == 0
               ? 0.0
               : to_ms(phase_total_[static_cast<std::size_t>(phase)]) / static_cast<double>(ticks_);
}

std::string to_json(const TickStats& stats) {
    const Percentiles times = stats.tick_times();
    std::string phases;
    for (std::size_t i = 0; i < kTickPhaseCount; ++i) {
        const auto phase = static_cast<TickPhase>(i);
        phases += fmt::format("{}\"{}\":{:.4f}", i == 0 ? "" : ",", name_of(phase),
                              stats.phase_mean_ms(phase));
    }
    return fmt::format(
        "{{\"ticks\":{},\"ticks_late\":{},\"ticks_dropped\":{},"
        "\"tick_ms\":{{\"p50\":{:.3f},\"p99\":{:.3f},\"max\":{:.3f}}},\"phase_ms\":{{{}}}}}",
        stats.ticks(), stats.late(), stats.dropped(), times.p50_ms, times.p99_ms, times.max_ms,
        phases);
}

}  // namespace terrane
