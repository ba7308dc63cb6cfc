// Segments, lines and triangles: closest points between them (Ericson, "Real-Time Collision
// Detection", 2005, chapter 5). + - * / only. Degenerate input (points, collinear triangles) is
// legal and gives a closest point of the degenerate thing.
#pragma once

#include "shared/math/vec.h"

namespace terrane {

struct Segment {
    Vec3 a{0.0F};
    Vec3 b{0.0F};
};

/// Unbounded in both directions; `direction` need not have length 1.
struct Line {
    Vec3 point{0.0F};
    Vec3 direction{0.0F, 0.0F, 1.0F};
};

struct ClosestPoints {
    Vec3 on_first{0.0F};
    Vec3 on_second{0.0F};
    float distance_squared = 0.0F;
};

Vec3 closest_point(const Line& line, const Vec3& point);
Vec3 closest_point(const Segment& segment, const Vec3& point);
Vec3 closest_point_on_triangle(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c);
ClosestPoints closest_points(const Segment& first, const Segment& second);
/// Distance 0, and the point of crossing, if the segment passes through the triangle.
ClosestPoints closest_points(const Segment& segment, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace terrane
