#include <algorithm>
#include <array>
#include <cmath>

#include "server/world/apply_commands.h"
#include "server/world/pieces.h"
#include "server/world/solids.h"
#include "shared/voxel/voxel_ray.h"
#include "shared/voxel/water_fill.h"

namespace terrane {
namespace {

Vec3 centre_m(const Brush& brush) {
    if (brush.shape == BrushShape::voxel) {
        return corner_of(reach_of(brush).min) + 0.5F;
    }
    constexpr float kUnit = 1.0F / static_cast<float>(kBrushUnitsPerVoxel);
    return {static_cast<float>(brush.centre_x) * kUnit, static_cast<float>(brush.centre_y) * kUnit,
            static_cast<float>(brush.centre_z) * kUnit};
}

ChunkCoord centre_chunk(const Brush& brush) {
    return chunk_of(VoxelCoord{brush.centre_x >> 4, brush.centre_y >> 4, brush.centre_z >> 4});
}

bool adds_solid(const Brush& brush) {
    return brush.mode == BrushMode::place ||
           (brush.mode == BrushMode::fill && brush.material >= kFirstSolid);
}

bool is_material_allowed(const World& world, const Brush& brush) {
    if (brush.mode == BrushMode::dig || (brush.mode == BrushMode::fill && brush.material == kAir)) {
        return true;
    }
    return brush.material < world.config.materials.size() &&
           world.config.materials[brush.material].can_place;
}

bool is_reach_in_bounds(const World& world, const VoxelBox& reach) {
    const VoxelBox bounds = voxel_box(world.grid.bounds());
    return contains(bounds, reach.min) && contains(bounds, reach.max);
}

/// The first core voxel on the way to `target` lies in `reach`, or there is none.
bool is_point_seen(const VoxelGrid& grid, const Vec3& eye, const Vec3& target,
                   const VoxelBox& reach) {
    const auto hit = raycast_voxels(grid, {eye, target - eye, 1.0F});
    return !hit || contains(reach, hit->voxel);
}

/// Seen along the sight itself, or at the brush's middle, or at the middle of one of its faces.
bool is_seen(const World& world, const Player& player, const PlayerControls& controls,
             const Brush& brush, const VoxelBox& reach) {
    const Vec3 eye = eye_position(player.state, world.config.motion);
    const Vec3 look = look_direction(controls.yaw, controls.pitch);
    const auto aimed =
        raycast_voxels(world.grid, {eye, look, world.config.reach_m + kBrushRadiusMax});
    if (aimed && (contains(reach, aimed->voxel) || contains(reach, aimed->before))) {
        return true;
    }
    const Vec3 centre = centre_m(brush);
    if (is_point_seen(world.grid, eye, centre, reach)) {
        return true;
    }
    constexpr float kFace = 0.49F;
    static const std::array<Vec3, 6> kFaces{Vec3(kFace, 0, 0), Vec3(-kFace, 0, 0),
                                            Vec3(0, kFace, 0), Vec3(0, -kFace, 0),
                                            Vec3(0, 0, kFace), Vec3(0, 0, -kFace)};
    for (const Vec3& face : kFaces) {
        if (is_point_seen(world.grid, eye, centre + face, reach)) {
            return true;
        }
    }
    return false;
}

/// Does a voxel that `brush` would make core meet a body, a prop or a player?
bool is_occupied(const World& world, const Brush& brush, const VoxelBox& reach) {
    constexpr float kTouch = 0.02F;  // standing on, or leaning at, the new voxel is allowed
    const SceneView objects{nullptr, &world.objects};
    if (!overlap_any(objects, make_box(grow(to_aabb(reach), -kTouch)))) {
        return false;
    }
    bool is_met = false;
    for_each_voxel(reach, [&](const VoxelCoord& v) {
        const Voxel old = world.grid.voxel(v);
        is_met = is_met || (!is_core(old) && is_core(apply_brush(brush, v, old)) &&
                            overlap_any(objects, make_box(grow(to_aabb({v, v}), -kTouch))));
    });
    return is_met;
}

bool is_size_allowed(const World& world, const Brush& brush) {
    const auto limit = world.config.brush_radius_max * kBrushUnitsPerVoxel;
    return brush.size_x <= limit && brush.size_y <= limit && brush.size_z <= limit;
}

Rejection reject(const World& world, const Player& player, const EditRequest& edit,
                 RejectReason reason) {
    const ChunkCoord chunk = centre_chunk(edit.brush);
    const Chunk* found = world.grid.find(chunk);
    return {player.id, edit.id, reason, chunk, found != nullptr ? found->revision : 0};
}

void apply_edit(World& world, const Player& player, const PlayerControls& controls,
                const EditRequest& edit, StepResult& result, std::vector<VoxelBox>& changed) {
    const RejectReason reason = judge_edit(world, player, controls, edit.brush);
    if (reason != RejectReason::none) {
        result.rejections.push_back(reject(world, player, edit, reason));
        return;
    }
    const VoxelBox reach = reach_of(edit.brush);
    const bool opens = !adds_solid(edit.brush) && edit.brush.mode != BrushMode::paint;
    const std::vector<VoxelCoord> air_before =
        opens ? list_air(world.grid, reach) : std::vector<VoxelCoord>();
    std::vector<AppliedOp> ops = apply_brush(world.grid, edit.brush);
    if (ops.empty()) {
        result.rejections.push_back(reject(world, player, edit, RejectReason::stale));
        return;
    }
    if (opens) {
        note_removed(world, ops);
    }
    note_ops(std::move(ops), player.id, edit.id, result, changed);
    if (opens) {
        note_ops(fill_dug_water(world.grid, reach, air_before), 0, 0, result, changed);
    }
}

}  // namespace

RejectReason judge_edit(const World& world, const Player& player, const PlayerControls& controls,
                        const Brush& brush) {
    if (!is_valid(brush, world.config.materials.size()) || !is_size_allowed(world, brush)) {
        return RejectReason::bad_value;
    }
    if (!is_material_allowed(world, brush)) {
        return RejectReason::bad_material;
    }
    const VoxelBox reach = reach_of(brush);
    if (!is_reach_in_bounds(world, reach)) {
        return RejectReason::out_of_zone;
    }
    const Vec3 away = centre_m(brush) - eye_position(player.state, world.config.motion);
    if (glm::dot(away, away) > world.config.reach_m * world.config.reach_m) {
        return RejectReason::too_far;
    }
    if (!is_loaded(world.grid, reach)) {
        return RejectReason::not_loaded;
    }
    if (!is_seen(world, player, controls, brush, reach)) {
        return RejectReason::no_sight;
    }
    if (adds_solid(brush) && is_occupied(world, brush, reach)) {
        return RejectReason::occupied;
    }
    return RejectReason::none;
}

void apply_edits(World& world, const Player& player, const InputCommand& input, StepResult& result,
                 std::vector<VoxelBox>& changed) {
    for (const EditRequest& edit : input.edits) {
        apply_edit(world, player, input.controls, edit, result, changed);
    }
}

}  // namespace terrane
