#include "client-stub/session/chat_line.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/protocol/encode.h"
#include "shared/protocol/messages.h"

namespace terrane {
namespace {

TEST_CASE("chat_line: text stays, controls and broken bytes go") {
    CHECK(to_chat_line("hello there") == "hello there");
    CHECK(to_chat_line("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x90\x9F") ==
          "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x90\x9F");
    CHECK(to_chat_line("a\nb\x1B[2Jc\x7F") == "ab[2Jc");
    CHECK(to_chat_line("a\xC2\x85z") == "az");                  // a C1 control
    CHECK(to_chat_line("a\xC0\x80\xED\xA0\x80\xFFz") == "az");  // overlong, surrogate, none
    CHECK(to_chat_line("\n\t").empty());
    CHECK(to_chat_line("").empty());
}

TEST_CASE("chat_line: what is too long is cut between characters") {
    CHECK(to_chat_line(std::string(300, 'a')) == std::string(kChatBytesMax, 'a'));
    const std::string euros = to_chat_line(std::string(kChatBytesMax - 1, 'a') + "\xE2\x82\xAC");
    CHECK(euros == std::string(kChatBytesMax - 1, 'a'));
}

TEST_CASE("chat_line: whatever is typed, the zone's verifier takes what is left") {
    Random random(5);
    AlignedBytes scratch;
    for (int i = 0; i < 2000; ++i) {
        std::string typed;
        for (std::uint32_t j = random.below(400); j > 0; --j) {
            typed += static_cast<char>(random.below(3) == 0 ? random.below(128)
                                                            : 0x80 + random.below(128));
        }
        const std::string line = to_chat_line(typed);
        CHECK(to_chat_line(line) == line);
        if (!line.empty()) {
            const Bytes frame = encode_say(line);
            REQUIRE(verify_to_server(frame, scratch).has_value());
        }
    }
}

}  // namespace
}  // namespace terrane
