// The one formula that decides whether a ray hits a triangle, and the same for two triangles that
// share a diagonal: a quad. Everything that is fast (trees, flat scans, SIMD) only leaves out what
// this formula would refuse, so all ways of asking agree bit for bit.
//
// In double precision, each edge's sign computed from its own two ends only: triangles that share
// an edge agree about it exactly, so no ray slips between them. A quad computes the sign of its
// diagonal once and looks at five edges instead of six.
#pragma once

#include <optional>

#include "shared/math/ray.h"

namespace terrane {

/// Front or back, edges and corners included. nullopt for a triangle without area, a ray in its
/// plane or nearly so, a zero direction, t outside [0, ray.t_max].
std::optional<float> intersect_triangle(const Ray& ray, const Vec3& a, const Vec3& b,
                                        const Vec3& c);

/// Of the triangles (a, b, c) and (a, c, d); negative: not hit. Values on a ray are never negative.
struct QuadHit {
    float first = -1.0F;
    float second = -1.0F;

    friend bool operator==(const QuadHit&, const QuadHit&) = default;
};

/// What intersect_triangle says of both triangles, bit for bit.
QuadHit intersect_quad(const Ray& ray, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace terrane
