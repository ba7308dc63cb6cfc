// Water is still, with one rule: voxels that a dig opened below the level of water beside them fill
// up. It runs where it can reach through voxels of the same dig, sideways, down, and up to the
// level of the water it came from; lowest first, so that a fill cut short by its limit leaves no
// floating water. Air that was dug earlier, dry, stays dry.
//
//      before           dug (d)           filled
//     ~~~~####         ~~~~ddd#          ~~~~~~~#      the level is that of the highest water
//     ~~~~####   ->    ~~~~#ddd    ->    ~~~~#~~~      that touches the dug voxels: a full voxel
//     ~~~~####         ~~~~#ddd          ~~~~#~~~      below it, the same occupancy beside it
//
// The fill is an operation of its own on each chunk (voxel_run.h), since it depends on more than
// one chunk; clients are told its voxels and compute nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shared/voxel/brush.h"

namespace terrane {

/// Voxels that one dig may fill: the largest brush has 729.
inline constexpr std::size_t kWaterFillMax = 512;

/// The voxels of `reach` that are air now: before a dig, to know afterwards what it opened.
std::vector<VoxelCoord> list_air(const VoxelGrid& grid, const VoxelBox& reach);

/// Fills what `brush` opened: voxels in its reach that are air now and are not in `air_before`
/// (ascending). At most `voxels_max`. Returns the operations applied, ascending by chunk. Chunks
/// in reach and one voxel around should be loaded; water in others is not seen.
std::vector<AppliedOp> fill_dug_water(VoxelGrid& grid, const VoxelBox& reach,
                                      std::span<const VoxelCoord> air_before,
                                      std::size_t voxels_max = kWaterFillMax);

}  // namespace terrane
