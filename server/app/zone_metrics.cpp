#include "server/app/zone_metrics.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "schemas/types_generated.h"
#include "shared/core/log.h"

namespace terrane {
namespace {

/// Seconds. 0.05 is a tick at 20 Hz, 1/60 one at 60.
constexpr std::array<double, 14> kTimeEdges = {0.00002, 0.00005, 0.0001, 0.0002, 0.0005,
                                               0.001,   0.002,   0.005,  0.01,   0.016667,
                                               0.025,   0.05,    0.1,    0.5};

/// A metric's value out of a member of a room's statistics: read_from(&ZoneCounts::chunks,
/// &ChunkLoaderStats::viewed).
template <typename Stats, typename Number>
auto read_from(Stats ZoneCounts::* stats, Number Stats::* number) {
    return [stats, number](const ZoneCounts& c) { return static_cast<double>(c.*stats.*number); };
}

auto read_sessions(std::uint64_t SessionStats::* number) {
    return
        [number](const ZoneCounts& c) { return static_cast<double>(c.sessions.stats().*number); };
}

}  // namespace

void add_step(StepTotals& totals, const StepResult& result) {
    const AppliedEdit* last = nullptr;
    for (const AppliedEdit& edit : result.edits) {
        if (edit.player == 0) {
            ++totals.edits_by_zone;
            continue;
        }
        // An edit's operations, one a chunk, follow each other.
        if (last == nullptr || last->player != edit.player || last->edit != edit.edit) {
            ++totals.edits_applied;
        }
        last = &edit;
    }
    for (const Rejection& rejection : result.rejections) {
        ++totals.rejected[static_cast<std::size_t>(rejection.reason)];
    }
    totals.bricks_changed += result.bricks_changed;
    totals.spawned += result.spawned.size();
    totals.removed += result.removed.size();
    totals.props_gone += result.props_gone.size();
    totals.pieces_cut += result.pieces.cut;
    totals.pieces_refused += result.pieces.refused;
    totals.pieces_settled += result.pieces.settled;
    totals.pieces_removed += result.pieces.removed;
    totals.fell_out += result.out_of_zone.size();
    totals.lines += result.lines.size();
}

ZoneMetrics::ZoneMetrics(Metrics& metrics, bool is_kept) : metrics_(&metrics) {
    tick_seconds_ =
        metrics.add_histogram("terrane_tick_seconds", "Time that a tick took.", kTimeEdges);
    for (std::size_t i = 0; i < kTickPhaseCount; ++i) {
        phase_seconds_[i] =
            metrics.add_histogram("terrane_phase_seconds", "Time that a phase of the tick took.",
                                  kTimeEdges, {{"phase", name_of(static_cast<TickPhase>(i))}});
    }
    add_ticks();
    add_chunks();
    add_bodies();
    add_trees();
    add_edits();
    add_sessions();
    add_carrier();
    add_replication();
    add_operators();
    if (is_kept) {
        add_store();
    }
}

/// TickStats keeps totals: what they grew by is this tick's.
void ZoneMetrics::observe_tick(const TickStats& ticks) {
    double tick_s = 0.0;
    for (std::size_t i = 0; i < kTickPhaseCount; ++i) {
        const double total_s = ticks.phase_mean_ms(static_cast<TickPhase>(i)) *
                               static_cast<double>(ticks.ticks()) * 1e-3;
        const double took_s = std::max(0.0, total_s - phase_total_s_[i]);
        phase_total_s_[i] = total_s;
        tick_s += took_s;
        metrics_->observe(phase_seconds_[i], took_s);
    }
    metrics_->observe(tick_seconds_, tick_s);
}

/// Once a second, as often as the zone saves: no transaction is missed.
void ZoneMetrics::set(const ZoneCounts& counts) {
    if (counts.store.commits > commits_) {
        commits_ = counts.store.commits;
        metrics_->observe(commit_seconds_, counts.store.last_commit_s);
    }
    for (const Row& row : rows_) {
        metrics_->set(row.metric, row.read(counts));
    }
}

void ZoneMetrics::add_trees() {
    const auto both = [this](const char* name, const char* help, auto props, auto moving) {
        gauge(name, help, {{"tree", "props"}}, [props](const ZoneCounts& c) {
            return static_cast<double>(std::invoke(props, c.props_tree));
        });
        gauge(name, help, {{"tree", "moving"}}, [moving](const ZoneCounts& c) {
            return static_cast<double>(std::invoke(moving, c.moving_tree));
        });
    };
    both("terrane_tree_objects", "Solids in a tree of scene queries.", &WideStat::object_count,
         &MovingStat::object_count);
    both("terrane_tree_nodes", "Its nodes.", &WideStat::node_count, &MovingStat::node_count);
    both("terrane_tree_depth", "Its depth.", &WideStat::depth, &MovingStat::depth);
    both("terrane_tree_cost", "What a ray costs by the surface heuristic.", &WideStat::cost,
         &MovingStat::cost);
    gauge("terrane_tree_waiting", "Changes beside a tree.", {{"tree", "props"}},
          [](const ZoneCounts& c) { return static_cast<double>(c.props_waiting); });
    gauge("terrane_tree_waiting", "Changes beside a tree.", {{"tree", "moving"}},
          [](const ZoneCounts& c) { return static_cast<double>(c.moving_tree.waiting_count); });
    count("terrane_tree_rebuilds_total", "Whole trees built anew.", {{"tree", "props"}},
          [](const ZoneCounts& c) { return static_cast<double>(c.tree_swaps); });
    count("terrane_tree_rebuilds_total", "Whole trees built anew.", {{"tree", "moving"}},
          [](const ZoneCounts& c) { return static_cast<double>(c.moving_tree.rebuilds); });
}

void ZoneMetrics::add_ticks() {
    count("terrane_ticks_total", "Ticks run.", {},
          [](const ZoneCounts& c) { return static_cast<double>(c.ticks.ticks()); });
    count("terrane_ticks_late_total", "Ticks that took longer than a tick.", {},
          [](const ZoneCounts& c) { return static_cast<double>(c.ticks.late()); });
    count("terrane_ticks_dropped_total", "Ticks never run, after a stall.", {},
          [](const ZoneCounts& c) { return static_cast<double>(c.ticks.dropped()); });
    count("terrane_cpu_seconds_total", "Processor time of all threads.", {},
          read_from(&ZoneCounts::process, &ProcessUsage::cpu_s));
    gauge("terrane_rss_bytes", "Resident memory.", {},
          read_from(&ZoneCounts::process, &ProcessUsage::rss_bytes));
    count("terrane_log_lines_dropped_total", "Log lines that nobody took in time.", {},
          [](const ZoneCounts&) { return static_cast<double>(dropped_log_lines()); });
}

void ZoneMetrics::add_chunks() {
    const auto stat = [](auto number) { return read_from(&ZoneCounts::chunks, number); };
    const char* resident = "Chunks in memory; what is simulated is viewed too.";
    gauge("terrane_chunks_resident", resident, {{"level", "viewed"}},
          stat(&ChunkLoaderStats::viewed));
    gauge("terrane_chunks_resident", resident, {{"level", "simulated"}},
          stat(&ChunkLoaderStats::simulated));
    const char* moved = "Chunks that came and went.";
    count("terrane_chunks_total", moved, {{"event", "fetched"}}, stat(&ChunkLoaderStats::fetched));
    count("terrane_chunks_total", moved, {{"event", "simulated"}},
          stat(&ChunkLoaderStats::arrived));
    count("terrane_chunks_total", moved, {{"event", "unsimulated"}}, stat(&ChunkLoaderStats::left));
    count("terrane_chunks_total", moved, {{"event", "dropped"}}, stat(&ChunkLoaderStats::dropped));
    depth("chunks_wanted", stat(&ChunkLoaderStats::waiting));
    depth("chunks_in_flight", stat(&ChunkLoaderStats::in_flight));
    depth("chunks_unstored", stat(&ChunkLoaderStats::unstored));
    depth("pregen", [](const ZoneCounts& c) { return static_cast<double>(c.pregen_waiting); });
}

/// Bodies, and the terrain that they touch.
void ZoneMetrics::add_bodies() {
    const auto step = [](auto number) { return read_from(&ZoneCounts::steps, number); };
    const auto cache = [](auto number) { return read_from(&ZoneCounts::colliders, number); };
    const auto physics = [](auto number) { return read_from(&ZoneCounts::physics, number); };
    count("terrane_masks_rebuilt_total", "Bricks whose masks an edit remade.", {},
          step(&StepTotals::bricks_changed));
    count("terrane_colliders_built_total", "Colliders made.", {},
          cache(&ColliderCacheStats::built));
    count("terrane_colliders_dropped_total", "Colliders dropped by edits.", {},
          cache(&ColliderCacheStats::dropped));
    count("terrane_colliders_evicted_total", "Colliders over the cache's budget.", {},
          cache(&ColliderCacheStats::evicted));
    const char* lookups = "Lookups in the cache of colliders.";
    count("terrane_collider_lookups_total", lookups, {{"result", "hit"}},
          cache(&ColliderCacheStats::hits));
    count("terrane_collider_lookups_total", lookups, {{"result", "miss"}},
          cache(&ColliderCacheStats::misses));
    gauge("terrane_colliders", "Colliders in the cache.", {}, cache(&ColliderCacheStats::kept));
    gauge("terrane_colliders_pinned", "Colliders that a contact holds.", {},
          cache(&ColliderCacheStats::pinned));
    gauge("terrane_collider_bytes", "Bytes of the cache.", {}, cache(&ColliderCacheStats::bytes));
    gauge("terrane_contacts", "Pairs of body and brick.", {{"kind", "solid"}},
          physics(&PhysicsStats::solid_contacts));
    gauge("terrane_contacts", "Pairs of body and brick.", {{"kind", "water"}},
          physics(&PhysicsStats::water_contacts));

    gauge("terrane_bodies", "Rigid bodies.", {{"state", "awake"}}, physics(&PhysicsStats::awake));
    gauge("terrane_bodies", "Rigid bodies.", {{"state", "held"}}, physics(&PhysicsStats::held));
    gauge("terrane_bodies", "Rigid bodies.", {{"state", "asleep"}}, [](const ZoneCounts& c) {
        const std::uint32_t others = c.physics.awake + c.physics.held;
        return static_cast<double>(c.physics.bodies - std::min(others, c.physics.bodies));
    });
    gauge("terrane_pieces", "Bodies that were cut off from the ground.", {},
          [](const ZoneCounts& c) { return static_cast<double>(c.world.pieces.size()); });
    gauge("terrane_queue_depth", "What waits, by queue.", {{"queue", "loose_floods"}},
          [](const ZoneCounts& c) { return static_cast<double>(c.world.loose.pending().size()); });
    count("terrane_loose_floods_dropped_total", "Places never searched: too many waited.", {},
          [](const ZoneCounts& c) { return static_cast<double>(c.world.loose.dropped()); });
    const char* pieces = "What became of what edits cut off.";
    count("terrane_pieces_total", pieces, {{"event", "cut"}}, step(&StepTotals::pieces_cut));
    count("terrane_pieces_total", pieces, {{"event", "refused"}},
          step(&StepTotals::pieces_refused));
    count("terrane_pieces_total", pieces, {{"event", "settled"}},
          step(&StepTotals::pieces_settled));
    count("terrane_pieces_total", pieces, {{"event", "removed"}},
          step(&StepTotals::pieces_removed));
    gauge("terrane_bodies", "Rigid bodies.", {{"state", "dozing"}}, physics(&PhysicsStats::dozing));
    gauge("terrane_bodies", "Rigid bodies.", {{"state", "parked"}}, physics(&PhysicsStats::parked));
    count("terrane_bodies_put_to_sleep_total", "Bodies that physics.awake_max made sleep.", {},
          physics(&PhysicsStats::put_to_sleep));
    const char* became = "What became of bodies.";
    count("terrane_bodies_total", became, {{"event", "spawned"}}, step(&StepTotals::spawned));
    count("terrane_bodies_total", became, {{"event", "removed"}}, step(&StepTotals::removed));
    count("terrane_bodies_total", became, {{"event", "quarantined"}},
          physics(&PhysicsStats::quarantined));
    count("terrane_bodies_total", became, {{"event", "lost"}}, physics(&PhysicsStats::lost));
    count("terrane_props_gone_total", "Props that lost their ground.", {},
          step(&StepTotals::props_gone));
    count("terrane_players_fell_out_total", "Players who fell out of the world.", {},
          step(&StepTotals::fell_out));
}

void ZoneMetrics::add_edits() {
    const char* help = "Edits by what became of them; zone: water, pieces, blasts.";
    count("terrane_edits_total", help, {{"result", "applied"}},
          read_from(&ZoneCounts::steps, &StepTotals::edits_applied));
    count("terrane_edits_total", help, {{"result", "zone"}},
          read_from(&ZoneCounts::steps, &StepTotals::edits_by_zone));
    count("terrane_edits_total", help, {{"result", "rejected"}}, [](const ZoneCounts& c) {
        std::uint64_t total = c.sessions.stats().edits_over_rate;
        for (const std::uint64_t rejected : c.steps.rejected) {
            total += rejected;
        }
        return static_cast<double>(total);
    });
    count("terrane_edits_total", help, {{"result", "duplicate"}},
          read_sessions(&SessionStats::edits_duplicate));
    for (std::size_t i = 1; i < kRejectReasonCount; ++i) {
        const auto reason = static_cast<RejectReason>(i);
        if (reason != RejectReason::rate) {  // is judged by the session
            reject("world", name_of(reason),
                   [i](const ZoneCounts& c) { return static_cast<double>(c.steps.rejected[i]); });
        }
    }
    count("terrane_lines_total", "Lines of chat, the zone's own included.", {},
          read_from(&ZoneCounts::steps, &StepTotals::lines));
}

void ZoneMetrics::add_sessions() {
    for (std::size_t i = 0; i < kSessionStateCount; ++i) {
        const auto state = static_cast<SessionState>(i);
        gauge(
            "terrane_sessions", "Sessions.", {{"state", name_of(state)}},
            [state](const ZoneCounts& c) { return static_cast<double>(c.sessions.count(state)); });
    }
    count("terrane_sessions_opened_total", "Connections that became sessions.", {},
          read_sessions(&SessionStats::opened));
    count("terrane_sessions_admitted_total", "Sessions that came to play.", {},
          read_sessions(&SessionStats::admitted));
    for (std::size_t i = 1; i < kLeaveReasonCount; ++i) {
        count("terrane_sessions_left_total", "Sessions that ended.",
              {{"reason", wire::EnumNameLeaveReason(static_cast<LeaveReason>(i))}},
              [i](const ZoneCounts& c) { return static_cast<double>(c.sessions.stats().left[i]); });
    }
    count("terrane_messages_total", "Messages from sessions.", {},
          read_sessions(&SessionStats::messages));
    const char* inputs = "Inputs by what became of them.";
    count("terrane_inputs_total", inputs, {{"result", "run"}},
          read_sessions(&SessionStats::inputs));
    count("terrane_inputs_total", inputs, {{"result", "duplicate"}},
          read_sessions(&SessionStats::inputs_duplicate));
    count("terrane_inputs_total", inputs, {{"result", "missing"}},
          read_sessions(&SessionStats::inputs_missing));
    reject("session", "edit_rate", read_sessions(&SessionStats::edits_over_rate));
    reject("session", "input_rate", read_sessions(&SessionStats::inputs_over_rate));
    reject("session", "input_queue", read_sessions(&SessionStats::inputs_overflowed));
    reject("session", "hash_rate", read_sessions(&SessionStats::hash_requests_over_rate));
    reject("session", "line_rate", read_sessions(&SessionStats::lines_over_rate));
}

void ZoneMetrics::add_carrier() {
    const auto stat = [](auto number) { return read_from(&ZoneCounts::carrier, number); };
    const char* bytes = "Bytes of players' connections.";
    count("terrane_bytes_total", bytes, {{"direction", "in"}, {"channel", "tcp"}},
          stat(&CarrierStats::bytes_in));
    count("terrane_bytes_total", bytes, {{"direction", "out"}, {"channel", "tcp"}},
          stat(&CarrierStats::bytes_out));
    const char* frames = "Frames of players' connections.";
    count("terrane_frames_total", frames, {{"direction", "in"}}, stat(&CarrierStats::frames_in));
    count("terrane_frames_total", frames, {{"direction", "out"}}, stat(&CarrierStats::frames_out));
    count("terrane_read_pauses_total", "Times that a flooding connection was not read.", {},
          stat(&CarrierStats::read_pauses));
    for (std::size_t i = 1; i < kCloseReasonCount; ++i) {
        count("terrane_connections_closed_total", "Players' connections that closed.",
              {{"reason", name_of(static_cast<CloseReason>(i))}},
              [i](const ZoneCounts& c) { return static_cast<double>(c.carrier.closed[i]); });
    }
    reject("connection", "full", stat(&CarrierStats::refused_full));
    reject("connection", "address", stat(&CarrierStats::refused_address));
    reject("connection", "accept_error", stat(&CarrierStats::accept_errors));
}

void ZoneMetrics::add_replication() {
    const auto stat = [](auto number) { return read_from(&ZoneCounts::replication, number); };
    const char* bytes = "Bytes handed to sessions by what they say.";
    count("terrane_replicated_bytes_total", bytes, {{"kind", "chunk"}},
          stat(&ReplicationStats::chunk_bytes));
    count("terrane_replicated_bytes_total", bytes, {{"kind", "state"}},
          stat(&ReplicationStats::state_bytes));
    const char* sent = "What was handed to sessions.";
    count("terrane_replicated_total", sent, {{"kind", "chunk"}},
          stat(&ReplicationStats::chunks_sent));
    count("terrane_replicated_total", sent, {{"kind", "ops"}},
          stat(&ReplicationStats::op_messages));
    count("terrane_replicated_total", sent, {{"kind", "node"}},
          stat(&ReplicationStats::node_states));
    count("terrane_ops_held_back_total", "Messages that a full outbox put off.", {},
          stat(&ReplicationStats::ops_held_back));
}

void ZoneMetrics::add_operators() {
    const auto stat = [](auto number) { return read_from(&ZoneCounts::streams, number); };
    count("terrane_operator_answers_total", "Answers over HTTP and ctl.", {},
          stat(&StreamStats::answered));
    reject("operator", "too_many", stat(&StreamStats::too_many));
    reject("operator", "too_long", stat(&StreamStats::too_long));
    reject("operator", "too_late", stat(&StreamStats::too_late));
    reject("operator", "no_answer", stat(&StreamStats::no_answer));
    depth("ctl", [](const ZoneCounts& c) { return static_cast<double>(c.ctl_waiting); });
}

void ZoneMetrics::add_store() {
    const auto stat = [](auto number) { return read_from(&ZoneCounts::store, number); };
    gauge("terrane_store_lag_ticks", "Ticks since what is durable; 0: all of it.", {},
          [](const ZoneCounts& c) { return static_cast<double>(c.store_lag_ticks); });
    gauge("terrane_store_durable_tick", "Everything up to it is durable.", {},
          stat(&StoreStats::durable_tick));
    commit_seconds_ = metrics_->add_histogram("terrane_store_commit_seconds",
                                              "Time that a transaction took.", kTimeEdges);
    depth("store", stat(&StoreStats::queued_batches));
    count("terrane_store_commits_total", "Transactions.", {}, stat(&StoreStats::commits));
    count("terrane_store_bad_rows_total", "Stored rows that could not be used.", {},
          stat(&StoreStats::bad_rows));
    count("terrane_store_chunks_kept_aside_total", "Bad chunk rows kept for repair.", {},
          stat(&StoreStats::chunks_kept_aside));
}

void ZoneMetrics::count(const char* name, const char* help, const MetricLabels& labels, Read read) {
    rows_.push_back({metrics_->add(MetricKind::counter, name, help, labels), std::move(read)});
}

void ZoneMetrics::gauge(const char* name, const char* help, const MetricLabels& labels, Read read) {
    rows_.push_back({metrics_->add(MetricKind::gauge, name, help, labels), std::move(read)});
}

void ZoneMetrics::reject(const char* stage, const char* reason, Read read) {
    count("terrane_rejected_total", "What was refused, where and why.",
          {{"stage", stage}, {"reason", reason}}, std::move(read));
}

void ZoneMetrics::depth(const char* queue, Read read) {
    gauge("terrane_queue_depth", "What waits.", {{"queue", queue}}, std::move(read));
}

}  // namespace terrane
