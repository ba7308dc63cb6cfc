#include "server/app/pregen.h"

#include <doctest/doctest.h>

#include "tests/support/actor.h"

using namespace terrane;
using namespace terrane::test;

TEST_CASE("pregen: columns grow ahead of players and are stored, edits of before stay") {
    const TemporaryFolder folder;
    const ZoneConfig config = test_zone_config();
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    VirtualZone zone(config, options);
    Actor ada(zone, "ada");
    ada.controls.pitch = -16384;
    const VoxelCoord under = voxel_at(ada.foot() - Vec3(0.0F, 0.4F, 0.0F));
    ada.edits = {voxel_brush(BrushMode::dig, under)};
    ada.ticks(40);
    zone.store->drain();
    REQUIRE(ada.client.counters().edits_applied == 1);
    const auto edited = zone.store->load_chunk(chunk_of(under));
    REQUIRE((edited && *edited));

    const std::int32_t height = config.bounds.max.y - config.bounds.min.y;
    const std::int32_t x = chunk_of(under).x;
    const std::int32_t z = chunk_of(under).z;
    CHECK(zone.zone->pregen({x, z, x + 2, z + 1}) == static_cast<std::size_t>(6 * height));
    zone.ticks(80);
    zone.store->drain();
    CHECK(zone.zone->pregen_waiting() == 0);
    for (std::int32_t y = config.bounds.min.y; y < config.bounds.max.y; ++y) {
        const auto stored = zone.store->load_chunk({x + 2, y, z + 1});
        REQUIRE((stored && *stored));
        const ChunkSource source = make_chunk_source(config, nullptr);
        CHECK(**stored == source({x + 2, y, z + 1}, true)->archived.blob);
    }
    const auto again = zone.store->load_chunk(chunk_of(under));
    CHECK(**again == **edited);
    CHECK_FALSE(zone.store->load_chunk({x + 3, 0, z})->has_value());
}

TEST_CASE("pregen: only the zone's own columns grow, and nothing where nothing is kept") {
    const TemporaryFolder folder;
    const ZoneConfig config = test_zone_config();
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    VirtualZone zone(config, options);
    const std::int32_t height = config.bounds.max.y - config.bounds.min.y;
    CHECK(zone.zone->pregen({-1000, config.bounds.max.z - 1, config.bounds.min.x, 1000}) ==
          static_cast<std::size_t>(height));
    CHECK(zone.zone->pregen({5, 5, 4, 4}) == 0);
    VirtualZone ephemeral(config);
    CHECK(ephemeral.zone->pregen({0, 0, 1, 1}) == 0);
}

TEST_CASE("pregen: areas grow one after the other, as many as are asked for, but 16 at most") {
    const TemporaryFolder folder;
    const ZoneConfig config = test_zone_config();
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    VirtualZone zone(config, options);
    const auto height = static_cast<std::size_t>(config.bounds.max.y - config.bounds.min.y);
    for (std::int32_t i = 0; i < 16; ++i) {
        CHECK(zone.zone->pregen({-8, i - 8, -7, i - 8}) == 2 * height);
    }
    CHECK(zone.zone->is_pregen_full());
    CHECK(zone.zone->pregen({0, 0, 0, 0}) == 0);
    CHECK(zone.zone->pregen_waiting() == 32 * height);
    zone.ticks(200);
    zone.store->drain();
    CHECK(zone.zone->pregen_waiting() == 0);
    for (std::int32_t z = -8; z < 8; ++z) {
        CHECK(zone.store->load_chunk({-8, 0, z})->has_value());
        CHECK(zone.store->load_chunk({-7, config.bounds.max.y - 1, z})->has_value());
        CHECK_FALSE(zone.store->load_chunk({-6, 0, z})->has_value());
    }
}
