// The TCP carrier on 127.0.0.1 with ports from the kernel. Waits poll until something happens and
// give up after a bound that only a fault reaches.
#include "server/net/tcp.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/protocol/encode.h"
#include "tests/server/net/tcp_client.h"

namespace terrane {
namespace {

SharedBytes share(Bytes bytes) {
    return std::make_shared<const Bytes>(std::move(bytes));
}

Bytes frame_of_size(std::uint32_t message_bytes, std::uint8_t value = 1) {
    Bytes frame(kFramePrefixBytes + message_bytes, value);
    std::memcpy(frame.data(), &message_bytes, sizeof(message_bytes));
    return frame;
}

struct Seen {
    ConnectionId connection = 0;
    CarrierEventKind kind = CarrierEventKind::opened;
    CloseReason reason = CloseReason::none;
    Bytes bytes;
};

/// A started carrier and all that it has told so far.
struct Fixture {
    TcpCarrier carrier;
    CarrierEvents events;
    std::vector<Seen> seen;

    explicit Fixture(TcpConfig config) : carrier(with_free_port(std::move(config))) {
        const auto started = carrier.start();
        REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().message));
    }
    explicit Fixture(const CarrierLimits& limits = {})
        : Fixture(TcpConfig{.listen = {"127.0.0.1"}, .port = 0, .limits = limits}) {}

    static TcpConfig with_free_port(TcpConfig config) {
        config.port = 0;
        return config;
    }

    void poll() {
        carrier.poll(events);
        for (const CarrierEvent& event : events.events) {
            const auto bytes = events.frame_of(event);
            seen.push_back({.connection = event.connection,
                            .kind = event.kind,
                            .reason = event.reason,
                            .bytes = Bytes(bytes.begin(), bytes.end())});
        }
    }
    bool wait(const std::function<bool()>& is_done) {
        const auto bound = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        for (;;) {
            poll();
            if (is_done()) {
                return true;
            }
            if (std::chrono::steady_clock::now() > bound) {
                return false;
            }
            std::this_thread::yield();
        }
    }
    std::size_t count(CarrierEventKind kind) const {
        return static_cast<std::size_t>(std::count_if(
            seen.begin(), seen.end(), [kind](const Seen& s) { return s.kind == kind; }));
    }
    bool wait_for(CarrierEventKind kind, std::size_t at_least) {
        return wait([&] { return count(kind) >= at_least; });
    }
};

TEST_CASE("tcp: a connection opens, echoes frames, closes") {
    Fixture zone;
    CHECK(zone.carrier.port() != 0);
    TcpClient client(zone.carrier.port());
    REQUIRE(client.is_connected());
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 1));
    const ConnectionId id = zone.seen[0].connection;
    CHECK(std::string(zone.seen[0].bytes.begin(), zone.seen[0].bytes.end()) == "127.0.0.1");

    const Bytes hello = encode_hello({.name = "Ada"});
    const Bytes quit = encode_quit();
    REQUIRE(client.send(hello));
    REQUIRE(client.send(quit));
    REQUIRE(zone.wait_for(CarrierEventKind::message, 2));
    CHECK(zone.seen[1].bytes == hello);
    CHECK(zone.seen[2].bytes == quit);
    for (int i = 0; i < 100; ++i) {
        REQUIRE(zone.carrier.send(id, share(hello)));
    }
    zone.carrier.flush();
    for (int i = 0; i < 100; ++i) {
        REQUIRE(client.receive(hello.size()) == hello);
    }
    REQUIRE(zone.wait([&] { return zone.carrier.queued_bytes(id) == 0; }));
    client.close();
    REQUIRE(zone.wait_for(CarrierEventKind::closed, 1));
    CHECK(zone.seen.back().reason == CloseReason::by_peer);
    CHECK(zone.carrier.stats().frames_in == 2);
    CHECK(zone.carrier.stats().frames_out == 100);
}

TEST_CASE("tcp: listens on IPv4 and IPv6 with one port") {
    Fixture zone(TcpConfig{.listen = {"127.0.0.1", "::1"}, .port = 0, .limits = {}});
    TcpClient v4(zone.carrier.port());
    TcpClient v6(zone.carrier.port(), "::1");
    CHECK(v4.is_connected());
    CHECK(v6.is_connected());
    CHECK(zone.wait_for(CarrierEventKind::opened, 2));
}

