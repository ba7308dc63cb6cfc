#include "client-stub/viewer/chat_input.h"

#include <utility>

#include "shared/protocol/limits.h"

namespace terrane {

namespace {

std::string to_utf8(char32_t c) {
    const auto tail = [&](int shift) { return static_cast<char>(0x80U | ((c >> shift) & 0x3FU)); };
    if (c < 0x80U) {
        return {static_cast<char>(c)};
    }
    if (c < 0x800U) {
        return {static_cast<char>(0xC0U | (c >> 6U)), tail(0)};
    }
    if (c < 0x10000U) {
        return {static_cast<char>(0xE0U | (c >> 12U)), tail(6), tail(0)};
    }
    return {static_cast<char>(0xF0U | (c >> 18U)), tail(12), tail(6), tail(0)};
}

}  // namespace

bool ChatInput::receive(const Event& event) {
    switch (event.kind) {
        case EventKind::key_pressed:
            if (!is_open_) {
                is_open_ = event.key == Key::enter || event.key == Key::t;
                is_skipping_ = event.key == Key::t;
                return is_open_;
            }
            is_skipping_ = false;
            press(event.key);
            return true;
        case EventKind::text_typed:
            if (is_open_ && !std::exchange(is_skipping_, false)) {
                type(event.character);
            }
            return true;
        default:
            return false;
    }
}

void ChatInput::press(Key key) {
    if (key == Key::backspace) {
        while (!line_.empty() && (static_cast<unsigned char>(line_.back()) & 0xC0U) == 0x80U) {
            line_.pop_back();
        }
        if (!line_.empty()) {
            line_.pop_back();
        }
    } else if (key == Key::enter || key == Key::escape) {
        is_open_ = false;
        if (key == Key::enter && !line_.empty()) {
            finished_ = line_;
        }
        line_.clear();
    }
}

void ChatInput::type(char32_t character) {
    const std::string bytes = to_utf8(character);
    if (character >= 0x20U && line_.size() + bytes.size() <= kChatBytesMax) {
        line_ += bytes;
    }
}

std::optional<std::string> ChatInput::take_finished() {
    return std::exchange(finished_, std::nullopt);
}

}  // namespace terrane
