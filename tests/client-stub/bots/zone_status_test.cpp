#include "client-stub/bots/zone_status.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include <doctest/doctest.h>

namespace terrane {
namespace {

/// Somebody on a free port of 127.0.0.1 who says `answer` to the first who asks, in small pieces.
struct OneAnswer {
    int listener = -1;
    std::uint16_t port = 0;
    std::string request;
    std::thread thread;

    explicit OneAnswer(std::string answer) {
        listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        REQUIRE(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(listen(listener, 1) == 0);
        getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
        port = ntohs(address.sin_port);
        thread = std::thread([this, answer = std::move(answer)] {
            const int peer = accept(listener, nullptr, nullptr);
            char c = 0;
            while (!request.ends_with("\r\n\r\n") && recv(peer, &c, 1, 0) == 1) {
                request += c;
            }
            for (std::size_t at = 0; at < answer.size(); at += 100) {
                send(peer, answer.data() + at, std::min<std::size_t>(100, answer.size() - at),
                     MSG_NOSIGNAL);
            }
            close(peer);
        });
    }
    ~OneAnswer() {
        thread.join();
        close(listener);
    }
};

TEST_CASE("zone_status: asks for /status and takes the whole answer") {
    const std::string body(50'000, 'x');
    OneAnswer zone("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n" + body);
    const auto status = fetch_zone_status({"127.0.0.1", zone.port}, Nanoseconds(20'000'000'000));
    REQUIRE_MESSAGE(status.has_value(), (status ? "" : status.error().message));
    CHECK(*status == body);
    CHECK(zone.request.starts_with("GET /status HTTP/1.1\r\nHost: 127.0.0.1:"));
}

TEST_CASE("zone_status: nobody there, or somebody else, is an error in words") {
    std::uint16_t port = 0;
    {
        OneAnswer other("SSH-2.0-OpenSSH_9.2\r\n");
        port = other.port;
        CHECK(fetch_zone_status({"127.0.0.1", port}, Nanoseconds(20'000'000'000)).error().message ==
              "no HTTP answer");
    }
    const auto nobody = fetch_zone_status({"127.0.0.1", port}, Nanoseconds(20'000'000'000));
    REQUIRE(!nobody.has_value());
    CHECK(nobody.error().message.find("refused") != std::string::npos);
}

}  // namespace
}  // namespace terrane
