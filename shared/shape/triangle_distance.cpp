#include "shared/shape/triangle_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace terrane {
namespace {

using glm::dvec3;
using Triangle = std::array<dvec3, 3>;

/// The nearest pair found so far.
struct Nearest {
    double squared = std::numeric_limits<double>::infinity();
    dvec3 away{0.0};
    dvec3 on_triangle{0.0};
    bool is_over_face = false;

    void offer(const dvec3& on_core, const dvec3& on, bool is_face = false) {
        const dvec3 between = on_core - on;
        const double other = glm::dot(between, between);
        if (other < squared) {
            squared = other;
            away = between;
            on_triangle = on;
            is_over_face = is_face;
        }
    }
};

/// Where the line through `point` along the normal meets the triangle; false: beside it.
/// The sides' signs come from each edge's own ends only, so that neighbours agree.
bool is_over(const dvec3& point, const Triangle& triangle, const dvec3& normal) {
    for (std::size_t i = 0; i < 3; ++i) {
        const dvec3 edge = triangle[(i + 1) % 3] - triangle[i];
        if (glm::dot(glm::cross(normal, edge), point - triangle[i]) < 0.0) {
            return false;
        }
    }
    return true;
}

/// The point of the segment from `a`, `edge` long, nearest to `point`.
dvec3 nearest_on(const dvec3& point, const dvec3& a, const dvec3& edge) {
    const double size = glm::dot(edge, edge);
    const double along = glm::dot(point - a, edge);
    return a + (size > 0.0 ? std::clamp(along / size, 0.0, 1.0) : 0.0) * edge;
}

/// Offers the nearest points of two segments.
void offer_segments(const dvec3& low, const dvec3& core, const dvec3& a, const dvec3& edge,
                    Nearest& nearest) {
    const dvec3 between = low - a;
    const double cc = glm::dot(core, core);
    const double ee = glm::dot(edge, edge);
    const double ce = glm::dot(core, edge);
    const double c = glm::dot(core, between);
    const double e = glm::dot(edge, between);
    const double area = cc * ee - ce * ce;
    // In parallel any place does; the ends then say which.
    double s = area > 1e-14 * cc * ee ? std::clamp((ce * e - c * ee) / area, 0.0, 1.0) : 0.0;
    double t = ee > 0.0 ? (ce * s + e) / ee : 0.0;
    if (t < 0.0 || t > 1.0) {
        t = std::clamp(t, 0.0, 1.0);
        s = std::clamp((ce * t - c) / cc, 0.0, 1.0);
    }
    nearest.offer(low + s * core, a + t * edge);
}

}  // namespace

CoreDistance distance_to_triangle(const dvec3& low, const dvec3& high, const Triangle& triangle) {
    const dvec3 normal = glm::cross(triangle[1] - triangle[0], triangle[2] - triangle[0]);
    const double size = glm::dot(normal, normal);
    const dvec3 core = high - low;
    const bool is_point = glm::dot(core, core) == 0.0;
    Nearest nearest;
    bool is_face = false;
    if (size > 0.0) {
        const double low_side = glm::dot(normal, low - triangle[0]);
        const double high_side = glm::dot(normal, high - triangle[0]);
        if (low_side * high_side < 0.0) {
            const dvec3 through = low + (low_side / (low_side - high_side)) * core;
            if (is_over(through, triangle, normal)) {
                return {0.0, dvec3{0.0}, through, true};
            }
        }
        const bool is_low_over = is_over(low, triangle, normal);
        const bool is_high_over = is_point ? is_low_over : is_over(high, triangle, normal);
        if (is_low_over) {
            nearest.offer(low, low - (low_side / size) * normal, true);
        }
        if (is_high_over) {
            nearest.offer(high, high - (high_side / size) * normal, true);
        }
        is_face = is_low_over && is_high_over;
    }
    // Both ends over the face, on one side of it: nothing can be nearer than the nearer end.
    for (std::size_t i = 0; i < 3 && !is_face; ++i) {
        const dvec3 edge = triangle[(i + 1) % 3] - triangle[i];
        if (is_point) {
            nearest.offer(low, nearest_on(low, triangle[i], edge));
        } else {
            offer_segments(low, core, triangle[i], edge, nearest);
            nearest.offer(low, nearest_on(low, triangle[i], edge));
            nearest.offer(high, nearest_on(high, triangle[i], edge));
        }
    }
    const double distance = std::sqrt(nearest.squared);
    return {distance, distance > 0.0 ? nearest.away / distance : dvec3{0.0}, nearest.on_triangle,
            nearest.is_over_face};
}

}  // namespace terrane
