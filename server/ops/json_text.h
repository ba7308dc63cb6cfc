// The few pieces of JSON that the zone writes by hand: library-free, so that a line a second costs
// no parser.
#pragma once

#include <string>
#include <string_view>

namespace terrane {

/// In quotes, escaped. Bytes that are not UTF-8 become U+FFFD.
std::string quote_json(std::string_view text);

}  // namespace terrane
