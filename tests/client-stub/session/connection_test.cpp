#include "client-stub/session/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace terrane {
namespace {

using namespace std::chrono_literals;

/// A listener on a free port of the loopback, with the plain calls of POSIX.
struct Listener {
    int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    std::uint16_t port = 0;

    Listener() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
        REQUIRE(::listen(socket, 16) == 0);
        socklen_t length = sizeof(address);
        REQUIRE(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0);
        port = ntohs(address.sin_port);
    }
    ~Listener() { stop(); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    void stop() {
        if (socket >= 0) {
            ::close(socket);
            socket = -1;
        }
    }
    HostPort address() const { return {"127.0.0.1", port}; }
    int accept() const { return ::accept(socket, nullptr, nullptr); }
};

/// Waits until `stream` has brought `count` bytes or ended.
std::vector<std::uint8_t> receive_all(ByteStream& stream, std::size_t count) {
    std::vector<std::uint8_t> received;
    while (received.size() < count && stream.is_open()) {
        stream.receive(received);
    }
    return received;
}

TEST_CASE("connection: an address is HOST:PORT, IPv6 in brackets") {
    const auto plain = parse_host_port("127.0.0.1:7777");
    REQUIRE(plain.has_value());
    CHECK(plain->host == "127.0.0.1");
    CHECK(plain->port == 7777);
    const auto v6 = parse_host_port("[::1]:1");
    REQUIRE(v6.has_value());
    CHECK(v6->host == "::1");
    CHECK(to_string(*v6) == "[::1]:1");
    for (const char* bad : {"", "host", ":7777", "host:", "host:0", "host:65536", "host:7x",
                            "::1:7777", "[]:7", "host:-1"}) {
        CAPTURE(bad);
        REQUIRE_FALSE(parse_host_port(bad).has_value());
        CHECK(parse_host_port(bad).error().message.find(bad) != std::string::npos);
    }
}

TEST_CASE("connection: bytes go both ways and the end has a reason") {
    Listener listener;
    auto connected = connect_tcp(listener.address(), 10s);
    REQUIRE(connected.has_value());
    ByteStream& stream = **connected;
    CHECK(stream.is_open());
    CHECK_FALSE(stream.is_connecting());
    const int peer = listener.accept();
    const std::vector<std::uint8_t> hello{1, 2, 3, 250};
    stream.send(hello);
    std::uint8_t heard[4] = {};
    REQUIRE(::recv(peer, heard, 4, MSG_WAITALL) == 4);
    CHECK(std::vector<std::uint8_t>(heard, heard + 4) == hello);
    std::vector<std::uint8_t> none;
    CHECK(stream.receive(none) == 0);
    REQUIRE(::send(peer, hello.data(), hello.size(), 0) == 4);
    ::close(peer);
    CHECK(receive_all(stream, 4) == hello);
    CHECK(receive_all(stream, 1).empty());
    CHECK_FALSE(stream.is_open());
    CHECK(stream.close_reason() == "the zone closed the connection");
    stream.send(hello);  // no effect
}

TEST_CASE("connection: a refused connection names the address and the cause") {
    Listener listener;
    const HostPort address = listener.address();
    listener.stop();
    const auto refused = connect_tcp(address, 10s);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message ==
          "cannot connect to " + to_string(address) + ": Connection refused");
    const auto unknown = connect_tcp({"no.such.host.invalid", 7}, 10s);
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().message.starts_with("cannot connect to no.such.host.invalid:7: "));
}

