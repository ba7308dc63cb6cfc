// The few pieces of JSON that the zone writes by hand: library-free, so that a line a second costs
// no parser.
#pragma once

#include <string>
#include <string_view>

namespace terrane {

/// UTF-8 without control characters: safe in a log, a terminal and a message to players.
bool is_plain_line(std::string_view text);

/// In quotes, escaped. Bytes that are not UTF-8 become U+FFFD.
std::string quote_json(std::string_view text);

}  // namespace terrane
