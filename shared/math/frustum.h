// Frustum: six planes, normals inward, taken from the combined matrix projection * view (Gribb and
// Hartmann, "Fast Extraction of Viewing Frustum Planes from the World-View-Projection Matrix",
// 2001). Works for any projection, off-centre ones too. Depth in clip space runs -w .. w, as
// OpenGL's does.
//
// A sphere is outside if it lies wholly behind ANY plane, inside if wholly in front of ALL; the
// answer "intersecting" may only be given after the last plane, since a later one may still exclude
// it. A box is tested with its farthest and nearest corner per plane (Assarsson and Moeller,
// "Optimized View Frustum Culling Algorithms for Bounding Boxes", 2000). Both tests may call a
// thing that is outside near a frustum's edge "intersecting", never the other way round.
#pragma once

#include <array>
#include <cstdint>

#include "shared/math/plane.h"
#include "shared/math/sphere.h"

namespace terrane {

enum class Containment : std::uint8_t { outside, intersecting, inside };

/// Bit p = plane p is still to be tested. What lies in front of a plane has all its parts in front.
using PlaneMask = std::uint8_t;
inline constexpr PlaneMask kAllPlanes = 0x3F;

struct Frustum {
    std::array<Plane3, 6> planes;  ///< left, right, bottom, top, near, far
};

Frustum frustum_of(const Mat4& projection_view);

/// Tests the planes of `mask` and clears the bits of those that the volume is in front of: inside =
/// no bit left. Empty volumes are outside; touching a plane from behind is intersecting.
Containment classify(const Frustum& frustum, const Sphere& sphere, PlaneMask& mask);
Containment classify(const Frustum& frustum, const Aabb& box, PlaneMask& mask);
Containment classify(const Frustum& frustum, const Sphere& sphere);
Containment classify(const Frustum& frustum, const Aabb& box);
bool contains(const Frustum& frustum, const Vec3& point);

}  // namespace terrane
