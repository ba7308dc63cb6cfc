// A piece's voxels as the shape of a body: convex parts, mass and inertia. Both sides make it of
// the same voxels and get the same bits.
#pragma once

#include "shared/shape/piece_shape.h"
#include "shared/voxel/voxel_piece.h"

namespace terrane {

/// In the frame of the voxels moved to `mass.centre`. `voxels` must be valid; `mass` is theirs.
PieceShape shape_of_piece(const VoxelPiece& voxels, const PieceMass& mass);

}  // namespace terrane
