#include "server/world/world.h"

#include <algorithm>
#include <cmath>

#include "server/world/solids.h"
#include "shared/core/assert.h"
#include "shared/core/random.h"

namespace terrane {
namespace {

Transform pose_of(const Vec3& position, const Quat& rotation) {
    Transform transform;
    transform.position = position;
    transform.rotation = rotation;
    return transform;
}

}  // namespace

Aabb local_box(const BodyKind& kind) {
    const Vec3 half = box_half_extents(kind.shape, kind.half_extents);
    return {-half, half};
}

World::World(const WorldConfig& world_config)
    : config(world_config),
      grid(world_config.bounds),
      terrain(grid, world_config.terrain),
      physics(terrain, world_config.physics),
      objects(world_config.objects),
      motion_bodies(*this) {
    motion.terrain = &terrain;
    motion.bodies = &motion_bodies;
    TERRANE_ASSERT(kSubstepsPerSecond % config.tick_rate_hz == 0);
    TERRANE_ASSERT(!config.kinds.empty() && config.kinds[0].shape == BodyShape::player);
    TERRANE_ASSERT(config.materials.size() > kFirstSolid);
    for (const Material& material : config.materials) {
        densities.push_back(material.density_kg_m3);
    }
    for (std::uint32_t i = 1; i < config.kinds.size(); ++i) {
        piece_kind = config.kinds[i].shape == BodyShape::piece ? i : piece_kind;
    }
}

std::uint32_t find_kind(const BodyKindTable& kinds, const std::string& name) {
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const BodyKind& kind) { return kind.name == name; });
    return static_cast<std::uint32_t>(found - kinds.begin());
}

Vec3 ground_position(const World& world, std::int32_t x, std::int32_t z) {
    const VoxelBox box = voxel_box(world.grid.bounds());
    for (std::int32_t y = box.max.y; y >= box.min.y; --y) {
        const Voxel voxel = world.grid.voxel({x, y, z});
        if (is_core(voxel) || is_water(voxel)) {
            return {static_cast<float>(x) + 0.5F, static_cast<float>(y + 1) + 0.1F,
                    static_cast<float>(z) + 0.5F};
        }
    }
    return {static_cast<float>(x) + 0.5F, static_cast<float>(box.min.y) + 0.1F,
            static_cast<float>(z) + 0.5F};
}

Vec3 spawn_position(const World& world, EntityId player) {
    if (world.spawn_point) {
        return *world.spawn_point;
    }
    constexpr std::int32_t kSpread = 6;
    Random random(mix_bits(player));
    const std::int32_t x = world.config.spawn_x + random.between(-kSpread, kSpread);
    const std::int32_t z = world.config.spawn_z + random.between(-kSpread, kSpread);
    return ground_position(world, x, z);
}

Player& add_player(World& world, const JoinCommand& join) {
    TERRANE_ASSERT(!world.players.contains(join.player));
    Player player;
    player.id = join.player;
    player.name = join.name;
    if (join.has_stored_state && is_finite(join.stored.position)) {
        player.state = join.stored;
    } else {
        player.state.position = spawn_position(world, join.player);
    }
    const MotionConfig& motion = world.config.motion;
    NodeDef node;
    node.local = pose_of(player.state.position, kNoRotation);
    node.local_box = player_box(Vec3(0.0F), motion);
    node.user = join.player;
    player.node = world.scene.create(node);
    player.slot = world.objects.add(
        {SceneCategory::player, player.id, solid_of_player(player.state.position, motion)});
    world.physics.set_player(join.player, player.state.position, motion.radius_m, motion.height_m);
    return world.players.emplace(join.player, std::move(player)).first->second;
}

void remove_player(World& world, EntityId player) {
    const auto found = world.players.find(player);
    TERRANE_ASSERT(found != world.players.end());
    world.physics.remove_player(player);
    world.scene.destroy(found->second.node);
    world.objects.remove(found->second.slot);
    world.players.erase(found);
}

Body* add_body(World& world, EntityId id, std::uint32_t kind, const BodyState& state) {
    TERRANE_ASSERT(kind > 0 && kind < world.config.kinds.size());
    BodyKind movable = world.config.kinds[kind];
    movable.is_static = false;
    const BodyHandle handle = world.physics.add_body(movable, state);
    if (handle == BodyHandle{}) {
        return nullptr;
    }
    Body body;
    body.id = id != 0 ? id : world.next_entity++;
    body.kind = kind;
    body.handle = handle;
    body.riders.resize(world.config.kinds[kind].seats.size());
    return &enter_body(world, std::move(body), state, solid_of(world.config.kinds[kind]));
}

Body& enter_body(World& world, Body body, const BodyState& state, const Solid& solid) {
    NodeDef node;
    node.local = pose_of(state.position, state.rotation);
    node.local_box = solid.parts != nullptr ? solid.parts->box : local_box_of(solid);
    node.user = body.id;
    body.node = world.scene.create(node);
    body.slot = world.objects.add(
        {SceneCategory::body, body.id, solid_at(solid, state.position, state.rotation)});
    world.body_by_handle[body.handle.index] = body.id;
    const EntityId id = body.id;
    return world.bodies.emplace(id, std::move(body)).first->second;
}

void remove_body(World& world, EntityId body) {
    const auto found = world.bodies.find(body);
    TERRANE_ASSERT(found != world.bodies.end());
    world.physics.remove_body(found->second.handle);
    world.body_by_handle.erase(found->second.handle.index);
    world.scene.destroy(found->second.node);
    world.objects.remove(found->second.slot);
    world.pieces.erase(body);
    world.bodies.erase(found);
}

void put_player(World& world, Player& player, const Vec3& foot) {
    TERRANE_ASSERT(player.vehicle == 0);
    const std::uint16_t yaw = player.state.yaw;
    player.state = {};
    player.state.position = foot;
    player.state.yaw = yaw;
    world.physics.set_player(player.id, foot, world.config.motion.radius_m,
                             world.config.motion.height_m);
    follow(world, player, foot);
}

}  // namespace terrane
