#include "server/app/options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <string_view>

#include <CLI/CLI.hpp>

#include "shared/config/nearest_word.h"

namespace terrane {
namespace {

constexpr std::array<std::string_view, 2> kLaterOptions = {"--record", "--replay"};

struct Flags {
    std::string listen;
    std::int64_t port = 0;
    std::int64_t seed = 0;
    std::int64_t ticks = 0;
    bool is_ephemeral = false;
    std::vector<std::string> set;
};

ParsedOptions refuse(std::string line) {
    ParsedOptions parsed;
    parsed.exit_code = kExitUsage;
    parsed.err = "terrane-server: " + std::move(line);
    return parsed;
}

ParsedOptions answer(std::string text) {
    ParsedOptions parsed;
    parsed.out = std::move(text);
    return parsed;
}

void declare(CLI::App& app, ServerOptions& options, Flags& flags) {
    const CLI::Range count(std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
    app.add_option("--config", options.config_path,
                   "zone configuration; materials.toml and bodies.toml lie beside it (default: "
                   "config/zone.toml here, else the installed one)")
        ->type_name("FILE")
        ->take_last();
    app.add_option("--data", options.data_folder, "folder of what survives a restart")
        ->type_name("DIR")
        ->capture_default_str()
        ->take_last();
    app.add_flag("--ephemeral", flags.is_ephemeral, "keep nothing (store.enabled=false)");
    app.add_option("--listen", flags.listen, "IPv4 or IPv6 address (listen.address)")
        ->type_name("ADDR")
        ->take_last();
    app.add_option("--port", flags.port, "TCP port, 0 = a free one (listen.port)")
        ->type_name("N")
        ->take_last()
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{65535}));
    app.add_option("--seed", flags.seed, "what the terrain grows from (zone.seed)")
        ->type_name("N")
        ->take_last()
        ->check(count);
    app.add_option("--ticks", flags.ticks, "stop after so many ticks")
        ->type_name("N")
        ->take_last()
        ->check(count);
    app.add_option("--set", flags.set, "set one configuration key; may be given again")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    app.add_flag("--check-config", options.is_check_only,
                 "print the effective configuration and exit");
    app.add_option("--ready-file", options.ready_file, "JSON file, written once the zone listens")
        ->type_name("FILE")
        ->take_last();
    app.set_version_flag("--version", "terrane-server " TERRANE_VERSION);
}

/// CLI11 lists what it did not expect; this names the option that was probably meant.
std::string unknown_option_line(const CLI::App& app, std::span<const std::string> arguments) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        names.push_back("--" + option->get_single_name());
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    for (const std::string& argument : arguments) {
        const std::string name = argument.substr(0, argument.find('='));
        if (name.starts_with("-") && std::ranges::find(names, name) == names.end()) {
            return "unknown option '" + name + "'; did you mean '" +
                   std::string(nearest_word(name, views)) + "'?";
        }
    }
    return "";
}

std::vector<std::string> to_overrides(const CLI::App& app, const Flags& flags) {
    std::vector<std::string> overrides;
    if (app.count("--listen") > 0) {
        overrides.push_back("listen.address=" + flags.listen);
    }
    if (app.count("--port") > 0) {
        overrides.push_back("listen.port=" + std::to_string(flags.port));
    }
    if (app.count("--seed") > 0) {
        overrides.push_back("zone.seed=" + std::to_string(flags.seed));
    }
    if (flags.is_ephemeral) {
        overrides.emplace_back("store.enabled=false");
    }
    overrides.insert(overrides.end(), flags.set.begin(), flags.set.end());
    return overrides;
}

}  // namespace

Result<std::string> find_config() {
    const std::string here = "config/zone.toml";
    std::error_code error;
    if (std::filesystem::exists(here, error)) {
        return here;
    }
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path installed =
        program.parent_path().parent_path() / "share/terrane/config/zone.toml";
    if (std::filesystem::exists(installed, error)) {
        return installed.string();
    }
    return fail("no configuration: neither {} nor {} is there; name one with --config FILE", here,
                installed.string());
}

ParsedOptions parse_options(std::span<const std::string> arguments) {
    for (const std::string& argument : arguments) {
        const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
        if (std::ranges::find(kLaterOptions, name) != kLaterOptions.end()) {
            return refuse(std::string(name) + ": not in this version");
        }
    }
    CLI::App app("Hosts one zone: an online voxel world.", "terrane-server");
    app.allow_extras(false);
    ServerOptions options;
    Flags flags;
    declare(app, options, flags);
    try {
        // CLI11 wants them last first.
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        return answer(app.help());
    } catch (const CLI::CallForVersion& version) {
        return answer(std::string(version.what()) + "\n");
    } catch (const CLI::ParseError& error) {
        std::string line = unknown_option_line(app, arguments);
        if (line.empty()) {
            line = error.what();
            std::ranges::replace(line, '\n', ' ');
        }
        return refuse(line + " (--help lists the options)");
    }
    if ((app.count("--config") > 0 && options.config_path.empty()) || options.data_folder.empty()) {
        return refuse("--config and --data need a path that is not empty");
    }
    if (app.count("--ticks") > 0) {
        options.ticks_max = static_cast<std::uint64_t>(flags.ticks);
    }
    options.overrides = to_overrides(app, flags);
    ParsedOptions parsed;
    parsed.options = std::move(options);
    return parsed;
}

}  // namespace terrane
