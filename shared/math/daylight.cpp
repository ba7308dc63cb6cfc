#include "shared/math/daylight.h"

#include <cmath>

#include "shared/math/trig.h"

namespace terrane {

float day_fraction_at(const Daytime& daytime, double tick, std::uint32_t tick_rate_hz) {
    double days = double{daytime.day_fraction};
    if (daytime.day_length_s > 0.0F && tick_rate_hz > 0) {
        const double seconds =
            (tick - static_cast<double>(daytime.tick)) / static_cast<double>(tick_rate_hz);
        days += seconds / double{daytime.day_length_s};
    }
    if (!std::isfinite(days)) {
        return 0.5F;
    }
    const auto fraction = static_cast<float>(days - std::floor(days));
    return fraction < 1.0F ? fraction : 0.0F;
}

Vec3 sun_direction(float day_fraction) {
    constexpr float kHigh = 0.848F;  // sine and cosine of the sun's height at noon
    constexpr float kSouth = 0.53F;
    constexpr double kTurn = 4294967296.0;
    const double days = std::isfinite(day_fraction) ? double{day_fraction} - 0.25 : 0.25;
    const double part = days - std::floor(days);
    const auto turn = static_cast<std::uint32_t>(static_cast<std::uint64_t>(part * kTurn));
    const SineCosine sun = fine_sine_cosine(turn);
    return glm::normalize(Vec3{sun.cosine, sun.sine * kHigh, sun.sine * kSouth});
}

}  // namespace terrane
