// A piece's shape: its mesh for the picture, and the convex parts that a physics engine takes.
//
// The mesh is the terrain's mesher on the piece's own grid with air around, brick by brick and
// welded, so that a piece looks as it did while it was ground.
//
// Parts: boxes of core voxels, the largest cube first and grown while a whole layer is core; a box
// may run over voxels that others have, so that parts overlap. A part's points come from the cells
// around its voxels: the mesh's vertex where there is one, the cell's centre where all eight voxels
// are core. Every quad of the mesh has its four vertices around one core voxel, so each lies in the
// hull of a part, and neighbours share the points between them: no gap to fall into. Small parts
// join a neighbour if no vertex of the mesh then lies more than kPartDepthM inside the hull, and
// the centre of no hollow voxel (occupancy below 64) more than kPartHollowM; a boulder is one part.
// Of the points at most kPartCornersMax that lie on the hull are kept, the farthest out first
// (corner_hull.h): what that cuts off is kPartToleranceM unless they run out.
//
//      ####            ####  AA       What is beyond kPiecePartsMax goes into coarser parts, one
//      ####   ->   B = ####  AA       for each block of 2^n voxels a side that holds any: hulls
//      ##              ##             that span hollows, but nothing is lost.
//      ##              ##
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared/math/vec.h"
#include "shared/voxel/voxel_piece.h"

namespace terrane {

/// Triangles 2q and 2q + 1 are a quad's, counter-clockwise seen from outside. Piece frame, metres;
/// no two vertices are the same. Its surface may pass through itself where voxels touch by an edge.
struct PieceMesh {
    std::vector<Vec3> positions;
    std::vector<MaterialId> materials;  ///< one a vertex, a solid one
    std::vector<std::uint32_t> indices;
};

/// Clears `mesh`, keeps its capacity. Cost: some 2 us a brick of the piece's box.
void mesh_piece(const VoxelPiece& piece, PieceMesh& mesh);

inline constexpr std::size_t kPiecePartsMax = 64;
/// A block's rounded edges have 56: with 32 its edges or its faces were 0.3 m off.
inline constexpr std::size_t kPartCornersMax = 64;
inline constexpr float kPartToleranceM = 1.0F / 32.0F;
/// How far the surface of a part may lie above that of the mesh, where parts were joined.
inline constexpr float kPartDepthM = 0.25F;
inline constexpr float kPartHollowM = 1.0F / 8.0F;

struct PiecePart {
    std::vector<Vec3> corners;  ///< 4 .. kPartCornersMax, piece frame, convex position
    VoxelBox box;               ///< of its voxels, in the piece
};

/// 1 .. kPiecePartsMax parts, the same bits on every machine. The piece must be valid.
/// Cost: 0.2 ms for a boulder of 130 voxels, 3 ms for one of 4,000, 10 to 30 ms for a craggy one.
std::vector<PiecePart> piece_parts(const VoxelPiece& piece);

}  // namespace terrane
