// The distance from a point or a segment to a triangle in double precision (Ericson, "Real-Time
// Collision Detection", 2005, chapter 5): what sweeps and overlaps are decided by. The float ones
// of shared/math/segment.h are good to 1e-6 m near the origin; these are good enough to be iterated
// on.
#pragma once

#include <array>

#include <glm/ext/vector_double3.hpp>
#include <glm/geometric.hpp>

namespace terrane {

struct CoreDistance {
    double distance_m = 0.0;
    glm::dvec3 away{0.0};  ///< unit, from the triangle to the core; zero if they meet
    glm::dvec3 on_triangle{0.0};
    bool is_over_face = false;  ///< on_triangle is inside the triangle, below or above the core
};

/// Of the segment from `low` to `high` (equal: a point). Triangles without area are legal.
CoreDistance distance_to_triangle(const glm::dvec3& low, const glm::dvec3& high,
                                  const std::array<glm::dvec3, 3>& triangle);

}  // namespace terrane
