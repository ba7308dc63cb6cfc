// What a player types, made fit for the wire: UTF-8 without control characters, at most
// kChatBytesMax bytes, cut between characters. What does not fit is left out, nothing is refused.
#pragma once

#include <string>
#include <string_view>

namespace terrane {

/// May be empty: then there is nothing to say.
std::string to_chat_line(std::string_view text);

}  // namespace terrane
