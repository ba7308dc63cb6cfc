#include "server/ops/metrics.h"

#include <array>

#include <doctest/doctest.h>

namespace terrane {
namespace {

TEST_CASE("metrics: families by name, metrics by labels, in the text format") {
    Metrics metrics;
    const MetricIndex out =
        metrics.add(MetricKind::counter, "b_total", "Bytes.", {{"direction", "out"}});
    const MetricIndex in =
        metrics.add(MetricKind::counter, "b_total", "Bytes.", {{"direction", "in"}});
    const MetricIndex depth = metrics.add(MetricKind::gauge, "a_depth", "Waiting.");
    metrics.set(out, 7);
    metrics.set(in, 3);
    metrics.set(depth, 2.5);
    CHECK(metrics.text() ==
          "# HELP a_depth Waiting.\n# TYPE a_depth gauge\na_depth 2.5\n"
          "# HELP b_total Bytes.\n# TYPE b_total counter\nb_total{direction=\"in\"} 3\n"
          "b_total{direction=\"out\"} 7\n");
}

TEST_CASE("metrics: a counter follows its total and never goes back, a gauge does") {
    Metrics metrics;
    const MetricIndex counter = metrics.add(MetricKind::counter, "c_total", "C.");
    const MetricIndex gauge = metrics.add(MetricKind::gauge, "g", "G.");
    for (const double value : {5.0, 9.0, 4.0}) {
        metrics.set(counter, value);
        metrics.set(gauge, value);
    }
    CHECK(metrics.text().find("c_total 9\n") != std::string::npos);
    CHECK(metrics.text().find("g 4\n") != std::string::npos);
}

TEST_CASE("metrics: a histogram counts up to and with each edge, and keeps the sum") {
    Metrics metrics;
    const std::array<double, 2> edges = {0.5, 1.0};
    const HistogramIndex seconds = metrics.add_histogram("s", "S.", edges, {{"phase", "edit"}});
    for (const double value : {0.25, 0.5, 0.75, 2.0}) {
        metrics.observe(seconds, value);
    }
    CHECK(metrics.text() ==
          "# HELP s S.\n# TYPE s histogram\ns_count{phase=\"edit\"} 4\ns_sum{phase=\"edit\"} 3.5\n"
          "s_bucket{phase=\"edit\",le=\"0.5\"} 2\ns_bucket{phase=\"edit\",le=\"1\"} 3\n"
          "s_bucket{phase=\"edit\",le=\"+Inf\"} 4\n");
}

}  // namespace
}  // namespace terrane
