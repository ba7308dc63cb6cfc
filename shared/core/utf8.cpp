#include "shared/core/utf8.h"

namespace terrane {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

bool is_control(std::string_view character) {
    const unsigned first = byte_at(character, 0);
    return first < 0x20U || first == 0x7FU ||
           (character.size() == 2 && first == 0xC2U && byte_at(character, 1) < 0xA0U);
}

}  // namespace

std::size_t utf8_bytes(std::string_view text) {
    const unsigned first = byte_at(text, 0);
    const std::size_t size = first < 0x80U                     ? 1
                             : first >= 0xC2U && first < 0xE0U ? 2
                             : first >= 0xE0U && first < 0xF0U ? 3
                             : first >= 0xF0U && first < 0xF5U ? 4
                                                               : 0;
    if (size == 0 || text.size() < size) {
        return 0;
    }
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte_at(text, i) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    const unsigned second = size > 1 ? byte_at(text, 1) : 0U;
    const bool is_bad = (first == 0xE0U && second < 0xA0U) || (first == 0xEDU && second > 0x9FU) ||
                        (first == 0xF0U && second < 0x90U) || (first == 0xF4U && second > 0x8FU);
    return is_bad ? 0 : size;
}

bool is_plain_line(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = utf8_bytes(text);
        if (size == 0 || is_control(text.substr(0, size))) {
            return false;
        }
        text.remove_prefix(size);
    }
    return true;
}

std::string to_plain_line(std::string_view text, std::size_t bytes_max) {
    std::string line;
    while (!text.empty()) {
        const std::size_t size = utf8_bytes(text);
        if (size == 0) {
            text.remove_prefix(1);
            continue;
        }
        if (!is_control(text.substr(0, size))) {
            if (line.size() + size > bytes_max) {
                break;
            }
            line += text.substr(0, size);
        }
        text.remove_prefix(size);
    }
    return line;
}

}  // namespace terrane
