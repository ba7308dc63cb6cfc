// Every metric of a zone: its name, what it means, its labels, and where its value is read. A new
// one is one row in zone_metrics.cpp. Rooms count for themselves and since the start; here their
// totals get names.
//
// Owner: ZoneOps. Thread: tick.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "server/app/zone.h"
#include "server/net/stream_server.h"
#include "server/ops/metrics.h"
#include "server/ops/process_usage.h"

namespace terrane {

/// Running totals of what a step tells and no room counts.
struct StepTotals {
    std::uint64_t edits_applied = 0;
    std::uint64_t edits_by_zone = 0;  ///< operations: water, pieces
    std::array<std::uint64_t, kRejectReasonCount> rejected{};
    std::uint64_t bricks_changed = 0;
    std::uint64_t spawned = 0;
    std::uint64_t removed = 0;
    std::uint64_t props_gone = 0;
    std::uint64_t pieces_cut = 0;
    std::uint64_t pieces_refused = 0;
    std::uint64_t pieces_settled = 0;
    std::uint64_t pieces_removed = 0;
    std::uint64_t fell_out = 0;  ///< players, out of the world
    std::uint64_t lines = 0;
};
void add_step(StepTotals& totals, const StepResult& result);

/// Everything that a metric may be read from, as of one moment.
struct ZoneCounts {
    const World& world;
    const TickStats& ticks;
    const Sessions& sessions;
    StepTotals steps;
    PhysicsStats physics;
    ColliderCacheStats colliders;
    ChunkLoaderStats chunks;
    ReplicationStats replication;
    CarrierStats carrier;
    StoreStats store;
    StreamStats streams;
    WideStat props_tree;
    MovingStat moving_tree;
    std::size_t props_waiting = 0;
    std::uint64_t tree_swaps = 0;  ///< of trees over props that workers built
    ProcessUsage process;
    std::uint64_t store_lag_ticks = 0;
    std::size_t ctl_waiting = 0;
    std::size_t pregen_waiting = 0;
};

class ZoneMetrics {
  public:
    /// Declares all; those of the store only if there is one.
    ZoneMetrics(Metrics& metrics, bool is_kept);

    /// After each tick: the times of its phases. Allocates nothing.
    void observe_tick(const TickStats& ticks);
    void set(const ZoneCounts& counts);

  private:
    using Read = std::function<double(const ZoneCounts&)>;
    struct Row {
        MetricIndex metric = 0;
        Read read;
    };

    void add_ticks();
    void add_chunks();
    void add_trees();
    void add_bodies();
    void add_edits();
    void add_sessions();
    void add_carrier();
    void add_replication();
    void add_operators();
    void add_store();
    void count(const char* name, const char* help, const MetricLabels& labels, Read read);
    void gauge(const char* name, const char* help, const MetricLabels& labels, Read read);
    void reject(const char* stage, const char* reason, Read read);
    void depth(const char* queue, Read read);

    Metrics* metrics_;
    std::vector<Row> rows_;
    HistogramIndex tick_seconds_ = 0;
    HistogramIndex commit_seconds_ = 0;
    std::uint64_t commits_ = 0;  ///< seen
    std::array<HistogramIndex, kTickPhaseCount> phase_seconds_{};
    std::array<double, kTickPhaseCount> phase_total_s_{};  ///< up to the last tick
};

}  // namespace terrane
