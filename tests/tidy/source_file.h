// The project's own sources as text: what the tidy rules look at. Code is the text with comments
// and the insides of strings blanked out, so that a rule about names does not read prose.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace terrane {

struct SourceFile {
    std::string path;  ///< from the project root, "shared/voxel/chunk.h"
    std::string text;
    std::vector<std::string> lines;
    std::vector<std::string> code;  ///< line by line
    bool is_header = false;
};

/// A broken rule. Line 0: the file as a whole.
struct Finding {
    std::string path;
    std::size_t line = 0;
    std::string what;
};

SourceFile make_source(std::string path, std::string text);
/// Every .h and .cpp under shared/, server/, client-stub/ and tests/, ordered by path.
std::vector<SourceFile> read_sources(const std::string& root);
/// "" if there is no such file.
std::string read_file(const std::string& path);
std::vector<std::string> split_lines(std::string_view text);
std::string to_text(const std::vector<Finding>& findings);

/// "shared/voxel" of "shared/voxel/chunk.h"; tests/server/store of a test.
std::string folder_of(std::string_view path);
/// "chunk" of "shared/voxel/chunk.h".
std::string stem_of(std::string_view path);

}  // namespace terrane
