// What players do together in a zone, from the clients' messages to their replicas: they tunnel
// through hills, build walls and bridges, push crates, and ride a boat.
#include <doctest/doctest.h>

#include "server/app/first_bodies.h"
#include "tests/support/actor.h"

using namespace terrane;
using namespace terrane::test;

namespace {

constexpr MaterialId kStone = 2;

/// Where a hill begins to the east: the column, and how far its crest hides a tunnel.
struct Hill {
    std::int32_t x = 0;
    std::int32_t z = 0;
    std::int32_t ground_m = 0;
    std::int32_t length_m = 0;
};

/// A column on dry land, east of which the ground rises above a tunnel's roof for 6 to 24 m and
/// falls to its floor again.
Hill find_hill(const ZoneConfig& config) {
    constexpr std::int32_t kRoofM = 5;
    const auto height = [&](std::int32_t x, std::int32_t z) {
        return ground_height_m(config.generator, x, z);
    };
    for (std::int32_t z = -100; z <= 100; z += 3) {
        for (std::int32_t x = -100; x <= 80; ++x) {
            const std::int32_t ground = height(x, z);
            if (ground < config.generator.sea_level_m + 3) {
                continue;
            }
            std::int32_t length = 0;
            std::int32_t covered = 0;
            while (length < 40 && height(x + length + 1, z) > ground) {
                ++length;
                covered += height(x + length, z) > ground + kRoofM ? 1 : 0;
            }
            if (covered >= 6 && length < 40 && height(x + length + 3, z) <= ground + 1 &&
                height(x + length + 3, z) >= ground - 4) {
                return {x, z, ground, length};
            }
        }
    }
    FAIL("no hill in this zone");
    return {};
}

ZoneConfig play_config() {
    ZoneConfig config = test_zone_config();
    config.edit.per_second = 200;
    config.edit.burst = 200;
    config.edit.reach_m = 48.0F;
    for (BodyKind& kind : config.kinds) {
        kind.scatter_per_km2 = 0.0F;  // no trees in the way
    }
    return config;
}

Vec3 above(const VoxelCoord& v) {
    return corner_of(v) + Vec3(0.5F, 0.1F, 0.5F);
}

/// A level yard of stone, 24 x 24 m, high in the air over the spawn place.
struct Yard {
    VirtualZone zone;
    Actor builder;
    std::int32_t floor_y = 0;  ///< the lowest air

    explicit Yard(const ZoneConfig& config = play_config())
        : zone(config), builder(zone, "builder") {
        floor_y = static_cast<std::int32_t>(builder.foot().y) + 24;
        const VoxelCoord middle{voxel_at(builder.foot()).x, floor_y - 1,
                                voxel_at(builder.foot()).z};
        centre = middle;
        for (std::int32_t z = -12; z < 12; z += 8) {
            for (std::int32_t x = -12; x < 12; x += 8) {
                const VoxelCoord low{middle.x + x, middle.y - 1, middle.z + z};
                builder.edits.push_back(
                    box_brush(BrushMode::fill, low, {low.x + 7, middle.y, low.z + 7}, kStone));
            }
        }
        builder.tick();
        builder.ticks(2);
        REQUIRE(builder.client.counters().edits_applied == 9);
        builder.teleport(above({middle.x, floor_y, middle.z}), 5);
    }
    VoxelCoord at(std::int32_t x, std::int32_t y, std::int32_t z) const {
        return {centre.x + x, floor_y + y, centre.z + z};
    }
    EntityId spawn(const std::string& kind, const Vec3& place) {
        zone.zone->submit(SpawnCommand{kind, place, kNoRotation});
        builder.tick();
        REQUIRE(zone.zone->last_step().spawned.size() == 1);
        return zone.zone->last_step().spawned[0];
    }
    BodyState state(EntityId body) const {
        const World& world = zone.zone->world();
        return world.physics.state(world.bodies.at(body).handle);
    }
    VoxelCoord centre;
};

/// How deep a player's capsule, at the height of its shins, is in a crate of 0.6 m; it may have
/// slid around it.
float depth_in_crate_m(const Vec3& foot, const BodyState& crate) {
    const Vec3 shin = foot + Vec3(0.0F, 0.4F, 0.0F);
    const Vec3 local = glm::conjugate(crate.rotation) * (shin - crate.position);
    const Vec3 outside = glm::max(glm::abs(local) - Vec3(0.3F), Vec3(0.0F));
    return 0.35F - glm::length(outside);
}

}  // namespace

