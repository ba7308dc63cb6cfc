#include "server/session/rate_limit.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

TEST_CASE("T29 rate_limit: the burst first, then the rate, exactly") {
    TokenBucket bucket({.per_second = 10, .burst = 20}, 20, 0);
    int taken = 0;
    while (bucket.take(0)) {
        ++taken;
    }
    CHECK(taken == 20);
    for (std::uint32_t tick = 1; tick <= 200; ++tick) {
        CHECK(bucket.take(tick) == (tick % 2 == 0));  // 10 a second at 20 Hz
    }
}

TEST_CASE("rate_limit: what is saved ends at the burst") {
    TokenBucket bucket({.per_second = 4, .burst = 8}, 20, 0);
    CHECK(bucket.take(0, 8));
    CHECK_FALSE(bucket.take(1000000, 9));
    CHECK(bucket.take(1000000, 8));
    CHECK_FALSE(bucket.take(1000000));
}

TEST_CASE("rate_limit: random uses never pass rate x time + burst, and refusals cost nothing") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Rate rate{.per_second = 1 + random.below(100), .burst = 1 + random.below(50)};
        const std::uint32_t hz = 20 + 10 * random.below(2);
        TokenBucket bucket(rate, hz, 7);
        std::uint64_t taken = 0;
        std::uint32_t tick = 7;
        for (int i = 0; i < 5000; ++i) {
            tick += random.below(3);
            const std::uint64_t count = 1 + random.below(4);
            taken += bucket.take(tick, count) ? count : 0;
            REQUIRE(taken * hz <=
                    std::uint64_t{rate.per_second} * (tick - 7) + std::uint64_t{rate.burst} * hz);
        }
        // Asked for more than there was all along: it came close to what is allowed.
        if (rate.per_second * 2 < hz * 2) {
            CHECK((taken + 4) * hz >= std::uint64_t{rate.per_second} * (tick - 7));
        }
    }
}

}  // namespace
}  // namespace terrane
