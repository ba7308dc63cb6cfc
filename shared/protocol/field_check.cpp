#include "shared/protocol/field_check.h"

namespace terrane {
namespace {

/// Bytes of the well-formed UTF-8 sequence at the start of `text`, 0 if there is none (RFC 3629:
/// no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t sequence_bytes(std::string_view text) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto is_tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    const unsigned second = byte(1);
    if (first < 0x80U) {
        return 1;
    }
    if (first >= 0xC2U && first <= 0xDFU) {
        return is_tail(1) ? 2 : 0;
    }
    if (first >= 0xE0U && first <= 0xEFU) {
        const bool is_overlong = first == 0xE0U && second < 0xA0U;
        const bool is_surrogate = first == 0xEDU && second >= 0xA0U;
        return is_tail(1) && is_tail(2) && !is_overlong && !is_surrogate ? 3 : 0;
    }
    if (first >= 0xF0U && first <= 0xF4U) {
        const bool is_overlong = first == 0xF0U && second < 0x90U;
        const bool is_beyond = first == 0xF4U && second >= 0x90U;
        return is_tail(1) && is_tail(2) && is_tail(3) && !is_overlong && !is_beyond ? 4 : 0;
    }
    return 0;
}

/// C0 controls, delete, and the C1 controls U+0080..U+009F.
bool is_control(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    return first < 0x20U || first == 0x7FU ||
           (first == 0xC2U && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0U);
}

}  // namespace

void check_line(std::string_view field, std::string_view text, FieldCheck& check) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = sequence_bytes(text.substr(at));
        if (bytes == 0) {
            return check.refuse("{}: byte {} is not UTF-8", field, at);
        }
        if (is_control(text.substr(at))) {
            return check.refuse("{}: byte {} is a control character", field, at);
        }
        at += bytes;
    }
}

}  // namespace terrane
