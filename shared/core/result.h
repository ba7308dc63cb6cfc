// The result of anything that outside data can make fail: bytes of a socket, a stored row, a
// configuration file. An Error carries one line for a person: what, where, what would be right.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace terrane {

struct Error {
    std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

/// `return fail("{}: unknown key '{}'", file, key);`
template <typename... Args>
[[nodiscard]] std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
    return std::unexpected(Error{fmt::format(format, std::forward<Args>(args)...)});
}

}  // namespace terrane
