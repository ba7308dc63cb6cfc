// Whole zones in virtual time whose players travel: what is streamed, what unloads, what comes
// back.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "server/app/chunk_source.h"
#include "server/world/state_hash.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/support/virtual_zone.h"

using namespace terrane;
using namespace terrane::test;

namespace {

constexpr std::uint8_t kView = 4;

struct Travel {
    VirtualZone zone;
    ZoneConfig config;

    explicit Travel(const ZoneConfig& zone_config, const VirtualZoneOptions& options = {})
        : zone(zone_config, options), config(zone_config) {}

    EntityId id_of(const ClientSession& client) const { return client.replica()->zone().player_id; }
    /// Everybody sends an input each tick, so that nobody is silent.
    void ticks(int count) {
        for (int i = 0; i < count; ++i) {
            for (const auto& client : zone.clients) {
                client->tick({}, {});
            }
            zone.tick();
        }
    }
    ClientSession& join(const std::string& name, std::uint8_t view = kView) {
        ClientSession& client = zone.connect(name, view);
        ticks(10);
        REQUIRE(client.state() == ClientSessionState::playing);
        settle();
        return client;
    }
    void go(const ClientSession& client, const Vec3& foot) {
        zone.zone->submit(TeleportCommand{id_of(client), foot});
    }
    /// Until nothing was sent and nothing is on its way for a while.
    void settle() {
        std::uint64_t sent = ~std::uint64_t{0};
        for (int i = 0; i < 60; ++i) {
            ticks(10);
            const std::uint64_t now = zone.zone->replicator().stats().chunks_sent;
            if (now == std::exchange(sent, now) && zone.zone->chunk_stats().in_flight == 0 &&
                zone.zone->chunk_stats().waiting == 0) {
                return;
            }
        }
        FAIL("the zone does not come to rest");
    }
    /// The client has its view, nothing beyond view + 1, exactly what the zone thinks it has, and
    /// voxels whose hashes are the zone's.
    void check_view(ClientSession& client) {
        const Replica& replica = *client.replica();
        const ChunkCoord centre = chunk_of(voxel_at(zone.player(client).state.position));
        const std::int32_t view = replica.zone().view_chunks;
        std::size_t held = 0;
        for (std::int32_t y = config.bounds.min.y; y < config.bounds.max.y; ++y) {
            for (std::int32_t z = config.bounds.min.z; z < config.bounds.max.z; ++z) {
                for (std::int32_t x = config.bounds.min.x; x < config.bounds.max.x; ++x) {
                    const ChunkCoord c{x, y, z};
                    const ChunkCoord d = c - centre;
                    const std::int32_t away2 = d.x * d.x + d.y * d.y + d.z * d.z;
                    const bool is_here = replica.grid().is_loaded(c);
                    REQUIRE((away2 > view * view || is_here));
                    REQUIRE((away2 <= (view + 1) * (view + 1) || !is_here));
                    REQUIRE(zone.zone->replicator().has_chunk(id_of(client), c) == is_here);
                    held += is_here ? 1U : 0U;
                }
            }
        }
        CHECK(replica.grid().chunk_count() == held);
        CHECK(zone.zone->replicator().chunk_count(id_of(client)) == held);
        check_hashes(client);
    }
    void check_hashes(ClientSession& client) {
        const std::vector<ChunkCoord> coords = client.replica()->grid().sorted_coords();
        const std::uint64_t before = client.replica()->counters().hashes_equal;
        for (std::size_t first = 0; first < coords.size(); first += kHashRequestChunksMax) {
            const std::size_t count = std::min(kHashRequestChunksMax, coords.size() - first);
            client.request_hashes(std::span(coords).subspan(first, count));
            ticks(10);  // four requests a second
        }
        CHECK(client.replica()->counters().hashes_equal == before + coords.size());
        CHECK(client.replica()->counters().divergences() == 0);
    }
};

Vec3 above_ground(const ZoneConfig& config, std::int32_t x, std::int32_t z) {
    const VoxelBox box = voxel_box(config.bounds);
    const std::int32_t inside_x = std::clamp(x, box.min.x + 8, box.max.x - 8);
    const std::int32_t inside_z = std::clamp(z, box.min.z + 8, box.max.z - 8);
    return {static_cast<float>(inside_x) + 0.5F, 60.0F, static_cast<float>(inside_z) + 0.5F};
}

/// A sphere dug near the client's feet.
Brush random_dig(Random& random, const ClientSession& client) {
    const VoxelCoord foot = voxel_at(client.replica()->own().position);
    Brush brush =
        voxel_brush(BrushMode::dig, {foot.x + random.between(-3, 3), foot.y + random.between(-3, 0),
                                     foot.z + random.between(-3, 3)});
    brush.shape = BrushShape::sphere;
    brush.size_x = static_cast<std::uint8_t>(random.between(8, 40));
    return brush;
}

VoxelCoord dig_below(Travel& travel, ClientSession& client) {
    const VoxelCoord dug =
        voxel_at(travel.zone.player(client).state.position - Vec3(0.0F, 0.5F, 0.0F));
    REQUIRE(is_solid(travel.zone.zone->world().grid.voxel(dug)));
    PlayerControls controls;
    controls.pitch = -16384;
    client.tick(controls, std::vector<Brush>{voxel_brush(BrushMode::dig, dug)});
    travel.zone.tick();
    travel.ticks(3);
    REQUIRE_FALSE(is_solid(client.replica()->grid().voxel(dug)));
    return dug;
}

}  // namespace

