// terrane-server: reads the command line and the configuration, gives a Zone real time, TCP,
// threads and a store, lets operators look in by HTTP and ctl, and ticks it until a signal, ctl's
// stop, --ticks, or a failure of the store.
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
#include "server/app/zone_ops.h"
#include "server/net/stream_server.h"
#include "server/net/tcp.h"
#include "server/ops/ctl_socket.h"
#include "server/ops/json_text.h"
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

/// Operators' doors: their sockets, and what lies between the tick and the I/O thread.
struct OperatorAccess {
    Metrics metrics;
    OpsPages pages;
    CtlMailbox mailbox;
    CtlSocketPlace socket;
    std::int32_t http_port = -1;
    StreamServer streams;  ///< the last: it goes first

    explicit OperatorAccess(const Clock& clock) : pages(metrics, clock) {}
};

/// Before the store opens: a start that fails leaves no data folder behind.
Result<void> open_http(OperatorAccess& access, const HttpConfig& http) {
    if (http.port < 0) {
        return {};
    }
    const auto port = access.streams.listen_tcp(http.address, static_cast<std::uint16_t>(http.port),
                                                http_limits(), http_protocol(access.pages));
    if (!port) {
        return fail(
            "http.port = {}: {} (another zone's? --set http.port=0 takes a free one, "
            "http.port=-1 does without)",
            http.port, port.error().message);
    }
    access.http_port = *port;
    return {};
}

/// With the data folder's lock held. Where its file system knows no sockets: privately.
Result<void> open_ctl(OperatorAccess& access, const std::string& data_folder) {
    Result<CtlSocketPlace> place = CtlSocketPlace::choose(data_folder);
    if (!place) {
        return std::unexpected(place.error());
    }
    auto listening =
        access.streams.listen_unix(place->path(), ctl_limits(), ctl_protocol(access.mailbox));
    if (!listening && !place->is_private()) {
        place = CtlSocketPlace::choose_private(data_folder);
        if (!place) {
            return std::unexpected(place.error());
        }
        listening =
            access.streams.listen_unix(place->path(), ctl_limits(), ctl_protocol(access.mailbox));
    }
    if (!listening) {
        return fail("ctl socket: {}", listening.error().message);
    }
    access.socket = std::move(*place);
    return {};
}

/// Written aside and renamed: who waits for the file never reads half of it.
Result<void> write_ready_file(const std::string& path, const std::string& host, std::uint16_t port,
                              const OperatorAccess& access) {
    const std::string json = fmt::format(
        "{{\"host\":{},\"port\":{},\"http_port\":{},\"pid\":{},\"socket\":{}}}\n", quote_json(host),
        port, access.http_port, static_cast<long>(getpid()), quote_json(access.socket.path()));
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
std::string run(Zone& zone, ZoneOps& ops, SteadyClock& clock, const ZoneConfig& config,
                std::optional<std::uint64_t> ticks_max) {
    TickClock tick_clock(clock, config.tick_rate_hz);
    std::uint64_t ticks = 0;
    while (stop_signal == 0 && !ops.is_stop_due() && (!ticks_max || ticks < *ticks_max)) {
        const std::int64_t dropped = tick_clock.wait();
        if (dropped > 0) {
            zone.tick_stats().count_dropped(dropped);
            log_warn("the zone stood still for {} ticks: they are dropped, not caught up", dropped);
        }
        zone.run_tick();
        ops.after_tick();
        ++ticks;
        if (std::string failure = zone.failure(); !failure.empty()) {
            return failure;
        }
    }
    return "";
}

std::string to_address(const std::string& host, int port) {
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                               : fmt::format("[{}]:{}", host, port);
}

/// For people who started the zone by ./run, which says so.
void print_next_steps(const ServerOptions& options, const ZoneConfig& config, std::uint16_t port,
                      const OperatorAccess& access) {
    const char* run = std::getenv("TERRANE_RUN");
    if (run == nullptr) {
        return;
    }
    const std::string address = to_address(config.listen.address, port);
    const std::string place = config.store.is_enabled && !access.socket.is_private()
                                  ? "--data " + options.data_folder
                                  : "--socket " + access.socket.path();
    fmt::print(stderr,
               "Next, in other terminals:\n"
               "  {0} viewer --connect {1}\n"
               "  {0} bots --connect {1} --bots 10 --duration 60 --verify\n"
               "  {0} ctl {2} status\n"
               "Ctrl-C saves and stops.\n",
               run, address, place);
}

void warn_if_open(const char* key, const std::string& address, const char* what) {
    if (!is_loopback_address(address)) {
        log_warn(
            "{} {} can be reached from other machines, and this version {}: use it in a network "
            "you trust, or 127.0.0.1",
            key, address, what);
    }
}

void announce(const ServerOptions& options, const ZoneConfig& config, std::uint16_t port,
              const OperatorAccess& access) {
    log_info("listening on {}", to_address(config.listen.address, port));
    warn_if_open("listen.address", config.listen.address, "lets everybody in");
    if (access.http_port >= 0) {
        log_info("http://{} has /healthz, /status and /metrics",
                 to_address(config.http.address, access.http_port));
        warn_if_open("http.address", config.http.address, "shows its figures to everybody");
    }
    log_info("ctl socket {}", access.socket.path());
    print_next_steps(options, config, port, access);
}

int host(const ServerOptions& options, const ZoneConfig& config) {
    TcpCarrier carrier(to_tcp_config(config));
    if (auto started = carrier.start(); !started) {
        return fail_with(kExitFailed, started.error().message +
                                          "; a second zone on this machine needs "
                                          "--port 0 --set http.port=0 --data DIR");
    }
    SteadyClock clock;
    OperatorAccess access(clock);
    if (auto opened = open_http(access, config.http); !opened) {
        return fail_with(kExitFailed, opened.error().message);
    }
    // After the ports are ours: a start that fails leaves no data folder behind.
    auto store = open_store(options, config);
    if (!store) {
        return fail_with(kExitFailed, store.error().message);
    }
    if (auto opened = open_ctl(access, *store == nullptr ? "" : options.data_folder); !opened) {
        return fail_with(kExitFailed, opened.error().message);
    }
    WorkerPool workers(config.worker_threads);
    Zone zone(config, {&clock, &carrier, &workers, store->get(), config.worker_threads == 0});
    zone.open();
    ZoneOps ops({&zone, &config, &carrier, store->get(), &access.streams, &clock, &access.mailbox,
                 &access.pages, &access.metrics,
                 [&](StreamId stream, std::string bytes) {
                     access.streams.answer(stream, std::move(bytes));
                 },
                 carrier.port()});
    access.streams.start();
    if (!options.ready_file.empty()) {
        if (auto written =
                write_ready_file(options.ready_file, config.listen.address, carrier.port(), access);
            !written) {
            return fail_with(kExitFailed, written.error().message);
        }
    }
    announce(options, config, carrier.port(), access);
    std::string failure = run(zone, ops, clock, config, options.ticks_max);
    log_info("stopping");
    zone.close();
    ops.close();
    if (failure.empty()) {
        failure = zone.failure();  // of the last save
    }
    carrier.stop();
    access.streams.stop();
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
    const Result<std::string> path = parsed.options->config_path.empty()
                                         ? find_config()
                                         : Result<std::string>(parsed.options->config_path);
    if (!path) {
        return fail_with(kExitUsage, path.error().message);
    }
    const auto config = load_zone_config(*path, parsed.options->overrides);
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
