#include "shared/config/option_names.h"

#include <algorithm>

#include "shared/config/nearest_word.h"

namespace terrane {

Result<void> check_option_names(std::span<const std::string_view> arguments,
                                std::span<const std::string_view> known) {
    for (const std::string_view argument : arguments) {
        const std::string_view name = argument.substr(0, argument.find('='));
        if (name.starts_with("--") && name.size() > 2 &&
            std::ranges::find(known, name) == known.end()) {
            return fail("unknown option '{}': did you mean '{}'?", name, nearest_word(name, known));
        }
    }
    return {};
}

}  // namespace terrane
