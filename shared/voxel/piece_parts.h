// A piece's shape: its mesh for the picture, and the convex parts that a physics engine takes.
//
// The mesh is the terrain's mesher on the piece's own grid with air around, brick by brick and
// welded, so that a piece looks as it did while it was ground.
//
// Parts: the piece is cut in two, then always the part that is worst, until all are tight or there
// are enough of them (approximate convex decomposition; Lien and Amato, 2004). Tight is a hull in
// which no vertex of the mesh lies more than kPartDepthM deep and the centre of no hollow voxel
// (occupancy below 64) more than kPartHollowM; a boulder is one part. Cuts run between layers of
// voxels, where the boxes around both sides get smallest (filled_rows.h).
//
//      ####            ####         A part's points come from the cells around its voxels: the
//      ####   ->       ####  AA     mesh's vertex, or the centre where all eight voxels are full
//      ##   ##         BB    AA     and the cut runs through. Every quad of the mesh has its four
//      ##   ##         BB           vertices around one core voxel, so each lies in the hull of a
// part, and neighbours share the points between them: no gap to fall into. Corners are taken the
// farthest out first (corner_hull.h) until nothing is cut off by more than kPartRoughToleranceM
// (a tight part's first ones until kPartToleranceM), or there are kPartCornersMax: then a ball of
// radius 5 loses 0.25 m, one of 10 0.57 m. Closed hollows are full: nothing can touch them.
//
// A craggy rock of 512 voxels in its 16 parts has 1.27 times its volume (4,096 in 32: 1.36), half
// of its surface lies less than 0.1 m (0.3 m) inside of a part and 95 % less than 0.8 m (1.2 m).
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

/// At most a part for 32 core voxels, but always half of this.
inline constexpr std::size_t kPiecePartsMax = 32;
inline constexpr std::size_t kPartCornersMax = 64;
/// A tight part has more than these only if the rough tolerance wants it.
inline constexpr std::size_t kPartCornersSoft = 24;
inline constexpr float kPartToleranceM = 1.0F / 32.0F;
inline constexpr float kPartRoughToleranceM = 1.0F / 8.0F;
/// An edge is rounded by a quarter already.
inline constexpr float kPartDepthM = 3.0F / 8.0F;
inline constexpr float kPartHollowM = 1.0F / 8.0F;

struct PiecePart {
    std::vector<Vec3> corners;  ///< 4 .. kPartCornersMax, piece frame, convex position
    VoxelBox box;               ///< of its voxels, in the piece
};

/// 1 .. kPiecePartsMax parts, the same bits on every machine. The piece must be valid.
/// Cost: 0.3 ms for a boulder of 360 voxels, 1 ms for a craggy rock of 512, 5 ms for one of 4,096.
std::vector<PiecePart> piece_parts(const VoxelPiece& piece);

}  // namespace terrane
