#include "shared/core/assert.h"

#include <array>
#include <csignal>
#include <string>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace terrane {
namespace {

struct Death {
    int signal = 0;
    std::string line;
};

/// Runs `act` in a child process and returns how it ended and what it said on stderr.
template <typename Act>
Death run_in_child(Act act) {
    int words[2];
    REQUIRE(pipe(words) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);  // doctest catches it
        dup2(words[1], STDERR_FILENO);
        act();
        _exit(0);
    }
    close(words[1]);
    Death death;
    std::array<char, 512> text{};
    for (ssize_t size = 0; (size = read(words[0], text.data(), text.size())) > 0;) {
        death.line.append(text.data(), static_cast<std::size_t>(size));
    }
    close(words[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    death.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return death;
}

TEST_CASE("assert: a false condition says where and what, and aborts, in release too") {
    const int one = 1;
    const Death death = run_in_child([&] { TERRANE_ASSERT(one == 2); });
    CHECK(death.signal == SIGABRT);
    CHECK(death.line.find("assert_test.cpp:") != std::string::npos);
    CHECK(death.line.find("one == 2") != std::string::npos);
    const Death noted = run_in_child([&] { TERRANE_ASSERT_MSG(one == 2, "the note"); });
    CHECK(noted.signal == SIGABRT);
    CHECK(noted.line.find("the note") != std::string::npos);
}

TEST_CASE("assert: a true condition is evaluated once and passes") {
    int calls = 0;
    TERRANE_ASSERT(++calls == 1);
    CHECK(calls == 1);
    const Death alive = run_in_child([] { TERRANE_ASSERT(true); });
    CHECK(alive.signal == 0);
    CHECK(alive.line.empty());
}

TEST_CASE("assert: the debug form exists in debug builds only") {
    int calls = 0;
    TERRANE_DEBUG_ASSERT(++calls == 1);
#ifdef TERRANE_DEBUG
    CHECK(calls == 1);
#else
    CHECK(calls == 0);
#endif
}

}  // namespace
}  // namespace terrane
