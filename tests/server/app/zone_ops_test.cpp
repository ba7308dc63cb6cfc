#include "server/app/zone_ops.h"

#include <doctest/doctest.h>

#include "shared/voxel/voxel_ray.h"
#include "tests/server/app/operated_zone.h"

namespace terrane {
namespace {

using namespace terrane::test;

/// Looks straight down and digs: once what lies there, once what is far out of
/// reach.
void dig_twice(OperatedZone& zone, ClientSession& client) {
    PlayerControls down;
    down.pitch = -16384;
    const Replica& replica = *client.replica();
    const Vec3 eye = eye_position(replica.own(), replica.zone().motion);
    const auto hit =
        raycast_voxels(replica.grid(), {eye, Vec3(0.35F, -1.0F, 0.25F), replica.zone().reach_m});
    REQUIRE(hit.has_value());
    VoxelCoord far = hit->voxel;
    far.x += 30;
    client.tick(down, std::vector<Brush>{voxel_brush(BrushMode::dig, hit->voxel),
                                         voxel_brush(BrushMode::dig, far)});
    zone.ticks(40);
}

TEST_CASE("zone_ops: every promised metric is there") {
    const TemporaryFolder folder;
    OperatedZone zone(test_zone_config(), {.data_folder = folder.string()});
    zone.ticks(2);
    const std::string text = zone.pages.page("/metrics").body;
    for (const char* name :
         {"terrane_tick_seconds", "terrane_phase_seconds", "terrane_ticks_late_total",
          "terrane_sessions", "terrane_edits_total", "terrane_bytes_total", "terrane_queue_depth",
          "terrane_chunks_resident", "terrane_masks_rebuilt_total", "terrane_colliders_built_total",
          "terrane_contacts", "terrane_collider_bytes", "terrane_bodies", "terrane_store_lag_ticks",
          "terrane_store_commit_seconds", "terrane_rejected_total"}) {
        CAPTURE(name);
        CHECK(text.find("# TYPE " + std::string(name) + " ") != std::string::npos);
    }
    for (const char* label :
         {"terrane_phase_seconds_count{phase=\"replicate\"}",
          "terrane_edits_total{result=\"applied\"}",
          "terrane_bytes_total{channel=\"tcp\",direction=\"out\"}",
          "terrane_queue_depth{queue=\"store\"}", "terrane_contacts{kind=\"water\"}",
          "terrane_bodies{state=\"asleep\"}",
          "terrane_rejected_total{reason=\"no_sight\",stage=\"world\"}"}) {
        CAPTURE(label);
        CHECK(zone.read_metrics().contains(label));
    }
}

TEST_CASE("zone_ops: metrics are what the zone did") {
    ZoneConfig config = test_zone_config();
    set_first_count(config, "crate", 6);
    OperatedZone zone(config);
    ClientSession& client = zone.join("ada");
    dig_twice(zone, client);
    while (zone.zone.zone->tick_stats().ticks() % config.tick_rate_hz != 0) {
        zone.tick();  // the last of them published
    }
    std::map<std::string, double> values = zone.read_metrics();
    const Zone& z = *zone.zone.zone;
    const auto ticks = static_cast<double>(z.tick_stats().ticks());
    CHECK(values["terrane_ticks_total"] == ticks);
    CHECK(values["terrane_tick_seconds_count"] == ticks);
    CHECK(values["terrane_phase_seconds_count{phase=\"motion\"}"] == ticks);
    CHECK(values["terrane_tick_seconds_sum"] == 0.0);  // virtual time stands still inside a tick
    CHECK(values["terrane_sessions{state=\"playing\"}"] == 1);
    CHECK(values["terrane_sessions_admitted_total"] == 1);
    CHECK(values["terrane_edits_total{result=\"applied\"}"] == 1);
    CHECK(values["terrane_edits_total{result=\"rejected\"}"] == 1);
    CHECK(values["terrane_rejected_total{reason=\"too_far\",stage=\"world\"}"] == 1);
    CHECK(values["terrane_masks_rebuilt_total"] >= 1);
    CHECK(values["terrane_masks_rebuilt_total"] <= 8);
    CHECK(values["terrane_chunks_resident{level=\"simulated\"}"] ==
          static_cast<double>(z.chunk_stats().simulated));
    CHECK(values["terrane_chunks_resident{level=\"viewed\"}"] >=
          values["terrane_chunks_resident{level=\"simulated\"}"]);
    CHECK(values["terrane_chunks_resident{level=\"simulated\"}"] > 0);
    CHECK(values["terrane_bodies{state=\"awake\"}"] + values["terrane_bodies{state=\"asleep\"}"] +
              values["terrane_bodies{state=\"held\"}"] ==
          6);
    const CarrierStats carrier = zone.zone.carrier.stats();
    CHECK(values["terrane_bytes_total{channel=\"tcp\",direction=\"in\"}"] ==
          static_cast<double>(carrier.bytes_in));
    CHECK(values["terrane_bytes_total{channel=\"tcp\",direction=\"out\"}"] ==
          static_cast<double>(carrier.bytes_out));
    CHECK(carrier.bytes_out > 0);
    CHECK(!values.contains("terrane_store_lag_ticks"));  // nothing is kept
}

TEST_CASE("zone_ops: a tick's time is that of its phases") {
    ZoneConfig config = test_zone_config();
    OperatedZone zone(config);
    // The zone's own clock stands still in a tick; its statistics are moved by
    // hand.
    TickStats& stats = zone.zone.zone->tick_stats();
    zone.ticks(21);
    stats.start_tick(Nanoseconds(0));
    stats.finish_phase(TickPhase::receive, Nanoseconds(1'000'000));
    stats.finish_phase(TickPhase::motion, Nanoseconds(31'000'000));
    stats.finish_tick(Nanoseconds(31'000'000));
    zone.ops.after_tick();
    std::map<std::string, double> values = zone.read_metrics();
    CHECK(values["terrane_phase_seconds_sum{phase=\"motion\"}"] == doctest::Approx(0.03));
    CHECK(values["terrane_phase_seconds_sum{phase=\"receive\"}"] == doctest::Approx(0.001));
    CHECK(values["terrane_tick_seconds_sum"] == doctest::Approx(0.031));
    CHECK(values["terrane_tick_seconds_bucket{le=\"0.025\"}"] == 21);
    CHECK(values["terrane_tick_seconds_bucket{le=\"0.05\"}"] == 22);
    stats.start_tick(Nanoseconds(50'000'000));
    stats.finish_phase(TickPhase::receive, Nanoseconds(52'000'000));
    stats.finish_tick(Nanoseconds(52'000'000));
    zone.ops.after_tick();
    values = zone.read_metrics();
    CHECK(values["terrane_phase_seconds_sum{phase=\"motion\"}"] == doctest::Approx(0.03));
    CHECK(values["terrane_phase_seconds_sum{phase=\"receive\"}"] == doctest::Approx(0.003));
    CHECK(values["terrane_tick_seconds_sum"] == doctest::Approx(0.033));
}

TEST_CASE("zone_ops: status has what reports and people read, as of the last second") {
    const TemporaryFolder folder;
    ZoneConfig config = test_zone_config();
    set_first_count(config, "ball", 3);
    OperatedZone zone(config, {.data_folder = folder.string()});
    CHECK(nlohmann::json::parse(zone.pages.page("/status").body)["ticks"] == 0);
    zone.join("ada");
    const auto json = nlohmann::json::parse(zone.pages.page("/status").body);
    for (const char* key :
         {"version", "port", "tick", "uptime_s", "sessions", "players", "bodies", "bodies_awake",
          "chunks_resident", "durable_tick", "store_lag_ticks", "cpu_s", "rss_bytes", "ticks",
          "ticks_late", "ticks_dropped", "tick_ms", "phase_ms"}) {
        CAPTURE(key);
        CHECK(json.contains(key));
    }
    CHECK(json["version"] == TERRANE_VERSION);
    CHECK(json["port"] == 7777);
    CHECK(json["players"] == 1);
    CHECK(json["sessions"] == 1);
    CHECK(json["bodies"] == 3);
    CHECK(json["is_kept"] == true);
    CHECK(json["chunks_resident"] == zone.zone.zone->chunk_stats().viewed);
    CHECK(json["tick"].get<std::uint64_t>() + config.tick_rate_hz > zone.zone.zone->world().tick);
    CHECK(json["rss_bytes"].get<std::uint64_t>() > 1'000'000);
    CHECK(json["tick_ms"].size() == 3);
    CHECK(json["phase_ms"].size() == kTickPhaseCount);
    CHECK(zone.pages.page("/healthz").status == 200);
    // One who is here is saved once a second: the lag is never longer, and seldom nothing.
    CHECK(json["store_lag_ticks"] <= config.tick_rate_hz);
    CHECK(json["durable_tick"].get<std::uint64_t>() > 0);
}

TEST_CASE("zone_ops: an edit across chunks is one edit; the zone's own water is not a player's") {
    StepResult result;
    result.edits.resize(5);
    result.edits[0].player = 7;
    result.edits[0].edit = 1;
    result.edits[1].player = 7;
    result.edits[1].edit = 1;
    result.edits[2].player = 7;
    result.edits[2].edit = 2;
    result.edits[3].player = 8;
    result.edits[3].edit = 2;
    result.rejections.resize(2);
    result.rejections[0].reason = RejectReason::stale;
    result.rejections[1].reason = RejectReason::stale;
    result.bricks_changed = 5;
    StepTotals totals;
    add_step(totals, result);
    add_step(totals, result);
    CHECK(totals.edits_applied == 6);
    CHECK(totals.edits_by_zone == 2);
    CHECK(totals.rejected[static_cast<std::size_t>(RejectReason::stale)] == 4);
    CHECK(totals.bricks_changed == 10);
}

}  // namespace
}  // namespace terrane
