#include "server/ops/json_text.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "shared/core/random.h"

namespace terrane {
namespace {

TEST_CASE("json_text: quotes, backslashes, control bytes and bytes that are no UTF-8") {
    CHECK(quote_json("") == "\"\"");
    CHECK(quote_json("a \"b\" \\ c") == R"("a \"b\" \\ c")");
    CHECK(quote_json("a\nb\x7F") == R"("a\u000ab\u007f")");
    CHECK(quote_json("Grüße €") == "\"Grüße €\"");
    CHECK(quote_json("\xC3") == "\"\xEF\xBF\xBD\"");                          // cut off
    CHECK(quote_json("\xC0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");          // too long
    CHECK(quote_json("\xED\xA0\x80").find('\xED') == std::string::npos);      // surrogate
    CHECK(quote_json("\xF4\x90\x80\x80").find('\xF4') == std::string::npos);  // beyond U+10FFFF
}

TEST_CASE(
    "json_text: any bytes become text that a parser takes; valid ones come back as they were") {
    Random random(11);
    for (int round = 0; round < 5000; ++round) {
        std::string text;
        for (std::uint32_t i = random.below(12); i > 0; --i) {
            text += static_cast<char>(random.below(2) == 0 ? random.below(256)
                                                           : 0xC0 + random.below(64));
        }
        const auto parsed = nlohmann::json::parse(quote_json(text), nullptr, false);
        REQUIRE(parsed.is_string());
        // The library's strict writer is the oracle of what is UTF-8.
        bool is_valid = true;
        try {
            static_cast<void>(nlohmann::json(text).dump());
        } catch (const nlohmann::json::exception&) {
            is_valid = false;
        }
        CHECK((parsed.get<std::string>() == text) == is_valid);
    }
}

}  // namespace
}  // namespace terrane
