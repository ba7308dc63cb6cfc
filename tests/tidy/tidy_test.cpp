// The rules of the house, applied to the whole tree. Every finding names file and line.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/tidy/include_rules.h"
#include "tests/tidy/name_rules.h"
#include "tests/tidy/schema_rules.h"
#include "tests/tidy/source_file.h"
#include "tests/tidy/text_rules.h"
#include "tests/tidy/tree_rules.h"

namespace terrane {
namespace {

const std::string kRoot = TERRANE_SOURCE_DIR;

const std::vector<SourceFile>& sources() {
    static const std::vector<SourceFile> files = read_sources(kRoot);
    return files;
}

template <typename Rule>
void check_all(Rule rule) {
    std::vector<Finding> findings;
    for (const SourceFile& file : sources()) {
        std::ranges::copy(rule(file), std::back_inserter(findings));
    }
    REQUIRE(sources().size() > 20);
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("tidy: rooms include downwards only") {
    check_all(check_directions);
}

TEST_CASE("tidy: a room includes only rooms that it links") {
    const RoomLinks links = read_room_links(kRoot);
    REQUIRE(links.size() > 5);
    check_all([&](const SourceFile& file) { return check_links(file, links); });
}

TEST_CASE("tidy: third-party libraries stay where they were let in") {
    check_all(check_libraries);
}

TEST_CASE("tidy: every source includes its own header first") {
    check_all([](const SourceFile& file) {
        const std::string header = folder_of(file.path) + "/" + stem_of(file.path) + ".h";
        const bool has_header = std::ranges::any_of(
            sources(), [&](const SourceFile& other) { return other.path == header; });
        return check_own_header_first(file, has_header);
    });
}

TEST_CASE("tidy: files and lines keep to their lengths") {
    check_all(check_lengths);
    std::size_t long_count = 0;
    for (const SourceFile& file : sources()) {
        if (file.lines.size() > kFileLinesGood) {
            ++long_count;
            MESSAGE(file.path << " has " << file.lines.size() << " lines");
        }
    }
    MESSAGE(long_count << " of " << sources().size() << " files are over " << kFileLinesGood
                       << " lines");
}

TEST_CASE("tidy: functions keep to their length") {
    check_all(check_function_lengths);
}

TEST_CASE("tidy: nothing is marked unfinished and no name is empty") {
    check_all(check_words);
}

TEST_CASE("tidy: every header begins with what it is") {
    check_all(check_header_start);
}

TEST_CASE("tidy: a type's name is defined once") {
    std::size_t count = 0;
    for (const SourceFile& file : sources()) {
        count += types_of(file).size();
    }
    REQUIRE(count > 100);
    // Server and client meet in the tests that run both in one process.
    const std::vector<Finding> findings =
        check_type_names(sources(), {"shared/", "server/", "client-stub/"});
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("tidy: every source is built") {
    const std::vector<Finding> findings = check_dead_files(kRoot, sources());
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("tidy: every room with sources has tests") {
    const std::vector<Finding> findings = check_mirrored_tests(sources());
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("tidy: every package is explained in docs/dependencies.md, and no other") {
    const std::string packages = read_file(kRoot + "/.ci/packages.txt");
    REQUIRE(!packages.empty());
    const std::vector<Finding> findings =
        check_dependency_page(packages, read_file(kRoot + "/docs/dependencies.md"));
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("tidy: schemas keep what was released") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(kRoot) / "schemas";
    std::vector<Finding> findings;
    if (fs::is_directory(folder / "released")) {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder / "released")) {
            const std::string name = entry.path().filename().string();
            std::ranges::copy(
                check_schema("schemas/" + name, parse_schema(read_file(entry.path().string())),
                             parse_schema(read_file((folder / name).string()))),
                std::back_inserter(findings));
        }
    }
    CHECK_MESSAGE(findings.empty(), to_text(findings));
    // Our parser reads what is there: every schema keeps itself.
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".fbs") {
            const Schema schema = parse_schema(read_file(entry.path().string()));
            CHECK(schema.types.size() > 2);
            CHECK(check_schema("", schema, schema).empty());
        }
    }
}

}  // namespace
}  // namespace terrane
