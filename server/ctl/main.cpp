// terrane-ctl: one request to a running zone, over the Unix socket that the zone keeps in its data
// folder; server/ops/ctl_protocol.h draws what goes over it. The answer goes to stdout as JSON.
// Exit 0 done; 1 no zone runs there, or it could not; 2 wrong usage.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "server/ops/ctl_protocol.h"
#include "server/ops/ctl_socket.h"

namespace terrane {
namespace {

/// Longer than the zone's own deadline for an answer.
constexpr time_t kAnswerWaitS = 90;
constexpr std::size_t kAnswerBytesMax = 16U << 20;

constexpr const char* kHelp =
    "terrane-ctl [--data DIR | --socket PATH] VERB [ARGUMENT...]\n"
    "Talks to the zone that runs with data folder DIR (default ./data); an ephemeral zone's PATH\n"
    "is in its log and its ready file. The answer is JSON. Exit 0 done, 1 could not, 2 wrong "
    "usage.\n\n"
    "  status                     what /status shows\n"
    "  players                    who is here, and where\n"
    "  say TEXT                   a line of chat from the zone to everybody\n"
    "  kick NAME [REASON]         ends a player's session\n"
    "  spawn KIND X Y Z [N]       N bodies (default 1) around a point, metres\n"
    "  teleport NAME X Y Z        puts a player there\n"
    "  blast X Y Z RADIUS [N s]   digs a ball and throws what stands around it\n"
    "  debug NAME on|off          may NAME, from another machine, see the zone's physics?\n"
    "  spawnpoint X Y Z           where new players appear from now on\n"
    "  pregen X0 Z0 X1 Z1         loads or generates the columns of a rectangle, metres\n"
    "  save                       makes everything up to now durable\n"
    "  stop [--in S]              saves and stops, S seconds from now\n";

struct Options {
    std::string data_folder = "data";
    std::string socket;   ///< empty: find it by data_folder
    std::string request;  ///< without its end
    bool wants_help = false;
    bool wants_version = false;
};

int fail_with(int code, const std::string& line) {
    std::fprintf(stderr, "terrane-ctl: %s\n", line.c_str());
    return code;
}

/// Options stand before the verb: what follows it is the zone's to judge, "-5" too.
Result<Options> parse(const std::vector<std::string>& arguments) {
    Options options;
    std::size_t i = 0;
    for (; i < arguments.size() && arguments[i].starts_with("--"); ++i) {
        const std::string name = arguments[i].substr(0, arguments[i].find('='));
        if (name == "--help" || name == "--version") {
            (name == "--help" ? options.wants_help : options.wants_version) = true;
            return options;
        }
        if (name != "--data" && name != "--socket") {
            return fail(
                "unknown option '{}'; there are --data DIR and --socket PATH, before the "
                "verb (--help lists the verbs)",
                name);
        }
        std::string& value = name == "--data" ? options.data_folder : options.socket;
        if (name.size() < arguments[i].size()) {
            value = arguments[i].substr(name.size() + 1);
        } else if (++i < arguments.size()) {
            value = arguments[i];
        } else {
            value.clear();
        }
        if (value.empty()) {
            return fail("{} needs a path", name);
        }
    }
    for (; i < arguments.size(); ++i) {
        options.request += options.request.empty() ? "" : " ";
        options.request += arguments[i];
    }
    if (options.request.empty()) {
        return fail("what shall the zone do? status, players, say, ... (--help lists the verbs)");
    }
    if (options.request.find_first_of("\n\r") != std::string::npos) {
        return fail("a request is one line: take out the line breaks");
    }
    if (options.request.size() + 1 >= kCtlRequestBytesMax) {
        return fail("a request has less than {} bytes, this one has {}", kCtlRequestBytesMax,
                    options.request.size() + 1);
    }
    return options;
}

/// Connected, or -1 with errno.
int connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::string name = path;
    if (name.size() > kSocketPathBytesMax) {  // from its own folder its name is short
        const std::filesystem::path whole(path);
        name = whole.filename().string();
        if (chdir(whole.parent_path().c_str()) != 0) {
            return -1;
        }
    }
    if (name.size() > kSocketPathBytesMax) {
        errno = ENAMETOOLONG;
        return -1;
    }
    std::memcpy(address.sun_path, name.data(), name.size());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return -1;
    }
    const timeval wait{.tv_sec = kAnswerWaitS, .tv_usec = 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        const int why = errno;
        close(descriptor);
        errno = why;
        return -1;
    }
    return descriptor;
}

/// The line that the zone answers; nothing if it ended first.
std::optional<std::string> ask(int descriptor, const std::string& request) {
    std::string_view rest = request;
    while (!rest.empty()) {
        const ssize_t count = send(descriptor, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (count <= 0) {
            return std::nullopt;
        }
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    std::string answer;
    std::vector<char> buffer(16 * 1024);
    while (answer.size() < kAnswerBytesMax && !answer.ends_with('\n')) {
        const ssize_t count = recv(descriptor, buffer.data(), buffer.size(), 0);
        if (count <= 0) {
            return std::nullopt;
        }
        answer.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return answer;
}

int show(const std::string& answer) {
    const auto json =
        nlohmann::ordered_json::parse(answer, nullptr, false);  // false: no exceptions
    if (!json.is_object() || !json.contains("exit") || !json["exit"].is_number_integer()) {
        return fail_with(1, "the zone's answer is not understood; is it of another version?");
    }
    const int exit = json["exit"].get<int>();
    if (exit != 0) {
        const bool has_line = json.contains("error") && json["error"].is_string();
        return fail_with(exit, has_line ? json["error"].get<std::string>() : "refused");
    }
    const std::string text = json.contains("answer") ? json["answer"].dump(2) : "{}";
    return std::puts(text.c_str()) >= 0 && std::fflush(stdout) == 0
               ? 0
               : fail_with(1, "the answer could not be written to stdout");
}

int run(const std::vector<std::string>& arguments) {
    const Result<Options> options = parse(arguments);
    if (!options) {
        return fail_with(2, options.error().message);
    }
    if (options->wants_help || options->wants_version) {
        std::fputs(options->wants_help ? kHelp : "terrane-ctl " TERRANE_VERSION "\n", stdout);
        return 0;
    }
    const bool is_by_data = options->socket.empty();
    const std::string path = is_by_data ? find_ctl_socket(options->data_folder) : options->socket;
    const int descriptor = connect_to(path);
    if (descriptor < 0) {
        const std::string why = std::strerror(errno);
        return fail_with(1, is_by_data ? "no zone runs with data folder '" + options->data_folder +
                                             "' (" + path + ": " + why +
                                             "); name another with --data DIR or --socket PATH"
                                       : "no zone answers at socket '" + path + "': " + why);
    }
    const std::optional<std::string> answer = ask(descriptor, options->request + "\n");
    close(descriptor);
    return answer ? show(*answer)
                  : fail_with(1, "the zone closed the connection without an answer");
}

}  // namespace
}  // namespace terrane

int main(int argc, char** argv) {
    return terrane::run(std::vector<std::string>(argv + 1, argv + argc));
}
