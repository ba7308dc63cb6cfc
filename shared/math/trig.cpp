#include "shared/math/trig.h"

#include <algorithm>

namespace terrane {

namespace {

struct Doubles {
    double sine;
    double cosine;
};

/// Angles in [0, pi / 4]: the first dropped terms are below 7e-12.
Doubles taylor(double x) {
    const double xx = x * x;
    const double sine =
        x *
        (1.0 -
         xx / 6.0 * (1.0 - xx / 20.0 * (1.0 - xx / 42.0 * (1.0 - xx / 72.0 * (1.0 - xx / 110.0)))));
    const double cosine =
        1.0 -
        xx / 2.0 *
            (1.0 -
             xx / 12.0 *
                 (1.0 - xx / 30.0 * (1.0 - xx / 56.0 * (1.0 - xx / 90.0 * (1.0 - xx / 132.0)))));
    return {sine, cosine};
}

std::uint16_t clamped_pitch(std::int16_t pitch) {
    const int limit = kQuarterTurn;
    return static_cast<std::uint16_t>(std::clamp<int>(pitch, -limit, limit));
}

}  // namespace

SineCosine fine_sine_cosine(std::uint32_t turn) {
    constexpr std::uint32_t kQuarter = 1U << 30;
    constexpr std::uint32_t kEighth = 1U << 29;
    constexpr double kRadians = kPi / 2147483648.0;
    const std::uint32_t quadrant = turn >> 30;
    const std::uint32_t rest = turn & (kQuarter - 1U);
    // In the upper half of a quadrant sine and cosine of the complement change places.
    const bool is_upper = rest > kEighth;
    const Doubles value = taylor(static_cast<double>(is_upper ? kQuarter - rest : rest) * kRadians);
    const auto sine = static_cast<float>(is_upper ? value.cosine : value.sine);
    const auto cosine = static_cast<float>(is_upper ? value.sine : value.cosine);
    switch (quadrant) {
        case 0:
            return {sine, cosine};
        case 1:
            return {cosine, -sine};
        case 2:
            return {-sine, -cosine};
        default:
            return {-cosine, sine};
    }
}

SineCosine sine_cosine(std::uint16_t turn) {
    return fine_sine_cosine(static_cast<std::uint32_t>(turn) << 16);
}

Quat rotation_about(const Vec3& axis, std::uint16_t turn) {
    const SineCosine half = fine_sine_cosine(static_cast<std::uint32_t>(turn) << 15);
    return {half.cosine, half.sine * axis.x, half.sine * axis.y, half.sine * axis.z};
}

Quat rotation_of_view(std::uint16_t yaw, std::int16_t pitch) {
    return rotation_about({0.0F, 1.0F, 0.0F}, yaw) *
           rotation_about({1.0F, 0.0F, 0.0F}, clamped_pitch(pitch));
}

Vec3 direction_of_view(std::uint16_t yaw, std::int16_t pitch) {
    const SineCosine turn = sine_cosine(yaw);
    const SineCosine tilt = sine_cosine(clamped_pitch(pitch));
    return {-turn.sine * tilt.cosine, tilt.sine, -turn.cosine * tilt.cosine};
}

}  // namespace terrane
