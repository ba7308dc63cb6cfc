// Axis-aligned box [min, max], metres. The default box is empty (min > max on every axis): merging
// anything into it gives that thing, and it overlaps nothing. Touching boxes overlap.
#pragma once

#include <limits>

#include <glm/common.hpp>

#include "shared/math/vec.h"

namespace terrane {

struct Aabb {
    Vec3 min{std::numeric_limits<float>::infinity()};
    Vec3 max{-std::numeric_limits<float>::infinity()};
};

inline bool is_empty(const Aabb& box) {
    return box.min.x > box.max.x || box.min.y > box.max.y || box.min.z > box.max.z;
}
inline Aabb merge(const Aabb& a, const Aabb& b) {
    return {glm::min(a.min, b.min), glm::max(a.max, b.max)};
}
inline Aabb merge(const Aabb& box, const Vec3& point) {
    return {glm::min(box.min, point), glm::max(box.max, point)};
}
/// Every side moved outward by `margin` metres. An empty box stays empty.
inline Aabb grow(const Aabb& box, float margin) {
    return is_empty(box) ? box : Aabb{box.min - margin, box.max + margin};
}
inline bool overlaps(const Aabb& a, const Aabb& b) {
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y &&
           a.min.z <= b.max.z && b.min.z <= a.max.z;
}
inline bool contains(const Aabb& box, const Vec3& point) {
    return point.x >= box.min.x && point.x <= box.max.x && point.y >= box.min.y &&
           point.y <= box.max.y && point.z >= box.min.z && point.z <= box.max.z;
}
inline bool contains(const Aabb& outer, const Aabb& inner) {
    return is_empty(inner) || (contains(outer, inner.min) && contains(outer, inner.max));
}
/// The common part; empty if there is none. Touching boxes share a face, edge or point.
inline Aabb intersect(const Aabb& a, const Aabb& b) {
    const Aabb box{glm::max(a.min, b.min), glm::min(a.max, b.max)};
    return is_empty(box) ? Aabb{} : box;
}
/// The point of a box that is not empty nearest to `point`; `point` itself if inside.
inline Vec3 closest_point(const Aabb& box, const Vec3& point) {
    return glm::min(glm::max(point, box.min), box.max);
}
/// 0 inside; infinite for an empty box.
inline float distance_squared(const Aabb& box, const Vec3& point) {
    if (is_empty(box)) {
        return std::numeric_limits<float>::infinity();
    }
    const Vec3 away = point - closest_point(box, point);
    return glm::dot(away, away);
}
/// All six sides, m2; 0 for an empty box.
inline float surface_area_m2(const Aabb& box) {
    if (is_empty(box)) {
        return 0.0F;
    }
    const Vec3 side = box.max - box.min;
    return 2.0F * (side.x * side.y + side.y * side.z + side.z * side.x);
}
/// The box that `box` sweeps over when it moves by `delta`.
inline Aabb sweep(const Aabb& box, const Vec3& delta) {
    return merge(box, Aabb{box.min + delta, box.max + delta});
}
inline Vec3 centre(const Aabb& box) {
    return 0.5F * (box.min + box.max);
}
inline Vec3 half_extents(const Aabb& box) {
    return 0.5F * (box.max - box.min);
}

}  // namespace terrane
