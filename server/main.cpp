// terrane-server: reads the command line and the configuration, gives a Zone real time, TCP,
// threads and a store, and ticks it until a signal, --ticks, or a failure of the store.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "server/app/chunk_source.h"
#include "server/app/options.h"
#include "server/app/tick_clock.h"
#include "server/app/zone.h"
#include "server/net/tcp.h"
#include "shared/core/log.h"

namespace terrane {
namespace {

volatile std::sig_atomic_t stop_signal = 0;

extern "C" void note_signal(int signal) {
    stop_signal = signal;
}

int fail_with(int code, const std::string& line) {
    std::fprintf(stderr, "terrane-server: %s\n", line.c_str());
    return code;
}

/// Written aside and renamed: who waits for the file never reads half of it.
Result<void> write_ready_file(const std::string& path, const std::string& host,
                              std::uint16_t port) {
    const std::string json =
        fmt::format(R"({{"host":"{}","port":{},"http_port":-1,"pid":{},"socket":""}})"
                    "\n",
                    host, port, static_cast<long>(getpid()));
    const std::string aside = path + ".new";
    std::FILE* file = std::fopen(aside.c_str(), "w");
    if (file == nullptr) {
        return fail("--ready-file {}: cannot be written", path);
    }
    const bool is_written = std::fputs(json.c_str(), file) >= 0;
    std::error_code error;
    if (std::fclose(file) != 0 || !is_written) {
        return fail("--ready-file {}: cannot be written", path);
    }
    std::filesystem::rename(aside, path, error);
    return error ? Result<void>(fail("--ready-file {}: {}", path, error.message()))
                 : Result<void>();
}

Result<std::unique_ptr<Store>> open_store(const ServerOptions& options, const ZoneConfig& config) {
    if (!config.store.is_enabled) {
        return std::unique_ptr<Store>();
    }
    return Store::open(options.data_folder, to_store_versions(config));
}

bool is_loopback(const std::string& address) {
    return address.starts_with("127.") || address == "::1";
}

TcpConfig to_tcp_config(const ZoneConfig& config) {
    TcpConfig tcp;
    tcp.listen = {config.listen.address};
    tcp.port = config.listen.port;
    tcp.limits.outbox_bytes_max = std::size_t{config.session.outbox_kib_max} * 1024;
    tcp.limits.login_deadline_ms =
        static_cast<std::uint32_t>(config.session.login_deadline_s * 1000.0F);
    return tcp;
}

/// Ticks until something says stop; returns why the zone could not go on, or nothing.
std::string run(Zone& zone, SteadyClock& clock, const ZoneConfig& config,
                std::optional<std::uint64_t> ticks_max) {
    TickClock tick_clock(clock, config.tick_rate_hz);
    std::uint64_t ticks = 0;
    while (stop_signal == 0 && (!ticks_max || ticks < *ticks_max)) {
        const std::int64_t dropped = tick_clock.wait();
        if (dropped > 0) {
            zone.tick_stats().count_dropped(dropped);
            log_warn("the zone stood still for {} ticks: they are dropped, not caught up", dropped);
        }
        zone.run_tick();
        ++ticks;
        if (std::string failure = zone.failure(); !failure.empty()) {
            return failure;
        }
    }
    return "";
}

/// For people who started the zone by ./run, which says so.
void print_next_steps(const std::string& host, std::uint16_t port) {
    const char* run = std::getenv("TERRANE_RUN");
    if (run == nullptr) {
        return;
    }
    const std::string address = host.find(':') == std::string::npos
                                    ? fmt::format("{}:{}", host, port)
                                    : fmt::format("[{}]:{}", host, port);
    fmt::print(stderr,
               "Next, in other terminals:\n"
               "  {0} viewer --connect {1}\n"
               "  {0} bots --connect {1} --bots 10 --duration 60 --verify\n"
               "Ctrl-C saves and stops.\n",
               run, address);
}

int host(const ServerOptions& options, const ZoneConfig& config) {
    TcpCarrier carrier(to_tcp_config(config));
    if (auto started = carrier.start(); !started) {
        return fail_with(kExitFailed, started.error().message);
    }
    // After the port is ours: a start that fails leaves no data folder behind.
    auto store = open_store(options, config);
    if (!store) {
        return fail_with(kExitFailed, store.error().message);
    }
    SteadyClock clock;
    WorkerPool workers(config.worker_threads);
    Zone zone(config, {&clock, &carrier, &workers, store->get(), config.worker_threads == 0});
    zone.open();
    if (!options.ready_file.empty()) {
        if (auto written =
                write_ready_file(options.ready_file, config.listen.address, carrier.port());
            !written) {
            return fail_with(kExitFailed, written.error().message);
        }
    }
    log_info("listening on {}:{}", config.listen.address, carrier.port());
    if (!is_loopback(config.listen.address)) {
        log_warn(
            "listen.address {} can be reached from other machines, and this version lets "
            "everybody in: use it in a network you trust, or 127.0.0.1",
            config.listen.address);
    }
    print_next_steps(config.listen.address, carrier.port());
    std::string failure = run(zone, clock, config, options.ticks_max);
    log_info("stopping");
    zone.close();
    if (failure.empty()) {
        failure = zone.failure();  // of the last save
    }
    carrier.stop();
    log_info("{} after {} ticks", store->get() == nullptr ? "stopped" : "saved and stopped",
             zone.tick_stats().ticks());
    std::printf("%s\n", to_json(zone.tick_stats()).c_str());
    return failure.empty() ? kExitDone : fail_with(kExitFailed, failure);
}

int run_server(const std::vector<std::string>& arguments) {
    const ParsedOptions parsed = parse_options(arguments);
    std::fputs(parsed.out.c_str(), stdout);
    if (!parsed.options) {
        if (!parsed.err.empty()) {
            std::fprintf(stderr, "%s\n", parsed.err.c_str());
        }
        return parsed.exit_code;
    }
    const auto config = load_zone_config(parsed.options->config_path, parsed.options->overrides);
    if (!config) {
        return fail_with(kExitUsage, config.error().message);
    }
    if (parsed.options->is_check_only) {
        std::fputs(print_effective(*config).c_str(), stdout);
        return kExitDone;
    }
    if (auto opened = open_log(config->log); !opened) {
        return fail_with(kExitUsage, opened.error().message);
    }
    std::signal(SIGTERM, note_signal);
    std::signal(SIGINT, note_signal);
    std::signal(SIGHUP, note_signal);  // a closed terminal saves too
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a failed write, said in words
    return host(*parsed.options, *config);
}

}  // namespace
}  // namespace terrane

int main(int argc, char** argv) {
    const int code = terrane::run_server(std::vector<std::string>(argv + 1, argv + argc));
    terrane::drain_log();
    std::fflush(stdout);
    std::_Exit(code);  // see drain_log
}