TEST_CASE("connection: what the socket does not take waits, and arrives whole") {
    Listener listener;
    auto connected = connect_tcp(listener.address(), 10s);
    REQUIRE(connected.has_value());
    ByteStream& stream = **connected;
    const int peer = listener.accept();
    std::vector<std::uint8_t> sent;
    std::vector<std::uint8_t> heard;
    std::vector<std::uint8_t> part(100'000);
    std::vector<std::uint8_t> buffer(1 << 20);
    for (std::size_t round = 0; round < 200; ++round) {
        for (std::size_t i = 0; i < part.size(); ++i) {
            part[i] = static_cast<std::uint8_t>(i * 7 + round);
        }
        stream.send(part);
        sent.insert(sent.end(), part.begin(), part.end());
        // Half of the rate: the rest piles up in the socket, then in the stream.
        const ssize_t count = ::recv(peer, buffer.data(), part.size() / 2, 0);
        heard.insert(heard.end(), buffer.begin(), buffer.begin() + count);
        if (sent.size() - heard.size() > 4'000'000) {
            break;
        }
    }
    REQUIRE(stream.is_open());
    std::vector<std::uint8_t> none;
    while (heard.size() < sent.size()) {
        stream.receive(none);  // flushes
        const ssize_t count = ::recv(peer, buffer.data(), buffer.size(), MSG_DONTWAIT);
        heard.insert(heard.end(), buffer.begin(), buffer.begin() + (count > 0 ? count : 0));
    }
    CHECK(heard == sent);
    ::close(peer);
}

TEST_CASE("connection: a peer that never reads ends the stream at the limit") {
    Listener listener;
    auto connected = connect_tcp(listener.address(), 10s);
    REQUIRE(connected.has_value());
    const int peer = listener.accept();
    const std::vector<std::uint8_t> part(1 << 18);
    int rounds = 0;
    while ((*connected)->is_open() && rounds < 1000) {
        (*connected)->send(part);
        ++rounds;
    }
    CHECK_FALSE((*connected)->is_open());
    CHECK((*connected)->close_reason().find("does not read") != std::string::npos);
    ::close(peer);
}

TEST_CASE("connection: a connector tells which of its streams have something to say") {
    Listener listener;
    TcpConnector connector;
    std::vector<std::unique_ptr<ByteStream>> streams;
    for (std::uint64_t tag = 0; tag < 3; ++tag) {
        streams.push_back(connector.start(listener.address(), 10s, tag));
        CHECK(streams.back()->is_connecting());
        streams.back()->send(std::vector<std::uint8_t>{static_cast<std::uint8_t>(tag)});
    }
    std::vector<std::uint64_t> ready;
    while (ready.size() < 3) {
        connector.wait(1s, ready);
    }
    std::vector<int> peers(3);
    for (int i = 0; i < 3; ++i) {
        const int peer = listener.accept();
        std::uint8_t tag = 255;  // sent before the connection stood
        REQUIRE(::recv(peer, &tag, 1, MSG_WAITALL) == 1);
        REQUIRE(tag < 3);
        peers[tag] = peer;
    }
    std::vector<std::uint8_t> none;
    for (const auto& stream : streams) {
        CHECK(stream->receive(none) == 0);
    }
    for (int round = 0; round < 3; ++round) {  // told again each time
        ready.clear();
        REQUIRE(::send(peers[1], "xyz", 3, 0) == 3);
        while (ready.empty()) {
            connector.wait(1s, ready);
        }
        CHECK(ready == std::vector<std::uint64_t>{1});
        CHECK(receive_all(*streams[1], 3).size() == 3);
    }
    ready.clear();
    connector.wait(0s, ready);
    CHECK(ready.empty());
    ::close(peers[2]);
    while (ready.empty()) {
        connector.wait(1s, ready);
    }
    CHECK(ready == std::vector<std::uint64_t>{2});
    streams[2]->receive(none);
    CHECK_FALSE(streams[2]->is_open());
    ::close(peers[0]);
    ::close(peers[1]);
}

TEST_CASE("connection: a stream may outlive its connector and be dropped while connecting") {
    Listener listener;
    auto connector = std::make_unique<TcpConnector>();
    auto first = connector->start(listener.address(), 10s, 0);
    auto second = connector->start(listener.address(), 10s, 1);
    second.reset();
    connector.reset();
    std::vector<std::uint8_t> none;
    while (first->is_connecting()) {
        first->receive(none);
    }
    CHECK(first->is_open());
}

}  // namespace
}  // namespace terrane
