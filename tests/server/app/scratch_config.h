// The shipped configuration, and copies of it for tests to spoil.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "server/app/zone_config.h"

namespace terrane {

inline const std::string kConfigFolder = TERRANE_SOURCE_DIR "/config";

inline std::string read_file(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// A copy of config/ in which a test spoils one file.
struct ScratchConfig {
    std::filesystem::path folder;

    ScratchConfig() {
        char name[] = "/tmp/terrane-zone-XXXXXX";
        REQUIRE(mkdtemp(name) != nullptr);
        folder = name;
        for (const char* file : {"zone.toml", "materials.toml", "bodies.toml"}) {
            write(file, read_file(kConfigFolder + "/" + file));
        }
    }
    ~ScratchConfig() { std::filesystem::remove_all(folder); }
    ScratchConfig(const ScratchConfig&) = delete;
    ScratchConfig& operator=(const ScratchConfig&) = delete;

    void write(const char* file, const std::string& text) const {
        std::ofstream(folder / file) << text;
    }
    /// Replaces the first `from` in `file`, which must be there.
    void change(const char* file, const std::string& from, const std::string& to) const {
        std::string text = read_file((folder / file).string());
        const std::size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        write(file, text.replace(at, from.size(), to));
    }
    /// The failing line without the folder, or "".
    std::string load(std::vector<std::string> overrides = {}) const {
        const auto config = load_zone_config((folder / "zone.toml").string(), overrides);
        if (config) {
            return "";
        }
        const std::string prefix = folder.string() + "/";
        std::string line = config.error().message;
        CHECK(line.find('\n') == std::string::npos);
        return line.starts_with(prefix) ? line.substr(prefix.size()) : line;
    }
};

inline ZoneConfig shipped() {
    const auto config = load_zone_config(kConfigFolder + "/zone.toml");
    REQUIRE_MESSAGE(config, (config ? "" : config.error().message));
    return *config;
}

}  // namespace terrane
