#include "shared/math/frustum.h"

namespace terrane {

Frustum frustum_of(const Mat4& projection_view) {
    const auto row = [&projection_view](int i) {
        return Vec4{projection_view[0][i], projection_view[1][i], projection_view[2][i],
                    projection_view[3][i]};
    };
    const Vec4 w = row(3);
    Frustum frustum;
    for (int axis = 0; axis < 3; ++axis) {
        const auto pair = static_cast<std::size_t>(2 * axis);
        frustum.planes[pair] = normalised(w + row(axis));
        frustum.planes[pair + 1] = normalised(w - row(axis));
    }
    return frustum;
}

Containment classify(const Frustum& frustum, const Sphere& sphere, PlaneMask& mask) {
    if (is_empty(sphere)) {
        return Containment::outside;
    }
    PlaneMask left = 0;
    for (std::size_t p = 0; p < frustum.planes.size(); ++p) {
        const auto bit = static_cast<PlaneMask>(1U << p);
        if ((mask & bit) == 0) {
            continue;
        }
        const float distance = distance_to(frustum.planes[p], sphere.centre);
        if (distance < -sphere.radius) {
            return Containment::outside;
        }
        if (distance < sphere.radius) {
            left = static_cast<PlaneMask>(left | bit);
        }
    }
    mask = left;
    return left == 0 ? Containment::inside : Containment::intersecting;
}

Containment classify(const Frustum& frustum, const Aabb& box, PlaneMask& mask) {
    if (is_empty(box)) {
        return Containment::outside;
    }
    PlaneMask left = 0;
    for (std::size_t p = 0; p < frustum.planes.size(); ++p) {
        const auto bit = static_cast<PlaneMask>(1U << p);
        if ((mask & bit) == 0) {
            continue;
        }
        const Plane3& plane = frustum.planes[p];
        if (distance_to(plane, farthest_corner(plane, box)) < 0.0F) {
            return Containment::outside;
        }
        if (distance_to(plane, nearest_corner(plane, box)) < 0.0F) {
            left = static_cast<PlaneMask>(left | bit);
        }
    }
    mask = left;
    return left == 0 ? Containment::inside : Containment::intersecting;
}

Containment classify(const Frustum& frustum, const Sphere& sphere) {
    PlaneMask mask = kAllPlanes;
    return classify(frustum, sphere, mask);
}

Containment classify(const Frustum& frustum, const Aabb& box) {
    PlaneMask mask = kAllPlanes;
    return classify(frustum, box, mask);
}

bool contains(const Frustum& frustum, const Vec3& point) {
    for (const Plane3& plane : frustum.planes) {
        if (distance_to(plane, point) < 0.0F) {
            return false;
        }
    }
    return true;
}

}  // namespace terrane