TEST_CASE("A25 zone: out and back, a spiral, ping-pong: at each stop the client has its view") {
    Travel travel(test_zone_config());
    ClientSession& client = travel.join("ada");
    std::vector<VoxelCoord> stops;
    for (std::int32_t x = 0; x <= 160; x += 40) {
        stops.push_back({x, 0, 0});
    }
    for (std::int32_t x = 160; x >= 0; x -= 80) {
        stops.push_back({x, 0, 0});
    }
    for (int i = 0; i < 8; ++i) {
        const double angle = i * 0.9;
        stops.push_back({static_cast<std::int32_t>(20 * i * std::cos(angle)), 0,
                         static_cast<std::int32_t>(20 * i * std::sin(angle))});
    }
    for (int i = 0; i < 4; ++i) {
        const std::int32_t far = i % 2 == 0 ? 240 : -240;
        stops.push_back({far, 0, far});
    }
    for (const VoxelCoord& stop : stops) {
        CAPTURE(stop.x);
        CAPTURE(stop.z);
        travel.go(client, above_ground(travel.config, stop.x, stop.z));
        travel.ticks(100);  // it falls
        travel.settle();
        travel.check_view(client);
        const std::uint64_t sent = travel.zone.zone->replicator().stats().chunks_sent;
        travel.ticks(20);
        CHECK(travel.zone.zone->replicator().stats().chunks_sent == sent);  // standing still
    }
    CHECK(travel.zone.zone->chunk_stats().dropped > 100);
}

TEST_CASE("A25 zone: an edit is there when its chunk comes back, before and after it was saved") {
    for (const bool has_store : {false, true}) {
        CAPTURE(has_store);
        const TemporaryFolder folder;
        VirtualZoneOptions options;
        options.data_folder = has_store ? folder.string() : "";
        ZoneConfig config = test_zone_config();
        config.spawn = {.x_m = -200, .z_m = -200};  // what is held there is far from the test
        Travel travel(config, options);
        ClientSession& client = travel.join("ada");
        const Vec3 home = above_ground(config, 100, 100);
        travel.go(client, home);
        travel.settle();
        travel.ticks(100);
        const VoxelCoord dug = dig_below(travel, client);
        const ChunkCoord edited = chunk_of(dug);
        const Vec3 back = travel.zone.player(client).state.position + Vec3(0.0F, 2.0F, 0.0F);
        const VoxelGrid& grid = travel.zone.zone->world().grid;
        // At once: far enough to leave the grid, near enough to stay viewed by nobody but the zone.
        for (const int away_ticks : {60, 400}) {
            travel.go(client, above_ground(config, -100, -100));
            travel.ticks(away_ticks);
            if (travel.zone.store != nullptr) {
                travel.zone.store->drain();
            }
            travel.ticks(100);
            CHECK_FALSE(grid.is_loaded(edited));
            CHECK(travel.zone.zone->replicator().archive().has(edited) == !has_store);
            travel.go(client, back);
            travel.settle();
            REQUIRE(grid.is_loaded(edited));
            CHECK_FALSE(is_solid(grid.voxel(dug)));
            CHECK_FALSE(is_solid(client.replica()->grid().voxel(dug)));
            travel.check_view(client);
        }
    }
}

TEST_CASE(
    "A25 zone: when everybody has left only the spawn place is simulated, and nothing viewed") {
    ZoneConfig config = test_zone_config();
    Travel travel(config);
    travel.ticks(100);
    const ChunkLoaderStats empty = travel.zone.zone->chunk_stats();
    const std::size_t columns =
        9U * static_cast<std::size_t>(config.bounds.max.y - config.bounds.min.y);
    CHECK(empty.simulated == columns);
    CHECK(empty.viewed == columns);
    const std::size_t bytes = travel.zone.zone->replicator().archive().memory_bytes();
    for (int i = 0; i < 6; ++i) {
        travel.join("bot" + std::to_string(i), 3);
    }
    int turn = 0;
    for (const auto& client : travel.zone.clients) {
        travel.go(*client, above_ground(config, 70 * turn - 200, 200 - 60 * turn));
        ++turn;
    }
    travel.settle();
    CHECK(travel.zone.zone->chunk_stats().simulated > 2 * columns);
    for (const auto& client : travel.zone.clients) {
        client->quit(travel.zone.clock.now());
    }
    for (int i = 0; i < 200; ++i) {
        travel.zone.tick();
    }
    const ChunkLoaderStats after = travel.zone.zone->chunk_stats();
    CHECK(after.simulated == columns);
    CHECK(after.viewed == columns);
    CHECK(after.in_flight == 0);
    CHECK(travel.zone.zone->world().grid.chunk_count() == columns);
    CHECK(travel.zone.zone->replicator().archive().memory_bytes() <= bytes + 4096);
}

