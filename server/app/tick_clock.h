// When the next tick is due. Ticks have a fixed length; after a stall at most kCatchUpTicksMax run
// back to back, then the backlog is dropped and counted: zone time falls behind, but nothing ever
// runs in fast-forward for long.
#pragma once

#include <cstdint>

#include "shared/core/clock.h"

namespace terrane {

inline constexpr std::int64_t kCatchUpTicksMax = 3;

class TickClock {
  public:
    TickClock(Clock& clock, std::uint32_t rate_hz);

    /// Sleeps until the next tick is due. Returns how many ticks of backlog were dropped, mostly 0.
    std::int64_t wait();
    Nanoseconds period() const { return period_; }

  private:
    Clock* clock_;
    Nanoseconds period_;
    Nanoseconds due_;  ///< of the next tick
};

}  // namespace terrane
