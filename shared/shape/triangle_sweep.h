// The one formula that decides when a moving shape first touches a triangle, and whether one at
// rest overlaps it. Everything fast (bricks, scans, trees) only leaves out triangles for which it
// says no, so all ways of asking agree bit for bit.
//
// Spheres and capsules: the distance between a moving core and a triangle is a convex function of
// time, so its tangent never overshoots the first touch: Newton's method from the start (Mirtich's
// conservative advancement, 1996), which lands on a face in one step and on edges in a few. Boxes:
// separating axes in motion (Gottschalk et al., "OBBTree", 1996; Eberly, "Dynamic Collision
// Detection using Oriented Bounding Boxes"): the last of 13 axes on which shape and triangle come
// together says when, and is the normal.
//
// In double precision, relative to the shape's centre at the start, so that a zone's far corner is
// as good as its middle. + - * / sqrt only: the same bits on every machine.
//
//   starts apart              the first t at which they touch; normal: from triangle to shape
//   starts touching (0.5 mm)  t = 0 if it moves in, no touch if it moves along or away
//   starts deeper             t = 0 wherever it moves; normal and depth: the way out of the
//   triangle
//
// What would be in by no more than touching, however far it went on, passes: a box slides over flat
// ground that it rests on. The way out is the nearest one, but never through the triangle's back:
// from behind a face it leads to the front.
#pragma once

#include <array>
#include <optional>

#include <glm/ext/vector_double3.hpp>

#include "shared/shape/query_shape.h"

namespace terrane {

/// Less overlap than this counts as touching: a float's step 4 km from the zone's middle, twice.
inline constexpr double kTouchDepthM = 0x1p-11;

struct TriangleTouch {
    double t = 0.0;                 ///< 0..1 of the way
    double depth_m = 0.0;           ///< above 0: started in overlap, this far to go along `normal`
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit

    /// The earlier one, of those that start in overlap the deeper one.
    bool is_before(const TriangleTouch& other) const {
        return t != other.t ? t < other.t : depth_m > other.depth_m;
    }
};

/// A shape and its way, made ready once for all the triangles that it is asked of.
class ShapeSweep {
  public:
    /// `shape` must be valid.
    ShapeSweep(const QueryShape& shape, const Vec3& way);

    /// nullopt: no touch up to `limit_t` (included).
    std::optional<TriangleTouch> touch(const Vec3& a, const Vec3& b, const Vec3& c,
                                       double limit_t = 1.0) const;
    /// At rest, at the start; touching counts. `t` is 0.
    std::optional<TriangleTouch> overlap(const Vec3& a, const Vec3& b, const Vec3& c) const;
    /// A point of the triangle that the shape touches at `t`.
    Vec3 point(const Vec3& a, const Vec3& b, const Vec3& c, double t) const;
    /// Around the shape between t0 and t1, with room for rounding.
    Aabb bounds(double t0, double t1) const;

    const glm::dvec3& way() const { return way_; }
    const QueryShape& shape() const { return shape_; }

  private:
    using Triangle = std::array<glm::dvec3, 3>;  ///< from the centre at the start

    Triangle place(const Vec3& a, const Vec3& b, const Vec3& c) const;
    bool stays_on_one_side(const Triangle& triangle, const glm::dvec3& normal,
                           double limit_t) const;
    std::optional<TriangleTouch> touch_round(const Triangle& triangle, const glm::dvec3& normal,
                                             double limit_t) const;
    std::optional<TriangleTouch> touch_box(const Triangle& triangle, const glm::dvec3& normal,
                                           double limit_t) const;
    std::optional<TriangleTouch> overlap_round(const Triangle& triangle,
                                               const glm::dvec3& normal) const;
    std::optional<TriangleTouch> overlap_box(const Triangle& triangle,
                                             const glm::dvec3& normal) const;

    QueryShape shape_;
    glm::dvec3 centre_;
    glm::dvec3 way_;
    std::array<glm::dvec3, 3> axes_;  ///< unit
    glm::dvec3 half_;                 ///< along them
    double radius_;
    Aabb bounds_;
};

}  // namespace terrane
