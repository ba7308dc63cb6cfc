#include "server/ops/pages.h"

#include <doctest/doctest.h>

namespace terrane {
namespace {

TEST_CASE("pages: healthz is well while the last tick is younger than 2 s") {
    const Metrics metrics;
    VirtualClock clock;
    OpsPages pages(metrics, clock);
    CHECK(pages.page("/healthz").status == 503);
    clock.sleep_until(Nanoseconds(5'000'000'000));
    pages.note_tick(clock.now());
    CHECK(pages.page("/healthz").status == 200);
    clock.sleep_until(Nanoseconds(6'999'999'999));
    CHECK(pages.page("/healthz").status == 200);
    clock.sleep_until(Nanoseconds(7'000'000'000));
    CHECK(pages.page("/healthz").status == 503);
    CHECK(pages.page("/healthz").body == "the last tick was 2.0 s ago\n");
    pages.note_tick(clock.now());
    CHECK(pages.page("/healthz").status == 200);
}

TEST_CASE("pages: status is what was published last, metrics what stands, all else 404") {
    Metrics metrics;
    const VirtualClock clock;
    OpsPages pages(metrics, clock);
    CHECK(pages.page("/status").status == 503);
    pages.publish_status("{\"tick\":1}");
    pages.publish_status("{\"tick\":2}");
    CHECK(pages.page("/status").body == "{\"tick\":2}\n");
    CHECK(pages.page("/status").content_type == "application/json");
    metrics.set(metrics.add(MetricKind::gauge, "g", "G."), 3);
    CHECK(pages.page("/metrics").body == metrics.text());
    CHECK(pages.page("/").status == 404);
    CHECK(pages.page("/status/").status == 404);
    CHECK(pages.page("/../status").status == 404);
}

TEST_CASE("pages: the protocol waits for a whole request and answers with the page") {
    const Metrics metrics;
    const VirtualClock clock;
    OpsPages pages(metrics, clock);
    pages.publish_status("{}");
    const StreamProtocol http = http_protocol(pages);
    CHECK(http.receive(1, "GET /status HTTP/1.1\r\n").kind == StreamReply::Kind::more);
    const StreamReply reply = http.receive(1, "GET /status HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(reply.kind == StreamReply::Kind::answer);
    CHECK(reply.bytes.ends_with("\r\n\r\n{}\n"));
    CHECK(http.too_late.starts_with("HTTP/1.1 408 "));
    CHECK(http.too_long.starts_with("HTTP/1.1 431 "));
    CHECK(http.too_many.starts_with("HTTP/1.1 503 "));
}

}  // namespace
}  // namespace terrane