TEST_CASE(
    "A25 zone: two clients edit what they see while they come and go: all hashes stay equal") {
    ZoneConfig config = test_zone_config();
    config.edit.per_second = 100;
    const TemporaryFolder folder;
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    options.worker_threads = 2;
    Travel travel(config, options);
    ClientSession& ada = travel.join("ada", 3);
    ClientSession& bob = travel.join("bob", 3);
    Random random(12);
    for (int round = 0; round < 12; ++round) {
        travel.go(ada, above_ground(config, random.between(-60, 60), random.between(-60, 60)));
        if (round % 3 == 0) {
            travel.go(bob, above_ground(config, random.between(-200, 200), 0));
        }
        travel.ticks(round % 2 == 0 ? 90 : 1);  // half of them fall while they dig
        for (int tick = 0; tick < 60; ++tick) {
            for (ClientSession* client : {&ada, &bob}) {
                client->tick({}, std::vector<Brush>{random_dig(random, *client)});
            }
            travel.zone.tick();
        }
        travel.settle();
        travel.check_view(ada);
        travel.check_view(bob);
    }
    CHECK(ada.counters().edits_applied > 50);
    CHECK(travel.zone.zone->replicator().archive().encoded_count() == 0);
}

TEST_CASE(
    "A25 zone: where players start again is simulated for good, and no longer where they did") {
    ZoneConfig config = test_zone_config();
    Travel travel(config);
    travel.ticks(60);
    const ChunkCoord old_spawn = chunk_of(VoxelCoord{config.spawn.x_m, 0, config.spawn.z_m});
    const VoxelGrid& grid = travel.zone.zone->world().grid;
    CHECK(grid.is_loaded(old_spawn));
    travel.zone.zone->submit(SpawnPointCommand{above_ground(config, 150, 150)});
    travel.ticks(150);
    CHECK(grid.is_loaded(chunk_of(VoxelCoord{150, 0, 150})));
    CHECK_FALSE(grid.is_loaded(old_spawn));
}

TEST_CASE("zone: a slow reader gets State only, then everything it missed, and who dug is told") {
    ZoneConfig config = test_zone_config();
    config.edit.per_second = 100;
    config.session.outbox_kib_max = 256;  // soft limit: a quarter
    Travel travel(config);
    ClientSession& ada = travel.join("ada", 2);
    travel.join("bob", 2);
    std::unique_ptr<ClientSession> bob = std::move(travel.zone.clients.back());
    travel.zone.clients.pop_back();  // from now on nobody receives for him
    Random random(7);
    const Replicator& replicator = travel.zone.zone->replicator();
    for (int tick = 0; tick < 900; ++tick) {
        const std::vector<Brush> own{random_dig(random, *bob)};
        bob->tick({}, std::span(own).first(tick % 20 == 0 ? 1 : 0));
        ada.tick({}, std::vector<Brush>{random_dig(random, ada)});
        travel.zone.tick();
    }
    CHECK(replicator.stats().ops_held_back > 20);
    travel.zone.clients.push_back(std::move(bob));
    ClientSession& client = *travel.zone.clients.back();
    travel.ticks(60);
    REQUIRE(client.state() == ClientSessionState::playing);
    travel.settle();
    travel.check_view(client);
    travel.check_view(ada);
    const SessionCounters& counters = client.counters();
    CHECK(counters.edits_sent == 45);
    CHECK(counters.edits_applied > 0);
    CHECK(counters.edits_applied + counters.edits_refused == counters.edits_sent);
}

TEST_CASE("A25 zone: comings and goings are the same on one thread and on several") {
    const auto run = [](unsigned threads) {
        ZoneConfig config = test_zone_config();
        config.edit.per_second = 100;
        set_first_count(config, "crate", 6);
        VirtualZoneOptions options;
        options.worker_threads = threads;
        Travel travel(config, options);
        ClientSession& ada = travel.join("ada", 3);
        ClientSession& bob = travel.join("bob", 2);
        Random random(31);
        std::uint64_t history = 0;
        for (int tick = 0; tick < 400; ++tick) {
            if (tick % 60 == 0) {
                ClientSession& goes = tick % 120 == 0 ? ada : bob;
                travel.go(goes, above_ground(config, random.between(-250, 250),
                                             random.between(-250, 250)));
            }
            for (ClientSession* client : {&ada, &bob}) {
                client->tick({}, std::vector<Brush>{random_dig(random, *client)});
            }
            travel.zone.tick();
            const StepResult& step = travel.zone.zone->last_step();
            for (const ChunkCoord& coord : step.chunks_arrived) {
                history = mix_bits(history ^ hash_value(coord));
            }
            for (const ChunkCoord& coord : step.chunks_left) {
                history = mix_bits(history + hash_value(coord));
            }
        }
        CHECK(travel.zone.zone->chunk_stats().left > 100);
        return mix_bits(history ^ hash_state(travel.zone.zone->world()));
    };
    const std::uint64_t alone = run(0);
    CHECK(run(1) == alone);
    CHECK(run(3) == alone);
}
