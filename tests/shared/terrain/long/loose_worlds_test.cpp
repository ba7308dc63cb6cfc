#include <doctest/doctest.h>

#include "tests/shared/terrain/loose_worlds.h"

namespace terrane {

TEST_CASE("A18 loose_pieces: what is found in a million random worlds is what brute force finds") {
    CHECK(test::run_random_worlds(1'000'000, 1'000'000) > 400'000);
}

}  // namespace terrane
