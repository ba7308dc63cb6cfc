#include "server/ops/json_text.h"

#include <fmt/format.h>

#include "shared/core/utf8.h"

namespace terrane {
std::string quote_json(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t size = utf8_bytes(text);
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
