// Triangles of things that are more than their shape: an open boat, a pine's crown, a boulder that
// is not quite a ball. Made from a kind's size, so that what is seen is what is bumped into.
#pragma once

#include <span>

#include "client-stub/viewer/shape_mesh.h"

namespace terrane {

/// An open, tapered hull inside the box of `half_extents`, in metres, along its longer side, the
/// bow towards -Z (or -X); a board across at each seat.
ShapeMesh make_boat(const Vec3& half_extents, std::span<const Vec3> seats);
/// Three tiers of branches about Y, from y = 0 to 1 and one in radius.
ShapeMesh make_crown();
/// A ball of radius one with shallow dents.
ShapeMesh make_boulder();

}  // namespace terrane
