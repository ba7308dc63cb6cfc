// Where is out of the ground? A body whose centre is in there (ground_density.h) fell through the
// shell of triangles or was buried; it is moved out along the falling density; where that is level,
// to the nearest voxel outside; if none is near, up.
#pragma once

#include "shared/voxel/ground_density.h"

namespace terrane {

inline constexpr std::int32_t kPushReachVoxels = 16;

/// Unit vector by which a point in the ground leaves it soonest.
Vec3 way_out(VoxelReader& reader, const Vec3& point);
/// How far along `way` (unit) the ground ends: at most `limit_m`, in steps of 1/16 m.
float distance_out(VoxelReader& reader, const Vec3& point, const Vec3& way, float limit_m);

}  // namespace terrane
