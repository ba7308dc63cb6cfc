// Where nobody is, the zone lets go of what it holds; what is needed comes back as it was.
#include <malloc.h>

#include <doctest/doctest.h>

#include "tests/support/actor.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// Ticks without players until nothing moves between the levels any more.
void settle(VirtualZone& zone) {
    zone.ticks(700);
}

/// Bytes in use of all allocations of this process.
std::size_t allocated_bytes() {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void leave(VirtualZone& zone, ClientSession& client) {
    client.quit(zone.clock.now());
    zone.ticks(5);
    REQUIRE(client.is_left());
}

/// Digs a shaft of 5 x 5 m around himself down to `bottom_y`, falling as he digs. Returns the
/// column that he fell in.
VoxelCoord dig_shaft(Actor& digger, std::int32_t bottom_y) {
    // In the middle of a chunk, so that the shaft lies in one column of chunks.
    const VoxelCoord start = voxel_at(digger.foot());
    const ChunkCoord chunk = chunk_of(start);
    const VoxelCoord middle = origin_of(chunk) + VoxelCoord{16, 0, 16};
    const float top_m = digger.foot().y + 12.0F;
    digger.teleport(
        {static_cast<float>(middle.x) + 0.5F, top_m, static_cast<float>(middle.z) + 0.5F});
    digger.controls.pitch = -16384;
    for (int tick = 0; tick < 4000; ++tick) {
        const std::int32_t y = voxel_at(digger.foot() + Vec3(0.0F, 0.3F, 0.0F)).y;
        const std::int32_t low = std::max(y - 6, bottom_y);
        if (y <= bottom_y) {
            digger.ticks(20);
            return {middle.x, bottom_y, middle.z};
        }
        if (tick % 4 == 0 && low < y) {
            digger.edits.push_back(box_brush(BrushMode::dig, {middle.x - 2, low, middle.z - 2},
                                             {middle.x + 2, y, middle.z + 2}));
        }
        digger.tick();
    }
    FAIL("the digger never reached the bottom");
    return {};
}

}  // namespace

TEST_CASE("A25 zone: a body falls down a shaft of 200 m through chunks that nobody is near") {
    const TemporaryFolder folder;
    Result<ZoneConfig> config = load_zone_config(
        TERRANE_SOURCE_DIR "/config/zone.toml",
        std::vector<std::string>{"zone.size_x_chunks=16", "zone.size_z_chunks=16",
                                 "zone.min_y_chunks=-8", "edit.per_second=200", "edit.reach_m=12"});
    REQUIRE(config.has_value());
    std::ranges::fill(config->first_counts, 0U);
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    VirtualZone zone(*config, options);
    Actor digger(zone, "digger");
    const Vec3 away{200.5F, 60.0F, 200.5F};
    digger.teleport({-100.5F, 40.0F, -100.5F});
    const std::int32_t ground_y = voxel_at(digger.foot()).y;
    const VoxelCoord bottom = dig_shaft(digger, ground_y - 200);
    REQUIRE(digger.client.replica()->counters().divergences() == 0);
    digger.teleport(away);
    settle(zone);
    for (std::int32_t y = bottom.y; y <= ground_y; y += kChunkSize) {
        CAPTURE(y);
        CHECK_FALSE(zone.zone->world().grid.is_loaded(chunk_of(VoxelCoord{bottom.x, y, bottom.z})));
    }

    const Vec3 top{static_cast<float>(bottom.x) + 0.5F, static_cast<float>(ground_y) - 2.0F,
                   static_cast<float>(bottom.z) + 0.5F};
    zone.zone->submit(SpawnCommand{"crate", top, kNoRotation});
    zone.tick();
    REQUIRE(zone.zone->last_step().spawned.size() == 1);
    const Body& crate = zone.zone->world().bodies.at(zone.zone->last_step().spawned[0]);
    for (int tick = 0; tick < 1200 && !zone.zone->world().physics.state(crate.handle).is_asleep;
         ++tick) {
        zone.tick();
    }
    const BodyState state = zone.zone->world().physics.state(crate.handle);
    CHECK(state.is_asleep);
    CHECK(std::abs(state.position.y - (static_cast<float>(bottom.y) + 0.3F)) < 0.1F);
    CHECK(std::abs(state.position.x - top.x) < 0.5F);
    CHECK(std::abs(state.position.z - top.z) < 0.5F);
}

