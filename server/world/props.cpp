#include "server/world/props.h"

#include <algorithm>
#include <optional>

#include "server/world/solids.h"
#include "shared/core/log.h"

namespace terrane {
namespace {

/// What a prop stands on: a foot lies in the air above its ground or in the topmost voxel, by how
/// full that is.
VoxelBox ground_of(const Vec3& foot) {
    constexpr float kInto = 0.6F;
    return {voxel_at(foot - Vec3(0.0F, kInto, 0.0F)), voxel_at(foot)};
}

/// Ground that is not simulated is there.
bool has_ground(const VoxelGrid& grid, const VoxelBox& ground) {
    const auto is_there = [&](const VoxelCoord& v) {
        const std::optional<Voxel> voxel = grid.find_voxel(v);
        return !voxel || is_solid(*voxel);
    };
    return is_there(ground.min) || is_there(ground.max);
}

Aabb box_of(const BodyKind& kind, const Transform& pose) {
    const Vec3 half = local_box(kind).max;
    const glm::mat3 turn = glm::mat3_cast(pose.rotation);
    const Vec3 reach =
        glm::abs(turn[0]) * half.x + glm::abs(turn[1]) * half.y + glm::abs(turn[2]) * half.z;
    return {pose.position - reach, pose.position + reach};
}

bool is_prop_kind(const World& world, const PropPlacement& placement) {
    return placement.kind > 0 && placement.kind < world.config.kinds.size() &&
           world.config.kinds[placement.kind].is_static;
}

/// Unique among the props: 18 bits a coordinate of the chunk, 8 its index.
std::uint64_t prop_id(const ChunkCoord& chunk, std::uint8_t index) {
    const auto part = [](std::int32_t v) { return static_cast<std::uint64_t>(v) & 0x3ffffU; };
    return (part(chunk.y) << 44) | (part(chunk.z) << 26) | (part(chunk.x) << 8) | index;
}

/// It falls from where it stood.
void fell(World& world, const StandingProp& prop, StepResult& result) {
    world.physics.remove_static(prop.handle);
    world.objects.remove(prop.slot);
    BodyState state;
    state.position = prop.pose.position;
    state.rotation = prop.pose.rotation;
    if (const Body* body = add_body(world, 0, prop.placement.kind, state)) {
        result.spawned.push_back(body->id);
    } else {
        log_warn("a felled {} is gone: the zone holds physics.bodies_max bodies",
                 world.config.kinds[prop.placement.kind].name);
    }
}

}  // namespace

void add_props(World& world, const ChunkCoord& chunk, std::span<const PropPlacement> placements) {
    std::vector<StandingProp> standing;
    for (const PropPlacement& placement : placements) {
        if (!is_prop_kind(world, placement)) {
            continue;
        }
        const BodyKind& kind = world.config.kinds[placement.kind];
        StandingProp prop;
        prop.placement = placement;
        prop.pose = prop_pose(chunk, placement, middle_above_foot_m(kind.shape, kind.half_extents));
        prop.box = box_of(kind, prop.pose);
        prop.handle = world.physics.add_static(kind, prop.pose.position, prop.pose.rotation);
        prop.slot =
            world.objects.add({SceneCategory::prop, prop_id(chunk, placement.index),
                               solid_at(solid_of(kind), prop.pose.position, prop.pose.rotation)});
        standing.push_back(prop);
    }
    if (!standing.empty()) {
        world.props[chunk] = std::move(standing);
    }
}

void remove_props(World& world, const ChunkCoord& chunk) {
    const auto found = world.props.find(chunk);
    if (found == world.props.end()) {
        return;
    }
    for (const StandingProp& prop : found->second) {
        world.physics.remove_static(prop.handle);
        world.objects.remove(prop.slot);
    }
    world.props.erase(found);
}

void fell_props(World& world, const VoxelBox& changed, StepResult& result) {
    const ChunkCoord low = chunk_of(changed.min);
    const ChunkCoord high = chunk_of(changed.max + VoxelCoord{0, 1, 0});
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                const ChunkCoord chunk{x, y, z};
                const auto found = world.props.find(chunk);
                if (found == world.props.end()) {
                    continue;
                }
                std::erase_if(found->second, [&](const StandingProp& prop) {
                    const VoxelBox ground = ground_of(prop_foot(chunk, prop.placement));
                    if (is_empty(intersect(ground, changed)) || has_ground(world.grid, ground)) {
                        return false;
                    }
                    fell(world, prop, result);
                    result.props_gone.push_back({chunk, prop.placement.index});
                    return true;
                });
            }
        }
    }
}

}  // namespace terrane
