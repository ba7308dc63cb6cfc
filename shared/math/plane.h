// Plane ax + by + cz + d = 0 with a unit normal (a, b, c): the distance of a point is then in
// metres, positive on the side that the normal points to. Volumes made of planes have normals
// pointing in.
#pragma once

#include "shared/math/aabb.h"

namespace terrane {

/// Plane3, since a Plane is a plane of a chunk's bytes.
struct Plane3 {
    Vec3 normal{0.0F, 1.0F, 0.0F};
    float d = 0.0F;
};

/// From any multiple of (a, b, c, d). A zero normal gives the plane that everything is in front of:
/// the far plane of an infinite projection.
inline Plane3 normalised(const Vec4& abcd) {
    const Vec3 normal{abcd};
    const float length = std::sqrt(glm::dot(normal, normal));
    if (!(length > 0.0F)) {
        return {Vec3{0.0F}, std::numeric_limits<float>::max()};
    }
    return {normal / length, abcd.w / length};
}
/// Through the points; the normal points to where they run counter-clockwise. The points must not
/// lie on one line.
inline Plane3 plane_through(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 normal = glm::cross(b - a, c - a);
    return normalised(Vec4{normal, -glm::dot(normal, a)});
}
/// Signed distance. The sum keeps this order everywhere: it is monotone in each coordinate even
/// when rounded, so a box inside another never tests farther out than it.
inline float distance_to(const Plane3& plane, const Vec3& point) {
    return plane.normal.x * point.x + plane.normal.y * point.y + plane.normal.z * point.z + plane.d;
}
/// The corner farthest along the normal: if it is behind the plane, so is the whole box.
inline Vec3 farthest_corner(const Plane3& plane, const Aabb& box) {
    return {plane.normal.x >= 0.0F ? box.max.x : box.min.x,
            plane.normal.y >= 0.0F ? box.max.y : box.min.y,
            plane.normal.z >= 0.0F ? box.max.z : box.min.z};
}
/// The corner nearest to the back: if it is in front of the plane, so is the whole box.
inline Vec3 nearest_corner(const Plane3& plane, const Aabb& box) {
    return {plane.normal.x >= 0.0F ? box.min.x : box.max.x,
            plane.normal.y >= 0.0F ? box.min.y : box.max.y,
            plane.normal.z >= 0.0F ? box.min.z : box.max.z};
}

}  // namespace terrane
