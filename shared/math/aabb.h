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
inline Vec3 centre(const Aabb& box) { return 0.5F * (box.min + box.max); }
inline Vec3 half_extents(const Aabb& box) { return 0.5F * (box.max - box.min); }

}  // namespace terrane
