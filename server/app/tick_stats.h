// How long ticks and their phases took: the last minute of ticks, and counts since the start.
// Owner: Zone. Thread: tick.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "shared/core/clock.h"

namespace terrane {

enum class TickPhase : std::uint8_t {
    receive,
    decode,
    apply,
    edit,
    terrain,
    motion,
    scene,
    rules,
    replicate,
    send,
    store
};
inline constexpr std::size_t kTickPhaseCount = 11;
const char* name_of(TickPhase phase);

struct Percentiles {
    double p50_ms = 0.0;
    double p99_ms = 0.0;
    double max_ms = 0.0;
};

class TickStats {
  public:
    explicit TickStats(std::uint32_t rate_hz);

    void start_tick(Nanoseconds now);
    /// Time since the last call (or start_tick) belongs to `phase`.
    void finish_phase(TickPhase phase, Nanoseconds now);
    void finish_tick(Nanoseconds now);
    void count_dropped(std::int64_t ticks) { dropped_ += static_cast<std::uint64_t>(ticks); }

    std::uint64_t ticks() const { return ticks_; }
    std::uint64_t late() const { return late_; }        ///< took longer than a tick
    std::uint64_t dropped() const { return dropped_; }  ///< never run, after a stall
    /// Of whole ticks in the last minute.
    Percentiles tick_times() const;
    /// Mean a tick since the start, milliseconds.
    double phase_mean_ms(TickPhase phase) const;

  private:
    Nanoseconds period_;
    Nanoseconds tick_start_{0};
    Nanoseconds phase_start_{0};
    std::array<Nanoseconds, kTickPhaseCount> phase_total_{};
    std::vector<Nanoseconds> recent_;  ///< ring
    std::size_t recent_max_;
    std::uint64_t ticks_ = 0;
    std::uint64_t late_ = 0;
    std::uint64_t dropped_ = 0;
};

/// One line of JSON: ticks, ticks_late, ticks_dropped, tick_ms{}, phase_ms{}.
std::string to_json(const TickStats& stats);

}  // namespace terrane
