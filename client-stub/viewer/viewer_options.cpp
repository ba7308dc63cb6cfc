#include "client-stub/viewer/viewer_options.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <system_error>

namespace terrane {

namespace {

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

}  // namespace

Result<ImageSize> parse_size(std::string_view text) {
    const std::size_t cross = text.find('x');
    if (cross != std::string_view::npos) {
        const auto width = whole_number<int>(text.substr(0, cross));
        const auto height = whole_number<int>(text.substr(cross + 1));
        if (width && height && *width >= 1 && *height >= 1 && *width <= kPictureSideMax &&
            *height <= kPictureSideMax) {
            return ImageSize{*width, *height};
        }
    }
    return fail("'{}' is no size: WIDTHxHEIGHT in pixels, 1 to {} each, as in 1280x720", text,
                kPictureSideMax);
}

Result<FreeCamera> parse_camera(std::string_view text) {
    std::array<float, 5> values{};
    std::string_view rest = text;
    bool is_good = true;
    for (std::size_t i = 0; i < values.size() && is_good; ++i) {
        const std::size_t comma = i + 1 < values.size() ? rest.find(',') : rest.size();
        const auto value = comma == std::string_view::npos
                               ? std::nullopt
                               : whole_number<float>(rest.substr(0, comma));
        is_good = value.has_value() && std::isfinite(*value) && std::abs(*value) < 1.0e6F;
        if (is_good) {
            values[i] = *value;
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    if (!is_good || std::abs(values[4]) > 90.0F) {
        return fail(
            "'{}' is no camera: x,y,z,yaw,pitch in metres and degrees, pitch -90 to 90, as in "
            "10,25,-4,90,-15",
            text);
    }
    constexpr float kRadians = std::numbers::pi_v<float> / 180.0F;
    return FreeCamera{
        {values[0], values[1], values[2]}, values[3] * kRadians, values[4] * kRadians};
}

Result<PictureQuality> parse_quality(std::string_view text) {
    if (text == "low") {
        return PictureQuality::low;
    }
    if (text == "high") {
        return PictureQuality::high;
    }
    if (text == "best") {
        return PictureQuality::best;
    }
    return fail("'{}' is no quality: low, high or best", text);
}

std::string default_name(std::uint32_t process_id) {
    return fmt::format("viewer-{:04x}", process_id & 0xFFFFU);
}

Result<void> check_folder_of(const std::string& file) {
    const std::filesystem::path parent = std::filesystem::path(file).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
        return fail("'{}' cannot be written: there is no folder '{}'", file, folder);
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        return fail("'{}' cannot be written: folder '{}': {}", file, folder, std::strerror(errno));
    }
    return {};
}

Result<void> check_purpose(const ViewerOptions& options) {
    if (options.is_headless && options.screenshot.empty() && options.script.empty() &&
        options.report.empty() && !options.frames) {
        return fail("--headless shows nothing: add --screenshot, --script, --report or --frames");
    }
    return {};
}

}  // namespace terrane
