#include "client-stub/viewer/chat_input.h"

#include <doctest/doctest.h>

#include "shared/protocol/limits.h"

using namespace terrane;

namespace {

bool press(ChatInput& chat, Key key) {
    Event event;
    event.key = key;
    return chat.receive(event);
}

void type(ChatInput& chat, std::u32string_view text) {
    for (const char32_t character : text) {
        Event event;
        event.kind = EventKind::text_typed;
        event.character = character;
        chat.receive(event);
    }
}

}  // namespace

TEST_CASE("C2 chat_input: Enter opens, what is typed is the line, Enter sends it") {
    ChatInput chat;
    CHECK_FALSE(press(chat, Key::w));
    type(chat, U"w");
    CHECK(chat.line().empty());
    CHECK(press(chat, Key::enter));
    CHECK(chat.is_open());
    CHECK(press(chat, Key::w));  // nobody walks while typing
    type(chat, U"w\u00e4\u20ac\U0001F41F!");
    CHECK(chat.line() == "w\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x9F!");
    CHECK(press(chat, Key::backspace));
    CHECK(press(chat, Key::backspace));
    CHECK(chat.line() == "w\xC3\xA4\xE2\x82\xAC");
    CHECK_FALSE(chat.take_finished().has_value());
    CHECK(press(chat, Key::enter));
    CHECK_FALSE(chat.is_open());
    CHECK(chat.take_finished() == "w\xC3\xA4\xE2\x82\xAC");
    CHECK_FALSE(chat.take_finished().has_value());
}

TEST_CASE("C2 chat_input: T opens without typing itself, Esc drops the line, keys go up") {
    ChatInput chat;
    CHECK(press(chat, Key::t));
    type(chat, U"t");
    CHECK(chat.line().empty());
    type(chat, U"t");
    CHECK(chat.line() == "t");
    Event up;
    up.kind = EventKind::key_released;
    up.key = Key::w;
    CHECK_FALSE(chat.receive(up));
    CHECK(press(chat, Key::escape));
    CHECK_FALSE(chat.is_open());
    CHECK_FALSE(chat.take_finished().has_value());
    CHECK(press(chat, Key::enter));
    CHECK(chat.line().empty());
    CHECK(press(chat, Key::enter));  // nothing to say
    CHECK_FALSE(chat.take_finished().has_value());
}

TEST_CASE("C2 chat_input: a line ends where the wire's limit is") {
    ChatInput chat;
    press(chat, Key::enter);
    type(chat, std::u32string(kChatBytesMax - 1, U'a') + U"\u20ac" + U"b" + U"c");
    CHECK(chat.line() == std::string(kChatBytesMax - 1, 'a') + "b");
}
