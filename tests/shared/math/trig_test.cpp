#include "shared/math/trig.h"

#include <cmath>

#include <doctest/doctest.h>

namespace terrane {
namespace {

TEST_CASE("C1 trig: every step of the turn is within 1e-6 of the true sine and cosine") {
    double worst = 0.0;
    for (std::uint32_t i = 0; i < 65536; ++i) {
        const SineCosine found = sine_cosine(static_cast<std::uint16_t>(i));
        const double angle = static_cast<double>(i) * kPi / 32768.0;
        worst = std::max(worst, std::abs(static_cast<double>(found.sine) - std::sin(angle)));
        worst = std::max(worst, std::abs(static_cast<double>(found.cosine) - std::cos(angle)));
    }
    CHECK(worst < 1e-7);
}

TEST_CASE("C1 trig: quarter turns are exact and symmetric") {
    CHECK(sine_cosine(0).sine == 0.0F);
    CHECK(sine_cosine(0).cosine == 1.0F);
    CHECK(sine_cosine(16384).sine == 1.0F);
    CHECK(sine_cosine(16384).cosine == 0.0F);
    CHECK(sine_cosine(32768).cosine == -1.0F);
    CHECK(sine_cosine(49152).sine == -1.0F);
    for (std::uint32_t i = 1; i < 32768; i += 7) {
        const auto turn = static_cast<std::uint16_t>(i);
        const auto back = static_cast<std::uint16_t>(65536 - i);
        REQUIRE(sine_cosine(turn).sine == -sine_cosine(back).sine);
        REQUIRE(sine_cosine(turn).cosine == sine_cosine(back).cosine);
    }
    // Golden bits: the same on every machine.
    CHECK(sine_cosine(8192).sine == 0.707106769F);
    CHECK(sine_cosine(1234).sine == 0.11803247F);
}

TEST_CASE("C1 trig: sight starts along -Z, turns left and looks up") {
    const auto is_near = [](const Vec3& a, const Vec3& b) { return glm::length(a - b) < 1e-6F; };
    CHECK(is_near(direction_of_view(0, 0), {0, 0, -1}));
    CHECK(is_near(direction_of_view(16384, 0), {-1, 0, 0}));
    CHECK(is_near(direction_of_view(49152, 0), {1, 0, 0}));
    CHECK(is_near(direction_of_view(0, 16384), {0, 1, 0}));
    CHECK(is_near(direction_of_view(0, 32767), {0, 1, 0}));    // clamped
    CHECK(is_near(direction_of_view(0, -32768), {0, -1, 0}));  // clamped
    for (std::uint32_t i = 0; i < 65536; i += 577) {
        const auto yaw = static_cast<std::uint16_t>(i);
        const auto pitch = static_cast<std::int16_t>(i % 30000 - 15000);
        const Vec3 sight = direction_of_view(yaw, pitch);
        REQUIRE(std::abs(glm::length(sight) - 1.0F) < 1e-6F);
        REQUIRE(is_near(rotation_of_view(yaw, pitch) * Vec3{0, 0, -1}, sight));
    }
}

}  // namespace
}  // namespace terrane
