// Unknown options of the command line, found before anything else is found wrong with it.
#pragma once

#include <span>
#include <string_view>

#include "shared/core/result.h"

namespace terrane {

/// Fails at the first of `arguments` that begins with "--" and is not in `known`.
Result<void> check_option_names(std::span<const std::string_view> arguments,
                                std::span<const std::string_view> known);

}  // namespace terrane
