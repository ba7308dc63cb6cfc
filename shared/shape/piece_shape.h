// The shape of a body that an edit cut out of the terrain: convex parts that overlap or touch, and
// what they weigh together. In the piece's frame, whose origin is its centre of mass and whose axes
// are those of its voxels; the parts need not be principal axes, so the moments come with the turn
// that makes them so (voxel_piece.h weighs voxels and finds both).
#pragma once

#include <vector>

#include "shared/math/vec.h"

namespace terrane {

struct ConvexPart {
    std::vector<Vec3> corners;  ///< metres, in convex position, 4 at least
    Vec3 middle{0.0F};          ///< of the box around them
    Vec3 half_extents{0.0F};
};

struct PieceShape {
    std::vector<ConvexPart> parts;
    float mass_kg = 0.0F;
    float volume_m3 = 0.0F;        ///< of the matter; the parts' boxes may hold more
    Vec3 moments_kgm2{0.0F};       ///< about the principal axes through the centre of mass
    Quat principal = kNoRotation;  ///< turns principal axes into the piece's
};

inline constexpr std::size_t kConvexPartsMax = 64;

/// Fills `middle` and `half_extents` from the corners.
ConvexPart convex_part(std::vector<Vec3> corners);
/// Finite, 1 .. kConvexPartsMax parts of 4 corners and three dimensions each, weights above 0.
bool is_valid(const PieceShape& piece);
/// From the centre of mass to the farthest side of the parts, along each axis.
Vec3 box_half_extents(const PieceShape& piece);

}  // namespace terrane
