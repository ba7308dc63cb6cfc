#include "shared/shape/body_distance.h"

#include <algorithm>
#include <cmath>

#include <glm/common.hpp>

namespace terrane {

namespace {

/// Nearer than this the direction between two points is noise: they count as overlapping.
constexpr float kOverlapM = 1e-6F;
/// A surface point may be this far off its face.
constexpr float kOnFaceM = 1e-3F;

/// Where on 0..1 the rising function `slope` changes sign: the minimum of its convex integral.
template <typename Slope>
float least(const Slope& slope) {
    if (slope(0.0F) >= 0.0F) {
        return 0.0F;
    }
    if (slope(1.0F) <= 0.0F) {
        return 1.0F;
    }
    float low = 0.0F;
    float high = 1.0F;
    for (int i = 0; i < 24; ++i) {
        const float middle = 0.5F * (low + high);
        (slope(middle) < 0.0F ? low : high) = middle;
    }
    return 0.5F * (low + high);
}

float radius_of(const Vec3& point) {
    return std::sqrt(point.x * point.x + point.z * point.z);
}

/// Looks for the shortest way out among directions: `reach_m` is how far the body reaches along
/// one.
struct WayOut {
    Vec3 middle;
    Vec3 half;  ///< of the segment
    float depth_m = INFINITY;
    Vec3 normal{0.0F, 1.0F, 0.0F};

    template <typename Reach>
    void look(const Vec3& direction, const Reach& reach_m) {
        const float length = std::sqrt(glm::dot(direction, direction));
        if (!(length > kOverlapM)) {
            return;
        }
        Vec3 n = direction / length;
        float along = glm::dot(middle, n);
        if (along < 0.0F) {
            n = -n;
            along = -along;
        }
        const float depth = reach_m(n) + std::abs(glm::dot(half, n)) - along;
        if (depth < depth_m) {
            depth_m = depth;
            normal = n;
        }
    }
};

WayOut way_out_of(const Segment& segment) {
    return {0.5F * (segment.a + segment.b), 0.5F * (segment.b - segment.a)};
}

/// The end of the segment that is deepest when leaving along `normal`.
Vec3 deepest(const Segment& segment, const Vec3& normal) {
    return glm::dot(segment.a, normal) <= glm::dot(segment.b, normal) ? segment.a : segment.b;
}

BodyDistance distance_to_box(const Vec3& half, const Segment& segment) {
    const Vec3 along = segment.b - segment.a;
    const auto nearest = [&](const Vec3& point) { return glm::clamp(point, -half, half); };
    const float t = least([&](float at) {
        const Vec3 point = segment.a + along * at;
        return glm::dot(along, point - nearest(point));
    });
    const Vec3 point = segment.a + along * t;
    const Vec3 on_body = nearest(point);
    const Vec3 away = point - on_body;
    const float distance = std::sqrt(glm::dot(away, away));
    if (distance > kOverlapM) {
        return {distance, away / distance, on_body};
    }
    WayOut out = way_out_of(segment);
    const auto reach_m = [&half](const Vec3& n) { return glm::dot(half, glm::abs(n)); };
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 unit{0.0F};
        unit[axis] = 1.0F;
        out.look(unit, reach_m);
        out.look(glm::cross(along, unit), reach_m);
    }
    return {-out.depth_m, out.normal, nearest(deepest(segment, out.normal))};
}

BodyDistance distance_to_sphere(float radius, const Segment& segment) {
    const Vec3 point = closest_point(segment, Vec3{0.0F});
    const float distance = std::sqrt(glm::dot(point, point));
    Vec3 normal{0.0F, 1.0F, 0.0F};
    if (distance > kOverlapM) {
        normal = point / distance;
    } else {  // through the middle: sideways out of it
        const Vec3 along = segment.b - segment.a;
        const Vec3 side = std::abs(along.x) < std::abs(along.y)
                              ? glm::cross(along, Vec3{1.0F, 0.0F, 0.0F})
                              : glm::cross(along, Vec3{0.0F, 1.0F, 0.0F});
        const float length = std::sqrt(glm::dot(side, side));
        normal = length > kOverlapM ? side / length : normal;
    }
    return {distance - radius, normal, normal * radius};
}

BodyDistance distance_to_cylinder(float radius, float half_length, const Segment& segment) {
    const Vec3 along = segment.b - segment.a;
    const auto nearest = [&](const Vec3& point) {
        const float out = radius_of(point);
        const float share = out > radius ? radius / out : 1.0F;
        return Vec3{point.x * share, std::clamp(point.y, -half_length, half_length),
                    point.z * share};
    };
    const float t = least([&](float at) {
        const Vec3 point = segment.a + along * at;
        return glm::dot(along, point - nearest(point));
    });
    const Vec3 point = segment.a + along * t;
    const Vec3 on_body = nearest(point);
    const Vec3 away = point - on_body;
    const float distance = std::sqrt(glm::dot(away, away));
    if (distance > kOverlapM) {
        return {distance, away / distance, on_body};
    }
    WayOut out = way_out_of(segment);
    const auto reach_m = [&](const Vec3& n) {
        return radius * radius_of(n) + half_length * std::abs(n.y);
    };
    constexpr Vec3 kAxis{0.0F, 1.0F, 0.0F};
    out.look(kAxis, reach_m);
    out.look(glm::cross(along, kAxis), reach_m);
    for (const Vec3& through : {out.middle, segment.a, segment.b}) {
        out.look({through.x, 0.0F, through.z}, reach_m);
    }
    if (radius_of(out.middle) <= kOverlapM) {
        out.look({1.0F, 0.0F, 0.0F}, reach_m);
    }
    return {-out.depth_m, out.normal, nearest(deepest(segment, out.normal))};
}

BodyDistance distance_to_capsule(float radius, float arm, const Segment& segment) {
    const Segment core{{0.0F, -arm, 0.0F}, {0.0F, arm, 0.0F}};
    const ClosestPoints nearest = closest_points(segment, core);
    const float distance = std::sqrt(nearest.distance_squared);
    if (distance > kOverlapM) {
        const Vec3 normal = (nearest.on_first - nearest.on_second) / distance;
        return {distance - radius, normal, nearest.on_second + normal * radius};
    }
    // The inner segments cross: out across both, which is a radius, and no way is shorter.
    constexpr Vec3 kAxis{0.0F, 1.0F, 0.0F};
    const Vec3 across = glm::cross(segment.b - segment.a, kAxis);
    const float length = std::sqrt(glm::dot(across, across));
    const Vec3 normal = length > kOverlapM ? across / length : Vec3{1.0F, 0.0F, 0.0F};
    return {-radius, normal, nearest.on_second + normal * radius};
}

}  // namespace

