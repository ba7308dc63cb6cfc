// TOML files as flat lists of "dotted.name = value" with their lines, and their application to a
// ConfigTable. toml++ stays inside config_file.cpp. Any bytes are safe input: a file is at most
// 1 MiB, and every refusal is one line that begins with file and line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shared/config/config_table.h"
#include "shared/core/result.h"

namespace terrane {

inline constexpr std::size_t kConfigFileBytesMax = 1U << 20;

struct ConfigEntry {
    std::string name;
    ConfigValue value;
    std::uint32_t line = 0;
    bool is_empty_section = false;
};

/// A file, or one element of an array of tables; entries in the order of their lines.
struct ConfigSection {
    std::string file;
    std::uint32_t line = 0;
    std::vector<ConfigEntry> entries;
    std::vector<std::string>
        overridden;  ///< names that a command line's `--set` had the last say on
};

/// The whole file as one section.
Result<ConfigSection> read_config(const std::string& path);
/// A file that holds nothing but `[[array]]` tables, at most `count_max`.
Result<std::vector<ConfigSection>> read_config_array(const std::string& path,
                                                     std::string_view array, std::size_t count_max);

/// Sets every entry; stops at the first wrong one.
Result<void> apply_config(const ConfigSection& section, ConfigTable& table);

/// "config/zone.toml:12" of `name` in `section`; the section's own line if it is not there. "--set"
/// if that overrode `name`, or `other`, the key that `name` does not agree with.
std::string place_of(const ConfigSection& section, std::string_view name,
                     std::string_view other = {});

}  // namespace terrane
