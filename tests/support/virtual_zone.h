// A whole zone in one process and in virtual time: the real Zone on the loopback carrier, with real
// client sessions at the other end. tick() runs one tick of the zone, then every client receives.
#pragma once

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <doctest/doctest.h>

#include "client-stub/session/client_session.h"
#include "server/app/chunk_source.h"
#include "server/app/zone.h"
#include "server/net/loopback.h"

namespace terrane::test {

/// A folder that is gone when the test ends.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        static int count = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("terrane-test-" + std::to_string(getpid()) + "-" + std::to_string(count++));
        std::filesystem::create_directories(path_);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string string() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

/// A client's stream over the loopback carrier.
class LoopbackStream final : public ByteStream {
  public:
    explicit LoopbackStream(LoopbackClient client) : client_(std::move(client)) {}
    void send(std::span<const std::uint8_t> bytes) override { client_.send(bytes); }
    std::size_t receive(std::vector<std::uint8_t>& out) override {
        const std::size_t received = client_.receive(out);
        if (received == 0 && reason_.empty() && !client_.is_open()) {
            reason_ = "the zone closed the connection";
        }
        return received;
    }
    bool is_open() const override { return reason_.empty(); }
    const std::string& close_reason() const override { return reason_; }
    void close(std::string_view reason) override {
        client_.close();
        reason_ = reason;
    }

  private:
    LoopbackClient client_;
    std::string reason_;
};

/// The configuration of config/zone.toml's defaults with a smaller zone, quiet, without bodies.
inline ZoneConfig test_zone_config() {
    Result<ZoneConfig> config = load_zone_config(
        TERRANE_SOURCE_DIR "/config/zone.toml",
        std::vector<std::string>{"zone.size_x_chunks=16", "zone.size_z_chunks=16"});
    REQUIRE_MESSAGE(config.has_value(), (config ? "" : config.error().message));
    std::ranges::fill(config->first_counts, 0U);
    return *config;
}

/// `count` bodies of `kind` lie about when the zone starts.
inline void set_first_count(ZoneConfig& config, const std::string& kind, std::uint32_t count) {
    const std::uint32_t index = find_kind(config.kinds, kind);
    REQUIRE(index < config.first_counts.size());
    config.first_counts[index] = count;
}

struct VirtualZoneOptions {
    unsigned worker_threads = 0;
    std::string data_folder;     ///< empty: nothing is kept
    std::uint64_t cut_seed = 0;  ///< not 0: byte streams are cut at odd places
};

struct VirtualZone {
    VirtualClock clock;
    LoopbackCarrier carrier;
    WorkerPool workers;
    std::unique_ptr<Store> store;
    std::unique_ptr<Zone> zone;
    std::deque<std::unique_ptr<ClientSession>> clients;

    explicit VirtualZone(const ZoneConfig& config, const VirtualZoneOptions& options = {})
        : carrier(LoopbackConfig{{}, options.cut_seed}), workers(options.worker_threads) {
        if (!options.data_folder.empty()) {
            auto opened = Store::open(options.data_folder, to_store_versions(config));
            REQUIRE_MESSAGE(opened.has_value(), (opened ? "" : opened.error().message));
            store = std::move(*opened);
        }
        zone = std::make_unique<Zone>(
            config, ZoneSurroundings{&clock, &carrier, &workers, store.get(), true});
        zone->open();
    }

    ClientSession& connect(const std::string& name, std::uint8_t view_chunks = 2) {
        ClientSessionConfig config;
        config.name = name;
        config.view_chunks = view_chunks;
        config.client_version = "test";
        clients.push_back(std::make_unique<ClientSession>(
            std::make_unique<LoopbackStream>(carrier.connect()), config, clock.now()));
        return *clients.back();
    }
    /// Connects and ticks until the client has its view.
    ClientSession& join(const std::string& name, std::uint8_t view_chunks = 2) {
        ClientSession& client = connect(name, view_chunks);
        ticks(60);
        REQUIRE(client.state() == ClientSessionState::playing);
        REQUIRE(client.replica()->has_state());
        return client;
    }
    void tick() {
        clock.sleep_until(clock.now() + Nanoseconds(50'000'000));
        zone->run_tick();
        for (const auto& client : clients) {
            std::uint64_t bytes_in = ~std::uint64_t{0};
            while (bytes_in != client->counters().bytes_in) {  // a cut stream comes in many pieces
                bytes_in = client->counters().bytes_in;
                client->receive(clock.now());
            }
        }
    }
    void ticks(int count) {
        for (int i = 0; i < count; ++i) {
            tick();
        }
    }
    const Player& player(const ClientSession& client) const {
        return zone->world().players.at(client.replica()->zone().player_id);
    }
};

}  // namespace terrane::test
