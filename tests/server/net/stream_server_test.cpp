// Streams on 127.0.0.1 and on socket files in a folder of the test. No test asserts a time:
// deadlines are short, and what is waited for ends by itself.
#include "server/net/stream_server.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/server/net/tcp_client.h"

namespace terrane {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// All that the other end says until it closes.
std::string receive_all(TcpClient& client) {
    std::string text;
    for (std::vector<std::uint8_t> byte = client.receive(1); !byte.empty();
         byte = client.receive(1)) {
        text += static_cast<char>(byte[0]);
    }
    return text;
}

/// A request is a line; "later" waits for the owner, everything else comes back.
struct LineServer {
    StreamServer server;
    std::mutex mutex;
    std::vector<StreamId> waiting;
    std::uint16_t port = 0;

    StreamProtocol protocol() {
        StreamProtocol lines;
        lines.receive = [this](StreamId id, std::string_view input) {
            StreamReply reply;
            if (const std::size_t end = input.find('\n'); end != std::string_view::npos) {
                const bool is_later = input.substr(0, end) == "later";
                reply.kind = is_later ? StreamReply::Kind::later : StreamReply::Kind::answer;
                reply.bytes = "you said " + std::string(input.substr(0, end));
                if (is_later) {
                    const std::lock_guard lock(mutex);
                    waiting.push_back(id);
                }
            }
            return reply;
        };
        lines.too_many = "too many";
        lines.too_long = "too long";
        lines.too_late = "too late";
        lines.no_answer = "no answer";
        return lines;
    }

    explicit LineServer(const StreamLimits& limits = {}) {
        const auto listening = server.listen_tcp("127.0.0.1", 0, limits, protocol());
        REQUIRE_MESSAGE(listening.has_value(), (listening ? "" : listening.error().message));
        port = *listening;
        server.start();
    }
    ~LineServer() { server.stop(); }

