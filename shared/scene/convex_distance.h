// How far two convex things are from each other: Gilbert, Johnson and Keerthi's algorithm ("A Fast
// Procedure for Computing the Distance Between Complex Objects in Three-Dimensional Space", 1988)
// with the closest points of Ericson, "Real-Time Collision Detection", 2005, chapters 5 and 9. A
// thing is a core (point, segment, box, cylinder, the hull of some corners) and a radius around it;
// the algorithm sees the cores only, so that round things cost as little as points.
//
// In double precision. With every answer comes a plane that proves a part of the distance: who
// moves one thing by no more than that along the normal never passes into the other.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <glm/ext/vector_double3.hpp>

#include "shared/shape/query_shape.h"

namespace terrane {

enum class CoreForm : std::uint8_t { point, segment, box, cylinder, hull };

struct ConvexCore {
    CoreForm form = CoreForm::point;
    glm::dvec3 centre{0.0};
    std::array<glm::dvec3, 3> axes{glm::dvec3{1.0, 0.0, 0.0}, glm::dvec3{0.0, 1.0, 0.0},
                                   glm::dvec3{0.0, 0.0, 1.0}};  ///< unit
    /// Along the axes; segment: y; cylinder about y: x = radius, y = half length.
    glm::dvec3 half{0.0};
    double radius_m = 0.0;          ///< around the core
    std::span<const Vec3> corners;  ///< hull, in the axes' frame
};

/// `shape` must be valid.
ConvexCore core_of(const QueryShape& shape);
void turn_core(ConvexCore& core, const Quat& rotation);
/// The point of the core farthest along `direction`.
glm::dvec3 support(const ConvexCore& core, const glm::dvec3& direction);
/// How far the whole reaches along the unit vector `normal`, from zone space's origin.
double reach_along(const ConvexCore& core, const glm::dvec3& normal);

struct CoreGap {
    double distance_m = 0.0;  ///< of the cores; 0 if they meet
    double proven_m = 0.0;    ///< not more than the distance: a plane across `normal` proves it
    glm::dvec3 normal{0.0};   ///< unit, from the second to the first; zero if the cores meet
    glm::dvec3 on_second{0.0};
};

/// Of the cores, without their radii.
CoreGap gap_between(const ConvexCore& first, const ConvexCore& second);

}  // namespace terrane
