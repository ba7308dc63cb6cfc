#include "shared/math/transform.h"

namespace terrane {

namespace {

Vec3 divide_or_zero(const Vec3& value, const Vec3& by) {
    return {by.x == 0.0F ? 0.0F : value.x / by.x, by.y == 0.0F ? 0.0F : value.y / by.y,
            by.z == 0.0F ? 0.0F : value.z / by.z};
}

}  // namespace

Affine to_affine(const Transform& transform) {
    const Mat3 axes = glm::mat3_cast(transform.rotation);
    return Affine{axes[0] * transform.scale.x, axes[1] * transform.scale.y,
                  axes[2] * transform.scale.z, transform.position};
}

Mat4 to_matrix(const Affine& affine) {
    return Mat4{Vec4{affine[0], 0.0F}, Vec4{affine[1], 0.0F}, Vec4{affine[2], 0.0F},
                Vec4{affine[3], 1.0F}};
}

Vec3 inverse_transform_point(const Transform& t, const Vec3& point) {
    return divide_or_zero(glm::conjugate(t.rotation) * (point - t.position), t.scale);
}

Transform compose(const Transform& parent, const Transform& child) {
    return {transform_point(parent, child.position), parent.rotation * child.rotation,
            parent.scale * child.scale};
}

Transform relative_to(const Transform& parent, const Transform& world) {
    return {inverse_transform_point(parent, world.position),
            glm::conjugate(parent.rotation) * world.rotation,
            divide_or_zero(world.scale, parent.scale)};
}

float largest_scale(const Vec3& scale) {
    const Vec3 size = glm::abs(scale);
    return glm::max(size.x, glm::max(size.y, size.z));
}

Sphere transform_sphere(const Transform& t, const Sphere& sphere) {
    if (is_empty(sphere)) {
        return {};
    }
    return {transform_point(t, sphere.centre), sphere.radius * largest_scale(t.scale)};
}

Aabb transform_box(const Affine& m, const Aabb& box) {
    if (is_empty(box)) {
        return {};
    }
    const Vec3 middle = centre(box);
    const Vec3 half = half_extents(box);
    const Vec3 moved = m[0] * middle.x + m[1] * middle.y + m[2] * middle.z + m[3];
    const Vec3 reach = glm::abs(m[0]) * half.x + glm::abs(m[1]) * half.y + glm::abs(m[2]) * half.z;
    return {moved - reach, moved + reach};
}

}  // namespace terrane
