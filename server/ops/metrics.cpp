#include "server/ops/metrics.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "shared/core/assert.h"

namespace terrane {
namespace {

/// One of the two.
struct Value {
    prometheus::Counter* counter = nullptr;
    prometheus::Gauge* gauge = nullptr;
};

prometheus::Labels to_prometheus(const MetricLabels& labels) {
    return {labels.begin(), labels.end()};
}

bool is_less(const prometheus::ClientMetric& a, const prometheus::ClientMetric& b) {
    return std::ranges::lexicographical_compare(a.label, b.label, [](const auto& x, const auto& y) {
        return std::tie(x.name, x.value) < std::tie(y.name, y.value);
    });
}

}  // namespace

struct Metrics::State {
    prometheus::Registry registry;
    std::map<std::string, prometheus::Family<prometheus::Counter>*> counters;
    std::map<std::string, prometheus::Family<prometheus::Gauge>*> gauges;
    std::map<std::string, prometheus::Family<prometheus::Histogram>*> histograms;
    std::vector<Value> values;
    std::vector<prometheus::Histogram*> histogram_values;
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

MetricIndex Metrics::add(MetricKind kind, const std::string& name, const std::string& help,
                         const MetricLabels& labels) {
    Value value;
    if (kind == MetricKind::counter) {
        auto& family = state_->counters[name];
        if (family == nullptr) {
            family = &prometheus::BuildCounter().Name(name).Help(help).Register(state_->registry);
        }
        TERRANE_ASSERT(!family->Has(to_prometheus(labels)));
        value.counter = &family->Add(to_prometheus(labels));
    } else {
        auto& family = state_->gauges[name];
        if (family == nullptr) {
            family = &prometheus::BuildGauge().Name(name).Help(help).Register(state_->registry);
        }
        TERRANE_ASSERT(!family->Has(to_prometheus(labels)));
        value.gauge = &family->Add(to_prometheus(labels));
    }
    state_->values.push_back(value);
    return state_->values.size() - 1;
}

HistogramIndex Metrics::add_histogram(const std::string& name, const std::string& help,
                                      std::span<const double> edges, const MetricLabels& labels) {
    auto& family = state_->histograms[name];
    if (family == nullptr) {
        family = &prometheus::BuildHistogram().Name(name).Help(help).Register(state_->registry);
    }
    TERRANE_ASSERT(!family->Has(to_prometheus(labels)));
    state_->histogram_values.push_back(
        &family->Add(to_prometheus(labels),
                     prometheus::Histogram::BucketBoundaries(edges.begin(), edges.end())));
    return state_->histogram_values.size() - 1;
}

void Metrics::set(MetricIndex metric, double value) {
    TERRANE_ASSERT(metric < state_->values.size());
    const Value& target = state_->values[metric];
    if (target.gauge != nullptr) {
        target.gauge->Set(value);
    } else if (const double more = value - target.counter->Value(); more > 0.0) {
        target.counter->Increment(more);
    }
}

void Metrics::observe(HistogramIndex histogram, double value) {
    TERRANE_ASSERT(histogram < state_->histogram_values.size());
    state_->histogram_values[histogram]->Observe(value);
}

std::string Metrics::text() const {
    std::vector<prometheus::MetricFamily> families = state_->registry.Collect();
    std::ranges::sort(families, {}, &prometheus::MetricFamily::name);
    for (prometheus::MetricFamily& family : families) {
        std::ranges::sort(family.metric, is_less);  // the library keeps them by hash
    }
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, families);
    return std::move(out).str();
}

}  // namespace terrane
