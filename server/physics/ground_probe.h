// Is a point in the ground, and where is out? The ground's density is read between voxel centres
// (three linear blends of 8 voxels, the surface at 127.5 as in the mesher). A body whose centre is
// in there fell through the shell of triangles or was buried; it is moved out along the falling
// density; where that is level, to the nearest voxel outside; if none is near, up.
#pragma once

#include "server/physics/voxel_reader.h"

namespace terrane {

inline constexpr std::int32_t kPushReachVoxels = 16;

/// 0 .. 255, at a point of zone space.
float ground_density(VoxelReader& reader, const Vec3& point);
bool is_in_ground(VoxelReader& reader, const Vec3& point);
/// Unit vector by which a point in the ground leaves it soonest.
Vec3 way_out(VoxelReader& reader, const Vec3& point);
/// How far along `way` (unit) the ground ends: at most `limit_m`, in steps of 1/16 m.
float distance_out(VoxelReader& reader, const Vec3& point, const Vec3& way, float limit_m);

}  // namespace terrane
