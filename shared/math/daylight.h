// The sun over a zone and the time of day that turns it. A day is a fraction from 0 to 1: midnight
// at 0, sunrise at 0.25, noon at 0.5, sunset at 0.75. The sun rises in +X, stands high in the south
// (+Z, 58 degrees) at noon and sets in -X; it is never straight above, so that no wall is without
// shadow. The zone says the time once (Welcome, SkyChanged), both sides then count ticks.
#pragma once

#include <cstdint>

#include "shared/math/vec.h"

namespace terrane {

/// The time of day at a tick; from then on it runs by itself.
struct Daytime {
    std::uint32_t tick = 0;
    float day_fraction = 0.5F;  ///< at `tick`
    float day_length_s = 0.0F;  ///< 0: time stands still

    friend bool operator==(const Daytime&, const Daytime&) = default;
};

/// 0 to below 1, at `tick` (with a fraction, may lie before daytime.tick). Values that are not
/// finite give noon.
float day_fraction_at(const Daytime& daytime, double tick, std::uint32_t tick_rate_hz);

/// Unit vector towards the sun, below the horizon from sunset to sunrise. Of `day_fraction` only
/// the part behind the point counts.
Vec3 sun_direction(float day_fraction);

}  // namespace terrane
