#include "shared/math/segment.h"

#include <algorithm>
#include <array>

namespace terrane {

Vec3 closest_point(const Line& line, const Vec3& point) {
    const float length_squared = glm::dot(line.direction, line.direction);
    if (!(length_squared > 0.0F)) {
        return line.point;
    }
    return line.point +
           line.direction * (glm::dot(point - line.point, line.direction) / length_squared);
}

Vec3 closest_point(const Segment& segment, const Vec3& point) {
    const Vec3 along = segment.b - segment.a;
    const float length_squared = glm::dot(along, along);
    const float t = glm::dot(point - segment.a, along);
    if (!(t > 0.0F)) {
        return segment.a;
    }
    if (t >= length_squared) {
        return segment.b;
    }
    return segment.a + along * (t / length_squared);
}

Vec3 closest_point_on_triangle(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 ab = b - a;
    const Vec3 ac = c - a;
    const Vec3 ap = point - a;
    const float d1 = glm::dot(ab, ap);
    const float d2 = glm::dot(ac, ap);
    if (d1 <= 0.0F && d2 <= 0.0F) {
        return a;
    }
    const Vec3 bp = point - b;
    const float d3 = glm::dot(ab, bp);
    const float d4 = glm::dot(ac, bp);
    if (d3 >= 0.0F && d4 <= d3) {
        return b;
    }
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0F && d1 >= 0.0F && d3 <= 0.0F && d1 - d3 > 0.0F) {
        return a + ab * (d1 / (d1 - d3));
    }
    const Vec3 cp = point - c;
    const float d5 = glm::dot(ab, cp);
    const float d6 = glm::dot(ac, cp);
    if (d6 >= 0.0F && d5 <= d6) {
        return c;
    }
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0F && d2 >= 0.0F && d6 <= 0.0F && d2 - d6 > 0.0F) {
        return a + ac * (d2 / (d2 - d6));
    }
    const float va = d3 * d6 - d5 * d4;
    const float to_c = d4 - d3;
    const float to_b = d5 - d6;
    if (va <= 0.0F && to_c >= 0.0F && to_b >= 0.0F && to_c + to_b > 0.0F) {
        return b + (c - b) * (to_c / (to_c + to_b));
    }
    const float sum = va + vb + vc;
    if (!(sum > 0.0F)) {  // no area left after rounding: the nearest of the sides is the answer
        const std::array<Vec3, 3> sides{closest_point(Segment{a, b}, point),
                                        closest_point(Segment{b, c}, point),
                                        closest_point(Segment{c, a}, point)};
        return *std::ranges::min_element(
            sides, {}, [&](const Vec3& side) { return glm::dot(side - point, side - point); });
    }
    return a + ab * (vb / sum) + ac * (vc / sum);
}

ClosestPoints closest_points(const Segment& first, const Segment& second) {
    const Vec3 d1 = first.b - first.a;
    const Vec3 d2 = second.b - second.a;
    const Vec3 r = first.a - second.a;
    const float aa = glm::dot(d1, d1);
    const float ee = glm::dot(d2, d2);
    const float f = glm::dot(d2, r);
    float s = 0.0F;
    float t = 0.0F;
    if (aa > 0.0F && ee > 0.0F) {
        const float b = glm::dot(d1, d2);
        const float c = glm::dot(d1, r);
        const float denominator = aa * ee - b * b;
        // Parallel within rounding: any s will do, take the start.
        s = denominator > 1e-7F * aa * ee ? std::clamp((b * f - c * ee) / denominator, 0.0F, 1.0F)
                                          : 0.0F;
        t = (b * s + f) / ee;
        if (t < 0.0F) {
            t = 0.0F;
            s = std::clamp(-c / aa, 0.0F, 1.0F);
        } else if (t > 1.0F) {
            t = 1.0F;
            s = std::clamp((b - c) / aa, 0.0F, 1.0F);
        }
    } else if (ee > 0.0F) {
        t = std::clamp(f / ee, 0.0F, 1.0F);
    } else if (aa > 0.0F) {
        s = std::clamp(-glm::dot(d1, r) / aa, 0.0F, 1.0F);
    }
    const Vec3 on_first = first.a + d1 * s;
    const Vec3 on_second = second.a + d2 * t;
    const Vec3 away = on_first - on_second;
    return {on_first, on_second, glm::dot(away, away)};
}

namespace {

/// The point where `segment` passes through the triangle's inside, if it does.
bool crosses(const Segment& segment, const Vec3& a, const Vec3& b, const Vec3& c, Vec3& point) {
    const Vec3 normal = glm::cross(b - a, c - a);
    const float da = glm::dot(segment.a - a, normal);
    const float db = glm::dot(segment.b - a, normal);
    if ((da > 0.0F) == (db > 0.0F) || da == db) {
        return false;
    }
    point = segment.a + (segment.b - segment.a) * (da / (da - db));
    return glm::dot(glm::cross(b - a, point - a), normal) >= 0.0F &&
           glm::dot(glm::cross(c - b, point - b), normal) >= 0.0F &&
           glm::dot(glm::cross(a - c, point - c), normal) >= 0.0F;
}

}  // namespace

ClosestPoints closest_points(const Segment& segment, const Vec3& a, const Vec3& b, const Vec3& c) {
    Vec3 crossing;
    if (crosses(segment, a, b, c, crossing)) {
        return {crossing, crossing, 0.0F};
    }
    // Otherwise an end of the segment or a side of the triangle takes part in the closest pair.
    ClosestPoints best;
    best.distance_squared = INFINITY;
    const auto keep = [&best](const ClosestPoints& found) {
        if (found.distance_squared < best.distance_squared) {
            best = found;
        }
    };
    for (const Vec3& end : {segment.a, segment.b}) {
        const Vec3 on_triangle = closest_point_on_triangle(end, a, b, c);
        const Vec3 away = end - on_triangle;
        keep({end, on_triangle, glm::dot(away, away)});
    }
    keep(closest_points(segment, Segment{a, b}));
    keep(closest_points(segment, Segment{b, c}));
    keep(closest_points(segment, Segment{c, a}));
    return best;
}

}  // namespace terrane
