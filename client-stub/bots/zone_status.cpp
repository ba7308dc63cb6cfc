#include "client-stub/bots/zone_status.h"

#include <string_view>
#include <vector>

namespace terrane {
namespace {

constexpr std::size_t kAnswerBytesMax = 1U << 20;

}  // namespace

Result<std::string> http_body(const std::string& answer) {
    const std::size_t head_end = answer.find("\r\n\r\n");
    if (!answer.starts_with("HTTP/1.") || head_end == std::string::npos) {
        return fail("no HTTP answer");
    }
    const std::string_view status = std::string_view(answer).substr(0, answer.find("\r\n"));
    constexpr std::size_t kVersionBytes = std::string_view("HTTP/1.1 ").size();
    if (status.size() < kVersionBytes || !status.substr(kVersionBytes).starts_with("200 ")) {
        return fail("answers '{}'", status);
    }
    return answer.substr(head_end + 4);
}

Result<std::string> fetch_zone_status(const HostPort& http, Nanoseconds timeout) {
    const SteadyClock clock;
    const Nanoseconds deadline = clock.now() + timeout;
    TcpConnector connector;
    const std::unique_ptr<ByteStream> stream = connector.start(http, timeout, 1);
    const std::string request = fmt::format(
        "GET /status HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", to_string(http));
    stream->send({reinterpret_cast<const std::uint8_t*>(request.data()), request.size()});
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint64_t> ready;
    while (stream->is_open() && clock.now() < deadline && bytes.size() < kAnswerBytesMax) {
        ready.clear();
        connector.wait(deadline - clock.now(), ready);
        stream->receive(bytes);
    }
    if (bytes.empty()) {
        return fail("{}", stream->is_open() ? "does not answer in time" : stream->close_reason());
    }
    return http_body(std::string(bytes.begin(), bytes.end()));
}

}  // namespace terrane
