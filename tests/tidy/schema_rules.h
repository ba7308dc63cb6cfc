// What a released FlatBuffers schema promises to those who hold old bytes: nothing disappears, no
// table field or enum value moves or changes type, no struct changes at all. `flatc --conform`
// 2.0.8 accepts a removed last field, a grown struct and a changed file identifier: hence our own.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/tidy/source_file.h"

namespace terrane {

struct SchemaType {
    std::string kind;  ///< "table", "struct", "enum" or "union"
    /// Field and its type with default and attributes, or value and its number; in order.
    std::vector<std::pair<std::string, std::string>> members;
    std::string underlying;  ///< of an enum
};

struct Schema {
    std::map<std::string, SchemaType> types;
    std::string file_identifier;
    std::string root_type;
};

Schema parse_schema(std::string_view text);
/// What of `released` no longer holds in `current`.
std::vector<Finding> check_schema(const std::string& path, const Schema& released,
                                  const Schema& current);

}  // namespace terrane
