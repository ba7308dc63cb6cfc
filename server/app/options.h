// The command line of terrane-server: what main does with it, and the lines it prints when it does
// not start. CLI11 stays inside options.cpp. --listen, --port, --seed and --ephemeral become
// overrides of configuration keys, in front of those of --set.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared/core/result.h"

namespace terrane {

/// Exit codes of every program.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;  ///< it ran and failed
inline constexpr int kExitUsage = 2;   ///< wrong usage or configuration

struct ServerOptions {
    std::string config_path;  ///< empty: find_config()
    std::string data_folder = "data";
    std::string ready_file;                  ///< empty: none
    std::optional<std::uint64_t> ticks_max;  ///< stop after so many
    bool is_check_only = false;              ///< print the effective configuration and exit
    std::vector<std::string> overrides;      ///< "key=value", for load_zone_config
};

struct ParsedOptions {
    std::optional<ServerOptions> options;  ///< nothing: print the texts and exit
    int exit_code = kExitDone;
    std::string out;  ///< for stdout: help or version
    std::string err;  ///< for stderr: one line without its newline
};

/// Where the configuration is if nobody says: config/zone.toml in the working folder, else the one
/// that was installed with the program. The error names both.
Result<std::string> find_config();

/// `arguments` without the program's name.
ParsedOptions parse_options(std::span<const std::string> arguments);

}  // namespace terrane
