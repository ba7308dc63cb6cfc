// Rules that need one file's text only: lengths, words, tabs, how a header begins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_file.h"

namespace terrane {

inline constexpr std::size_t kFileLinesMax = 800;
inline constexpr std::size_t kFileLinesGood = 450;
inline constexpr std::size_t kFunctionLinesMax = 70;
inline constexpr std::size_t kLineLettersMax = 100;

std::vector<Finding> check_lengths(const SourceFile& file);
/// Bodies at namespace or class level, from `{` to `}`, longer than kFunctionLinesMax.
std::vector<Finding> check_function_lengths(const SourceFile& file);
/// Marks of unfinished work anywhere, empty names (Manager, Utils, ...) in identifiers.
std::vector<Finding> check_words(const SourceFile& file);
/// A header begins with a paragraph of comment and has #pragma once after it.
std::vector<Finding> check_header_start(const SourceFile& file);

}  // namespace terrane
