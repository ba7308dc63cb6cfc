#include "client-stub/bots/swarm.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "shared/config/option_names.h"
#include "tests/client-stub/bots/tiny_zone.h"

namespace terrane::test {
namespace {

using namespace std::chrono_literals;

/// The tiny zone on a real port of the loopback, served whenever the test says so.
class TinyServer {
  public:
    TinyZone zone;

    TinyServer() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof(address);
        REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) == 0);
        REQUIRE(::listen(listener_, 64) == 0);
        REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0);
        port_ = ntohs(address.sin_port);
    }
    ~TinyServer() {
        stop_listening();
        for (const Peer& peer : peers_) {
            ::close(peer.socket);
        }
    }
    TinyServer(const TinyServer&) = delete;
    TinyServer& operator=(const TinyServer&) = delete;

    HostPort address() const { return {"127.0.0.1", port_}; }
    void stop_listening() {
        if (listener_ >= 0) {
            ::close(listener_);
            listener_ = -1;
        }
    }
    void serve() {
        for (;;) {
            const int socket =
                listener_ < 0 ? -1 : ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
            if (socket < 0) {
                break;
            }
            streams_.push_back(zone.connect());
            peers_.push_back({socket, zone.newest_pipe()});
        }
        for (const Peer& peer : peers_) {
            std::uint8_t buffer[4096];
            ssize_t count = 0;
            while ((count = ::recv(peer.socket, buffer, sizeof(buffer), 0)) > 0) {
                peer.pipe->to_zone.insert(peer.pipe->to_zone.end(), buffer, buffer + count);
            }
        }
        zone.tick();
        for (const Peer& peer : peers_) {
            const ssize_t count = ::send(peer.socket, peer.pipe->to_client.data(),
                                         peer.pipe->to_client.size(), MSG_NOSIGNAL);
            if (count > 0) {
                peer.pipe->to_client.erase(peer.pipe->to_client.begin(),
                                           peer.pipe->to_client.begin() + count);
            }
        }
    }

  private:
    struct Peer {
        int socket = -1;
        std::shared_ptr<Pipe> pipe;
    };
    int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    std::uint16_t port_ = 0;
    std::vector<Peer> peers_;
    std::vector<std::unique_ptr<ByteStream>> streams_;
};

SwarmConfig config_for(const HostPort& zone) {
    SwarmConfig config;
    config.zone = zone;
    config.bots = 5;
    config.duration_s = 20.0;
    config.behaviour = {.kind = BehaviourKind::mixed, .edits_per_s = 2.0F};
    config.is_verifying = true;
    config.client_version = "test";
    return config;
}

/// Real sockets, time of our own: a zone's tick every 50 ms, ten rounds of the swarm in between.
void run(Swarm& swarm, TinyServer& server, VirtualClock& clock) {
    std::uint64_t edits_when_settled = 0;
    for (int round = 0; round < 20000 && !swarm.is_finished(); ++round) {
        swarm.step(0ns);
        if (swarm.stage() == Swarm::Stage::settling) {
            edits_when_settled = server.zone.edits_applied;
        } else if (swarm.stage() == Swarm::Stage::checking) {
            REQUIRE(server.zone.edits_applied == edits_when_settled);  // nobody edits any more
        }
        if (round % 10 == 0) {
            server.serve();
        }
        clock.sleep_until(clock.now() + 5ms);
    }
    REQUIRE(swarm.is_finished());
}

TEST_CASE("swarm: bots join over the ramp, play, verify and say goodbye") {
    TinyServer server;
    VirtualClock clock;
    SwarmConfig config = config_for(server.address());
    config.ramp_s = 5.0;
    Swarm swarm(config, clock);
    run(swarm, server, clock);
    const SwarmReport report = swarm.report();
    CHECK(failure_of(report) == "");
    CHECK(report.joined == 5);
    CHECK(report.dropped == 0);
    CHECK(report.duration_s >= 20.0);
    CHECK(report.duration_s < 30.0);
    CHECK(report.edits_applied == server.zone.edits_applied);
    CHECK(report.edits_applied > 100);
    CHECK(report.chunks_received == 5 * 48);
    CHECK(report.divergences == 0);
    CHECK(report.hashes_compared >= 5 * 48);
    CHECK(report.edit_to_seen_ms.count() > report.edits_applied);
    CHECK(report.edit_to_seen_ms.max() <= 110.0);
    CHECK(report.bytes_in_per_s.count() == 5);
    CHECK(report.bytes_out_per_s.max() > 0.0);
    CHECK(swarm.progress().find("of 5 bots") != std::string::npos);
}

TEST_CASE("option_names: an unknown option is answered with the nearest") {
    const std::vector<std::string_view> known{"--connect", "--bots"};
    const std::vector<std::string_view> wrong{"--conect", "X"};
    const auto checked = check_option_names(wrong, known);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().message == "unknown option '--conect': did you mean '--connect'?");
    const std::vector<std::string_view> right{"--bots=3", "--connect", "X"};
    CHECK(check_option_names(right, known).has_value());
}

TEST_CASE("swarm: nobody there is a failure with the cause, at once") {
    TinyServer server;
    const HostPort address = server.address();
    server.stop_listening();
    VirtualClock clock;
    SwarmConfig config = config_for(address);
    config.seed = 1;
    config.ramp_s = 10.0;  // not waited for
    config.process_id = 0xABC;
    Swarm swarm(config, clock);
    run(swarm, server, clock);
    CHECK(clock.now() < 5s);
    CHECK(swarm.report().first_failure.find("-abc-0: ") != std::string::npos);
    CHECK(failure_of(swarm.report()).starts_with("5 of 5 bots could not join: bot-"));
    CHECK(failure_of(swarm.report())
              .ends_with("cannot connect to " + to_string(address) + ": Connection refused"));
}

TEST_CASE("swarm: divergences, drops and silence are failures") {
    TinyServer server;
    VirtualClock clock;
    Swarm swarm(config_for(server.address()), clock);
    const auto run_until = [&](Nanoseconds time) {
        for (int round = 0; clock.now() < time; ++round) {
            swarm.step(0ns);
            if (round % 10 == 0) {
                server.serve();
            }
            clock.sleep_until(clock.now() + 5ms);
        }
    };
    run_until(2s);
    SUBCASE("a corrupt chunk") {
        server.zone.corrupt({1, 0, 1});
        run(swarm, server, clock);
        CHECK(failure_of(swarm.report()).find("divergences") != std::string::npos);
    }
    SUBCASE("a kicked bot") {
        server.zone.kick(2);
        run(swarm, server, clock);
        CHECK(failure_of(swarm.report()).starts_with("1 of 5 bots were dropped: bot-"));
    }
    SUBCASE("a zone that answers no hash requests") {
        server.zone.is_silent = true;
        run(swarm, server, clock);
        CHECK(failure_of(swarm.report()) ==
              "5 of 5 bots got no answer to their last hash requests");
    }
    SUBCASE("stopping early is none") {
        swarm.stop();
        run(swarm, server, clock);
        CHECK(failure_of(swarm.report()) == "");
        CHECK(swarm.report().duration_s < 20.0);
    }
}

}  // namespace
}  // namespace terrane::test
