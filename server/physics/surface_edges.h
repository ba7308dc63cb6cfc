// Inner edges: a body that slides over a surface made of triangles must feel the surface, not the
// edges inside it. A convex-triangle test knows one triangle only and answers, near an edge, with a
// normal that leans away from it; where the neighbour goes on, that normal does not exist. Here the
// neighbours are looked up among the gathered triangles (their corners are equal bit for bit, and
// whoever shares an edge that a body touches was gathered too) and the normal is brought back into
// what the surface allows:
//
//   inside the triangle                  its face normal
//   edge, flat or a valley               its face normal
//   edge, a ridge                        anything between the two face normals, else the nearer one
//   edge without neighbour               unchanged
//
// Pure functions. Bullet's btInternalEdgeUtility does this for its own mesh shapes only.
#pragma once

#include <span>

#include "shared/terrain/terrain.h"

namespace terrane {

/// A contact of a body with a triangle. `point` lies on the triangle, point + depth * normal on the
/// body; depth is negative if they overlap.
struct SurfaceContact {
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit, from the triangle to the body
    Vec3 point{0.0F};
    float depth_m = 0.0F;
};

enum class SurfaceSide : std::uint8_t {
    front,   ///< the normal as it came is one of the surface's
    fitted,  ///< the normal was changed to one
    back,    ///< it points into the ground: the caller decides
};

/// Unit normal, out of the ground; zero for a triangle without area.
Vec3 face_normal(const TerrainTriangle& triangle);

/// The triangles near a body and their face normals, index for index.
struct NearSurface {
    std::span<const TerrainTriangle> triangles;
    std::span<const Vec3> normals;
};

/// Fits `contact` with triangles[index] to the surface. A changed normal keeps the body's point and
/// moves `point` and `depth_m`. `back` leaves the contact as it was.
SurfaceSide fit_to_surface(const NearSurface& surface, std::size_t index, SurfaceContact& contact);

}  // namespace terrane
