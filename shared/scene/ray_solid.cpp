#include "shared/scene/ray_solid.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

namespace terrane {
namespace {

/// In the solid's frame. t counts in lengths of `way`.
struct LocalRay {
    glm::dvec3 from;
    glm::dvec3 way;
};

struct LocalHit {
    double t = 0.0;
    glm::dvec3 normal{0.0};  ///< zero: it starts inside
};

using MaybeHit = std::optional<LocalHit>;

/// The part of the ray in a convex body, as it is cut by one surface after another.
struct Span {
    double enter = 0.0;
    double leave = INFINITY;
    glm::dvec3 normal{0.0};

    void cut(double from, double to, const glm::dvec3& entered_by) {
        if (from > enter) {
            enter = from;
            normal = entered_by;
        }
        leave = std::min(leave, to);
    }
    MaybeHit hit() const { return enter <= leave ? MaybeHit(LocalHit{enter, normal}) : MaybeHit(); }
};

/// Cuts by the slab |place[axis]| <= half; false: never in it.
bool cut_slab(Span& span, const LocalRay& ray, int axis, double half) {
    const double from = ray.from[axis];
    const double way = ray.way[axis];
    if (way == 0.0) {
        return std::abs(from) <= half;
    }
    const double near = (way > 0.0 ? -half : half) - from;
    const double far = (way > 0.0 ? half : -half) - from;
    glm::dvec3 normal{0.0};
    normal[axis] = way > 0.0 ? -1.0 : 1.0;
    span.cut(near / way, far / way, normal);
    return true;
}

MaybeHit ray_box(const LocalRay& ray, const glm::dvec3& half) {
    Span span;
    for (int axis = 0; axis < 3; ++axis) {
        if (!cut_slab(span, ray, axis, half[axis])) {
            return {};
        }
    }
    return span.hit();
}

/// Cuts by |p + t w|^2 <= radius^2, of vectors that leave out what does not count.
bool cut_round(Span& span, const glm::dvec3& p, const glm::dvec3& w, double radius) {
    const double a = glm::dot(w, w);
    const double outside = glm::dot(p, p) - radius * radius;
    if (a == 0.0) {
        return outside <= 0.0;
    }
    const double b = glm::dot(p, w);
    // The distance of the line by itself, not b^2 - a c: that cancels for what is far.
    const glm::dvec3 nearest = p - w * (b / a);
    const double inside = radius * radius - glm::dot(nearest, nearest);
    if (inside < 0.0) {
        return false;
    }
    const double half_chord = std::sqrt(inside / a);
    const double enter = -b / a - half_chord;
    const glm::dvec3 place = p + w * enter;
    const double length = glm::length(place);
    span.cut(enter, -b / a + half_chord, length > 0.0 ? place / length : glm::dvec3{0.0});
    return true;
}

MaybeHit ray_cylinder(const LocalRay& ray, double radius, double half_length) {
    Span span;
    const glm::dvec3 across{1.0, 0.0, 1.0};
    if (!cut_slab(span, ray, 1, half_length) ||
        !cut_round(span, ray.from * across, ray.way * across, radius)) {
        return {};
    }
    return span.hit();
}

MaybeHit ray_sphere(const LocalRay& ray, const glm::dvec3& centre, double radius) {
    Span span;
    if (!cut_round(span, ray.from - centre, ray.way, radius)) {
        return {};
    }
    return span.hit();
}

/// The first of its cylinder and its two balls.
MaybeHit ray_capsule(const LocalRay& ray, double radius, double arm) {
    MaybeHit best = ray_cylinder(ray, radius, arm);
    for (const double end : {-arm, arm}) {
        const MaybeHit hit = ray_sphere(ray, {0.0, end, 0.0}, radius);
        if (hit && (!best || hit->t < best->t)) {
            best = hit;
        }
    }
    return best;
}

MaybeHit ray_local(const ConvexCore& core, const LocalRay& ray) {
    switch (core.form) {
        case CoreForm::point:
            return ray_sphere(ray, glm::dvec3{0.0}, core.radius_m);
        case CoreForm::segment:
            return ray_capsule(ray, core.radius_m, core.half.y);
        case CoreForm::cylinder:
            return ray_cylinder(ray, core.half.x, core.half.y);
        case CoreForm::box:
        case CoreForm::hull:
            break;
    }
    return ray_box(ray, core.half);
}

}  // namespace

std::optional<SolidHit> raycast_core(const ConvexCore& core, const Ray& ray) {
    const glm::dvec3 origin(ray.origin);
    const glm::dvec3 direction(ray.direction);
    const auto local = [&](const glm::dvec3& v) {
        return glm::dvec3{glm::dot(core.axes[0], v), glm::dot(core.axes[1], v),
                          glm::dot(core.axes[2], v)};
    };
    const MaybeHit hit = ray_local(core, {local(origin - core.centre), local(direction)});
    const double t_max = ray.t_max;
    if (!hit || !(hit->t <= t_max)) {
        return std::nullopt;
    }
    const glm::dvec3& n = hit->normal;
    const bool is_inside = n == glm::dvec3{0.0};
    const glm::dvec3 normal = is_inside
                                  ? -direction / glm::length(direction)
                                  : core.axes[0] * n.x + core.axes[1] * n.y + core.axes[2] * n.z;
    return SolidHit{static_cast<float>(hit->t), Vec3(normal), Vec3(origin + direction * hit->t)};
}

}  // namespace terrane
