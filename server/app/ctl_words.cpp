#include "server/app/ctl_words.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "server/ops/ctl_protocol.h"

namespace terrane {

std::string_view take_word(std::string_view& text) {
    const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t", start), text.size());
    const std::string_view word = text.substr(start, end - start);
    text.remove_prefix(end);
    return word;
}

std::string_view trim(std::string_view text) {
    const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(start);
    text.remove_suffix(text.size() - std::min(text.find_last_not_of(" \t") + 1, text.size()));
    return text;
}

std::optional<double> to_number(std::string_view word) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_whole = error == std::errc() && end == word.data() + word.size();
    return is_whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string usage_error(std::string_view usage, std::string_view what) {
    return ctl_error(2, fmt::format("{}; usage: {}", what, usage));
}

std::string join(const std::vector<std::string_view>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

ZoneBox box_of(const GridBounds& bounds) {
    const auto to_m = [](const ChunkCoord& chunk) {
        return Vec3(static_cast<float>(chunk.x * kChunkSize),
                    static_cast<float>(chunk.y * kChunkSize),
                    static_cast<float>(chunk.z * kChunkSize));
    };
    return {to_m(bounds.min), to_m(bounds.max)};
}

Result<Vec3> take_place(std::string_view& words, const GridBounds& bounds) {
    const ZoneBox box = box_of(bounds);
    Vec3 place{0.0F};
    for (int axis = 0; axis < 3; ++axis) {
        const char name = "xyz"[axis];
        const std::string_view word = take_word(words);
        const std::optional<double> value = to_number(word);
        if (!value) {
            return fail("{} must be a number of metres, not '{}'", name, word);
        }
        if (*value < double{box.min[axis]} || *value >= double{box.max[axis]}) {
            return fail("{} = {} lies outside the zone, which goes from {} to {} m", name, *value,
                        box.min[axis], box.max[axis]);
        }
        place[axis] = static_cast<float>(*value);
    }
    return place;
}

}  // namespace terrane
