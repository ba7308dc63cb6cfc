#include "client-stub/viewer/daylight_look.h"

#include <doctest/doctest.h>

#include "shared/math/daylight.h"

using namespace terrane;

namespace {

float luminance(const Vec3& c) {
    return 0.2126F * c.r + 0.7152F * c.g + 0.0722F * c.b;
}

/// What a level ground gets.
float light_of(const DaylightLook& look) {
    return luminance(look.light_colour) * look.light_direction.y +
           0.78F * luminance(glm::mix(look.horizon_colour, look.zenith_colour, 0.66F));
}

}  // namespace

TEST_CASE("C16 daylight_look: noon is brightest, midnight is moonlit and not black") {
    const float noon = light_of(look_of_day(sun_direction(0.5F)));
    const float midnight = light_of(look_of_day(sun_direction(0.0F)));
    CHECK(noon > 2.0F);
    CHECK(midnight < 0.25F * noon);
    CHECK(midnight > 0.05F * noon);
    CHECK(look_of_day(sun_direction(0.5F)).stars == 0.0F);
    CHECK(look_of_day(sun_direction(0.0F)).stars == 1.0F);
    const Vec3 dusk = look_of_day(sun_direction(0.74F)).horizon_colour;
    CHECK(dusk.r > dusk.b + 0.2F);  // red
}

TEST_CASE("C16 daylight_look: the light always comes from above and never jumps") {
    float before = light_of(look_of_day(sun_direction(0.0F)));
    for (int i = 1; i <= 2000; ++i) {
        const DaylightLook look = look_of_day(sun_direction(static_cast<float>(i) / 2000.0F));
        REQUIRE(look.light_direction.y > 0.05F);
        REQUIRE(glm::length(look.light_direction) == doctest::Approx(1.0F).epsilon(1e-4));
        const float now = light_of(look);
        REQUIRE(std::abs(now - before) < 0.02F);  // where moon and sun change, neither shines
        before = now;
    }
}
