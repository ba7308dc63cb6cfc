// One type, one name: two types of one name in the flat namespace meet as soon as one file includes
// both, and before that the linker may take the functions of the one for those of the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_file.h"

namespace terrane {

/// A class, struct, union or enum with a body, at namespace level.
struct TypeName {
    std::string name;
    std::size_t line = 0;
};

/// Nested types, types in unnamed namespaces and forward declarations do not count; a type in an
/// inner namespace counts as "inner::Name".
std::vector<TypeName> types_of(const SourceFile& file);

/// Types of one name in files whose paths begin with one of `rooms`: each after the first.
std::vector<Finding> check_type_names(const std::vector<SourceFile>& files,
                                      const std::vector<std::string_view>& rooms);

}  // namespace terrane
