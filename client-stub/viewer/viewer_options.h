// What a viewer is asked to do, and the reading of the values that are more than a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client-stub/viewer/gl.h"
#include "shared/core/result.h"
#include "shared/math/vec.h"

namespace terrane {

enum class PictureQuality : std::uint8_t {
    low,   ///< no shadows
    high,  ///< the sun's shadows
    best   ///< a finer shadow map, and four samples a pixel in pictures
};

/// A camera that stands where the user wants, not in the player's eye. Radians.
struct FreeCamera {
    Vec3 position{0.0F};
    float yaw = 0.0F;
    float pitch = 0.0F;
};

struct ViewerOptions {
    std::string connect;  ///< HOST:PORT
    std::string name = "viewer";
    std::uint8_t view_chunks = 8;
    bool is_headless = false;
    std::optional<std::uint32_t> frames;
    ImageSize size{1280, 720};
    std::string screenshot;  ///< file; empty: none
    std::optional<FreeCamera> camera;
    std::string script;
    std::string report;
    PictureQuality quality = PictureQuality::high;
};

inline constexpr int kPictureSideMax = 8192;

/// "1280x720"
Result<ImageSize> parse_size(std::string_view text);
/// "x,y,z,yaw,pitch", metres and degrees
Result<FreeCamera> parse_camera(std::string_view text);
Result<PictureQuality> parse_quality(std::string_view text);

}  // namespace terrane
