// What a zone counts and measures, in the format of Prometheus. Metrics are declared once, at the
// start; then the tick thread sets them and any thread reads them as text. Rooms keep their own
// running totals: a counter here is set from such a total and never goes back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace terrane {

enum class MetricKind : std::uint8_t { counter, gauge };
/// Values: those of one family differ in nothing else.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;
using MetricIndex = std::size_t;
using HistogramIndex = std::size_t;

class Metrics {
  public:
    Metrics();
    ~Metrics();
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    /// Asserts that name and labels are new and well formed, and the name of one kind.
    MetricIndex add(MetricKind kind, const std::string& name, const std::string& help,
                    const MetricLabels& labels = {});
    /// `edges`: upper bounds of the buckets, ascending; one for the rest comes by itself.
    HistogramIndex add_histogram(const std::string& name, const std::string& help,
                                 std::span<const double> edges, const MetricLabels& labels = {});

    /// A counter's total: less than the last one is no change.
    void set(MetricIndex metric, double value);
    void observe(HistogramIndex histogram, double value);  ///< allocates nothing

    /// Families by name, and their metrics by labels. Thread: any.
    std::string text() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace terrane
