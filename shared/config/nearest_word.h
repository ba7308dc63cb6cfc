// "Did you mean": the word of a list that the fewest typing errors turn into another. An error is a
// letter inserted, left out, replaced, or swapped with its neighbour (optimal string alignment).
#pragma once

#include <span>
#include <string_view>

namespace terrane {

/// The first of the nearest; "" if `words` is empty. Compares the first 128 bytes of `word`.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words);

}  // namespace terrane
