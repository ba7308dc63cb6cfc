#include "shared/core/result.h"

#include <doctest/doctest.h>

namespace terrane {
namespace {

Result<int> parse_digit(char c) {
    if (c < '0' || c > '9') {
        return fail("digit '{}': must be 0..9", c);
    }
    return c - '0';
}

Result<void> check_digit(char c) {
    const Result<int> digit = parse_digit(c);
    return digit ? Result<void>() : Result<void>(std::unexpected(digit.error()));
}

TEST_CASE("result: holds a value or one formatted line") {
    REQUIRE(parse_digit('7'));
    CHECK(*parse_digit('7') == 7);
    REQUIRE(!parse_digit('x'));
    CHECK(parse_digit('x').error().message == "digit 'x': must be 0..9");
}

TEST_CASE("result: an error passes on to a result of another type") {
    CHECK(check_digit('0'));
    REQUIRE(!check_digit('y'));
    CHECK(check_digit('y').error().message == "digit 'y': must be 0..9");
}

}  // namespace
}  // namespace terrane
