#include "shared/core/clock.h"

#include <thread>

namespace terrane {

Nanoseconds SteadyClock::now() const {
    return std::chrono::steady_clock::now().time_since_epoch();
}

void SteadyClock::sleep_until(Nanoseconds deadline) {
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(deadline));
}

}  // namespace terrane
