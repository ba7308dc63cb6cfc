#include "shared/core/clock.h"

#include <doctest/doctest.h>

namespace terrane {
namespace {

using namespace std::chrono_literals;

TEST_CASE("clock: virtual time stands still until it is moved, and never goes back") {
    VirtualClock clock;
    CHECK(clock.now() == 0ns);
    clock.sleep_until(50ms);
    CHECK(clock.now() == 50ms);
    clock.sleep_until(20ms);
    CHECK(clock.now() == 50ms);
}

TEST_CASE("clock: steady time never goes back and reaches its deadline") {
    SteadyClock clock;
    Nanoseconds last = clock.now();
    for (int i = 0; i < 1000; ++i) {
        const Nanoseconds now = clock.now();
        CHECK(now >= last);
        last = now;
    }
    const Nanoseconds deadline = clock.now() + 1ms;
    clock.sleep_until(deadline);
    CHECK(clock.now() >= deadline);
    clock.sleep_until(deadline - 1h);  // in the past: returns
}

}  // namespace
}  // namespace terrane
