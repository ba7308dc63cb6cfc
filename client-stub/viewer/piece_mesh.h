// A piece's surface as triangles for the screen: by the mesher of the chunks, on a small world of
// its own with air around, so that normals and materials are what they were while it was ground.
// The places are those of mesh_piece(). Only the light of the sky is left out: a piece turns.
#pragma once

#include "client-stub/viewer/chunk_mesher.h"
#include "shared/voxel/voxel_piece.h"

namespace terrane {

/// Clears `mesh` first. Piece frame, -0.5 .. 64.5 m. The piece must be valid. Thread: any. Cost:
/// some 1.5 ms, eight times that for a piece of more than 30 voxels on every side.
void mesh_piece_ground(const VoxelPiece& piece, TerrainMesh& mesh);

}  // namespace terrane