TEST_CASE("tcp: a start that cannot be says which address and why") {
    Fixture zone;
    TcpCarrier same({.listen = {"127.0.0.1"}, .port = zone.carrier.port(), .limits = {}});
    const auto taken = same.start();
    REQUIRE_FALSE(taken.has_value());
    CHECK(taken.error().message.starts_with("listen: 127.0.0.1 port"));
    TcpCarrier nonsense({.listen = {"localhorst"}, .port = 0, .limits = {}});
    const auto refused = nonsense.start();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message == "listen: 'localhorst' is no IPv4 or IPv6 address");
}

TEST_CASE("T10 tcp: a length out of limits closes at once") {
    Fixture zone;
    for (const std::uint32_t length :
         {0U, 7U, static_cast<std::uint32_t>(kToServerBytesBeforeWelcomeMax) + 1, 0x7FFFFFFFU,
          0xFFFFFFFFU}) {
        CAPTURE(length);
        const std::size_t closed = zone.count(CarrierEventKind::closed);
        TcpClient client(zone.carrier.port());
        Bytes prefix(kFramePrefixBytes);
        std::memcpy(prefix.data(), &length, sizeof(length));
        REQUIRE(client.send(prefix));
        CHECK(client.wait_for_end());
        REQUIRE(zone.wait_for(CarrierEventKind::closed, closed + 1));
        CHECK(zone.seen.back().reason == CloseReason::bad_frame);
    }
    CHECK(zone.count(CarrierEventKind::message) == 0);
}

TEST_CASE(
    "T08 T11 tcp: silent and trickling connections are closed at the absolute login deadline") {
    Fixture zone(CarrierLimits{.login_deadline_ms = 100});
    TcpClient silent(zone.carrier.port());
    TcpClient trickling(zone.carrier.port());
    std::thread trickle([&trickling] {
        // One byte a millisecond for as long as the zone takes them: nothing refreshes the
        // deadline.
        const Bytes frame = frame_of_size(4000);
        auto next = std::chrono::steady_clock::now();
        for (const std::uint8_t& byte : frame) {
            while (std::chrono::steady_clock::now() < next) {
                std::this_thread::yield();
            }
            next += std::chrono::milliseconds(1);
            if (!trickling.send({&byte, 1})) {
                return;
            }
        }
    });
    CHECK(silent.wait_for_end());
    trickle.join();
    CHECK(zone.wait_for(CarrierEventKind::closed, 2));
    for (const Seen& seen : zone.seen) {
        if (seen.kind == CarrierEventKind::closed) {
            CHECK(seen.reason == CloseReason::login_deadline);
        }
    }
}

TEST_CASE("tcp: admit() lifts the deadline and the small limit") {
    Fixture zone(CarrierLimits{.login_deadline_ms = 200});
    TcpClient admitted(zone.carrier.port());
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 1));
    const ConnectionId id = zone.seen[0].connection;
    zone.carrier.admit(id);
    zone.carrier.flush();
    // A second, silent one shows that the deadline has passed for both.
    TcpClient silent(zone.carrier.port());
    CHECK(silent.wait_for_end());
    REQUIRE(zone.wait_for(CarrierEventKind::closed, 1));
    CHECK(zone.seen.back().connection != id);
    REQUIRE(admitted.send(frame_of_size(kToServerBytesMax)));
    REQUIRE(zone.wait_for(CarrierEventKind::message, 1));
    CHECK(zone.seen.back().bytes.size() == kFramePrefixBytes + kToServerBytesMax);
}

TEST_CASE("T44 tcp: a client that stops reading is closed as slow, others are not held up") {
    Fixture zone(CarrierLimits{.outbox_bytes_max = 512 * 1024});
    TcpClient slow(zone.carrier.port(), "127.0.0.1", 4096);
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 1));
    const ConnectionId slow_id = zone.seen[0].connection;
    TcpClient good(zone.carrier.port());
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 2));
    const ConnectionId good_id = zone.seen[1].connection;
    const SharedBytes chunk = share(frame_of_size(70000));
    bool is_dropped = false;
    int sent = 0;
    for (; sent < 2000 && !is_dropped; ++sent) {
        is_dropped = !zone.carrier.send(slow_id, chunk);
        REQUIRE(zone.carrier.queued_bytes(slow_id) <= 512 * 1024);
        REQUIRE(zone.carrier.send(good_id, chunk));
        zone.carrier.flush();
        REQUIRE(good.receive(chunk->size()).size() == chunk->size());
    }
    CHECK(is_dropped);
    // 512 KiB wait with us and some 128 KiB in the kernel, which by itself takes megabytes.
    CHECK(sent <= 16);
    REQUIRE(zone.wait_for(CarrierEventKind::closed, 1));
    CHECK(zone.seen.back().connection == slow_id);
    CHECK(zone.seen.back().reason == CloseReason::slow);
}

