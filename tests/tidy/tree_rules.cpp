#include "tests/tidy/tree_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

namespace terrane {
namespace {

bool is_product(const std::string& path) {
    return !path.starts_with("tests/");
}

/// The folder's own CMakeLists.txt and those of its parent and children.
std::string lists_around(const std::string& root, const std::string& folder,
                         std::map<std::string, std::string>& known) {
    auto& text = known[folder];
    if (text.empty()) {
        text = read_file(root + "/" + folder + "/CMakeLists.txt") +
               read_file(root + "/" + folder_of(folder) + "/CMakeLists.txt");
        // server/main.cpp is built by server/app.
        text += read_file(root + "/" + folder + "/app/CMakeLists.txt");
        text += " ";
    }
    return text;
}

}  // namespace

std::vector<Finding> check_dead_files(const std::string& root,
                                      const std::vector<SourceFile>& files) {
    std::vector<Finding> findings;
    std::map<std::string, std::string> known;
    for (const SourceFile& file : files) {
        const std::string name = file.path.substr(file.path.rfind('/') + 1);
        if (!file.is_header &&
            lists_around(root, folder_of(file.path), known).find(name) == std::string::npos) {
            findings.push_back({file.path, 0, "no CMakeLists.txt builds it"});
        }
    }
    return findings;
}

std::vector<Finding> check_mirrored_tests(const std::vector<SourceFile>& files) {
    std::set<std::string> tests;
    std::set<std::string> test_folders;
    for (const SourceFile& file : files) {
        if (file.path.starts_with("tests/") && file.path.ends_with("_test.cpp")) {
            tests.insert(file.path);
            test_folders.insert(folder_of(file.path));
        }
    }
    std::vector<Finding> findings;
    for (const SourceFile& file : files) {
        if (!is_product(file.path) || file.is_header || stem_of(file.path) == "main") {
            continue;
        }
        const std::string folder = "tests/" + folder_of(file.path);
        if (!test_folders.contains(folder) &&
            !tests.contains(folder + "/" + stem_of(file.path) + "_test.cpp")) {
            findings.push_back({file.path, 0, fmt::format("no test file in {}", folder)});
        }
    }
    return findings;
}

std::vector<Finding> check_dependency_page(const std::string& packages, const std::string& page) {
    std::set<std::string> listed;
    std::vector<Finding> findings;
    for (const std::string& line : split_lines(packages)) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string part;
        std::string package;
        if (words >> part >> package) {
            listed.insert(package);
            if (page.find("`" + package + "`") == std::string::npos) {
                findings.push_back(
                    {"docs/dependencies.md", 0, fmt::format("does not explain `{}`", package)});
            }
        }
    }
    // Rows of the page's tables begin with "| `package`".
    const std::vector<std::string> lines = split_lines(page);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].starts_with("| `")) {
            continue;
        }
        const std::string package = lines[i].substr(3, lines[i].find('`', 3) - 3);
        if (!listed.contains(package)) {
            findings.push_back({"docs/dependencies.md", i + 1,
                                fmt::format("`{}` is not in .ci/packages.txt", package)});
        }
    }
    return findings;
}

}  // namespace terrane
