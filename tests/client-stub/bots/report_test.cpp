#include "client-stub/bots/report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "client-stub/bots/zone_status.h"

namespace terrane {
namespace {

SwarmReport good_report() {
    SwarmReport report;
    report.bots = 3;
    report.joined = 3;
    report.duration_s = 12.5;
    for (int i = 1; i <= 100; ++i) {
        report.edit_to_seen_ms.add(i);
    }
    report.edits_sent = 12;
    report.edits_applied = 9;
    report.edits_rejected = {{"no_sight", 2}, {"stale", 1}};
    return report;
}

TEST_CASE("report: the JSON has exactly the promised keys in their order") {
    const auto json = nlohmann::ordered_json::parse(to_json(good_report()));
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) {
        keys.push_back(key);
    }
    CHECK(keys == std::vector<std::string>{
                      "bots", "joined", "dropped", "duration_s", "join_ms", "playable_ms",
                      "edit_to_seen_ms", "edit_to_durable_ms", "snapshot_interval_ms",
                      "bytes_in_per_s", "bytes_out_per_s", "edits_sent", "edits_applied",
                      "edits_rejected", "chunks_received", "divergences", "bots_cpu_s", "server"});
    CHECK(json["bots"] == 3);
    CHECK(json["duration_s"] == 12.5);
    CHECK(json["edit_to_seen_ms"]["p50"].get<double>() == doctest::Approx(50).epsilon(0.01));
    CHECK(json["edit_to_seen_ms"]["p90"].get<double>() == doctest::Approx(90).epsilon(0.01));
    CHECK(json["edit_to_seen_ms"]["p99"].get<double>() == doctest::Approx(99).epsilon(0.01));
    CHECK(json["edit_to_seen_ms"]["max"] == 100);
    CHECK(json["edits_rejected"] == nlohmann::ordered_json({{"no_sight", 2}, {"stale", 1}}));
}

TEST_CASE("report: what was not or cannot be measured is null") {
    const auto json = nlohmann::json::parse(to_json(SwarmReport()));
    CHECK(json["edit_to_durable_ms"].is_null());
    CHECK(json["server"].is_null());
    CHECK(json["join_ms"].size() == 4);
    for (const char* key : {"p50", "p90", "p99", "max"}) {
        CHECK(json["join_ms"][key].is_null());
    }
    CHECK(json["edits_rejected"].is_object());
    CHECK(json["edits_rejected"].empty());
}

const char* const kStatus =
    R"({"version":"0.1.0","port":7777,"tick":900,"bodies":12,"chunks_resident":1300,"ticks":800,)"
    R"("ticks_late":3,"tick_ms":{"p50":3.5,"p99":7.25,"max":9},"phase_ms":{"edit":0.5},)"
    R"("cpu_s":4.5,"rss_bytes":1000000})";

TEST_CASE("report: what the zone says of itself goes in under the promised keys") {
    SwarmReport report = good_report();
    report.zone_status = kStatus;
    const auto json = nlohmann::ordered_json::parse(to_json(report));
    std::vector<std::string> keys;
    for (const auto& [key, value] : json["server"].items()) {
        keys.push_back(key);
    }
    CHECK(keys == std::vector<std::string>{"tick_ms", "ticks", "ticks_late", "phase_ms", "cpu_s",
                                           "rss_bytes", "bodies", "chunks_resident"});
    CHECK(json["server"]["tick_ms"] ==
          nlohmann::ordered_json({{"p50", 3.5}, {"p99", 7.25}, {"max", 9}}));
    CHECK(json["server"]["ticks_late"] == 3);
    CHECK(to_summary(report).find("p50 3.5, p99 7.2, max 9.0 ms") != std::string::npos);
    for (const char* useless :
         {"", "<html>", "[1]", "{\"a\":", "{\"tick_ms\":{\"p50\":\"x\"}}", "{\"tick_ms\":7}"}) {
        CAPTURE(useless);
        report.zone_status = useless;
        CHECK_NOTHROW(static_cast<void>(to_json(report)));
        CHECK_NOTHROW(static_cast<void>(to_summary(report)));
    }
}

TEST_CASE("report: a status is of the zone with its port") {
    CHECK(is_status_of(kStatus, 7777));
    CHECK(!is_status_of(kStatus, 7778));
    CHECK(!is_status_of("{\"port\":\"7777\"}", 7777));
    CHECK(!is_status_of("{}", 7777));
    CHECK(!is_status_of("", 7777));
}

TEST_CASE("zone_status: only a whole answer with status 200 has a body") {
    CHECK(http_body("HTTP/1.1 200 OK\r\nA: b\r\n\r\n{}\n").value() == "{}\n");
    CHECK(http_body("HTTP/1.1 503 Service Unavailable\r\n\r\nx").error().message ==
          "answers 'HTTP/1.1 503 Service Unavailable'");
    for (const char* bad : {"", "HTTP/1.1 200 OK\r\nA: b\r\n", "SSH-2.0\r\n\r\n", "HTTP/1."}) {
        CAPTURE(bad);
        CHECK(http_body(bad).error().message == "no HTTP answer");
    }
    CHECK(!http_body("HTTP/1.\r\n\r\n").has_value());
}

TEST_CASE("report: failures are told in the order of their weight, success is silent") {
    SwarmReport report = good_report();
    CHECK(failure_of(report).empty());
    report.unanswered = 1;
    CHECK(failure_of(report) == "1 of 3 bots got no answer to their last hash requests");
    report.divergences = 4;
    CHECK(failure_of(report) == "4 divergences between the bots' replicas and the zone");
    report.dropped = 2;
    report.first_failure = "bot-1: kicked";
    CHECK(failure_of(report) == "2 of 3 bots were dropped: bot-1: kicked");
    report.joined = 1;
    CHECK(failure_of(report) == "2 of 3 bots could not join: bot-1: kicked");
}

TEST_CASE("report: without a bot in the zone there is no table") {
    SwarmReport report = good_report();
    report.joined = 0;
    CHECK(to_summary(report).empty());
    CHECK_FALSE(failure_of(report).empty());
}

TEST_CASE("report: the summary says what a person wants to know") {
    SwarmReport report = good_report();
    report.is_verified = true;
    report.hashes_compared = 144;
    const std::string text = to_summary(report);
    for (const char* part : {"3 of 3 bots joined", "12 sent, 9 applied, 2 no_sight, 1 stale",
                             "0 in 144 hashes compared", "max 100.0 ms"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
}

}  // namespace
}  // namespace terrane
