// Rules about the tree as a whole: no source outside every CMakeLists.txt, no room without tests.
#pragma once

#include <string>
#include <vector>

#include "tests/tidy/source_file.h"

namespace terrane {

/// Sources that the CMakeLists.txt of their folder or of a neighbour does not name.
std::vector<Finding> check_dead_files(const std::string& root,
                                      const std::vector<SourceFile>& files);
/// Sources with neither tests/<path>_test.cpp nor a test folder for their room.
std::vector<Finding> check_mirrored_tests(const std::vector<SourceFile>& files);
/// Packages of .ci/packages.txt that docs/dependencies.md does not explain, and the other way.
std::vector<Finding> check_dependency_page(const std::string& packages, const std::string& page);

}  // namespace terrane