TEST_CASE(
    "T44 tcp: a client that never reads is closed as slow though its outbox is far from full") {
    Fixture zone(CarrierLimits{.outbox_bytes_max = 64U << 20, .write_deadline_ms = 100});
    TcpClient stuck(zone.carrier.port(), "127.0.0.1", 4096);
    TcpClient reading(zone.carrier.port());
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 2));
    const ConnectionId stuck_id = zone.seen[0].connection;
    const SharedBytes chunk = share(frame_of_size(70000));
    for (int i = 0; i < 400; ++i) {  // 28 MB: more than the kernel takes, less than the outbox
        REQUIRE(zone.carrier.send(stuck_id, chunk));
    }
    zone.carrier.flush();
    REQUIRE(zone.wait_for(CarrierEventKind::closed, 1));
    CHECK(zone.seen.back().connection == stuck_id);
    CHECK(zone.seen.back().reason == CloseReason::slow);
}

TEST_CASE("tcp: a flood waits in the client's socket until the tick takes what is here") {
    Fixture zone(CarrierLimits{.inbox_bytes_max = 10000});
    TcpClient client(zone.carrier.port());
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 1));
    constexpr std::uint32_t kFrames = 5000;
    std::thread flood([&client] {
        for (std::uint32_t i = 0; i < kFrames; ++i) {
            client.send(frame_of_size(1000, static_cast<std::uint8_t>(i)));
        }
    });
    std::size_t most = 0;
    const bool has_all = zone.wait([&] {
        std::size_t bytes = 0;
        for (const CarrierEvent& event : zone.events.events) {
            bytes += event.size;
        }
        most = std::max(most, bytes);
        return zone.count(CarrierEventKind::message) == kFrames;
    });
    flood.join();
    REQUIRE(has_all);
    CHECK(most <= 10000 + 2 * 4096);
    CHECK(zone.carrier.stats().read_pauses > 0);
    std::uint32_t next = 0;
    for (const Seen& seen : zone.seen) {
        if (seen.kind == CarrierEventKind::message) {
            REQUIRE(seen.bytes.back() == static_cast<std::uint8_t>(next++));
        }
    }
}

TEST_CASE("tcp: close() delivers the last words even when input is unread") {
    Fixture zone;
    TcpClient client(zone.carrier.port());
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 1));
    const ConnectionId id = zone.seen[0].connection;
    const Bytes leave = encode_leave(wire::LeaveReason::kicked, "bye");
    zone.carrier.send(id, share(leave));
    zone.carrier.close(id);
    CHECK_FALSE(zone.carrier.send(id, share(leave)));
    for (int i = 0; i < 50; ++i) {
        client.send(frame_of_size(1000));
    }
    zone.carrier.flush();
    CHECK(client.receive(leave.size() + 1) == leave);
    client.close();
    REQUIRE(zone.wait_for(CarrierEventKind::closed, 1));
    CHECK(zone.seen.back().reason == CloseReason::by_zone);
}

TEST_CASE("tcp: close() does not wait for ever for the peer to close") {
    Fixture zone(CarrierLimits{.linger_ms = 50});
    TcpClient client(zone.carrier.port());
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 1));
    zone.carrier.close(zone.seen[0].connection);
    zone.carrier.flush();
    REQUIRE(zone.wait_for(CarrierEventKind::closed, 1));
    CHECK(zone.seen.back().reason == CloseReason::by_zone);
}

TEST_CASE("tcp: connections over the cap are refused, and room comes back") {
    Fixture zone(CarrierLimits{.connections_max = 3});
    std::vector<TcpClient> clients;
    for (int i = 0; i < 3; ++i) {
        clients.emplace_back(zone.carrier.port());
    }
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 3));
    TcpClient fourth(zone.carrier.port());
    CHECK(fourth.wait_for_end());
    CHECK(zone.carrier.stats().refused_full == 1);
    clients.pop_back();
    REQUIRE(zone.wait_for(CarrierEventKind::closed, 1));
    TcpClient fifth(zone.carrier.port());
    CHECK(zone.wait_for(CarrierEventKind::opened, 4));
}

