#include "shared/shape/query_shape.h"

namespace terrane {

bool is_valid(const QueryShape& shape) {
    const Quat& q = shape.rotation;
    const float length_squared = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    const Vec3& half = shape.half_extents;
    return is_finite(shape.centre) && is_finite(half) && std::isfinite(shape.radius_m) &&
           half.x >= 0.0F && half.y >= 0.0F && half.z >= 0.0F && shape.radius_m >= 0.0F &&
           std::abs(length_squared - 1.0F) < 2e-3F;
}

Aabb bounds_of(const QueryShape& shape) {
    const Mat3 axes = glm::mat3_cast(shape.rotation);
    const Vec3& half = shape.half_extents;
    const Vec3 reach = glm::abs(axes[0]) * half.x + glm::abs(axes[1]) * half.y +
                       glm::abs(axes[2]) * half.z + shape.radius_m;
    return {shape.centre - reach, shape.centre + reach};
}

}  // namespace terrane
