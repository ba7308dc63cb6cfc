#include "tests/tidy/include_rules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <sstream>

#include <fmt/format.h>

namespace terrane {
namespace {

/// The house: each room and the rooms directly below it. What those may include is allowed too.
const RoomLinks& rooms() {
    static const RoomLinks table = {
        {"schemas", {}},
        {"shared/core", {}},
        {"shared/config", {"shared/core"}},
        {"shared/math", {"shared/core"}},
        {"shared/voxel", {"shared/math"}},
        {"shared/shape", {"shared/math"}},
        {"shared/bvh", {"shared/math"}},
        {"shared/terrain", {"shared/voxel", "shared/shape"}},
        {"shared/scene", {"shared/terrain", "shared/shape", "shared/bvh"}},
        {"shared/motion", {"shared/scene"}},
        {"shared/protocol", {"shared/voxel", "shared/scene", "shared/motion", "schemas"}},
        {"server/net", {"shared/protocol"}},
        {"server/physics", {"shared/terrain", "shared/shape"}},
        {"server/world", {"server/physics", "shared/motion", "shared/scene"}},
        {"server/rules", {"server/world"}},
        {"server/store", {"server/world"}},
        {"server/session", {"server/world", "server/net"}},
        {"server/replication", {"server/session"}},
        {"server/ops", {"server/world", "server/session", "server/net"}},
        {"server/app",
         {"shared/config", "server/rules", "server/store", "server/replication", "server/ops"}},
        {"server", {"server/app"}},
        {"client-stub/session", {"shared/protocol"}},
        {"client-stub/bots", {"client-stub/session", "shared/config"}},
        {"client-stub/viewer", {"client-stub/session", "shared/config"}},
    };
    return table;
}

struct Library {
    std::string_view prefix;                ///< of the include's name
    std::vector<std::string_view> allowed;  ///< prefixes of paths
};

const std::vector<Library>& libraries() {
    static const std::vector<Library> table = {
        {"btBullet", {"server/physics/", "tests/server/physics/", "tests/bench/"}},
        {"Bullet", {"server/physics/", "tests/server/physics/", "tests/bench/"}},
        {"LinearMath/", {"server/physics/", "tests/server/physics/", "tests/bench/"}},
        {"embree3/", {"tests/bench/"}},
        {"sqlite3.h", {"server/store/", "tests/server/store/"}},
        {"asio", {"server/net/", "client-stub/session/", "tests/server/net/"}},
        {"epoxy/",
         {"client-stub/viewer/gl.", "client-stub/viewer/headless_context.",
          "client-stub/viewer/window_"}},
        {"EGL/", {"client-stub/viewer/headless_context."}},
        {"GLFW/", {"client-stub/viewer/window_"}},
        {"lodepng.h", {"client-stub/viewer/png_file.", "tests/client-stub/viewer/"}},
        {"CLI/",
         {"server/app/options.cpp", "client-stub/viewer/main.cpp", "client-stub/bots/main.cpp",
          "tests/bench/main.cpp"}},
        {"toml++/", {"shared/config/config_file.cpp"}},
        {"nlohmann/",
         {"client-stub/bots/report.cpp", "client-stub/viewer/viewer_report.cpp",
          "server/ctl/main.cpp", "tests/"}},
        {"prometheus/", {"server/ops/metrics.cpp"}},
        {"spdlog/", {"shared/core/log.cpp"}},
        {"flatbuffers/", {"shared/protocol/", "tests/shared/protocol/", "tests/fuzz/"}},
        {"zstd.h", {"shared/voxel/", "tests/shared/voxel/"}},
        {"xxhash.h", {"shared/voxel/", "server/store/", "server/world/", "tests/shared/voxel/"}},
        {"malloc.h", {"server/app/chunk_loader.cpp", "tests/integration/"}},
        {"malloc.h", {"server/app/chunk_loader.cpp", "tests/integration/residency_test.cpp"}},
        {"doctest/", {"tests/"}},
        {"fmt/", {""}},
        {"glm/", {""}},
        {"hwy/", {"shared/terrain/flat_scan_simd.cpp", "shared/bvh/"}},
    };
    return table;
}

/// Everything that can be reached from `room`, without itself.
std::set<std::string> closure(const RoomLinks& links, const std::string& room) {
    std::set<std::string> seen;
    std::vector<std::string> open = {room};
    while (!open.empty()) {
        const auto found = links.find(open.back());
        open.pop_back();
        if (found == links.end()) {
            continue;
        }
        for (const std::string& below : found->second) {
            if (seen.insert(below).second) {
                open.push_back(below);
            }
        }
    }
    return seen;
}

struct Include {
    std::size_t line = 0;
    std::string name;
    bool is_own = false;  ///< in quotes
};

std::vector<Include> includes_of(const SourceFile& file) {
    std::vector<Include> includes;
    for (std::size_t i = 0; i < file.code.size(); ++i) {
        const std::string& line = file.code[i];
        if (!line.starts_with("#include")) {
            continue;
        }
        const std::size_t open = line.find_first_of("\"<");
        const std::size_t close = line.find_first_of("\">", open + 1);
        if (close != std::string::npos) {
            includes.push_back({i + 1, line.substr(open + 1, close - open - 1), line[open] == '"'});
        }
    }
    return includes;
}

/// The room that `path` lies in; "" for tests and files outside the rooms.
std::string room_of(const std::string& path) {
    const std::string folder = folder_of(path);
    return rooms().contains(folder) ? folder : "";
}

bool is_standard(std::string_view name) {
    static constexpr std::array<std::string_view, 3> kC = {"assert.h", "stdlib.h", "string.h"};
    return name.find_first_of("./") == std::string_view::npos ||
           std::ranges::find(kC, name) != kC.end();
}

bool is_operating_system(std::string_view name) {
    static constexpr std::array<std::string_view, 9> kNames = {"unistd.h", "fcntl.h",   "poll.h",
                                                               "signal.h", "netdb.h",   "dirent.h",
                                                               "spawn.h",  "pthread.h", "sched.h"};
    return name.starts_with("sys/") || name.starts_with("netinet/") || name.starts_with("arpa/") ||
           name.starts_with("linux/") || std::ranges::find(kNames, name) != kNames.end();
}

std::string to_room(std::string target) {
    for (const char* top : {"shared", "server", "client_stub"}) {
        const std::string prefix = std::string(top) + "_";
        if (target.starts_with(prefix)) {
            std::string room = std::string(top) + "/" + target.substr(prefix.size());
            std::ranges::replace(room, '_', top == std::string("client_stub") ? '-' : '_');
            return room.starts_with("client-stub/") ? room : room;
        }
    }
    return target;
}

}  // namespace

void parse_room_links(const std::string& cmake, RoomLinks& links) {
    std::size_t at = 0;
    while ((at = cmake.find("terrane_room(", at)) != std::string::npos) {
        at += std::string_view("terrane_room(").size();
        std::istringstream words(cmake.substr(at, cmake.find(')', at) - at));
        std::string room;
        words >> room;
        // Parts of a room (server/app_config) count as the room that holds them.
        room = room == "server/app_config" ? "server/app" : room;
        bool is_link = false;
        for (std::string word; words >> word;) {
            if (word == "LINKS" || word == "PRIVATE_LINKS") {
                is_link = true;
            } else if (word == "HEADERS" || word == "SOURCES") {
                is_link = false;
            } else if (is_link) {
                links[room].insert(to_room(word));
            }
        }
    }
}

RoomLinks read_room_links(const std::string& root) {
    RoomLinks links;
    for (const auto& [room, below] : rooms()) {
        parse_room_links(read_file(root + "/" + room + "/CMakeLists.txt"), links);
    }
    return links;
}

std::vector<Finding> check_directions(const SourceFile& file) {
    std::vector<Finding> findings;
    const std::string room = room_of(file.path);
    const std::set<std::string> allowed = closure(rooms(), room);
    const bool is_client =
        file.path.starts_with("client-stub/") || file.path.starts_with("tests/client-stub/");
    for (const Include& include : includes_of(file)) {
        const std::string target = folder_of(include.name);
        if (is_client && target.starts_with("server")) {
            findings.push_back({file.path, include.line,
                                fmt::format("the player's side includes {}", include.name)});
        } else if (include.is_own && !room.empty() && target != room && !allowed.contains(target)) {
            findings.push_back(
                {file.path, include.line,
                 fmt::format("room {} may not include {} (rooms include downwards, from the "
                             "project's root)",
                             room, include.name)});
        }
    }
    return findings;
}

std::vector<Finding> check_links(const SourceFile& file, const RoomLinks& links) {
    std::vector<Finding> findings;
    const std::string room = room_of(file.path);
    if (!links.contains(room)) {
        return findings;
    }
    const std::set<std::string> linked = closure(links, room);
    for (const Include& include : includes_of(file)) {
        const std::string target = folder_of(include.name);
        if (include.is_own && target != room && rooms().contains(target) &&
            !linked.contains(target)) {
            findings.push_back(
                {file.path, include.line,
                 fmt::format("{} includes {} and does not link {}", room, include.name, target)});
        }
    }
    return findings;
}

std::vector<Finding> check_libraries(const SourceFile& file) {
    std::vector<Finding> findings;
    for (const Include& include : includes_of(file)) {
        if (include.is_own || is_standard(include.name)) {
            continue;
        }
        if (is_operating_system(include.name)) {
            if (file.path.starts_with("shared/")) {
                findings.push_back(
                    {file.path, include.line,
                     fmt::format("shared/ calls no operating system: <{}>", include.name)});
            }
            continue;
        }
        const auto library = std::ranges::find_if(
            libraries(), [&](const Library& row) { return include.name.starts_with(row.prefix); });
        const bool is_allowed = library != libraries().end() &&
                                std::ranges::any_of(library->allowed, [&](std::string_view place) {
                                    return file.path.starts_with(place);
                                });
        if (!is_allowed) {
            findings.push_back(
                {file.path, include.line, fmt::format("<{}> is not let in here", include.name)});
        }
    }
    return findings;
}

std::vector<Finding> check_own_header_first(const SourceFile& file, bool has_own_header) {
    if (!has_own_header || file.is_header) {
        return {};
    }
    const std::string header = folder_of(file.path) + "/" + stem_of(file.path) + ".h";
    const std::vector<Include> includes = includes_of(file);
    if (!includes.empty() && includes.front().name == header) {
        return {};
    }
    return {{file.path, includes.empty() ? 0 : includes.front().line,
             fmt::format("must include \"{}\" first", header)}};
}

}  // namespace terrane
