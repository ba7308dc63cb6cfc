// The words of a request to terrane-ctl, and its errors. Private to ctl_verbs*.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/ctl_verbs.h"
#include "shared/core/result.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane {

struct CtlVerbs::Request {
    StreamId stream = 0;
    const Verb* verb = nullptr;
    std::string_view rest;  ///< behind the verb, trimmed
};

struct CtlVerbs::Verb {
    std::string_view name;
    std::string_view usage;
    /// The answer, or nothing: it waits.
    std::optional<std::string> (CtlVerbs::*run)(const Request& request);
};

inline constexpr const char* kKeepsNothing =
    "this zone keeps nothing: it was started with --ephemeral or store.enabled = false";

/// The next word, taken off `text`; empty at its end.
std::string_view take_word(std::string_view& text);
std::string_view trim(std::string_view text);
/// Finite, and nothing else in the word.
std::optional<double> to_number(std::string_view word);
/// "what; usage: usage", exit code 2.
std::string usage_error(std::string_view usage, std::string_view what);
std::string join(const std::vector<std::string_view>& words);

/// Metres of the zone: from the first voxel to behind the last.
struct ZoneBox {
    Vec3 min;
    Vec3 max;
};
ZoneBox box_of(const GridBounds& bounds);
/// The next three words as a place in the zone; the error says what is wrong with them.
Result<Vec3> take_place(std::string_view& words, const GridBounds& bounds);

}  // namespace terrane
