// Signed distance between a segment and a solid body, in the body's own frame: what a capsule, a
// ray with a width or a reach test asks of boxes, spheres, cylinders and capsules.
//
// Apart: the distance from a point of the segment to a convex solid is a convex function of where
// the point is, so the nearest point is where its slope changes sign; bisection finds it to float
// precision with + - * / sqrt only; a ball has a closed form, and a capsule is all that is within a
// radius of its inner segment. Overlapping: the way out along the best of the directions that
// can be the shortest (faces, and for a box edges against the segment: the separating axes of
// Gottschalk et al., "OBBTree", 1996; for a cylinder its caps and the radial directions through
// both ends, the middle and the crossing).
#pragma once

#include "shared/math/segment.h"
#include "shared/shape/body_kind.h"

namespace terrane {

struct BodyDistance {
    float distance_m = 0.0F;        ///< negative: the way out along the normal, less its sign
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit, from the body to the segment
    Vec3 on_body{0.0F};  ///< a point of the body nearest to the segment (apart), or deepest
};

/// `half_extents` as in BodyKind, not negative; `segment` in the body's frame, a point is legal.
/// A player and a piece (give its parts) are measured as boxes. Cost: about 30 ns apart from a box,
/// up to 300 ns where bisected.
BodyDistance distance_to_body(BodyShape shape, const Vec3& half_extents, const Segment& segment);

/// The largest cosine between the unit vector `direction` and the normals of the faces that meet at
/// the surface point `on_body`; -1 for a point inside.
float face_cosine(BodyShape shape, const Vec3& half_extents, const Vec3& on_body,
                  const Vec3& direction);

}  // namespace terrane
