// How full of solid the ground is between voxel centres: three linear blends of the eight voxels
// around a point. The surface lies where the mesher puts it, at kSurfaceDensity: not at a voxel's
// face. Reads voxels, not triangles; + - * only.
#pragma once

#include "shared/voxel/voxel_reader.h"

namespace terrane {

inline constexpr float kSurfaceDensity = 127.5F;

/// 0 .. 255, at a point of zone space.
float ground_density(VoxelReader& reader, const Vec3& point);
bool is_in_ground(VoxelReader& reader, const Vec3& point);

}  // namespace terrane
