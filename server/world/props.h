// Props: the static bodies that grew with the terrain of simulated chunks. They come and go with
// their chunk. One whose ground is dug away stands no longer: it becomes a rigid body of its kind
// and falls, and the chunk remembers that it is gone.
#pragma once

#include <span>

#include "server/world/step_world.h"

namespace terrane {

/// How far a prop may reach beyond the chunk that holds its foot.
inline constexpr float kPropReachM = 8.0F;

/// `placements` ascending by index; kinds that are not static props of the table are left out.
void add_props(World& world, const ChunkCoord& chunk, std::span<const PropPlacement> placements);
void remove_props(World& world, const ChunkCoord& chunk);

/// Fells every prop whose ground lay in `changed` and is there no longer.
void fell_props(World& world, const VoxelBox& changed, StepResult& result);

/// Calls `visit(prop)` for every prop whose box meets `box`, ascending by chunk and index.
template <typename Visit>
void for_each_prop(const World& world, const Aabb& box, const Visit& visit) {
    const Aabb reach = grow(box, kPropReachM);
    const ChunkCoord low = chunk_of(voxel_at(reach.min));
    const ChunkCoord high = chunk_of(voxel_at(reach.max));
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (auto at = world.props.lower_bound({low.x, y, z});
                 at != world.props.end() && at->first <= ChunkCoord{high.x, y, z}; ++at) {
                for (const StandingProp& prop : at->second) {
                    if (overlaps(prop.box, box)) {
                        visit(prop);
                    }
                }
            }
        }
    }
}

}  // namespace terrane
