// A ray through the voxel lattice, voxel by voxel (Amanatides and Woo, "A Fast Voxel Traversal
// Algorithm", 1987). Answers what a player aims at and whether sight is free; for the surface that
// bodies touch see shared/terrain/terrain_query.h.
#pragma once

#include <optional>

#include "shared/math/ray.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane {

/// A ray sees at most this many voxels far: the three sides of the largest zone together.
inline constexpr int kRayStepsMax = 3 * 8192;

struct VoxelHit {
    VoxelCoord voxel;   ///< the first core voxel on the ray
    VoxelCoord before;  ///< the voxel the ray came from; == voxel if it starts inside
    float t = 0.0F;     ///< where it enters, in lengths of ray.direction
};

/// First core voxel (is_core) that the ray enters at t <= ray.t_max; a chunk that is not loaded
/// reads as air. An origin on the face between two voxels belongs to the upper one. A zero
/// direction looks at the origin's voxel only; a ray with a value that is not finite (t_max may be
/// infinite) hits nothing.
std::optional<VoxelHit> raycast_voxels(const VoxelGrid& grid, const Ray& ray);

}  // namespace terrane
