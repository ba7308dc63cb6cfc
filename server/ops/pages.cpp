#include "server/ops/pages.h"

namespace terrane {

void OpsPages::publish_status(std::string json) {
    const std::lock_guard lock(mutex_);
    status_ = std::move(json);
}

std::string OpsPages::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

HttpPage OpsPages::page(std::string_view path) const {
    if (path == "/healthz") {
        return health_page();
    }
    if (path == "/metrics") {
        return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_->text()};
    }
    if (path == "/status") {
        std::string json = status();
        if (json.empty()) {
            return {503, "text/plain; charset=utf-8", "the zone has not ticked yet\n"};
        }
        return {200, "application/json", json + "\n"};
    }
    return {404, "text/plain; charset=utf-8",
            "no such page; there are /healthz, /status and /metrics\n"};
}

HttpPage OpsPages::health_page() const {
    const std::int64_t last = last_tick_ns_;
    if (last == kNever) {
        return {503, "text/plain; charset=utf-8", "the zone has not ticked yet\n"};
    }
    const Nanoseconds age = clock_->now() - Nanoseconds(last);
    if (age >= kHealthyFor) {
        return {503, "text/plain; charset=utf-8",
                fmt::format("the last tick was {:.1f} s ago\n",
                            static_cast<double>(age.count()) * 1e-9)};
    }
    return {200, "text/plain; charset=utf-8", "ok\n"};
}

StreamProtocol http_protocol(const OpsPages& pages) {
    StreamProtocol protocol;
    protocol.receive = [&pages](StreamId, std::string_view input) {
        StreamReply reply;
        reply.bytes =
            answer_http(input, [&pages](std::string_view path) { return pages.page(path); });
        reply.kind = reply.bytes.empty() ? StreamReply::Kind::more : StreamReply::Kind::answer;
        return reply;
    };
    protocol.too_many = http_error(503);
    protocol.too_long = http_error(431);
    protocol.too_late = http_error(408);
    protocol.no_answer = http_error(503);
    return protocol;
}

StreamLimits http_limits() {
    return {.request_bytes_max = kHttpRequestBytesMax};
}

}  // namespace terrane
