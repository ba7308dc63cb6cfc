#include "client-stub/bots/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

TEST_CASE("histogram: percentiles are within 1 % of a sorted list's") {
    for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL, 4ULL}) {
        CAPTURE(seed);
        Random random(seed);
        Histogram histogram;
        std::vector<double> all;
        const std::uint32_t count = 1 + random.below(3000);
        for (std::uint32_t i = 0; i < count; ++i) {
            // Five decades, as delays and byte rates are.
            const double value = std::pow(10.0, static_cast<double>(random.range(-2.0F, 3.0F)));
            histogram.add(value);
            all.push_back(value);
        }
        std::ranges::sort(all);
        for (const double percent : {0.0, 1.0, 50.0, 90.0, 99.0, 100.0}) {
            CAPTURE(percent);
            const double rank = std::ceil(percent / 100.0 * count);
            const double exact = all[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
            CHECK(histogram.percentile(percent) >= exact * (1.0 - 1e-12));
            CHECK(histogram.percentile(percent) <= exact * 1.01);
        }
        CHECK(histogram.max() == all.back());
        CHECK(histogram.count() == count);
    }
}

TEST_CASE("histogram: nothing, zero and values beyond its range are safe") {
    Histogram histogram;
    CHECK(histogram.percentile(99) == 0.0);
    CHECK(histogram.max() == 0.0);
    histogram.add(0.0);
    histogram.add(-5.0);
    histogram.add(std::nan(""));
    CHECK(histogram.percentile(50) == 0.0);
    CHECK(histogram.count() == 3);
    histogram.add(1e30);
    CHECK(histogram.max() == 1e30);
    CHECK(histogram.percentile(50) == doctest::Approx(kHistogramMin).epsilon(0.01));
    histogram.add(std::numeric_limits<double>::infinity());
    CHECK(std::isinf(histogram.max()));
}

TEST_CASE("histogram: merging is adding everything to one") {
    Random random(9);
    Histogram all;
    Histogram left;
    Histogram right;
    for (int i = 0; i < 1000; ++i) {
        const auto value = static_cast<double>(random.range(0.0F, 500.0F));
        all.add(value);
        (i % 3 == 0 ? left : right).add(value);
    }
    left.merge(right);
    left.merge(Histogram());
    Histogram empty;
    empty.merge(left);
    for (const double percent : {10.0, 50.0, 99.0}) {
        CHECK(left.percentile(percent) == all.percentile(percent));
        CHECK(empty.percentile(percent) == all.percentile(percent));
    }
    CHECK(left.count() == 1000);
    CHECK(left.max() == all.max());
}

}  // namespace
}  // namespace terrane
