#include "shared/config/nearest_word.h"

#include <array>
#include <string>

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr std::array<std::string_view, 4> kWords = {"tick.rate_hz", "listen.port",
                                                    "motion.walk_mps", "motion.swim_mps"};

TEST_CASE("nearest_word: one letter missing, added, changed or swapped finds the word") {
    CHECK(nearest_word("tick.rat_hz", kWords) == "tick.rate_hz");
    CHECK(nearest_word("listen.portt", kWords) == "listen.port");
    CHECK(nearest_word("motion.walk_mpx", kWords) == "motion.walk_mps");
    CHECK(nearest_word("motion.wsim_mps", kWords) == "motion.swim_mps");
}

TEST_CASE("nearest_word: a swap counts as one error, not two") {
    constexpr std::array<std::string_view, 2> words = {"abxx", "acbd"};
    // "abcd" -> "acbd" is one swap; -> "abxx" is two replacements.
    CHECK(nearest_word("abcd", words) == "acbd");
}

TEST_CASE("nearest_word: up to two random errors in a long word are undone") {
    Random random(7);
    for (int round = 0; round < 500; ++round) {
        const std::string_view truth = kWords[random.below(kWords.size())];
        std::string typed(truth);
        for (int error = 0; error < 2; ++error) {
            const std::size_t at = random.below(static_cast<std::uint32_t>(typed.size()));
            if (random.below(2) == 0) {
                typed.erase(at, 1);
            } else {
                typed.insert(at, 1, 'q');
            }
        }
        CAPTURE(round);
        CAPTURE(typed);
        CHECK(nearest_word(typed, kWords) == truth);
    }
}

TEST_CASE("nearest_word: no words, no letters and a megabyte are safe") {
    CHECK(nearest_word("x", {}).empty());
    CHECK(nearest_word("", kWords) == "listen.port");  // the shortest
    CHECK(!nearest_word(std::string(1U << 20, 'a'), kWords).empty());
}

}  // namespace
}  // namespace terrane
