#include "client-stub/viewer/daylight_look.h"

#include <algorithm>
#include <array>

namespace terrane {

namespace {

/// Colours while the sun stands at `height` (sine of the angle).
struct Moment {
    float height;
    Vec3 light;
    Vec3 zenith;
    Vec3 horizon;
    Vec3 ground;
    float brightness;
    float stars;
};

/// Here neither sun nor moon gives light: they change places.
constexpr float kChangeHeight = -0.06F;
/// Light from lower than this would draw every bump as a mountain's shadow.
constexpr float kLightHeightMin = 0.06F;

constexpr std::array<Moment, 6> kMoments{{
    {-0.30F,
     {0.34F, 0.42F, 0.62F},
     {0.012F, 0.022F, 0.060F},
     {0.045F, 0.070F, 0.125F},
     {0.022F, 0.026F, 0.034F},
     0.10F,
     1.0F},
    {-0.14F,
     {0.06F, 0.07F, 0.11F},
     {0.022F, 0.040F, 0.120F},
     {0.20F, 0.15F, 0.20F},
     {0.035F, 0.035F, 0.045F},
     0.18F,
     0.4F},
    {kChangeHeight,
     {0.0F, 0.0F, 0.0F},
     {0.040F, 0.075F, 0.200F},
     {0.48F, 0.28F, 0.24F},
     {0.060F, 0.050F, 0.050F},
     0.30F,
     0.05F},
    {0.05F,
     {1.60F, 0.72F, 0.26F},
     {0.075F, 0.150F, 0.380F},
     {0.85F, 0.52F, 0.34F},
     {0.120F, 0.100F, 0.080F},
     0.60F,
     0.0F},
    {0.25F,
     {2.50F, 1.75F, 1.05F},
     {0.085F, 0.210F, 0.530F},
     {0.68F, 0.70F, 0.74F},
     {0.180F, 0.150F, 0.120F},
     0.90F,
     0.0F},
    // A clear late morning.
    {0.50F,
     {2.75F, 2.35F, 1.80F},
     {0.085F, 0.235F, 0.600F},
     {0.60F, 0.73F, 0.86F},
     {0.200F, 0.170F, 0.130F},
     1.0F,
     0.0F},
}};

Moment moment_at(float height) {
    if (height <= kMoments.front().height) {
        return kMoments.front();
    }
    for (std::size_t i = 1; i < kMoments.size(); ++i) {
        const Moment& a = kMoments[i - 1];
        const Moment& b = kMoments[i];
        if (height < b.height) {
            const float part = (height - a.height) / (b.height - a.height);
            return {height,
                    glm::mix(a.light, b.light, part),
                    glm::mix(a.zenith, b.zenith, part),
                    glm::mix(a.horizon, b.horizon, part),
                    glm::mix(a.ground, b.ground, part),
                    glm::mix(a.brightness, b.brightness, part),
                    glm::mix(a.stars, b.stars, part)};
        }
    }
    return kMoments.back();
}

}  // namespace

DaylightLook look_of_day(const Vec3& sun_direction) {
    const Vec3 sun = glm::normalize(sun_direction);
    const Moment moment = moment_at(sun.y);
    Vec3 light = sun.y > kChangeHeight ? sun : -sun;
    light.y = std::max(light.y, kLightHeightMin);
    return {.light_direction = glm::normalize(light),
            .light_colour = moment.light,
            .zenith_colour = moment.zenith,
            .horizon_colour = moment.horizon,
            .ground_colour = moment.ground,
            .brightness = moment.brightness,
            .stars = moment.stars};
}

}  // namespace terrane
