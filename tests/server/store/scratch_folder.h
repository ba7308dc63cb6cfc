// A data folder that lives as long as a test, raw access to the database inside it, and rows whose
// content follows from a number, so that a test knows what must come back.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "server/store/store.h"
#include "shared/core/random.h"

namespace terrane {

struct ScratchFolder {
    std::string path;

    ScratchFolder() {
        char name[] = "/tmp/terrane-store-XXXXXX";
        REQUIRE(mkdtemp(name) != nullptr);
        path = name;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::string file() const { return path + "/zone.db"; }

    /// Runs SQL in the file behind the store's back; returns the first number of the last row.
    std::int64_t sql(const std::string& text) const {
        sqlite3* connection = nullptr;
        REQUIRE(sqlite3_open(file().c_str(), &connection) == SQLITE_OK);
        std::int64_t value = 0;
        const auto take = [](void* target, int, char** columns, char**) {
            *static_cast<std::int64_t*>(target) =
                columns[0] != nullptr ? std::atoll(columns[0]) : 0;
            return 0;
        };
        char* error = nullptr;
        const int code = sqlite3_exec(connection, text.c_str(), take, &value, &error);
        CHECK_MESSAGE(code == SQLITE_OK, (error != nullptr ? error : ""));
        sqlite3_free(error);
        sqlite3_close(connection);
        return value;
    }
};

inline std::string read_bytes(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::vector<std::uint8_t> make_blob(std::uint64_t number) {
    Random random(number);
    std::vector<std::uint8_t> blob(200 + random.below(4000));
    for (std::uint8_t& byte : blob) {
        byte = static_cast<std::uint8_t>(random.below(256));
    }
    return blob;
}

inline StoredPlayer make_player(const std::string& name, std::uint64_t number) {
    StoredPlayer player;
    player.name = name;
    player.id = number;
    player.position[0] = static_cast<float>(number) * 0.5F;
    player.velocity[2] = -static_cast<float>(number);
    player.yaw = static_cast<std::uint16_t>(number);
    player.pitch = static_cast<std::int16_t>(-static_cast<int>(number % 16384));
    player.vehicle = number * 3;
    player.seat = static_cast<std::uint8_t>(number % 4);
    return player;
}

inline StoredBody make_body(std::uint64_t id, std::uint64_t number) {
    StoredBody body;
    body.id = id;
    body.kind = number % 2 == 0 ? "crate" : "log";
    body.position[1] = static_cast<float>(number);
    body.rotation[0] = 0.5F;
    body.linear_velocity[1] = -0.25F;
    body.angular_velocity[2] = static_cast<float>(number % 7);
    body.is_asleep = number % 3 == 0;
    if (number % 5 == 0) {
        body.piece = {1, static_cast<std::uint8_t>(number)};
    }
    return body;
}

inline bool is_same(const StoredPlayer& a, const StoredPlayer& b) {
    return a.name == b.name && a.id == b.id && std::ranges::equal(a.position, b.position) &&
           std::ranges::equal(a.velocity, b.velocity) && a.yaw == b.yaw && a.pitch == b.pitch &&
           a.vehicle == b.vehicle && a.seat == b.seat;
}

inline bool is_same(const StoredBody& a, const StoredBody& b) {
    return a.id == b.id && a.kind == b.kind && std::ranges::equal(a.position, b.position) &&
           std::ranges::equal(a.rotation, b.rotation) &&
           std::ranges::equal(a.linear_velocity, b.linear_velocity) &&
           std::ranges::equal(a.angular_velocity, b.angular_velocity) &&
           a.is_asleep == b.is_asleep && a.piece == b.piece;
}

inline std::unique_ptr<Store> open_store(const ScratchFolder& folder,
                                         const StoreVersions& versions = {}) {
    Result<std::unique_ptr<Store>> store = Store::open(folder.path, versions);
    REQUIRE_MESSAGE(store, (store ? "" : store.error().message));
    return std::move(*store);
}

/// The chunk's bytes; nullopt: never stored. It must be readable.
inline std::optional<std::vector<std::uint8_t>> loaded(Store& store, const ChunkCoord& coord) {
    auto blob = store.load_chunk(coord);
    REQUIRE_MESSAGE(blob, (blob ? "" : blob.error().message));
    return std::move(*blob);
}

/// The line that refuses to open, or "".
inline std::string refusal(const ScratchFolder& folder, const StoreVersions& versions = {}) {
    const Result<std::unique_ptr<Store>> store = Store::open(folder.path, versions);
    return store ? "" : store.error().message;
}

}  // namespace terrane
