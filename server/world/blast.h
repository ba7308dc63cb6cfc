// A blast: a ball of voxels goes, and what stands around is thrown away from it. An operator's
// command (terrane-ctl blast).
#pragma once

#include "server/world/step_world.h"

namespace terrane {

/// Bodies and players whose surface is nearer than this many radii are thrown, the more the nearer,
/// unless ground is between; what the dig opens counts as open.
inline constexpr float kBlastReach = 3.0F;

/// Finite, in the zone, a radius that a brush can have.
bool is_valid(const BlastCommand& blast, const GridBounds& bounds);
/// All that it may change is simulated.
bool is_ground_there(const World& world, const BlastCommand& blast);
/// Phase 4, as an edit of the zone's own: boxes that changed are appended. What is not loaded or
/// not in the zone stays.
void apply_blast(World& world, const BlastCommand& blast, StepResult& result,
                 std::vector<VoxelBox>& changed);
/// Phase 5, when the masks know of it.
void throw_around(World& world, const BlastCommand& blast);

}  // namespace terrane
