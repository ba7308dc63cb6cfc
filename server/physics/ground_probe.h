// Where is out of the ground? A body whose middle is in there fell through the shell of triangles
// or was buried; it is moved out along the falling density (ground_density.h); where that is level,
// to the nearest voxel outside; if none is near, up.
//
// What is in the ground is what the triangles enclose: a ray that meets the first of them from
// behind started inside. The density only says where to ask, for it and the mesh are up to half a
// metre apart where single voxels meet at edges. Moving bodies out by the density alone lifted
// stones that lay in the hollows of a checkerboard, time and again, and kept heaps awake for ever.
#pragma once

#include "shared/terrain/terrain.h"
#include "shared/voxel/ground_density.h"

namespace terrane {

inline constexpr std::int32_t kPushReachVoxels = 16;

/// Do triangles enclose the point? By the density where no ray meets one.
bool is_enclosed(Terrain& terrain, VoxelReader& reader, const Vec3& point);
/// Unit vector by which a point in the ground leaves it soonest.
Vec3 way_out(VoxelReader& reader, const Vec3& point);
/// How far along `way` (unit) a point in the ground leaves it: at most `limit_m`.
float distance_out(Terrain& terrain, const Vec3& point, const Vec3& way, float limit_m);

}  // namespace terrane
