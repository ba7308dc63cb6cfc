#include "client-stub/bots/edit_sightings.h"

#include <doctest/doctest.h>

namespace terrane {
namespace {

using namespace std::chrono_literals;

constexpr ChunkCoord kChunk{1, 2, 3};

TEST_CASE("edit_sightings: every other bot gives one delay, whoever hears first") {
    EditSightings sightings;
    sightings.see(1, kChunk, 5, 130ms, 0s);  // before the sender knows
    CHECK(sightings.delays_ms().count() == 0);
    sightings.claim(0, kChunk, 5, 100ms);
    CHECK(sightings.delays_ms().count() == 1);
    sightings.see(2, kChunk, 5, 160ms, 0s);
    CHECK(sightings.delays_ms().count() == 2);
    CHECK(sightings.delays_ms().max() == doctest::Approx(60.0));
    CHECK(sightings.delays_ms().percentile(50) == doctest::Approx(30.0).epsilon(0.01));
}

TEST_CASE("edit_sightings: the sender's own replica does not count") {
    EditSightings sightings;
    sightings.see(0, kChunk, 5, 130ms, 0s);
    sightings.claim(0, kChunk, 5, 100ms);
    sightings.see(0, kChunk, 5, 140ms, 0s);
    CHECK(sightings.delays_ms().count() == 0);
}

TEST_CASE("edit_sightings: operations that came with the chunk are history, not news") {
    EditSightings sightings;
    sightings.see(1, kChunk, 5, 900ms, 850ms);  // before the claim
    sightings.claim(0, kChunk, 5, 100ms);
    sightings.see(2, kChunk, 5, 900ms, 101ms);
    CHECK(sightings.delays_ms().count() == 0);
    sightings.see(3, kChunk, 5, 130ms, 100ms);  // had it when the edit was sent
    CHECK(sightings.delays_ms().count() == 1);
    CHECK(sightings.delays_ms().max() == doctest::Approx(30.0));
}

TEST_CASE("edit_sightings: chunk and revision both name the edit") {
    EditSightings sightings;
    sightings.claim(0, kChunk, 5, 100ms);
    sightings.see(1, kChunk, 6, 130ms, 0s);
    sightings.see(1, {1, 2, 4}, 5, 130ms, 0s);
    CHECK(sightings.delays_ms().count() == 0);
}

TEST_CASE("edit_sightings: what nobody claims is forgotten by time and by number") {
    EditSightings sightings;
    sightings.see(1, kChunk, 1, 0s, 0s);
    sightings.see(1, kChunk, 2, kSightingLifetime + 1s, 0s);
    CHECK(sightings.remembered() == 1);
    for (std::uint32_t revision = 0; revision < kSightingsMax + 100; ++revision) {
        sightings.see(1, {7, 7, 7}, revision, kSightingLifetime + 1s, 0s);
    }
    CHECK(sightings.remembered() == kSightingsMax);
}

}  // namespace
}  // namespace terrane
