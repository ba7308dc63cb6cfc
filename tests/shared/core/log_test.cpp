#include "shared/core/log.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <stdlib.h>

namespace terrane {
namespace {

struct ScratchFolder {
    std::string path;

    ScratchFolder() {
        char name[] = "/tmp/terrane-log-XXXXXX";
        REQUIRE(mkdtemp(name) != nullptr);
        path = name;
    }
    ~ScratchFolder() {
        CHECK(open_log({}));  // lets go of the file
        std::filesystem::remove_all(path);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
};

std::string read_file(const std::string& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_CASE("log: lines at or above the level reach the file, others are not even formatted") {
    const ScratchFolder folder;
    const std::string file = folder.path + "/zone.log";
    REQUIRE(open_log({LogLevel::warn, file}));
    CHECK(!is_logged(LogLevel::debug));
    CHECK(!is_logged(LogLevel::info));
    CHECK(is_logged(LogLevel::warn));
    CHECK(is_logged(LogLevel::error));
    log_debug("a {}", 1);
    log_info("b {}", 2);
    log_warn("c {}", 3);
    log_error("d {}", 4);
    const std::string text = read_file(file);
    CHECK(text.find("a 1") == std::string::npos);
    CHECK(text.find("b 2") == std::string::npos);
    CHECK(text.find("c 3\n") != std::string::npos);
    CHECK(text.find("d 4\n") != std::string::npos);
}

TEST_CASE("log: off writes nothing") {
    const ScratchFolder folder;
    const std::string file = folder.path + "/zone.log";
    REQUIRE(open_log({LogLevel::off, file}));
    CHECK(!is_logged(LogLevel::error));
    log_error("nothing");
    CHECK(read_file(file).empty());
}

TEST_CASE("log: braces in a finished line are text, not a format") {
    const ScratchFolder folder;
    const std::string file = folder.path + "/zone.log";
    REQUIRE(open_log({LogLevel::info, file}));
    write_log(LogLevel::info, "{} %n%s {0:>99999999}");
    CHECK(read_file(file).find("{} %n%s {0:>99999999}\n") != std::string::npos);
}

TEST_CASE("log: a file that cannot be opened is refused and the old log stays") {
    const Result<void> opened = open_log({LogLevel::info, "/dev/null/zone.log"});
    REQUIRE(!opened);
    CHECK(opened.error().message.starts_with("log.file '/dev/null/zone.log' cannot be opened"));
    CHECK(is_logged(LogLevel::info));
}

}  // namespace
}  // namespace terrane
