// The shape of one body that brings its own: convex parts with their mass, as physics, motion and
// scene queries take it. Made of a piece's voxels by shared/terrain/shape_of_piece.h, the same bits
// on both sides.
//
// Body frame: metres, origin at the centre of mass, axes as the piece's voxels.
#pragma once

#include <cstddef>
#include <vector>

#include "shared/math/aabb.h"
#include "shared/math/vec.h"

namespace terrane {

/// A convex hull, and the box around it for whoever is content with that.
struct ShapePart {
    std::vector<Vec3> corners;  ///< 4 or more, in convex position; body frame
    Vec3 middle{0.0F};          ///< of the box around the corners, along the body's axes
    Vec3 half_extents{0.0F};
};

struct PieceShape {
    std::vector<ShapePart> parts;  ///< one or more; they may overlap
    Vec3 centre{0.0F};             ///< of mass, in the voxels' frame (voxel_piece.h)
    float mass_kg = 0.0F;
    float volume_m3 = 0.0F;   ///< of the voxels, by how full they are: what displaces water
    Vec3 moments{0.0F};       ///< kg m2, about the principal axes
    Quat axes = kNoRotation;  ///< turns principal axes into the body's
};

inline constexpr std::size_t kShapePartsMax = 64;

/// Fills `middle` and `half_extents` from the corners.
ShapePart shape_part(std::vector<Vec3> corners);
/// Finite, 1 .. kShapePartsMax parts of 4 corners and three dimensions each, weights above 0.
bool is_valid(const PieceShape& shape);
/// From the centre of mass to the farthest side of the parts, along each axis.
Vec3 box_half_extents(const PieceShape& shape);
/// Of all parts, body frame.
inline Aabb bounds_of(const PieceShape& shape) {
    Aabb box;
    for (const ShapePart& part : shape.parts) {
        box = merge(box, Aabb{part.middle - part.half_extents, part.middle + part.half_extents});
    }
    return box;
}

}  // namespace terrane
