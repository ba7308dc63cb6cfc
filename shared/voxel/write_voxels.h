// Voxels written one by one, from wherever they are decided, as operations of runs (voxel_run.h):
// water that fills a hole, pieces that break off, debris that becomes ground again.
#pragma once

#include <vector>

#include "shared/voxel/brush.h"

namespace terrane {

struct PlacedVoxel {
    VoxelCoord at;  ///< zone space
    Voxel voxel;
};

/// Each place at most once, its chunk loaded. Operations ascending by chunk, each raises its
/// chunk's revision by one and has at most kRunsPerOpMax runs; what changes nothing is left out.
std::vector<AppliedOp> write_voxels(VoxelGrid& grid, std::vector<PlacedVoxel> voxels);

}  // namespace terrane
