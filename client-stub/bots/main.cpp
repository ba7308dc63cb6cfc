// terrane-bots: a swarm of players for load and for proof. Results go to stdout and --report, a
// progress line to a terminal, what went wrong to stderr. Exit 0 done; 1 a bot could not join, was
// dropped, or saw a divergence; 2 wrong usage.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "client-stub/bots/swarm.h"
#include "client-stub/bots/zone_status.h"
#include "shared/config/option_names.h"
#include "shared/protocol/limits.h"

namespace {

using namespace terrane;

constexpr std::uint32_t kBotsMax = 20000;
constexpr Nanoseconds kStepMax{50'000'000};
constexpr Nanoseconds kProgressEvery{500'000'000};
constexpr Nanoseconds kStatusTimeout{2'000'000'000};
constexpr std::int32_t kHttpPort = 7780;

std::atomic<bool> interrupted{false};

void interrupt(int) {
    interrupted = true;
}

int refuse(const std::string& line) {
    fmt::print(stderr, "terrane-bots: {}\n", line);
    return 2;
}

struct Options {
    std::string connect = "127.0.0.1:7777";
    std::string behaviour = "mixed";
    std::string report;
    std::int32_t http_port = kHttpPort;
    bool has_http_port = false;  ///< was given: no answer is worth a line
    unsigned view = 3;
    SwarmConfig swarm;
};

/// Options that a later version brings: known, so that the answer is not "unknown option".
void add_later_options(CLI::App& app) {
    for (const char* name : {"--loss", "--delay-ms", "--jitter-ms", "--html"}) {
        app.add_option_function<std::string>(
               name,
               [name](const std::string&) {
                   throw CLI::ValidationError(name, "not in this version");
               },
               "(not in this version)")
            ->group("Later");
    }
}

void add_options(CLI::App& app, Options& options) {
    SwarmConfig& swarm = options.swarm;
    app.set_version_flag("--version", "terrane-bots " TERRANE_VERSION);
    app.add_option("--connect", options.connect, "the zone, HOST:PORT")->capture_default_str();
    app.add_option("--bots", swarm.bots, "how many")
        ->check(CLI::Range(1U, kBotsMax))
        ->capture_default_str();
    app.add_option("--duration", swarm.duration_s, "seconds, the ramp included")
        ->check(CLI::Range(0.1, 1e6))
        ->capture_default_str();
    app.add_option("--behaviour", options.behaviour, "walk, dig, build, mixed, explore or idle")
        ->capture_default_str();
    app.add_option("--edits-per-second", swarm.behaviour.edits_per_s, "of each bot that edits")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    app.add_option("--seed", swarm.seed, "of names and behaviours")->capture_default_str();
    app.add_option("--ramp", swarm.ramp_s, "seconds over which they join")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_flag("--verify", swarm.is_verifying, "compare replicas with the zone's hashes");
    app.add_option("--view", options.view, "view in chunks")
        ->check(CLI::Range(1U, unsigned{kViewChunksMax}))
        ->capture_default_str();
    app.add_option("--report", options.report, "write the report as JSON to this file");
    app.add_option("--http", options.http_port,
                   "port of the zone's /status, for the report's \"server\"; -1: do not ask")
        ->check(CLI::Range(-1, 65535))
        ->capture_default_str();
    add_later_options(app);
}

/// A socket a bot, and a few more.
bool raise_file_limit(std::uint32_t bots) {
    rlimit limit{};
    const rlim_t wanted = rlim_t{bots} + 64;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
        return true;
    }
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= wanted;
}

/// The zone's /status, or empty. A zone of another port that happens to answer is not meant.
std::string ask_status(const Options& options) {
    if (options.http_port <= 0) {
        return "";
    }
    const HostPort http{options.swarm.zone.host, static_cast<std::uint16_t>(options.http_port)};
    const Result<std::string> status = fetch_zone_status(http, kStatusTimeout);
    const bool is_right = status && is_status_of(*status, options.swarm.zone.port);
    if (!is_right && options.has_http_port) {
        fmt::print(stderr, "terrane-bots: --http {}: {}; the report has no \"server\"\n",
                   options.http_port, status ? "that is another zone's" : status.error().message);
    }
    return is_right ? *status : "";
}

/// Returns what ask_status said while the bots were still there.
std::string run(Swarm& swarm, const Clock& clock, const Options& options) {
    const bool has_terminal = isatty(STDERR_FILENO) == 1;
    Nanoseconds next_progress = clock.now();
    std::string status;
    bool is_asked = false;
    while (!swarm.is_finished()) {
        if (!is_asked && swarm.stage() != Swarm::Stage::running) {
            is_asked = true;
            status = ask_status(options);
        }
        if (interrupted) {
            swarm.stop();
        }
        swarm.step(kStepMax);
        if (has_terminal && clock.now() >= next_progress) {
            next_progress = clock.now() + kProgressEvery;
            fmt::print(stderr, "\r\x1b[K{}", swarm.progress());
        }
    }
    if (has_terminal) {
        fmt::print(stderr, "\r\x1b[K");
    }
    return status;
}

int start(Options& options) {
    const auto zone = parse_host_port(options.connect);
    if (!zone.has_value()) {
        return refuse("--connect: " + zone.error().message);
    }
    const auto behaviour = parse_behaviour(options.behaviour);
    if (!behaviour.has_value()) {
        return refuse("--behaviour: " + behaviour.error().message);
    }
    SwarmConfig& config = options.swarm;
    if (config.ramp_s > 0.0 && config.ramp_s >= config.duration_s) {
        return refuse(fmt::format("--ramp: {} s do not fit into --duration {} s: make it longer",
                                  config.ramp_s, config.duration_s));
    }
    if (!raise_file_limit(config.bots)) {
        return refuse(
            fmt::format("--bots: {} need as many open files: raise `ulimit -n`", config.bots));
    }
    std::ofstream report_file;
    if (!options.report.empty()) {
        report_file.open(options.report, std::ios::trunc);
        if (!report_file) {
            return refuse(
                fmt::format("--report: '{}' cannot be written: name a file in a folder "
                            "that exists and is yours",
                            options.report));
        }
    }
    config.zone = *zone;
    config.behaviour.kind = *behaviour;
    config.view_chunks = static_cast<std::uint8_t>(options.view);
    config.process_id = static_cast<std::uint32_t>(::getpid());
    config.client_version = "terrane-bots " TERRANE_VERSION;

    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, interrupt);
    const SteadyClock clock;
    Swarm swarm(config, clock);
    std::string status = run(swarm, clock, options);

    SwarmReport report = swarm.report();
    report.zone_status = std::move(status);
    fmt::print("{}", to_summary(report));
    std::string failure = failure_of(report);
    if (report_file.is_open()) {
        report_file << to_json(report) << std::flush;
        if (!report_file && failure.empty()) {
            failure = fmt::format("{}: the report could not be written", options.report);
        }
    }
    if (!failure.empty()) {
        fmt::print(stderr, "terrane-bots: {}\n", failure);
        return 1;
    }
    return 0;
}

/// Before anything else is found wrong with the command line.
Result<void> check_names(const CLI::App& app, int argc, char** argv) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
    return check_option_names(arguments, known);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Bots that walk, dig and build in a terrane zone, and measure it", "terrane-bots");
    add_options(app, options);
    if (const auto names = check_names(app, argc, argv); !names) {
        return refuse(names.error().message);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error);  // --help, --version
        }
        return refuse(error.what());
    }
    options.has_http_port = app.count("--http") > 0;
    return start(options);
}
