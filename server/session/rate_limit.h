// A token bucket on the zone's ticks, in integers: each tick adds `per_second` parts, one use costs
// `tick_rate_hz` parts, and at most `burst` uses are saved. So every replay of the same ticks
// allows the same.
#pragma once

#include <algorithm>
#include <cstdint>

namespace terrane {

struct Rate {
    std::uint32_t per_second = 0;
    std::uint32_t burst = 0;
};

class TokenBucket {
  public:
    /// Full at `tick`.
    TokenBucket(const Rate& rate, std::uint32_t tick_rate_hz, std::uint32_t tick)
        : per_tick_(rate.per_second),
          cost_(tick_rate_hz),
          parts_max_(std::uint64_t{rate.burst} * tick_rate_hz),
          parts_(parts_max_),
          tick_(tick) {}

    /// Takes `count` uses, or none and returns false. Ticks must not go back.
    bool take(std::uint32_t tick, std::uint64_t count = 1) {
        parts_ = std::min(parts_max_, parts_ + std::uint64_t{tick - tick_} * per_tick_);
        tick_ = tick;
        const std::uint64_t wanted = count * cost_;
        if (wanted > parts_) {
            return false;
        }
        parts_ -= wanted;
        return true;
    }

  private:
    std::uint64_t per_tick_;
    std::uint64_t cost_;
    std::uint64_t parts_max_;
    std::uint64_t parts_;
    std::uint32_t tick_;
};

}  // namespace terrane
