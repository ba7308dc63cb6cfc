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

#include "shared/bvh/lane_box.h"
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
/// sphere or capsule, the sweep of the box around it. The axes side by side, and no branch depends
/// on the direction: half of such branches are mispredicted.
inline RayProbe probe_along(const Ray& ray, const Vec3& half_extents = Vec3{0.0F}) {
    const Lane4 origin{ray.origin.x, ray.origin.y, ray.origin.z, 0.0F};
    const Lane4 direction{ray.direction.x, ray.direction.y, ray.direction.z, 1.0F};
    const Lane4 half{half_extents.x, half_extents.y, half_extents.z, 0.0F};
    const Lane4 tiny = spread4(kTinyDirection);
    const Mask4 is_tiny = (direction < tiny) & (direction > -tiny);
    const Lane4 inverse = is_tiny ? 1.0F / tiny : 1.0F / direction;
    const Lane4 from_low = origin + half;
    const Lane4 away = origin - half;
    const Lane4 size = away < spread4(0.0F) ? -away : away;
    const Lane4 ulp = size * spread4(std::numeric_limits<float>::epsilon());
    const Lane4 from_high = is_tiny ? away - high4(spread4(1e-18F), ulp) : away;
    const Mask4 is_backward = inverse < spread4(0.0F);
    const Lane4 near_origin = is_backward ? from_high : from_low;
    const Lane4 far_origin = is_backward ? from_low : from_high;
    const Mask4 near_plane = Mask4{0, 1, 2, 0} + (is_backward & 3);
    const Mask4 far_plane = Mask4{3, 4, 5, 0} - (is_backward & 3);
    RayProbe probe;
    probe.inverse = {inverse[0], inverse[1], inverse[2]};
    probe.near_origin = {near_origin[0], near_origin[1], near_origin[2]};
    probe.far_origin = {far_origin[0], far_origin[1], far_origin[2]};
    for (int axis = 0; axis < 3; ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        probe.near_plane[i] = static_cast<std::uint32_t>(near_plane[axis]);
        probe.far_plane[i] = static_cast<std::uint32_t>(far_plane[axis]);
    }
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
