#include "shared/core/random.h"

#include <array>
#include <bit>
#include <limits>
#include <set>

#include <doctest/doctest.h>

namespace terrane {
namespace {

TEST_CASE("random: the sequence of a seed is pinned, stores and replays depend on it") {
    // SplitMix64's published first outputs for seed 1234567.
    Random random(1234567);
    constexpr std::array<std::uint64_t, 5> golden = {6457827717110365317ULL, 3203168211198807973ULL,
                                                     9817491932198370423ULL, 4593380528125082431ULL,
                                                     16408922859458223821ULL};
    for (const std::uint64_t expected : golden) {
        CHECK(random.next() == expected);
    }
}

TEST_CASE("random: below and between reach both ends and nothing beyond") {
    Random random(2);
    std::array<int, 7> counts{};
    for (int i = 0; i < 7000; ++i) {
        ++counts.at(random.below(7));
    }
    for (const int count : counts) {
        CHECK(count > 850);  // of 1000; five standard deviations
        CHECK(count < 1150);
    }
    std::set<std::int32_t> seen;
    for (int i = 0; i < 1000; ++i) {
        seen.insert(random.between(-3, 3));
    }
    CHECK(seen == std::set<std::int32_t>{-3, -2, -1, 0, 1, 2, 3});
    CHECK(random.below(1) == 0);
    CHECK(random.between(5, 5) == 5);
}

TEST_CASE("random: unit and range stay below their upper end") {
    Random random(3);
    for (int i = 0; i < 100000; ++i) {
        const float unit = random.unit();
        CHECK(unit >= 0.0F);
        CHECK(unit < 1.0F);
    }
    CHECK(random.range(2.0F, 3.0F) >= 2.0F);
}

TEST_CASE("random: mix_bits spreads every single bit over the word") {
    for (int bit = 0; bit < 64; ++bit) {
        int changed = 0;
        for (std::uint64_t x = 1; x <= 64; ++x) {
            const std::uint64_t key = x * 0x9e3779b97f4a7c15ULL;
            changed += std::popcount(mix_bits(key) ^ mix_bits(key ^ (1ULL << bit)));
        }
        CAPTURE(bit);
        CHECK(changed > 64 * 24);  // about half of 64 bits
        CHECK(changed < 64 * 40);
    }
}

}  // namespace
}  // namespace terrane
