#include "server/world/blast.h"

#include <algorithm>
#include <cmath>

#include "server/world/pieces.h"
#include "server/world/solids.h"
#include "shared/core/log.h"
#include "shared/voxel/water_fill.h"

namespace terrane {
namespace {

constexpr float kPlayerSpeedMaxMps = 20.0F;

Brush ball_of(const BlastCommand& blast) {
    constexpr float kUnits = static_cast<float>(kBrushUnitsPerVoxel);
    const auto units = [](float metres) {
        return static_cast<std::int32_t>(std::lround(metres * kUnits));
    };
    Brush brush;
    brush.shape = BrushShape::sphere;
    brush.mode = BrushMode::dig;
    brush.centre_x = units(blast.centre.x);
    brush.centre_y = units(blast.centre.y);
    brush.centre_z = units(blast.centre.z);
    brush.size_x = static_cast<std::uint8_t>(
        std::clamp(units(blast.radius_m), 1, kBrushRadiusMax * kBrushUnitsPerVoxel));
    return brush;
}

void throw_player(World& world, EntityId id, const Vec3& impulse_ns) {
    const auto found = world.players.find(id);
    if (found == world.players.end() || found->second.vehicle != 0) {
        return;  // the vehicle is thrown
    }
    PlayerState& state = found->second.state;
    const Vec3 gained = impulse_ns / kPlayerMassKg;
    const float speed = glm::length(gained);
    state.velocity += speed > kPlayerSpeedMaxMps ? gained * (kPlayerSpeedMaxMps / speed) : gained;
    state.is_grounded = false;
    state.carrier = 0;
}

}  // namespace

bool is_valid(const BlastCommand& blast, const GridBounds& bounds) {
    return is_finite(blast.centre) && contains(to_aabb(voxel_box(bounds)), blast.centre) &&
           blast.radius_m > 0.0F && blast.radius_m <= static_cast<float>(kBrushRadiusMax) &&
           blast.impulse_ns >= 0.0F && std::isfinite(blast.impulse_ns);
}

bool is_ground_there(const World& world, const BlastCommand& blast) {
    return is_loaded(world.grid, grow(reach_of(ball_of(blast)), 1));
}

void apply_blast(World& world, const BlastCommand& blast, StepResult& result,
                 std::vector<VoxelBox>& changed) {
    if (!is_ground_there(world, blast)) {
        log_warn("blast: ({}, {}, {}) is not simulated; nothing is dug there", blast.centre.x,
                 blast.centre.y, blast.centre.z);
        return;
    }
    const Brush brush = ball_of(blast);
    const VoxelBox reach = reach_of(brush);
    const std::vector<VoxelCoord> air_before = list_air(world.grid, reach);
    std::vector<AppliedOp> ops = apply_brush(world.grid, brush);
    note_removed(world, ops);
    note_ops(std::move(ops), 0, 0, result, changed);
    note_ops(fill_dug_water(world.grid, reach, air_before), 0, 0, result, changed);
}

void throw_around(World& world, const BlastCommand& blast) {
    const float reach_m = blast.radius_m * kBlastReach;
    std::vector<SceneOverlap> near;
    overlap_all(view_of(world), make_sphere(blast.centre, reach_m), near,
                {.categories = SceneCategory::body | SceneCategory::player});
    for (const SceneOverlap& met : near) {
        const Vec3 middle = world.objects.at(met.slot).solid.position;
        const Vec3 way = middle - blast.centre;
        if (raycast_any(view_of(world), {blast.centre, way, 1.0F},
                        {.categories = static_cast<SceneCategories>(SceneCategory::terrain)})) {
            continue;
        }
        const float length = glm::length(way);
        const Vec3 away = length > 1e-3F ? way / length : Vec3(0.0F, 1.0F, 0.0F);
        const Vec3 impulse_ns = away * (blast.impulse_ns * (1.0F - met.distance_m / reach_m));
        if (met.category == SceneCategory::player) {
            throw_player(world, met.id, impulse_ns);
        } else if (const auto body = world.bodies.find(met.id); body != world.bodies.end()) {
            world.physics.apply_impulse(body->second.handle, impulse_ns, met.point);
        }
    }
}

}  // namespace terrane
