// How the time of day looks: colours of sky, sun and moon by the sun's height. The moon stands
// opposite the sun and takes over the light, and the shadows, when dusk has taken the sun's. Night
// is dark blue and never black: people can see where they walk.
#pragma once

#include "shared/math/vec.h"

namespace terrane {

/// Linear colours.
struct DaylightLook {
    Vec3 light_direction{0.0F, 1.0F, 0.0F};  ///< unit, towards sun or moon, above the horizon
    Vec3 light_colour{0.0F};
    Vec3 zenith_colour{0.0F};
    Vec3 horizon_colour{0.0F};
    Vec3 ground_colour{0.0F};  ///< light that comes from below
    float brightness = 1.0F;   ///< of what has a colour of its own: foam, murk; day is 1
    float stars = 0.0F;        ///< 0 .. 1
};

/// `sun_direction`: unit or not, not zero (shared/math/daylight.h).
DaylightLook look_of_day(const Vec3& sun_direction);

}  // namespace terrane
