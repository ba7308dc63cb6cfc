#include "shared/scene/solid.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

#include "shared/scene/ray_solid.h"
#include "shared/shape/triangle_sweep.h"

namespace terrane {

void SolidParts::add(std::span<const Vec3> part) {
    corners.insert(corners.end(), part.begin(), part.end());
    ends.push_back(static_cast<std::uint32_t>(corners.size()));
    for (const Vec3& corner : part) {
        box = merge(box, corner);
    }
}

SolidSweep::SolidSweep(const QueryShape& shape, const Vec3& shape_way)
    : core(core_of(shape)), way(shape_way) {}

namespace {

constexpr double kLandM = 1e-6;  ///< so near counts as touching

/// The core of every shape but a piece.
ConvexCore core_of_whole(const Solid& solid) {
    ConvexCore core;
    core.centre = solid.position;
    core.half = solid.half_extents;
    switch (solid.shape) {
        case BodyShape::sphere:
            core.form = CoreForm::point;
            core.radius_m = core.half.x;
            return core;  // no turn shows
        case BodyShape::player:
        case BodyShape::capsule:
            core.form = CoreForm::segment;
            core.radius_m = core.half.x;
            core.half = {0.0, static_cast<double>(capsule_arm_m(solid.half_extents)), 0.0};
            break;
        case BodyShape::cylinder:
            core.form = CoreForm::cylinder;
            break;
        case BodyShape::box:
        case BodyShape::piece:
            core.form = CoreForm::box;
            break;
    }
    turn_core(core, solid.rotation);
    return core;
}

/// Calls visit(core) for the solid, or for each part of a piece.
template <typename Visit>
void for_each_core(const Solid& solid, const Visit& visit) {
    if (solid.shape != BodyShape::piece || solid.parts == nullptr) {
        visit(core_of_whole(solid));
        return;
    }
    ConvexCore core;
    core.form = CoreForm::hull;
    core.centre = solid.position;
    turn_core(core, solid.rotation);
    const std::span<const Vec3> corners = solid.parts->corners;
    std::uint32_t first = 0;
    for (const std::uint32_t end : solid.parts->ends) {
        if (end > first) {
            core.corners = corners.subspan(first, end - first);
            visit(core);
        }
        first = end;
    }
}

Vec3 against(const glm::dvec3& way) {
    const double length = glm::length(way);
    return length > 0.0 ? Vec3(-way / length) : Vec3{0.0F, 1.0F, 0.0F};
}

/// A little smaller: tells cores that touch from cores that are deep in each other.
ConvexCore shrunk(const ConvexCore& core, double by_m) {
    ConvexCore smaller = core;
    smaller.half = glm::max(core.half - by_m, glm::dvec3{0.0});
    return smaller;
}

/// Where the mover is touched at its start, if it is.
enum class Start : std::uint8_t { apart, touching, deep };

Start start_of(const ConvexCore& mover, const ConvexCore& target, double touch_m, CoreGap& gap) {
    gap = gap_between(mover, target);
    if (gap.distance_m > touch_m + kLandM) {
        return Start::apart;
    }
    if (gap.distance_m > 0.0) {
        return gap.distance_m >= touch_m - kTouchDepthM ? Start::touching : Start::deep;
    }
    // Cores that meet: is it only by a touch? Round ones have their radius to be deep in.
    if (touch_m > kTouchDepthM) {
        return Start::deep;
    }
    gap = gap_between(shrunk(mover, kTouchDepthM), shrunk(target, kTouchDepthM));
    return gap.distance_m > 0.0 ? Start::touching : Start::deep;
}

std::optional<SolidHit> sweep_core(const ConvexCore& target, const SolidSweep& sweep,
                                   double limit_t) {
    constexpr int kStepsMax = 64;
    constexpr double kNearM = 1e-4;  // after so many steps: a touch in passing
    ConvexCore mover = sweep.core;
    const double touch_m = mover.radius_m + target.radius_m;
    CoreGap gap;
    const auto hit_at = [&](double t) {
        return SolidHit{static_cast<float>(t), Vec3(gap.normal),
                        Vec3(gap.on_second + gap.normal * target.radius_m)};
    };
    switch (start_of(mover, target, touch_m, gap)) {
        case Start::deep:
            return SolidHit{0.0F, against(sweep.way),
                            Vec3(gap.distance_m > 0.0 ? gap.on_second : mover.centre)};
        case Start::touching:
            return glm::dot(gap.normal, sweep.way) < 0.0 ? std::optional(hit_at(0.0))
                                                         : std::nullopt;
        case Start::apart:
            break;
    }
    double t = 0.0;
    for (int step = 0; step < kStepsMax && gap.distance_m > touch_m + kLandM; ++step) {
        const double closing = -glm::dot(gap.normal, sweep.way);
        // The proven plane is not the exact normal: only a rate above rounding may say never.
        if (!(closing > 0.0)) {
            return std::nullopt;
        }
        t += std::max(gap.proven_m - touch_m, 0.25 * kLandM) / closing;
        if (!(t <= limit_t)) {
            return std::nullopt;
        }
        mover.centre = sweep.core.centre + sweep.way * t;
        const CoreGap next = gap_between(mover, target);
        if (next.distance_m <= 0.0) {
            return hit_at(t);  // cores without a radius: they meet within rounding
        }
        gap = next;
    }
    return gap.distance_m <= touch_m + kNearM ? std::optional(hit_at(t)) : std::nullopt;
}

}  // namespace

Aabb bounds_of(const Solid& solid) {
    const bool has_parts = solid.shape == BodyShape::piece && solid.parts != nullptr;
    const Vec3 half = has_parts ? half_extents(solid.parts->box)
                      : solid.shape == BodyShape::player
                          ? box_half_extents(BodyShape::capsule, solid.half_extents)
                          : box_half_extents(solid.shape, solid.half_extents);
    const Vec3 middle =
        has_parts ? solid.position + solid.rotation * centre(solid.parts->box) : solid.position;
    if (!is_finite(middle) || !is_finite(half) || (has_parts && is_empty(solid.parts->box))) {
        return {};
    }
    Vec3 reach = half;
    if (solid.shape != BodyShape::sphere) {
        const Mat3 axes = glm::mat3_cast(solid.rotation);
        reach =
            glm::abs(axes[0]) * half.x + glm::abs(axes[1]) * half.y + glm::abs(axes[2]) * half.z;
    }
    const Vec3 room = 1e-3F + 0x1p-20F * (glm::abs(middle) + reach);
    const Aabb box{middle - reach - room, middle + reach + room};
    return is_finite(box.min) && is_finite(box.max) ? box : Aabb{};
}

std::optional<SolidHit> raycast(const Solid& solid, const Ray& ray) {
    const glm::dvec3 direction(ray.direction);
    if (!is_finite(ray.origin) || !is_finite(ray.direction) ||
        !(glm::dot(direction, direction) > 0.0)) {
        return std::nullopt;
    }
    std::optional<SolidHit> best;
    for_each_core(solid, [&](const ConvexCore& core) {
        std::optional<SolidHit> hit;
        if (core.form == CoreForm::hull) {
            // A hull has no closed form: a point moves towards it.
            SolidSweep point(make_sphere(ray.origin, 0.0F), ray.direction);
            hit = sweep_core(core, point, static_cast<double>(best ? best->t : ray.t_max));
        } else {
            hit = raycast_core(core, ray);
        }
        if (hit && hit->t <= ray.t_max && (!best || hit->t < best->t)) {
            best = hit;
        }
    });
    return best;
}

std::optional<SolidHit> sweep(const Solid& solid, const SolidSweep& sweep, float limit_t) {
    std::optional<SolidHit> best;
    for_each_core(solid, [&](const ConvexCore& core) {
        const std::optional<SolidHit> hit =
            sweep_core(core, sweep, static_cast<double>(best ? best->t : limit_t));
        if (hit && (!best || hit->t < best->t)) {
            best = hit;
        }
    });
    return best;
}

bool overlaps(const Solid& solid, const ConvexCore& shape) {
    bool is_met = false;
    for_each_core(solid, [&](const ConvexCore& core) {
        is_met = is_met ||
                 gap_between(shape, core).distance_m <= shape.radius_m + core.radius_m + kLandM;
    });
    return is_met;
}

bool overlaps(const Solid& solid, const Frustum& frustum) {
    bool is_met = false;
    for_each_core(solid, [&](const ConvexCore& core) {
        is_met = is_met || std::ranges::all_of(frustum.planes, [&](const Plane3& plane) {
                     const double d = plane.d;
                     return reach_along(core, glm::dvec3(plane.normal)) + d >= 0.0;
                 });
    });
    return is_met;
}

SolidNearest nearest_to(const Solid& solid, const Vec3& point) {
    const ConvexCore from = core_of(make_sphere(point, 0.0F));
    SolidNearest best{INFINITY, point};
    for_each_core(solid, [&](const ConvexCore& core) {
        const CoreGap gap = gap_between(from, core);
        const double distance = gap.distance_m - core.radius_m;
        const bool is_inside = !(distance > 0.0);
        const float distance_m = is_inside ? 0.0F : static_cast<float>(distance);
        if (distance_m < best.distance_m) {
            best = {distance_m,
                    is_inside ? point : Vec3(gap.on_second + gap.normal * core.radius_m)};
        }
    });
    return best;
}

}  // namespace terrane
