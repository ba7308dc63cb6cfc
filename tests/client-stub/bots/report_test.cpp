#include "client-stub/bots/report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

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
