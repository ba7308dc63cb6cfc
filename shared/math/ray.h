// A ray is origin + t * direction for t in [0, t_max]. The direction need not have length 1: t
// counts in its length, so a segment from a to b is {a, b - a, 1}. Zero, -0 and denormal
// components are legal.
#pragma once

#include "shared/math/vec.h"

namespace terrane {

struct Ray {
    Vec3 origin{0.0F};
    Vec3 direction{0.0F, 0.0F, 1.0F};
    float t_max = 1.0F;
};

inline Vec3 point_at(const Ray& ray, float t) {
    return ray.origin + t * ray.direction;
}

}  // namespace terrane
