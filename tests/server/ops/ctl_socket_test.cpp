#include "server/ops/ctl_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

namespace terrane {
namespace {

namespace fs = std::filesystem;

struct DataFolder {
    std::string root = "/tmp/terrane-test-XXXXXX";
    std::string path;
    explicit DataFolder(std::size_t name_bytes = 4) {
        REQUIRE(mkdtemp(root.data()) != nullptr);
        path = root + "/" + std::string(name_bytes, 'd');
        fs::create_directories(path);
    }
    ~DataFolder() { fs::remove_all(root); }
};

/// What a killed zone leaves.
void leave_socket(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    close(descriptor);
}

TEST_CASE("ctl_socket: lies in the data folder, is found there, and goes with its zone") {
    const DataFolder data;
    {
        const auto place = CtlSocketPlace::choose(data.path);
        REQUIRE(place.has_value());
        CHECK(place->path() == data.path + "/ctl.sock");
        CHECK(!place->is_private());
        leave_socket(place->path());
        CHECK(find_ctl_socket(data.path) == place->path());
    }
    CHECK(fs::is_empty(data.path));
}

TEST_CASE("ctl_socket: what a killed zone left is replaced, anything else is not touched") {
    const DataFolder data;
    leave_socket(data.path + "/ctl.sock");
    CHECK(CtlSocketPlace::choose(data.path).has_value());
    CHECK(fs::is_empty(data.path));
    std::ofstream(data.path + "/ctl.sock") << "a file";
    const auto refused = CtlSocketPlace::choose(data.path);
    REQUIRE(!refused.has_value());
    CHECK(refused.error().message ==
          data.path + "/ctl.sock: is in the way of the zone's ctl socket; remove it");
    CHECK(fs::file_size(data.path + "/ctl.sock") == 6);
}

TEST_CASE("ctl_socket: a path too long for a socket moves to a private folder that a note names") {
    const DataFolder data(80);
    REQUIRE((data.path + "/ctl.sock").size() > kSocketPathBytesMax);
    std::string folder;
    {
        const auto place = CtlSocketPlace::choose(data.path);
        REQUIRE(place.has_value());
        CHECK(place->is_private());
        CHECK(place->path().size() <= kSocketPathBytesMax);
        CHECK(find_ctl_socket(data.path) == place->path());
        folder = fs::path(place->path()).parent_path();
        CHECK((fs::status(folder).permissions() & fs::perms::mask) == fs::perms::owner_all);
        leave_socket(place->path());
    }
    CHECK(!fs::exists(folder));
    CHECK(fs::is_empty(data.path));
}

TEST_CASE("ctl_socket: a stale note does not outlive the next start") {
    const DataFolder data;
    std::ofstream(data.path + "/ctl.path") << "/tmp/nowhere/ctl.sock\n";
    CHECK(find_ctl_socket(data.path) == "/tmp/nowhere/ctl.sock");
    const auto place = CtlSocketPlace::choose(data.path);
    CHECK(find_ctl_socket(data.path) == data.path + "/ctl.sock");
}

TEST_CASE("ctl_socket: a zone without data has a private folder of its own") {
    const auto one = CtlSocketPlace::choose("");
    const auto two = CtlSocketPlace::choose("");
    REQUIRE(one.has_value());
    REQUIRE(two.has_value());
    CHECK(one->is_private());
    CHECK(one->path() != two->path());
}

}  // namespace
}  // namespace terrane
