// The planes of the convex hull of a few points, by trying every three of them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "shared/math/vec.h"

namespace terrane::test {

struct HullPlane {
    Vec3 normal;  ///< unit, outward
    float offset;
};

inline std::vector<HullPlane> hull_planes(std::span<const Vec3> corners, float slack_m = 1e-4F) {
    std::vector<HullPlane> planes;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        for (std::size_t k = i + 1; k < corners.size(); ++k) {
            for (std::size_t m = k + 1; m < corners.size(); ++m) {
                const Vec3 across = glm::cross(corners[k] - corners[i], corners[m] - corners[i]);
                if (glm::length(across) < 1e-7F) {
                    continue;
                }
                Vec3 normal = glm::normalize(across);
                float low = 0.0F;
                float high = 0.0F;
                for (const Vec3& c : corners) {
                    const float height = glm::dot(normal, c - corners[i]);
                    low = std::min(low, height);
                    high = std::max(high, height);
                }
                if (high > slack_m && low < -slack_m) {
                    continue;
                }
                normal = high > slack_m ? -normal : normal;
                planes.push_back({normal, glm::dot(normal, corners[i])});
            }
        }
    }
    return planes;
}

/// How far outside of a plane `point` lies at most; below 0 inside. No planes: far.
inline float outside_m(std::span<const HullPlane> planes, const Vec3& point) {
    float worst = planes.empty() ? 1e9F : -1e9F;
    for (const HullPlane& plane : planes) {
        worst = std::max(worst, glm::dot(plane.normal, point) - plane.offset);
    }
    return worst;
}

}  // namespace terrane::test