    std::string ask(std::string_view request) const {
        TcpClient client(port);
        client.send(bytes_of(request));
        return receive_all(client);
    }
    /// The next stream that waits for its answer.
    StreamId wait_for_request() {
        for (;;) {
            const std::lock_guard lock(mutex);
            if (!waiting.empty()) {
                const StreamId id = waiting.back();
                waiting.pop_back();
                return id;
            }
            std::this_thread::yield();
        }
    }
};

TEST_CASE("stream_server: a request is answered however it is cut, and the stream closes") {
    const LineServer lines;
    CHECK(lines.ask("hello\n") == "you said hello");
    TcpClient client(lines.port);
    for (const char c : std::string("a longer line\n")) {
        client.send(bytes_of(std::string(1, c)));
    }
    CHECK(receive_all(client) == "you said a longer line");
    CHECK(lines.server.stats().answered == 2);
}

TEST_CASE("stream_server: input behind the request does not cost the answer") {
    const LineServer lines;
    CHECK(lines.ask("hello\n" + std::string(100'000, 'x')) == "you said hello");
}

TEST_CASE("stream_server: a request over its limit is told so") {
    const LineServer lines({.request_bytes_max = 64});
    CHECK(lines.ask(std::string(63, 'x') + "\n") == "you said " + std::string(63, 'x'));
    CHECK(lines.ask(std::string(64, 'x') + "\n") == "too long");
    CHECK(lines.ask(std::string(5000, 'x')) == "too long");
    CHECK(lines.server.stats().too_long == 2);
}

TEST_CASE("stream_server: a request that does not come whole in time is told so") {
    const LineServer lines({.request_deadline_ms = 50});
    CHECK(lines.ask("hel") == "too late");
    CHECK(lines.ask("") == "too late");
    CHECK(lines.server.stats().too_late == 2);
}

TEST_CASE("stream_server: one that trickles byte by byte gets no more time") {
    const LineServer lines(
        {.request_bytes_max = 1U << 30, .request_deadline_ms = 50, .linger_ms = 50});
    TcpClient client(lines.port);
    while (client.send(bytes_of("x"))) {
    }
    CHECK(lines.server.stats().too_late == 1);
}

TEST_CASE("stream_server: over the limit of connections they are told so, then closed at once") {
    const LineServer lines({.connections_max = 2, .linger_ms = 20'000});
    std::vector<TcpClient> open;
    open.emplace_back(lines.port);
    open.emplace_back(lines.port);
    for (int i = 0; i < 2; ++i) {
        TcpClient& told = open.emplace_back(lines.port);  // lingers, since it does not close
        CHECK(receive_all(told) == "too many");
    }
    TcpClient closed(lines.port);
    CHECK(receive_all(closed).empty());
    CHECK(lines.server.stats().too_many == 3);
    open[0].send(bytes_of("hello\n"));
    CHECK(receive_all(open[0]) == "you said hello");
}

TEST_CASE("stream_server: places are free again after the stream's end") {
    const LineServer lines({.connections_max = 1});
    int answered = 0;
    for (int i = 0; i < 50; ++i) {
        std::string answer = lines.ask("hello\n");
        while (answer == "too many") {  // the one before has not been seen to close yet
            answer = lines.ask("hello\n");
        }
        answered += answer == "you said hello" ? 1 : 0;
    }
    CHECK(answered == 50);
}

TEST_CASE(
    "stream_server: the owner answers later, from another thread; a stranger's id is nothing") {
    LineServer lines;
    TcpClient client(lines.port);
    client.send(bytes_of("later\n"));
    const StreamId id = lines.wait_for_request();
    lines.server.answer(id + 1000, "nobody");
    lines.server.answer(id, "now");
    lines.server.answer(id, "again");
    CHECK(receive_all(client) == "now");
}

TEST_CASE("stream_server: an answer that the owner owes too long is given without it") {
    LineServer lines({.answer_deadline_ms = 50});
    CHECK(lines.ask("later\n") == "no answer");
    lines.server.answer(lines.wait_for_request(), "too late for that");
    CHECK(lines.server.stats().no_answer == 1);
}

TEST_CASE("stream_server: a peer that does not take its answer is let go") {
    StreamServer server;
    StreamProtocol big;
    big.receive = [](StreamId, std::string_view) {
        return StreamReply{StreamReply::Kind::answer, std::string(64U << 20, 'x')};
    };
    const auto port = server.listen_tcp(
        "127.0.0.1", 0, {.connections_max = 1, .write_deadline_ms = 50, .linger_ms = 50}, big);
    REQUIRE(port.has_value());
    server.start();
    TcpClient client(*port, "127.0.0.1", 4096);
    client.send(bytes_of("x"));
    while (server.stats().too_many == 0) {
        TcpClient(*port).wait_for_end();  // until the place is known to be taken ...
    }
    for (std::uint64_t refused = 0; refused < server.stats().too_many;) {
        refused = server.stats().too_many;
        TcpClient(*port).wait_for_end();  // ... and free again
    }
    CHECK(server.stats().answered == 0);
    server.stop();
}

TEST_CASE("stream_server: stopping answers those who wait and those who have not asked") {
    auto lines = std::make_unique<LineServer>(StreamLimits{.linger_ms = 50});
    TcpClient waiting(lines->port);
    waiting.send(bytes_of("later\n"));
    TcpClient idle(lines->port);
    static_cast<void>(lines->wait_for_request());
    while (lines->server.stats().accepted < 2) {
        std::this_thread::yield();
    }
    lines->server.stop();
    CHECK(receive_all(waiting) == "no answer");
    CHECK(receive_all(idle) == "too late");
    CHECK(!TcpClient(lines->port).is_connected());
}

TEST_CASE("stream_server: a taken port and a name instead of an address are one clear line") {
    LineServer first;
    StreamServer second;
    const auto taken = second.listen_tcp("127.0.0.1", first.port, {}, first.protocol());
    REQUIRE(!taken.has_value());
    CHECK(taken.error().message ==
          "127.0.0.1 port " + std::to_string(first.port) + ": Address already in use");
    const auto named = second.listen_tcp("localhost", 0, {}, first.protocol());
    REQUIRE(!named.has_value());
    CHECK(named.error().message == "'localhost' is no IPv4 or IPv6 address");
}

struct SocketFolder {
    std::string path = "/tmp/terrane-test-XXXXXX";
    SocketFolder() { REQUIRE(mkdtemp(path.data()) != nullptr); }
    ~SocketFolder() {
        unlink((path + "/s").c_str());
        rmdir(path.c_str());
    }
};

std::string ask_unix(const std::string& path, std::string_view request) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    std::string answer;
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
        send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
        char c = 0;
        while (recv(descriptor, &c, 1, 0) == 1) {
            answer += c;
        }
    }
    close(descriptor);
    return answer;
}

TEST_CASE("stream_server: a socket file answers, and is its owner's alone") {
    const SocketFolder folder;
    LineServer lines;
    StreamServer server;
    const std::string path = folder.path + "/s";
    REQUIRE(server.listen_unix(path, {}, lines.protocol()).has_value());
    server.start();
    CHECK(ask_unix(path, "hello\n") == "you said hello");
    struct stat status{};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600U);
    CHECK(S_ISSOCK(status.st_mode));
    server.stop();
}

TEST_CASE("stream_server: a socket file's path that is taken or too long is refused in words") {
    const SocketFolder folder;
    LineServer lines;
    StreamServer server;
    const std::string path = folder.path + "/s";
    std::ofstream(path) << "somebody's";
    const auto taken = server.listen_unix(path, {}, lines.protocol());
    REQUIRE(!taken.has_value());
    CHECK(taken.error().message == path + ": Address already in use");
    const std::string longest = "/tmp/" + std::string(102, 'x');
    REQUIRE(longest.size() == 107);
    CHECK(server.listen_unix(longest, {}, lines.protocol()).has_value());
    unlink(longest.c_str());
    const auto longer = server.listen_unix(longest + "x", {}, lines.protocol());
    REQUIRE(!longer.has_value());
    CHECK(longer.error().message.ends_with("a socket's path has at most 107 bytes"));
}

}  // namespace
}  // namespace terrane
