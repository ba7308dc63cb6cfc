#include "server/ops/json_text.h"

#include <cstdint>

#include <fmt/format.h>

namespace terrane {
namespace {

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Bytes of the character that `text` begins with, 0 if it is none: too short, too long for its
/// value, a surrogate, or beyond U+10FFFF.
std::size_t utf8_size(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t size = first < 0x80U                     ? 1
                             : first >= 0xC2U && first < 0xE0U ? 2
                             : first >= 0xE0U && first < 0xF0U ? 3
                             : first >= 0xF0U && first < 0xF5U ? 4
                                                               : 0;
    if (size == 0 || text.size() < size) {
        return 0;
    }
    for (std::size_t i = 1; i < size; ++i) {
        if (!is_continuation(text[i])) {
            return 0;
        }
    }
    const auto second = size > 1 ? static_cast<unsigned char>(text[1]) : std::uint8_t{0};
    const bool is_bad = (first == 0xE0U && second < 0xA0U) || (first == 0xEDU && second > 0x9FU) ||
                        (first == 0xF0U && second < 0x90U) || (first == 0xF4U && second > 0x8FU);
    return is_bad ? 0 : size;
}

}  // namespace

bool is_plain_line(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = utf8_size(text);
        const auto first = static_cast<unsigned char>(text[0]);
        const bool is_c1 =
            size == 2 && first == 0xC2U && static_cast<unsigned char>(text[1]) < 0xA0U;
        if (size == 0 || first < 0x20U || first == 0x7FU || is_c1) {
            return false;
        }
        text.remove_prefix(size);
    }
    return true;
}

std::string quote_json(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t size = utf8_size(text);
        const char c = text[0];
        if (size == 0) {
            out += "\xEF\xBF\xBD";
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    return out + "\"";
}

}  // namespace terrane
