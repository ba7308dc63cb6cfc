// What an edit cuts off from the ground, from a client's edit to the replicas of all, and over a
// restart.
#include <algorithm>

#include <doctest/doctest.h>

#include "server/world/pieces.h"
#include "tests/support/actor.h"

using namespace terrane;
using namespace terrane::test;

namespace {

constexpr MaterialId kStone = 2;

ZoneConfig builder_config() {
    ZoneConfig config = test_zone_config();
    config.edit.per_second = 200;
    config.edit.burst = 200;
    for (BodyKind& kind : config.kinds) {
        kind.scatter_per_km2 = 0.0F;
    }
    return config;
}

/// A pillar of five voxels beside `builder`, whose lowest is then dug out; where that was.
VoxelCoord drop_pillar(Actor& builder) {
    const VoxelCoord foot = voxel_at(builder.foot() + Vec3(0.0F, 0.2F, 0.0F));
    const VoxelCoord base{foot.x + 3, foot.y, foot.z};
    builder.edits = {box_brush(BrushMode::fill, {base.x - 1, base.y - 1, base.z - 1},
                               {base.x + 1, base.y + 4, base.z + 1}, kAir),
                     box_brush(BrushMode::fill, {base.x - 1, base.y - 2, base.z - 1},
                               {base.x + 1, base.y - 1, base.z + 1}, kStone),
                     box_brush(BrushMode::fill, base, {base.x, base.y + 4, base.z}, kStone)};
    builder.ticks(3);
    builder.edits = {voxel_brush(BrushMode::dig, base)};
    builder.ticks(3);
    return base;
}

const ReplicaNode* find_piece(const ClientSession& client) {
    const auto nodes = client.replica()->nodes();
    const auto found = std::ranges::find_if(
        nodes, [](const ReplicaNode& node) { return node.id != 0 && node.piece != nullptr; });
    return found == nodes.end() ? nullptr : &*found;
}

/// The piece's voxels stand nowhere in the replica's grid any more, and its node is where the
/// zone's body is.
void check_replica(const ClientSession& client, const World& world) {
    REQUIRE(world.pieces.size() == 1);
    const Body& body = world.bodies.at(*world.pieces.begin());
    const ReplicaNode* node = find_piece(client);
    REQUIRE(node != nullptr);
    CHECK(node->id == body.id);
    CHECK(node->piece->voxels == body.piece->voxels);
    CHECK(node->piece->mass.mass_kg == body.piece->shape.mass_kg);
    CHECK(node->piece->mass.centre == body.piece->shape.centre);
    NodePose pose;
    REQUIRE(client.replica()->find_pose(*node, client.replica()->tick(), pose));
    CHECK(glm::length(pose.position - world.physics.state(body.handle).position) < 0.01F);
    CHECK(client.replica()->counters().divergences() == 0);
}

}  // namespace

TEST_CASE("A18 play: what is cut off falls for everybody, and lies there after a restart") {
    const TemporaryFolder folder;
    VirtualZoneOptions options;
    options.data_folder = folder.string();
    VoxelPiece voxels;
    BodyState rest;
    {
        VirtualZone zone(builder_config(), options);
        Actor builder(zone, "builder");
        ClientSession& other = zone.join("other");
        const VoxelCoord base = drop_pillar(builder);
        const World& world = zone.zone->world();
        check_replica(builder.client, world);
        check_replica(other, world);
        for (std::int32_t y = 0; y < 5; ++y) {
            CHECK(other.replica()->grid().voxel(base + VoxelCoord{0, y, 0}) == kAirVoxel);
        }
        ClientSession& late = zone.join("late");
        check_replica(late, world);
        for (int i = 0; i < 200; ++i) {
            builder.tick();
        }
        const Body& body = world.bodies.at(*world.pieces.begin());
        rest = world.physics.state(body.handle);
        CHECK(rest.is_asleep);
        voxels = body.piece->voxels;
        zone.zone->close();
    }
    VirtualZone zone(builder_config(), options);
    const World& world = zone.zone->world();
    REQUIRE(world.pieces.size() == 1);
    const Body& body = world.bodies.at(*world.pieces.begin());
    CHECK(body.piece->voxels == voxels);
    CHECK(world.physics.state(body.handle).position == rest.position);
    check_replica(zone.join("builder"), world);
}

TEST_CASE("A18 play: a client that predicts stands on a piece as the zone says") {
    VirtualZone zone(builder_config(), {});
    Actor builder(zone, "builder");
    ClientSessionConfig config;
    config.name = "rider";
    config.view_chunks = 2;
    config.is_predicting = true;
    zone.clients.push_back(std::make_unique<ClientSession>(
        std::make_unique<LoopbackStream>(zone.carrier.connect()), config, zone.clock.now()));
    ClientSession& rider = *zone.clients.back();
    zone.ticks(60);
    drop_pillar(builder);
    builder.ticks(100);
    const World& world = zone.zone->world();
    const Body& body = world.bodies.at(*world.pieces.begin());
    const Aabb box = world.physics.bounds(body.handle);
    zone.zone->submit(TeleportCommand{rider.replica()->zone().player_id,
                                      Vec3(centre(box).x, box.max.y + 0.3F, centre(box).z)});
    for (int i = 0; i < 60; ++i) {
        builder.send();
        rider.tick(PlayerControls{}, {});
        zone.tick();
    }
    CHECK(zone.player(rider).state.carrier == body.id);
    CHECK(glm::length(rider.prediction()->own().position - zone.player(rider).state.position) <
          0.02F);
    // Poses on the wire are rounded to millimetres, and the pillar trembles under its rider.
    CHECK(rider.prediction()->counters().correction_m_max < 0.005F);
}
