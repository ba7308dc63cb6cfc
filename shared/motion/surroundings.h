// What a player stands in: water or rock, and the way out of rock. Reads voxels, not triangles.
#pragma once

#include <optional>

#include "shared/motion/capsule_sweep.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane {

/// Height of the surface of the water that holds `point`, zone space; nullopt if dry. A solid voxel
/// below core occupancy with water beside it at its height counts as flooded.
std::optional<float> water_surface_m(const VoxelGrid& grid, const Vec3& point);

/// The capsule's core is in rock: somebody built on this player.
bool is_buried(const VoxelGrid& grid, const Capsule& capsule, const Vec3& foot);

/// The nearest foot in the zone at which the capsule is free of rock, on a half-metre lattice at
/// most 2 m to the side and 3 m up; none if there is none. Only asked while buried: tens of
/// microseconds.
std::optional<Vec3> nearest_free_spot(const VoxelGrid& grid, const Capsule& capsule,
                                      const Vec3& foot);

}  // namespace terrane
