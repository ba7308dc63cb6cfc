#include "shared/math/daylight.h"

#include <limits>

#include <doctest/doctest.h>

namespace terrane {
namespace {

TEST_CASE("daylight: the sun rises in +X, is high at noon, sets in -X and is gone at night") {
    CHECK(glm::length(sun_direction(0.25F) - Vec3(1, 0, 0)) < 1e-6F);
    CHECK(glm::length(sun_direction(0.75F) - Vec3(-1, 0, 0)) < 1e-6F);
    CHECK(sun_direction(0.5F).y == doctest::Approx(0.848).epsilon(0.001));
    CHECK(sun_direction(0.5F).z > 0.5F);
    CHECK(sun_direction(0.0F).y == doctest::Approx(-0.848).epsilon(0.001));
    for (int i = 0; i < 1000; ++i) {
        const float part = static_cast<float>(i) / 1000.0F;
        const Vec3 sun = sun_direction(part);
        REQUIRE(glm::length(sun) == doctest::Approx(1.0).epsilon(1e-5));
        REQUIRE((sun.y > 1e-6F) == (part > 0.25F && part < 0.75F));
        // Smooth: a thousandth of a day turns it by 0.36 degrees and a little.
        REQUIRE(glm::length(sun - sun_direction(part + 0.001F)) < 0.0064F);
    }
    CHECK(sun_direction(1.5F) == sun_direction(0.5F));
    CHECK(sun_direction(std::numeric_limits<float>::quiet_NaN()) == sun_direction(0.5F));
}

TEST_CASE("daylight: time runs from the tick that was told, round the clock") {
    const Daytime day{.tick = 100, .day_fraction = 0.75F, .day_length_s = 10.0F};
    CHECK(day_fraction_at(day, 100, 20) == 0.75F);
    CHECK(day_fraction_at(day, 120, 20) == doctest::Approx(0.85));
    CHECK(day_fraction_at(day, 150.0, 20) == 0.0F);  // 2.5 s: a quarter
    CHECK(day_fraction_at(day, 80, 20) == doctest::Approx(0.65));
    CHECK(day_fraction_at({.tick = 5, .day_fraction = 0.3F}, 1e9, 20) == 0.3F);
    CHECK(day_fraction_at({.tick = 5, .day_fraction = 1.0F}, 9, 20) == 0.0F);
    CHECK(day_fraction_at({.tick = 0, .day_fraction = 0.0F, .day_length_s = 1e-40F}, 1e300, 20) >=
          0.0F);
}

}  // namespace
}  // namespace terrane