TEST_CASE("tcp: out of file descriptors, accepting pauses and goes on") {
    Fixture zone;
    TcpClient first(zone.carrier.port());
    REQUIRE(zone.wait_for(CarrierEventKind::opened, 1));
    // A descriptor of our own from before the limit; to connect it needs no other, to be accepted
    // the zone does.
    const int late = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(late >= 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(zone.carrier.port());
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    rlimit old{};
    ::getrlimit(RLIMIT_NOFILE, &old);
    rlimit low = old;
    low.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &low);
    const int connected = ::connect(late, reinterpret_cast<const sockaddr*>(&place), sizeof(place));
    const bool is_refused = zone.wait([&] { return zone.carrier.stats().accept_errors > 0; });
    ::setrlimit(RLIMIT_NOFILE, &old);
    CHECK(connected == 0);  // it waits in the kernel's queue
    CHECK(is_refused);
    CHECK(zone.wait_for(CarrierEventKind::opened, 2));
    CHECK(zone.count(CarrierEventKind::closed) == 0);
    ::close(late);
}

/// One client's life, cut off at a random moment.
void live_briefly(std::uint16_t port, std::uint64_t seed) {
    Random random(seed);
    TcpClient client(port);
    if (!client.is_connected()) {
        return;
    }
    const Bytes frame = encode_input(1, {}, std::vector<EditMessage>(3));
    const std::uint32_t frames = random.below(5);
    for (std::uint32_t i = 0; i < frames; ++i) {
        client.send(frame);
    }
    client.send(std::span(frame).first(random.below(static_cast<std::uint32_t>(frame.size()))));
    switch (random.below(3)) {
        case 0:
            client.reset();
            break;
        case 1:
            client.shut_sending();
            break;
        default:
            break;
    }
}

TEST_CASE("R25 tcp: 200 connections opened and closed at odd moments while frames fly") {
    for (const std::uint64_t seed : {1U, 2U}) {
        CAPTURE(seed);
        Fixture zone(CarrierLimits{.linger_ms = 100});
        const std::uint16_t port = zone.carrier.port();
        std::atomic<int> finished{0};
        std::vector<std::thread> threads;
        for (std::uint64_t t = 0; t < 4; ++t) {
            threads.emplace_back([port, seed, t, &finished] {
                for (std::uint64_t i = 0; i < 50; ++i) {
                    live_briefly(port, seed * 1000 + t * 50 + i);
                }
                ++finished;
            });
        }
        const SharedBytes answer = share(frame_of_size(100));
        Random random(seed);
        std::size_t handled = 0;
        bool may_close = true;
        const auto answer_all = [&] {
            for (; handled < zone.seen.size(); ++handled) {
                const ConnectionId id = zone.seen[handled].connection;
                zone.carrier.send(id, answer);
                if (may_close && random.below(6) == 0) {
                    zone.carrier.close(id);
                }
                if (random.below(6) == 0) {
                    zone.carrier.admit(id);
                }
            }
            zone.carrier.flush();
        };
        REQUIRE(zone.wait([&] {
            answer_all();
            return finished == 4;
        }));
        for (std::thread& thread : threads) {
            thread.join();
        }
        // Accepted after all others; those that were reset before their accept were never opened.
        may_close = false;
        TcpClient last(port);
        const Bytes mark = frame_of_size(333);
        last.send(mark);
        CHECK(zone.wait([&] {
            answer_all();
            return std::any_of(zone.seen.begin(), zone.seen.end(),
                               [&](const Seen& seen) { return seen.bytes == mark; });
        }));
        last.close();
        CHECK(zone.wait([&] {
            answer_all();
            return zone.count(CarrierEventKind::opened) == zone.count(CarrierEventKind::closed);
        }));
        CHECK(zone.count(CarrierEventKind::opened) > 50);
        // Each one: opened first, closed last, once.
        std::map<ConnectionId, int> phase;
        for (const Seen& seen : zone.seen) {
            int& p = phase[seen.connection];
            REQUIRE(p == (seen.kind == CarrierEventKind::opened ? 0 : 1));
            p = seen.kind == CarrierEventKind::closed ? 2 : 1;
        }
    }
}

TEST_CASE("R25 tcp: the carrier stops while clients connect and send, 20 times") {
    for (int round = 0; round < 20; ++round) {
        Fixture zone(CarrierLimits{.linger_ms = 20});
        const std::uint16_t port = zone.carrier.port();
        std::thread clients([port, round] {
            for (std::uint64_t i = 0; i < 10; ++i) {
                live_briefly(port, static_cast<std::uint64_t>(round) * 100 + i);
            }
        });
        REQUIRE(zone.wait_for(CarrierEventKind::opened, 1 + static_cast<std::size_t>(round % 5)));
        zone.carrier.stop();
        clients.join();
        zone.poll();
        CHECK(zone.count(CarrierEventKind::opened) == zone.count(CarrierEventKind::closed));
        zone.carrier.stop();
    }
}

}  // namespace
}  // namespace terrane
