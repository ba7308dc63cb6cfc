#include "shared/scene/bit_set.h"

#include <set>

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

TEST_CASE("C4 bit_set: scans equal an ordered set on random bits") {
    const std::uint64_t seed = 61;
    CAPTURE(seed);
    Random random(seed);
    BitSet bits;
    std::set<std::size_t> slow;
    CHECK(bits.first_from(0) == BitSet::kNone);
    CHECK(bits.last_from_word_of(0) == BitSet::kNone);
    bits.resize(1000);
    for (int round = 0; round < 5000; ++round) {
        const std::size_t i = random.below(1000);
        if (random.below(3) != 0) {
            bits.clear(i);
            slow.erase(i);
        } else {
            bits.set(i);
            slow.insert(i);
        }
        REQUIRE(bits.count() == slow.size());
        REQUIRE(bits.test(i) == slow.contains(i));
        const std::size_t from = random.below(1000);
        const auto next = slow.lower_bound(from);
        REQUIRE(bits.first_from(from) == (next == slow.end() ? BitSet::kNone : *next));
        const auto after = slow.lower_bound((from / 64 + 1) * 64);
        REQUIRE(bits.last_from_word_of(from) ==
                (after == slow.begin() ? BitSet::kNone : *std::prev(after)));
    }
}

}  // namespace
}  // namespace terrane
