// What a ray, or a box swept along one, asks of a box: the slab test (Kay and Kajiya, 1986) with
// the reciprocal of the direction, in one unfused form, (plane - origin) * inverse, on every path:
// scalar, SIMD and brute force give the same bits. A sweep is a ray against boxes grown by its half
// extents, and growing is moving the origin: low planes are seen from origin + half, high planes
// from origin - half.
//
// Rounding is monotone, so a ray that meets a box meets every box around it: no tree loses a hit. A
// direction component below kTinyDirection in size (0, -0, denormal) counts as the smallest one
// that has a finite reciprocal; the origin seen from the far plane then moves back by an ulp, so
// that a ray along a face touches it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "shared/math/aabb.h"
#include "shared/math/ray.h"
#include "shared/math/ray_box.h"

namespace terrane {

inline constexpr float kNoHit = std::numeric_limits<float>::infinity();

/// t counts as in the ray that it was made from. Planes 0..2 are a box's low x, y, z, 3..5 its
/// high.
struct RayProbe {
    Vec3 inverse{0.0F};
    Vec3 near_origin{0.0F};
    Vec3 far_origin{0.0F};
    std::array<std::uint32_t, 3> near_plane{0, 1, 2};
    std::array<std::uint32_t, 3> far_plane{3, 4, 5};
    float t_max = -1.0F;
};

/// A ray, or with `half_extents` (metres) the sweep of a box whose centre moves along it; of a
/// sphere or capsule, the sweep of the box around it.
inline RayProbe probe_along(const Ray& ray, const Vec3& half_extents = Vec3{0.0F}) {
    RayProbe probe;
    probe.t_max = ray.t_max;
    for (int axis = 0; axis < 3; ++axis) {
        const auto slot = static_cast<std::size_t>(axis);
        const float direction = ray.direction[axis];
        const float from_low = ray.origin[axis] + half_extents[axis];
        float from_high = ray.origin[axis] - half_extents[axis];
        if (direction < kTinyDirection && direction > -kTinyDirection) {
            constexpr float kLeast = 1e-18F;
            const float ulp = std::abs(from_high) * std::numeric_limits<float>::epsilon();
            from_high -= std::max(ulp, kLeast);
            probe.inverse[axis] = 1.0F / kTinyDirection;
        } else {
            probe.inverse[axis] = 1.0F / direction;
        }
        const bool is_backward = probe.inverse[axis] < 0.0F;
        const auto low = static_cast<std::uint32_t>(axis);
        probe.near_plane[slot] = is_backward ? low + 3 : low;
        probe.far_plane[slot] = is_backward ? low : low + 3;
        probe.near_origin[axis] = is_backward ? from_high : from_low;
        probe.far_origin[axis] = is_backward ? from_low : from_high;
    }
    return probe;
}

/// Where the probe enters `box`, 0 if it starts inside; kNoHit if it does not by `limit`.
inline float enter_box(const RayProbe& probe, const Aabb& box, float limit) {
    float enter = 0.0F;
    float leave = limit;
    for (int axis = 0; axis < 3; ++axis) {
        const bool is_backward = probe.near_plane[static_cast<std::size_t>(axis)] >= 3;
        const float near_side = is_backward ? box.max[axis] : box.min[axis];
        const float far_side = is_backward ? box.min[axis] : box.max[axis];
        const float t_near = (near_side - probe.near_origin[axis]) * probe.inverse[axis];
        const float t_far = (far_side - probe.far_origin[axis]) * probe.inverse[axis];
        enter = t_near > enter ? t_near : enter;
        leave = t_far < leave ? t_far : leave;
    }
    return enter <= leave ? enter + 0.0F : kNoHit;  // never -0
}

}  // namespace terrane
