// The shapes that queries move through the world or hold still in it: spheres, capsules and turned
// boxes, as one struct. A core (a point, a segment along the shape's own y, a box) and a radius
// around it.
#pragma once

#include <cstdint>

#include "shared/math/aabb.h"
#include "shared/math/sphere.h"

namespace terrane {

enum class QueryForm : std::uint8_t { sphere = 0, capsule = 1, box = 2 };

/// Metres. Make one with the functions below: of a sphere the half extents are 0, of a capsule only
/// y is not (half of the core segment), of a box the radius is 0.
struct QueryShape {
    QueryForm form = QueryForm::sphere;
    Vec3 centre{0.0F};
    Quat rotation = kNoRotation;  ///< unit
    Vec3 half_extents{0.0F};
    float radius_m = 0.0F;
};

inline QueryShape make_sphere(const Vec3& centre, float radius_m) {
    return {QueryForm::sphere, centre, kNoRotation, Vec3{0.0F}, radius_m};
}
inline QueryShape make_sphere(const Sphere& sphere) {
    return make_sphere(sphere.centre, sphere.radius);
}
/// `half_length_m`: of the core, so that the whole is 2 (half_length_m + radius_m) long. Upright
/// without a rotation.
inline QueryShape make_capsule(const Vec3& centre, float half_length_m, float radius_m,
                               const Quat& rotation = kNoRotation) {
    return {QueryForm::capsule, centre, rotation, Vec3{0.0F, half_length_m, 0.0F}, radius_m};
}
inline QueryShape make_box(const Vec3& centre, const Vec3& half_extents,
                           const Quat& rotation = kNoRotation) {
    return {QueryForm::box, centre, rotation, half_extents, 0.0F};
}
inline QueryShape make_box(const Aabb& box) {
    return make_box(centre(box), half_extents(box));
}

/// Finite, no negative size, a rotation of length 1 (within 1e-3).
bool is_valid(const QueryShape& shape);
/// The smallest axis-aligned box around the shape, up to rounding.
Aabb bounds_of(const QueryShape& shape);

}  // namespace terrane
