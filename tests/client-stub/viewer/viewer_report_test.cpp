#include "client-stub/viewer/viewer_report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace terrane;

TEST_CASE("viewer_report: the promised keys, percentiles of the frames, legal JSON") {
    ViewerReport report;
    for (int i = 100; i >= 1; --i) {
        report.frame_ms.push_back(i);
    }
    report.last = {12, 3, 2, 40, 77};
    report.nodes = 9;
    report.chunks_loaded = 500;
    report.edits_refused = 4;
    report.corrections = 6;
    report.debug = {"masks,bvh", 24, 7, 3};
    report.trees = {{"props", "sah", {12, 23, 12, 5, 17.25}, 1.5},
                    {"moving", "ploc", {1, 1, 1, 1, 1.0}, 0.25}};
    report.gl = "a \"quoted\" \\ name\n";
    const auto json = nlohmann::json::parse(to_json(report));
    CHECK(json["frames"] == 100);
    CHECK(json["ms"]["p50"] == 50.0);
    CHECK(json["ms"]["p99"] == 99.0);
    CHECK(json["ms"]["max"] == 100.0);
    CHECK(json["nodes"] == 9);
    CHECK(json["chunks"] == 500);
    CHECK(json["edits_refused"] == 4);
    CHECK(json["corrections"] == 6);
    CHECK(json["draw_calls"] == 77);
    CHECK(json["culled"] == 40);
    CHECK(json["drawn_nodes"] == 3);
    CHECK(json["drawn_pieces"] == 2);
    CHECK(json["debug"]["views"] == "masks,bvh");
    CHECK(json["debug"]["lines"] == 24);
    CHECK(json["debug"]["cubes"] == 7);
    CHECK(json["debug"]["left_out"] == 3);
    REQUIRE(json["trees"].size() == 2);
    CHECK(json["trees"][0]["name"] == "props");
    CHECK(json["trees"][0]["nodes"] == 23);
    CHECK(json["trees"][0]["leaves"] == 12);
    CHECK(json["trees"][0]["depth"] == 5);
    CHECK(json["trees"][0]["cost"] == 17.25);
    CHECK(json["trees"][1]["builder"] == "ploc");
    CHECK(json["trees"][1]["build_ms"] == 0.25);
    CHECK(json["gl"] == "a \"quoted\" \\ name ");
    const auto empty = nlohmann::json::parse(to_json(ViewerReport{}));
    CHECK(empty["frames"] == 0);
    CHECK(empty["trees"].empty());
    CHECK(empty["ms"]["p99"] == 0.0);
    CHECK_FALSE(write_report(report, "/nonexistent/r.json").has_value());
}
