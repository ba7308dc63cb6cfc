#include "shared/core/utf8.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr std::size_t kMost = 256;

std::string clean(std::string_view text) {
    return to_plain_line(text, kMost);
}

}  // namespace

TEST_CASE("utf8: a plain line is UTF-8 without C0, C1 and delete") {
    CHECK(is_plain_line(""));
    CHECK(is_plain_line("Grüße, \"€\" \xF0\x9F\x90\x9F"));
    CHECK(is_plain_line("\xC2\xA0"));
    for (const char* bad : {"a\tb", "a\n", "\x1B[31m", "\x7F", "\xC2\x9B", "\xC2", "\xFF",
                            "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\xAF",
                            "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\x80", "\xE2\x82"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_plain_line(bad));
    }
}

TEST_CASE("utf8: text stays, controls and broken bytes go") {
    CHECK(clean("hello there") == "hello there");
    CHECK(clean("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC") == "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC");
    CHECK(clean("a\nb\x1B[2Jc\x7F") == "ab[2Jc");
    CHECK(clean("a\xC2\x85z") == "az");                  // a C1 control
    CHECK(clean("a\xC0\x80\xED\xA0\x80\xFFz") == "az");  // overlong, surrogate, none
    CHECK(clean("\n\t").empty());
}

TEST_CASE("utf8: what is too long is cut between characters") {
    CHECK(clean(std::string(300, 'a')) == std::string(kMost, 'a'));
    CHECK(clean(std::string(kMost - 1, 'a') + "\xE2\x82\xAC") == std::string(kMost - 1, 'a'));
}

TEST_CASE("utf8: whatever comes in, a plain line comes out, and stays as it is") {
    Random random(5);
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        for (std::uint32_t j = random.below(400); j > 0; --j) {
            text += static_cast<char>(random.below(3) == 0 ? random.below(128)
                                                           : 0x80 + random.below(128));
        }
        const std::string line = clean(text);
        CHECK(is_plain_line(line));
        CHECK(line.size() <= kMost);
        CHECK(clean(line) == line);
    }
}

}  // namespace terrane
