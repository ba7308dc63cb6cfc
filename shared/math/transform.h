// Transform: scale, then rotation, then translation, of a child's space into its parent's.
// Composing multiplies scales axis by axis, so a transform stays a transform: a parent stretched on
// one axis does not shear a rotated child (as a product of matrices would), it stretches the
// child's own axis.
#pragma once

#include <glm/mat4x3.hpp>

#include "shared/math/aabb.h"
#include "shared/math/sphere.h"

namespace terrane {

struct Transform {
    Vec3 position{0.0F};
    Quat rotation{1.0F, 0.0F, 0.0F, 0.0F};  ///< unit
    Vec3 scale{1.0F};

    friend bool operator==(const Transform&, const Transform&) = default;
};

/// Affine matrix as three axes and a translation (columns).
using Affine = glm::mat4x3;

Affine to_affine(const Transform& transform);
Mat4 to_matrix(const Affine& affine);
inline Mat4 to_matrix(const Transform& transform) {
    return to_matrix(to_affine(transform));
}

inline Vec3 transform_point(const Transform& t, const Vec3& point) {
    return t.position + t.rotation * (t.scale * point);
}
/// Undoes transform_point. An axis with scale 0 gives 0.
Vec3 inverse_transform_point(const Transform& t, const Vec3& point);

/// First `child`, then `parent`.
Transform compose(const Transform& parent, const Transform& child);
/// The `child` with compose(parent, child) == world, up to rounding: what keeps a node where it is
/// when it gets a parent. An axis of the parent with scale 0 gives 0.
Transform relative_to(const Transform& parent, const Transform& world);
/// compose(t, inverse(t)) is the identity; with equal scales on all axes compose(inverse(t), t)
/// too.
inline Transform inverse(const Transform& t) {
    return relative_to(t, Transform{});
}

/// The largest axis scale: by it a sphere's radius grows.
float largest_scale(const Vec3& scale);
Sphere transform_sphere(const Transform& t, const Sphere& sphere);
/// The smallest axis-aligned box around the moved box: |M| x half extents. Empty stays empty.
Aabb transform_box(const Affine& m, const Aabb& box);

}  // namespace terrane