TEST_CASE("play: one digs a tunnel through a hill, another walks through it") {
    const ZoneConfig config = play_config();
    const Hill hill = find_hill(config);
    VirtualZone zone(config);
    Actor digger(zone, "digger");
    const Vec3 start{static_cast<float>(hill.x) + 0.5F, static_cast<float>(hill.ground_m) + 1.5F,
                     static_cast<float>(hill.z) + 0.5F};
    digger.teleport(start);
    const std::int32_t floor_y = static_cast<std::int32_t>(std::floor(digger.foot().y + 0.3F));
    const float end_x = start.x + static_cast<float>(hill.length_m) + 4.0F;
    digger.walk(kYawEast);
    for (int tick = 0; tick < 600 && digger.foot().x < end_x; ++tick) {
        const VoxelCoord ahead = voxel_at(digger.foot() + Vec3(2.0F, 0.5F, 0.0F));
        for (std::int32_t x = ahead.x - 1; x <= ahead.x + 1; ++x) {
            digger.edits.push_back(
                box_brush(BrushMode::dig, {x, floor_y, hill.z - 1}, {x, floor_y + 2, hill.z + 1}));
        }
        digger.tick();
    }
    REQUIRE(digger.foot().x >= end_x);
    CHECK(digger.client.replica()->counters().divergences() == 0);

    Actor walker(zone, "walker");
    walker.teleport(start);
    walker.walk(kYawEast);
    int covered_ticks = 0;
    for (int tick = 0; tick < 400 && walker.foot().x < end_x; ++tick) {
        walker.tick();
        const VoxelCoord here = voxel_at(walker.foot());
        covered_ticks += ground_height_m(config.generator, here.x, here.z) > here.y + 3 ? 1 : 0;
    }
    CHECK(walker.foot().x >= end_x);
    CHECK(covered_ticks > 20);  // under the hill for a second and more
    CHECK(walker.client.replica()->counters().divergences() == 0);
}

TEST_CASE("play: a ball comes to rest against a wall that a player placed") {
    Yard yard;
    for (std::int32_t z = -3; z <= 3; ++z) {
        yard.builder.edits.push_back(
            box_brush(BrushMode::place, yard.at(3, 0, z), yard.at(3, 1, z), kStone));
    }
    yard.builder.tick();
    yard.builder.tick();
    REQUIRE(yard.builder.client.counters().edits_applied == 9 + 7);
    const EntityId ball = yard.spawn("ball", above(yard.at(1, 0, 0)) + Vec3(0.0F, 0.3F, 0.0F));
    World& world = yard.zone.zone->world();
    world.physics.set_velocity(world.bodies.at(ball).handle, {4.0F, 0.0F, 0.0F}, Vec3(0.0F));
    float farthest = -1e9F;
    for (int tick = 0; tick < 200; ++tick) {
        yard.builder.tick();
        farthest = std::max(farthest, yard.state(ball).position.x);
    }
    const float wall = corner_of(yard.at(3, 0, 0)).x;
    CHECK(farthest > wall - 0.6F);  // it got there: the mesh rounds the wall's foot
    CHECK(farthest < wall - 0.2F);  // and not through
    CHECK(glm::length(yard.state(ball).linear_velocity) < 0.05F);
    CHECK(yard.state(ball).position.y ==
          doctest::Approx(static_cast<float>(yard.floor_y) + 0.3F).epsilon(0.001));
}

TEST_CASE("play: a crate between a player and a wall is not crushed through and not flung") {
    Yard yard;
    for (std::int32_t z = -2; z <= 2; ++z) {
        yard.builder.edits.push_back(
            box_brush(BrushMode::place, yard.at(3, 0, z), yard.at(3, 2, z), kStone));
    }
    yard.builder.tick();
    const EntityId crate = yard.spawn("crate", above(yard.at(1, 0, 0)) + Vec3(0.4F, 0.25F, 0.0F));
    yard.builder.teleport(above(yard.at(-1, 0, 0)), 20);
    yard.builder.walk(kYawEast);
    yard.builder.controls.buttons = kButtonRun;
    float fastest_mps = 0.0F;
    float into_wall_m = -1e9F;
    float into_ground_m = -1e9F;
    float into_crate_m = -1e9F;
    for (int tick = 0; tick < 200; ++tick) {
        yard.builder.tick();
        const BodyState state = yard.state(crate);
        fastest_mps = std::max(fastest_mps, glm::length(state.linear_velocity));
        into_wall_m =
            std::max(into_wall_m, state.position.x + 0.3F - corner_of(yard.at(3, 0, 0)).x);
        into_ground_m =
            std::max(into_ground_m, static_cast<float>(yard.floor_y) + 0.3F - state.position.y);
        into_crate_m = std::max(into_crate_m, depth_in_crate_m(yard.builder.foot(), state));
    }
    CHECK(yard.state(crate).position.x > corner_of(yard.at(2, 0, 0)).x);  // it was pushed
    CHECK(into_wall_m < 0.1F);
    CHECK(into_ground_m < 0.1F);
    CHECK(into_crate_m < 0.1F);
    CHECK(fastest_mps < 7.5F);  // no faster than who pushed it
}

