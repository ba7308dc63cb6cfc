#include "server/world/props.h"

#include <algorithm>

#include "shared/core/log.h"

namespace terrane {
namespace {

/// The voxel that a prop stands on. A foot lies in the air above its ground or in its topmost
/// voxel, by how full that is.
bool has_ground(const VoxelGrid& grid, const Vec3& foot) {
    constexpr float kInto = 0.6F;
    return is_solid(grid.voxel(voxel_at(foot - Vec3(0.0F, kInto, 0.0F)))) ||
           is_solid(grid.voxel(voxel_at(foot)));
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

/// It falls from where it stood.
void fell(World& world, const StandingProp& prop, StepResult& result) {
    world.physics.remove_static(prop.handle);
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
                    if (has_ground(world.grid, prop_foot(chunk, prop.placement))) {
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