TEST_CASE("A25 zone: 50 players explore and leave, memory and chunks are as before") {
    const TemporaryFolder folder;
    ZoneConfig config = test_zone_config();
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    VirtualZone zone(config, options);
    settle(zone);
    const ChunkLoaderStats before = zone.zone->chunk_stats();
    const std::size_t bytes_before = allocated_bytes();
    std::size_t viewed_max = 0;
    std::size_t bytes_max = 0;
    Random random(11);
    for (int i = 0; i < 50; ++i) {
        zone.connect("explorer" + std::to_string(i), 3);
    }
    zone.ticks(30);
    for (int stop = 0; stop < 4; ++stop) {
        for (const auto& client : zone.clients) {
            REQUIRE(client->state() == ClientSessionState::playing);
            const Vec3 place{static_cast<float>(random.between(-240, 240)), 60.0F,
                             static_cast<float>(random.between(-240, 240))};
            zone.zone->submit(TeleportCommand{client->replica()->zone().player_id, place});
        }
        for (int tick = 0; tick < 40; ++tick) {
            for (const auto& client : zone.clients) {
                client->tick({}, {});
            }
            zone.tick();
        }
        viewed_max = std::max(viewed_max, zone.zone->chunk_stats().viewed);
        bytes_max = std::max(bytes_max, allocated_bytes());
    }
    for (const auto& client : zone.clients) {
        client->quit(zone.clock.now());
    }
    zone.ticks(10);
    zone.clients.clear();
    settle(zone);
    const ChunkLoaderStats after = zone.zone->chunk_stats();
    CHECK(viewed_max > before.viewed + 500);
    CHECK(after.viewed == before.viewed);
    CHECK(after.simulated == before.simulated);
    CHECK(after.in_flight == 0);
    CHECK(bytes_max > bytes_before + (20U << 20U));
    // Of what exploring took, less than a twentieth stays: tables that have grown.
    CHECK(allocated_bytes() < bytes_before + (bytes_max - bytes_before) / 20);
}

TEST_CASE("zone: what was dug is there for who comes back after its chunk was let go") {
    const TemporaryFolder folder;
    for (const bool has_store : {true, false}) {
        CAPTURE(has_store);
        ZoneConfig config = test_zone_config();
        VirtualZoneOptions options;
        options.data_folder = has_store ? folder.string() : "";
        VirtualZone zone(config, options);
        Actor ada(zone, "ada");
        ada.teleport({-150.5F, 60.0F, -150.5F});
        ada.controls.pitch = -16384;
        const VoxelCoord under = voxel_at(ada.foot() - Vec3(0.0F, 0.4F, 0.0F));
        ada.edits = {
            box_brush(BrushMode::dig, under - VoxelCoord{1, 2, 1}, under + VoxelCoord{1, 0, 1})};
        ada.ticks(3);
        REQUIRE(ada.client.counters().edits_applied == 1);
        const Chunk dug = *zone.zone->world().grid.find(chunk_of(under));
        const Vec3 place = ada.foot();
        leave(zone, ada.client);
        settle(zone);
        REQUIRE_FALSE(zone.zone->world().grid.is_loaded(chunk_of(under)));
        Actor bob(zone, "bob");
        bob.teleport(place);
        REQUIRE(zone.zone->world().grid.is_loaded(chunk_of(under)));
        CHECK(hash_chunk(*zone.zone->world().grid.find(chunk_of(under))) == hash_chunk(dug));
        const Chunk* seen = bob.client.replica()->grid().find(chunk_of(under));
        REQUIRE(seen != nullptr);
        CHECK(hash_chunk(*seen) == hash_chunk(dug));
    }
}
