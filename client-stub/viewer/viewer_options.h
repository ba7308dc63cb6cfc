// What a viewer is asked to do, and the reading of the values that are more than a number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client-stub/viewer/debug_tree.h"
#include "client-stub/viewer/debug_views.h"
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
    std::string connect = "127.0.0.1:7777";
    std::string name;
    std::uint8_t view_chunks = 8;
    bool is_headless = false;
    std::optional<std::uint32_t> frames;
    ImageSize size{1280, 720};
    std::string screenshot;  ///< file; empty: none
    std::optional<FreeCamera> camera;
    std::string script;
    std::string report;
    PictureQuality quality = PictureQuality::high;
    DebugViewSet debug;
    std::optional<TreeScene> scene;  ///< instead of a zone
    BvhBuilder builder = BvhBuilder::sah;
    std::optional<std::uint32_t> level;  ///< of trees that are shown, 0: the root; none: all
    std::uint32_t step = 0;              ///< with a scene: its build after so many splits, 0: whole
};

inline constexpr int kPictureSideMax = 8192;

/// "1280x720"
Result<ImageSize> parse_size(std::string_view text);
/// "x,y,z,yaw,pitch", metres and degrees
Result<FreeCamera> parse_camera(std::string_view text);
Result<PictureQuality> parse_quality(std::string_view text);
/// "viewer-1f3a": two viewers that were given no name can be in one zone.
std::string default_name(std::uint32_t process_id);
/// The folder of a file that is to be written is there and may be written to.
Result<void> check_folder_of(const std::string& file);
/// A viewer without a screen has something to leave behind.
Result<void> check_purpose(const ViewerOptions& options);

}  // namespace terrane
