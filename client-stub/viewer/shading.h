// What all shaders share: the block of values of one frame, and the GLSL texts for noise, sky,
// light and fog. Colours are linear until finish_colour() maps and encodes them for the screen.
#pragma once

#include <string_view>

#include "client-stub/viewer/gl.h"
#include "shared/math/vec.h"

namespace terrane {

/// std140 image of the block `Frame`; binding point kFrameBinding. Positions in shaders are
/// relative to the eye; the noise needs zone space and adds `eye` back.
struct FrameUniforms {
    Mat4 view_projection{1.0F};      ///< from eye-relative metres
    Mat4 direction_from_clip{1.0F};  ///< the inverse
    Mat4 shadow_from_relative{1.0F};
    Vec4 eye{0.0F};  ///< zone space; w = seconds
    /// Of the sun, or of the moon at night. Unit; w = 1 if the shadow map is in use.
    Vec4 sun_direction{0.0F};
    Vec4 sun_colour{0.0F};
    Vec4 zenith_colour{0.0F};
    Vec4 horizon_colour{0.0F};
    Vec4 ground_colour{0.0F};  ///< light that comes from below
    Vec4 fog{0.0F};            ///< x start, y end, metres; z = 1 if the eye is under water
    Vec4 air{1.0F};            ///< x brightness (day: 1), y stars (0 .. 1)
};
static_assert(sizeof(FrameUniforms) == 3 * 64 + 8 * 16);

inline constexpr unsigned kFrameBinding = 0;
inline constexpr int kShadowUnit = 1;
inline constexpr int kMaterialUnit = 2;

extern const std::string_view kFrameText;  ///< the block
extern const std::string_view kNoiseText;  ///< noise, noised (value and gradient), fbm
extern const std::string_view kAirText;  ///< sky_gradient, add_fog, finish_colour; after kFrameText
extern const std::string_view kLightText;  ///< light_on, sunlight; after kAirText

/// Links a program that uses the shared texts, and connects block and samplers.
Result<GlProgram> link_shaded(std::string_view label, std::string_view vertex_text,
                              std::string_view fragment_text);

}  // namespace terrane