TEST_CASE("play: a bridge built while walking over a gap carries its builder") {
    Yard yard;
    const std::int32_t below_y = yard.floor_y - 1;
    yard.builder.teleport(above(yard.at(10, 0, 0)), 10);
    yard.builder.walk(kYawEast);
    yard.builder.controls.pitch = -12000;
    float lowest = 1e9F;
    for (int tick = 0; tick < 120; ++tick) {
        const VoxelCoord here = voxel_at(yard.builder.foot());
        for (std::int32_t ahead = 0; ahead <= 3; ++ahead) {
            yard.builder.edits.push_back(
                voxel_brush(BrushMode::place, {here.x + ahead, below_y, here.z}, kStone));
        }
        yard.builder.tick();
        lowest = std::min(lowest, yard.builder.foot().y);
    }
    CHECK(yard.builder.foot().x > corner_of(yard.at(12, 0, 0)).x + 8.0F);  // far over the edge
    // A beam of one voxel is rounded: its ridge lies a quarter below its voxels' top.
    CHECK(lowest > static_cast<float>(yard.floor_y) - 0.3F);
}

TEST_CASE("play: two ride a boat, after a restart they sit in it again") {
    const TemporaryFolder folder;
    ZoneConfig config = play_config();
    const std::optional<VoxelCoord> water = find_water(config);
    REQUIRE(water.has_value());
    const Vec3 place{static_cast<float>(water->x), static_cast<float>(water->y) + 1.5F,
                     static_cast<float>(water->z)};
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    EntityId boat = 0;
    Vec3 boat_place{0.0F};
    {
        VirtualZone zone(config, options);
        Actor ada(zone, "ada");
        Actor bob(zone, "bob");
        ada.teleport(place);
        bob.teleport(place, 1);
        zone.zone->submit(SpawnCommand{"boat", place, kNoRotation});
        ada.tick();
        boat = zone.zone->last_step().spawned.at(0);
        ada.ticks(60);
        const Vec3 deck =
            zone.zone->world().physics.state(zone.zone->world().bodies.at(boat).handle).position;
        ada.teleport(deck + Vec3(0.0F, 0.5F, -0.9F), 1);
        ada.use();
        bob.teleport(deck + Vec3(0.0F, 0.5F, 0.9F), 1);
        bob.use();
        REQUIRE(ada.player().vehicle == boat);
        REQUIRE(bob.player().vehicle == boat);
        CHECK(ada.player().seat == 0);
        ada.walk(kYawNorth);
        const std::uint64_t poses = zone.zone->replicator().stats().node_states;
        constexpr int kTicks = 100;
        for (int i = 0; i < kTicks; ++i) {
            bob.send();
            ada.tick();
        }
        // Each tick two sessions hear of one node that moved: the boat. Riders cost nothing.
        CHECK(zone.zone->replicator().stats().node_states - poses <= 2 * kTicks);
        ada.stop();
        ada.ticks(20);
        const World& world = zone.zone->world();
        boat_place = world.physics.state(world.bodies.at(boat).handle).position;
        CHECK(glm::length(boat_place - deck) > 3.0F);
        zone.zone->close();
    }
    VirtualZone again(config, options);
    const World& world = again.zone->world();
    REQUIRE(world.bodies.contains(boat));
    CHECK(glm::length(world.physics.state(world.bodies.at(boat).handle).position - boat_place) <
          0.05F);
    Actor ada(again, "ada");
    Actor bob(again, "bob");
    CHECK(ada.player().vehicle == boat);
    CHECK(ada.player().seat == 0);
    CHECK(bob.player().vehicle == boat);
}