BodyDistance distance_to_body(BodyShape shape, const Vec3& half_extents, const Segment& segment) {
    switch (shape) {
        case BodyShape::sphere:
            return distance_to_sphere(half_extents.x, segment);
        case BodyShape::cylinder:
            return distance_to_cylinder(half_extents.x, half_extents.y, segment);
        case BodyShape::capsule:
            return distance_to_capsule(half_extents.x, capsule_arm_m(half_extents), segment);
        case BodyShape::player:
        case BodyShape::box:
        case BodyShape::piece:
            break;
    }
    return distance_to_box(half_extents, segment);
}

float face_cosine(BodyShape shape, const Vec3& half_extents, const Vec3& on_body,
                  const Vec3& direction) {
    float best = -1.0F;
    const auto take = [&best](float cosine) { best = std::max(best, cosine); };
    if (shape == BodyShape::sphere || shape == BodyShape::capsule) {
        const float arm = shape == BodyShape::capsule ? capsule_arm_m(half_extents) : 0.0F;
        const Vec3 from = on_body - Vec3(0.0F, std::clamp(on_body.y, -arm, arm), 0.0F);
        const float length = std::sqrt(glm::dot(from, from));
        return length > kOverlapM ? glm::dot(from, direction) / length : -1.0F;
    }
    if (shape == BodyShape::cylinder) {
        const float out = radius_of(on_body);
        if (out >= half_extents.x - kOnFaceM && out > kOverlapM) {
            take((on_body.x * direction.x + on_body.z * direction.z) / out);
        }
        if (std::abs(on_body.y) >= half_extents.y - kOnFaceM) {
            take(on_body.y >= 0.0F ? direction.y : -direction.y);
        }
        return best;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (std::abs(on_body[axis]) >= half_extents[axis] - kOnFaceM) {
            take(on_body[axis] >= 0.0F ? direction[axis] : -direction[axis]);
        }
    }
    return best;
}

}  // namespace terrane
