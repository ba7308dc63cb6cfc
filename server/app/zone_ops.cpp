#include "server/app/zone_ops.h"

#include <utility>

#include <fmt/format.h>

#include "server/ops/json_text.h"

namespace terrane {
namespace {

/// Is there anything in this tick that a save would hold? A player who is here always is.
bool has_changed(const Zone& zone, const StepResult& result) {
    return !zone.world().players.empty() || zone.grown_waiting() > 0 || !result.edits.empty() ||
           !result.moved.empty() || !result.spawned.empty() || !result.removed.empty() ||
           !result.left.empty() || !result.props_gone.empty() || result.is_spawn_point_changed;
}

}  // namespace

ZoneOps::ZoneOps(const ZoneOpsParts& parts)
    : parts_(parts),
      verbs_({parts.zone, parts.config, parts.pages, parts.store != nullptr, parts.answer}),
      metrics_(*parts.metrics, parts.store != nullptr),
      started_(parts.clock->now()),
      ticks_to_publish_(parts.config->tick_rate_hz) {
    parts_.pages->note_tick(started_);  // well from the start on
    publish();
}

void ZoneOps::after_tick() {
    parts_.pages->note_tick(parts_.clock->now());
    metrics_.observe_tick(std::as_const(*parts_.zone).tick_stats());
    const StepResult& step = parts_.zone->last_step();
    add_step(steps_, step);
    if (has_changed(*parts_.zone, step)) {
        change_tick_ = step.tick;
    }
    if (--ticks_to_publish_ == 0) {
        ticks_to_publish_ = parts_.config->tick_rate_hz;
        publish();
    }
    verbs_.after_tick(change_tick_);
    parts_.mailbox->take(requests_);
    for (const CtlRequest& request : requests_) {
        verbs_.run(request);
    }
}

void ZoneOps::publish() {
    const ZoneCounts counts = count();
    metrics_.set(counts);
    parts_.pages->publish_status(status_json(counts));
}

ZoneCounts ZoneOps::count() const {
    Zone& zone = *parts_.zone;
    const std::uint64_t tick = zone.world().tick;
    const std::uint64_t saved_tick = zone.saved_tick();
    return {.world = zone.world(),
            .ticks = zone.tick_stats(),
            .sessions = zone.sessions(),
            .steps = steps_,
            .physics = zone.world().physics.stats(),
            .colliders = zone.world().terrain.colliders().stats(),
            .chunks = zone.chunk_stats(),
            .replication = zone.replicator().stats(),
            .carrier = parts_.carrier->stats(),
            .store = parts_.store == nullptr ? StoreStats() : parts_.store->stats(),
            .streams = parts_.streams == nullptr ? StreamStats() : parts_.streams->stats(),
            .props_tree = stat_of(zone.world().objects.props().tree()),
            .moving_tree = zone.world().objects.moving().stat(),
            .props_waiting = zone.world().objects.props().waiting_count(),
            .tree_swaps = zone.tree_swaps(),
            .process = read_process_usage(),
            .store_lag_ticks = saved_tick >= change_tick_ ? 0 : tick - saved_tick,
            .ctl_waiting = parts_.mailbox->size(),
            .pregen_waiting = zone.pregen_waiting()};
}

std::string ZoneOps::status_json(const ZoneCounts& counts) const {
    const double uptime_s = static_cast<double>((parts_.clock->now() - started_).count()) * 1e-9;
    std::string json = fmt::format(
        "{{\"version\":{},\"port\":{},\"tick\":{},\"uptime_s\":{:.1f},\"sessions\":{},"
        "\"players\":{},\"bodies\":{},\"bodies_awake\":{},\"bodies_held\":{},"
        "\"chunks_resident\":{},\"chunks_simulated\":{},\"chunks_wanted\":{},"
        "\"pregen_waiting\":{},\"collider_bytes\":{},",
        quote_json(TERRANE_VERSION), parts_.port, counts.world.tick, uptime_s,
        counts.sessions.count(SessionState::playing), counts.world.players.size(),
        counts.world.bodies.size(), counts.physics.awake, counts.physics.held, counts.chunks.viewed,
        counts.chunks.simulated, counts.chunks.waiting, counts.pregen_waiting,
        counts.colliders.bytes);
    json += fmt::format(
        "\"edits_applied\":{},\"bytes_in\":{},\"bytes_out\":{},\"is_kept\":{},"
        "\"durable_tick\":{},\"store_lag_ticks\":{},\"cpu_s\":{:.2f},\"rss_bytes\":{},",
        counts.steps.edits_applied, counts.carrier.bytes_in, counts.carrier.bytes_out,
        parts_.store != nullptr, counts.store.durable_tick, counts.store_lag_ticks,
        counts.process.cpu_s, counts.process.rss_bytes);
    // ticks, ticks_late, ticks_dropped, tick_ms{}, phase_ms{}
    return json + to_json(counts.ticks).substr(1);
}

}  // namespace terrane
