#include "server/app/tick_clock.h"

namespace terrane {

TickClock::TickClock(Clock& clock, std::uint32_t rate_hz)
    : clock_(&clock), period_(Nanoseconds(1'000'000'000) / rate_hz), due_(clock.now() + period_) {}

std::int64_t TickClock::wait() {
    clock_->sleep_until(due_);
    const std::int64_t behind = (clock_->now() - due_) / period_;
    std::int64_t dropped = 0;
    if (behind > kCatchUpTicksMax) {
        dropped = behind - kCatchUpTicksMax;
        due_ += dropped * period_;
    }
    due_ += period_;
    return dropped;
}

}  // namespace terrane
