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
#include <cstdint>
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

/// One axis of a probe.
struct ProbeAxis {
    float inverse;
    float near_origin;
    float far_origin;
    bool is_backward;
};

inline ProbeAxis probe_axis(float origin, float direction, float half_extent) {
    const float from_low = origin + half_extent;
    float from_high = origin - half_extent;
    float inverse = 1.0F / direction;
    if (direction < kTinyDirection && direction > -kTinyDirection) {
        constexpr float kLeast = 1e-18F;
        const float ulp = std::abs(from_high) * std::numeric_limits<float>::epsilon();
        from_high -= std::max(ulp, kLeast);
        inverse = 1.0F / kTinyDirection;
    }
    return inverse < 0.0F ? ProbeAxis{inverse, from_high, from_low, true}
                          : ProbeAxis{inverse, from_low, from_high, false};
}

/// A ray, or with `half_extents` (metres) the sweep of a box whose centre moves along it; of a
/// sphere or capsule, the sweep of the box around it.
inline RayProbe probe_along(const Ray& ray, const Vec3& half_extents = Vec3{0.0F}) {
    // Axis by axis by name: a vector's [] is a switch, and cost a fifth of a query.
    const ProbeAxis x = probe_axis(ray.origin.x, ray.direction.x, half_extents.x);
    const ProbeAxis y = probe_axis(ray.origin.y, ray.direction.y, half_extents.y);
    const ProbeAxis z = probe_axis(ray.origin.z, ray.direction.z, half_extents.z);
    RayProbe probe;
    probe.inverse = {x.inverse, y.inverse, z.inverse};
    probe.near_origin = {x.near_origin, y.near_origin, z.near_origin};
    probe.far_origin = {x.far_origin, y.far_origin, z.far_origin};
    probe.near_plane = {x.is_backward ? 3U : 0U, y.is_backward ? 4U : 1U, z.is_backward ? 5U : 2U};
    probe.far_plane = {x.is_backward ? 0U : 3U, y.is_backward ? 1U : 4U, z.is_backward ? 2U : 5U};
    probe.t_max = ray.t_max;
    return probe;
}

/// Where the probe enters `box`, 0 if it starts inside; kNoHit if it does not by `limit`.
inline float enter_box(const RayProbe& probe, const Aabb& box, float limit) {
    const bool is_back_x = probe.near_plane[0] != 0;
    const bool is_back_y = probe.near_plane[1] != 1;
    const bool is_back_z = probe.near_plane[2] != 2;
    const Vec3 near_side{is_back_x ? box.max.x : box.min.x, is_back_y ? box.max.y : box.min.y,
                         is_back_z ? box.max.z : box.min.z};
    const Vec3 far_side{is_back_x ? box.min.x : box.max.x, is_back_y ? box.min.y : box.max.y,
                        is_back_z ? box.min.z : box.max.z};
    const Vec3 in = (near_side - probe.near_origin) * probe.inverse;
    const Vec3 out = (far_side - probe.far_origin) * probe.inverse;
    const float enter = std::max(std::max(in.x, in.y), std::max(in.z, 0.0F));
    const float leave = std::min(std::min(out.x, out.y), std::min(out.z, limit));
    return enter <= leave ? enter + 0.0F : kNoHit;  // never -0
}

}  // namespace terrane
