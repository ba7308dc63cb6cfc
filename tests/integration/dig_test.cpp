#include <doctest/doctest.h>

#include "server/world/state_hash.h"
#include "shared/core/random.h"
#include "shared/voxel/voxel_ray.h"
#include "tests/support/virtual_zone.h"

using namespace terrane;
using namespace terrane::test;

namespace {

PlayerControls look_down() {
    PlayerControls controls;
    controls.pitch = -16384;
    return controls;
}

/// The voxel under the client's feet, a step ahead.
VoxelCoord ground_ahead(const ClientSession& client) {
    const Replica& replica = *client.replica();
    const Vec3 eye = eye_position(replica.own(), replica.zone().motion);
    const auto hit =
        raycast_voxels(replica.grid(), {eye, Vec3(0.35F, -1.0F, 0.25F), replica.zone().reach_m});
    REQUIRE(hit.has_value());
    return hit->voxel;
}

}  // namespace

TEST_CASE("zone: a client digs, another's replica has it within 2 ticks, a restart keeps it") {
    const TemporaryFolder folder;
    const ZoneConfig config = test_zone_config();
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    VoxelCoord dug;
    std::uint64_t digger_id = 0;
    Vec3 digger_position{0.0F};
    {
        VirtualZone zone(config, options);
        ClientSession& digger = zone.join("digger");
        ClientSession& watcher = zone.join("watcher");
        dug = ground_ahead(digger);
        REQUIRE(is_solid(watcher.replica()->grid().voxel(dug)));

        digger.tick(look_down(), std::vector<Brush>{voxel_brush(BrushMode::dig, dug)});
        int ticks = 0;
        while (is_solid(watcher.replica()->grid().voxel(dug)) && ticks < 10) {
            zone.tick();
            ++ticks;
        }
        CHECK(ticks <= 2);
        CHECK(watcher.replica()->grid().voxel(dug) == kAirVoxel);
        CHECK(digger.replica()->grid().voxel(dug) == kAirVoxel);
        CHECK(digger.counters().edits_applied == 1);
        digger_id = digger.replica()->zone().player_id;
        zone.ticks(5);
        digger_position = zone.player(digger).state.position;
        zone.zone->close();
    }
    VirtualZone again(config, options);
    CHECK(again.zone->world().grid.voxel(dug) == kAirVoxel);
    ClientSession& digger = again.join("digger");
    CHECK(digger.replica()->zone().player_id == digger_id);
    CHECK(digger.replica()->grid().voxel(dug) == kAirVoxel);
    CHECK(glm::length(again.player(digger).state.position - digger_position) < 0.1F);
}

TEST_CASE("zone: bodies are where they were after a restart, and get no new ids") {
    const TemporaryFolder folder;
    ZoneConfig config = test_zone_config();
    set_first_count(config, "crate", 4);
    set_first_count(config, "ball", 2);
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    std::map<EntityId, Vec3> before;
    {
        VirtualZone zone(config, options);
        zone.join("somebody");
        zone.ticks(100);
        for (const auto& [id, body] : zone.zone->world().bodies) {
            before[id] = zone.zone->world().physics.state(body.handle).position;
        }
        REQUIRE(before.size() == 6);
        zone.zone->close();
    }
    VirtualZone again(config, options);
    REQUIRE(again.zone->world().bodies.size() == before.size());
    for (const auto& [id, body] : again.zone->world().bodies) {
        REQUIRE(before.contains(id));
        const Vec3 now = again.zone->world().physics.state(body.handle).position;
        CHECK(glm::length(now - before[id]) < 0.01F);
    }
    CHECK(again.zone->world().next_entity > before.rbegin()->first);
}

TEST_CASE(
    "zone: many clients edit at once; every replica equals the zone, byte streams cut anywhere") {
    ZoneConfig config = test_zone_config();
    config.edit.per_second = 200;
    VirtualZoneOptions options;
    options.cut_seed = 99;
    VirtualZone zone(config, options);
    std::vector<ClientSession*> clients;
    for (int i = 0; i < 6; ++i) {
        clients.push_back(&zone.connect("bot" + std::to_string(i)));
    }
    zone.ticks(80);
    Random random(4);
    for (int tick = 0; tick < 100; ++tick) {
        for (ClientSession* client : clients) {
            REQUIRE(client->state() == ClientSessionState::playing);
            const Vec3 at = client->replica()->own().position;
            const VoxelCoord foot = voxel_at(at);
            Brush brush =
                voxel_brush(random.below(2) == 0 ? BrushMode::dig : BrushMode::place,
                            {foot.x + random.between(-4, 4), foot.y + random.between(-3, 2),
                             foot.z + random.between(-4, 4)},
                            2);
            if (brush.mode == BrushMode::dig) {
                brush.material = kAir;
            }
            PlayerControls controls;
            controls.move_forward = static_cast<std::int8_t>(random.between(-127, 127));
            controls.yaw = static_cast<std::uint16_t>(random.below(65536));
            client->tick(controls, std::vector<Brush>{brush});
        }
        zone.tick();
    }
    zone.ticks(20);
    std::size_t compared = 0;
    std::uint64_t edits = 0;
    for (ClientSession* client : clients) {
        CHECK(client->replica()->counters().divergences() == 0);
        edits += client->counters().edits_applied;
        for (const ChunkCoord& coord : client->replica()->grid().sorted_coords()) {
            CHECK(hash_chunk(*client->replica()->grid().find(coord)) ==
                  hash_chunk(*zone.zone->world().grid.find(coord)));
            ++compared;
        }
    }
    CHECK(compared > 100);
    CHECK(edits > 100);
}
