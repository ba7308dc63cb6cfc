#include "client-stub/session/chat_line.h"

#include <cstdint>

#include "shared/protocol/limits.h"

namespace terrane {
namespace {

/// The character at the start of `text` (not empty): its bytes, or 0 if they are no well-formed
/// UTF-8 (RFC 3629), and whether people can see it.
struct Character {
    std::size_t bytes = 0;
    bool is_control = false;
};

Character first_character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80U) {
        return {1, lead < 0x20U || lead == 0x7FU};
    }
    const std::size_t bytes = lead >= 0xF0U ? 4 : (lead >= 0xE0U ? 3 : 2);
    if (lead < 0xC2U || lead > 0xF4U || text.size() < bytes) {
        return {};
    }
    std::uint32_t code = lead & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto tail = static_cast<unsigned char>(text[i]);
        if ((tail & 0xC0U) != 0x80U) {
            return {};
        }
        code = (code << 6U) | (tail & 0x3FU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = code >= 0xD800U && code <= 0xDFFFU;
    if (code < kLeast[bytes] || code > 0x10FFFFU || is_surrogate) {
        return {};
    }
    return {bytes, code < 0xA0U};
}

}  // namespace

std::string to_chat_line(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        const Character next = first_character(text);
        if (next.bytes == 0) {
            text.remove_prefix(1);
            continue;
        }
        if (!next.is_control) {
            if (line.size() + next.bytes > kChatBytesMax) {
                break;
            }
            line += text.substr(0, next.bytes);
        }
        text.remove_prefix(next.bytes);
    }
    return line;
}

}  // namespace terrane
