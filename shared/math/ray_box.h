// Ray against box: the slab test (Kay and Kajiya, 1986) that survives directions of 0, -0 and
// denormals. Such a component has no usable reciprocal (infinite, and 0 * infinity is NaN for a ray
// along a face), so below kTinyDirection an axis only asks whether the origin lies between the
// faces.
#pragma once

#include <algorithm>
#include <optional>

#include "shared/math/aabb.h"
#include "shared/math/ray.h"

namespace terrane {

/// The smallest direction component that is divided by. With coordinates up to 2^20 m the quotient
/// stays finite.
inline constexpr float kTinyDirection = 1e-30F;

struct RaySpan {
    float enter = 0.0F;  ///< 0 if the ray starts inside
    float leave = 0.0F;
};

/// The part of the ray inside `box`; touching a face, edge or corner counts. nullopt for a miss, an
/// empty box or a negative t_max.
inline std::optional<RaySpan> intersect(const Ray& ray, const Aabb& box) {
    RaySpan span{0.0F, ray.t_max};
    for (int axis = 0; axis < 3; ++axis) {
        const float origin = ray.origin[axis];
        const float direction = ray.direction[axis];
        if (direction < kTinyDirection && direction > -kTinyDirection) {
            if (origin < box.min[axis] || origin > box.max[axis]) {
                return std::nullopt;
            }
            continue;
        }
        const float t0 = (box.min[axis] - origin) / direction;
        const float t1 = (box.max[axis] - origin) / direction;
        span.enter = std::max(span.enter, std::min(t0, t1));
        span.leave = std::min(span.leave, std::max(t0, t1));
    }
    if (!(span.enter <= span.leave) || is_empty(box)) {
        return std::nullopt;
    }
    return span;
}

}  // namespace terrane
