#include "shared/core/log.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
    drain_log();
    const std::string text = read_file(file);
    CHECK(text.find("a 1") == std::string::npos);
    CHECK(text.find("b 2") == std::string::npos);
    CHECK(text.find("c 3\n") != std::string::npos);
    CHECK(text.find("d 4\n") != std::string::npos);
}

TEST_CASE("log: a pipe that nobody reads drops lines and holds nobody up") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    drain_log();  // a fork does not take the log's thread along
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        bool is_good = open_log({LogLevel::info, ""}).has_value();
        for (int i = 0; i < 100'000; ++i) {
            log_info("line {} of far more than the pipe and the queue hold", i);
        }
        is_good = is_good && dropped_log_lines() > 0;
        drain_log();
        _exit(is_good ? 7 : 8);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);  // comes to its end although stderr is stuck
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
    close(ends[0]);
    close(ends[1]);
}

TEST_CASE("log: off writes nothing") {
    const ScratchFolder folder;
    const std::string file = folder.path + "/zone.log";
    REQUIRE(open_log({LogLevel::off, file}));
    CHECK(!is_logged(LogLevel::error));
    log_error("nothing");
    drain_log();
    CHECK(read_file(file).empty());
}

TEST_CASE("log: braces in a finished line are text, not a format") {
    const ScratchFolder folder;
    const std::string file = folder.path + "/zone.log";
    REQUIRE(open_log({LogLevel::info, file}));
    write_log(LogLevel::info, "{} %n%s {0:>99999999}");
    drain_log();
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
