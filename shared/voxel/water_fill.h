// Water is still, with one rule: voxels that a dig opened below the level of water beside them fill
// up, and with them the pit that they open into. Water runs sideways, down, and up to the level of
// where it came from; lowest first, so that a fill cut short by its limit leaves no floating water.
// A hollow of more than kHollowMax voxels below that level, a cave, stays dry, but for what was
// dug: water ends at its mouth. (Leaving every pit dry that was dug before left walls of water
// standing all over a shore where people had dug.)
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

/// Voxels that one dig may fill.
inline constexpr std::size_t kWaterFillMax = 2048;
/// Voxels of older air that water may run into.
inline constexpr std::size_t kHollowMax = 1024;

/// The voxels of `reach` that are air now: before a dig, to know afterwards what it opened.
std::vector<VoxelCoord> list_air(const VoxelGrid& grid, const VoxelBox& reach);

/// Fills what a brush opened: voxels in `reach` that are air now and are not in `air_before`
/// (ascending), and the pit around them. At most `voxels_max`. Returns the operations applied,
/// ascending by chunk. What is not loaded is a wall, and water in it is not seen. Cost: some 0.2 us
/// a voxel that is reached.
std::vector<AppliedOp> fill_dug_water(VoxelGrid& grid, const VoxelBox& reach,
                                      std::span<const VoxelCoord> air_before,
                                      std::size_t voxels_max = kWaterFillMax);

}  // namespace terrane
