// UTF-8 (RFC 3629) that came from outside: where characters end, and which text is one line that
// people may safely read in a log, a terminal or a chat.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace terrane {

/// Bytes of the character that `text` (not empty) begins with; 0 if it is none: cut off, longer
/// than its value needs, a surrogate, or beyond U+10FFFF.
std::size_t utf8_bytes(std::string_view text);

/// UTF-8 without control characters (below U+0020, U+007F to U+009F).
bool is_plain_line(std::string_view text);

/// A plain line of at most `bytes_max` bytes: what is no character or a control is left out, the
/// rest ends at a whole character.
std::string to_plain_line(std::string_view text, std::size_t bytes_max);

}  // namespace terrane
