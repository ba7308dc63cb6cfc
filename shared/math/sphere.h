// Sphere: centre and radius, metres. A negative radius is the empty sphere (the default): merging
// anything into it gives that thing, and it overlaps nothing. Touching counts as overlap, and a
// radius of 0 is a point.
#pragma once

#include "shared/math/aabb.h"

namespace terrane {

struct Sphere {
    Vec3 centre{0.0F};
    float radius = -1.0F;
};

inline bool is_empty(const Sphere& sphere) {
    return sphere.radius < 0.0F;
}

inline bool contains(const Sphere& sphere, const Vec3& point) {
    const Vec3 away = point - sphere.centre;
    return !is_empty(sphere) && glm::dot(away, away) <= sphere.radius * sphere.radius;
}
inline bool overlaps(const Sphere& a, const Sphere& b) {
    const Vec3 away = b.centre - a.centre;
    const float reach = a.radius + b.radius;
    return !is_empty(a) && !is_empty(b) && glm::dot(away, away) <= reach * reach;
}
inline bool overlaps(const Sphere& sphere, const Aabb& box) {
    return !is_empty(sphere) &&
           distance_squared(box, sphere.centre) <= sphere.radius * sphere.radius;
}
/// Through the box's corners; empty for an empty box.
inline Sphere sphere_around(const Aabb& box) {
    if (is_empty(box)) {
        return {};
    }
    const Vec3 half = half_extents(box);
    return {centre(box), std::sqrt(glm::dot(half, half))};
}
inline Aabb box_around(const Sphere& sphere) {
    if (is_empty(sphere)) {
        return {};
    }
    return {sphere.centre - sphere.radius, sphere.centre + sphere.radius};
}
/// The smallest sphere around both. If one holds the other, that one.
inline Sphere merge(const Sphere& a, const Sphere& b) {
    if (is_empty(a)) {
        return b;
    }
    if (is_empty(b)) {
        return a;
    }
    const Vec3 away = b.centre - a.centre;
    const float distance = std::sqrt(glm::dot(away, away));
    if (distance + b.radius <= a.radius) {
        return a;
    }
    if (distance + a.radius <= b.radius) {
        return b;
    }
    const float radius = 0.5F * (distance + a.radius + b.radius);
    return {a.centre + away * ((radius - a.radius) / distance), radius};
}

}  // namespace terrane
