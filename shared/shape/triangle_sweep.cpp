#include "shared/shape/triangle_sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared/core/assert.h"
#include "shared/shape/triangle_distance.h"

namespace terrane {
namespace {

using glm::dvec3;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Nearer than this (metres) a distance counts as none: far above rounding, far below a float.
constexpr double kNoneM = 1e-9;
/// Closing in by less than this (metres a metre) counts as moving along.
constexpr double kAlong = 1e-6;
/// Newton quarters the gap even where the way only grazes: twenty steps from a metre to kNoneM.
constexpr int kSteps = 40;
/// Cosine to a triangle's normal: what leans back farther leads through it.
constexpr double kBack = -0.25;

dvec3 to_double(const Vec3& v) {
    return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
Vec3 to_float(const dvec3& v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
double length(const dvec3& v) {
    return std::sqrt(glm::dot(v, v));
}

/// Unit; up for a triangle without area.
dvec3 unit_or_up(const dvec3& normal) {
    const double size = length(normal);
    return size > 0.0 ? normal / size : dvec3{0.0, 1.0, 0.0};
}

/// What lies on an axis: of the triangle, and of the box around its centre.
struct Shadow {
    double low;
    double high;
    double reach;
};

}  // namespace

ShapeSweep::ShapeSweep(const QueryShape& shape, const Vec3& way)
    : shape_(shape),
      centre_(to_double(shape.centre)),
      way_(to_double(way)),
      half_(to_double(shape.half_extents)),
      radius_(static_cast<double>(shape.radius_m)),
      bounds_(bounds_of(shape)) {
    TERRANE_DEBUG_ASSERT(is_valid(shape));
    const auto w = static_cast<double>(shape.rotation.w);
    const auto x = static_cast<double>(shape.rotation.x);
    const auto y = static_cast<double>(shape.rotation.y);
    const auto z = static_cast<double>(shape.rotation.z);
    axes_[0] = {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)};
    axes_[1] = {2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)};
    axes_[2] = {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)};
    for (dvec3& axis : axes_) {
        axis /= length(axis);
    }
}

Aabb ShapeSweep::bounds(double t0, double t1) const {
    constexpr float kRoomM = 1.0F / 512.0F;
    const Vec3 first = to_float(t0 * way_);
    const Vec3 last = to_float(t1 * way_);
    const Aabb box{bounds_.min + glm::min(first, last), bounds_.max + glm::max(first, last)};
    const Vec3 largest = glm::max(glm::abs(box.min), glm::abs(box.max));
    const float room = kRoomM + 0x1p-21F * std::max(largest.x, std::max(largest.y, largest.z));
    return grow(box, room);
}

ShapeSweep::Triangle ShapeSweep::place(const Vec3& a, const Vec3& b, const Vec3& c) const {
    return {to_double(a) - centre_, to_double(b) - centre_, to_double(c) - centre_};
}

/// Cheap: does the shape stay before or behind the triangle's plane all the way?
bool ShapeSweep::stays_on_one_side(const Triangle& triangle, const dvec3& normal,
                                   double limit_t) const {
    const double size = length(normal);
    double reach = radius_ * size;
    for (int axis = 0; axis < 3; ++axis) {
        reach += std::abs(glm::dot(normal, axes_[static_cast<std::size_t>(axis)])) * half_[axis];
    }
    const double first = -glm::dot(normal, triangle[0]);
    const double last = first + glm::dot(normal, way_) * limit_t;
    const double margin = 1e-6 * size;
    return std::min(first, last) > reach + margin || std::max(first, last) < -reach - margin;
}

std::optional<TriangleTouch> ShapeSweep::touch(const Vec3& a, const Vec3& b, const Vec3& c,
                                               double limit_t) const {
    const Triangle triangle = place(a, b, c);
    const dvec3 normal = glm::cross(triangle[1] - triangle[0], triangle[2] - triangle[0]);
    if (stays_on_one_side(triangle, normal, limit_t)) {
        return std::nullopt;
    }
    return shape_.form == QueryForm::box ? touch_box(triangle, normal, limit_t)
                                         : touch_round(triangle, normal, limit_t);
}

std::optional<TriangleTouch> ShapeSweep::overlap(const Vec3& a, const Vec3& b,
                                                 const Vec3& c) const {
    const Triangle triangle = place(a, b, c);
    const dvec3 normal = glm::cross(triangle[1] - triangle[0], triangle[2] - triangle[0]);
    return shape_.form == QueryForm::box ? overlap_box(triangle, normal)
                                         : overlap_round(triangle, normal);
}

// ---- spheres and capsules ----

std::optional<TriangleTouch> ShapeSweep::touch_round(const Triangle& triangle, const dvec3& normal,
                                                     double limit_t) const {
    const dvec3 core = half_.y * axes_[1];
    const double along = kAlong * length(way_);
    // First to where it touches, then on to where it would be in deeper: what never is only grazes.
    const std::array<double, 2> radii{radius_, std::max(radius_ - kTouchDepthM, 0.0)};
    TriangleTouch touch;
    double t = 0.0;
    dvec3 away{0.0};
    std::size_t part = 0;
    for (int step = 0; step < kSteps; ++step) {
        const dvec3 middle = t * way_;
        const CoreDistance found = distance_to_triangle(middle - core, middle + core, triangle);
        const double gap = found.distance_m - radii[part];
        if (step == 0 && gap < -kTouchDepthM) {
            return overlap_round(triangle, normal);
        }
        if (found.distance_m >= kNoneM) {
            away = found.away;
        } else if (step == 0) {  // its core touches: the face's normal, on the side it came from
            away = unit_or_up(normal);
            away = glm::dot(away, way_) > 0.0 ? -away : away;
        }
        const double closing = -glm::dot(away, way_);
        if (closing <= along) {
            return std::nullopt;
        }
        // The last step is taken too: it makes a small gap smaller by orders.
        t = std::max(t + gap / closing, t);
        if (part == 0 && t > limit_t) {
            return std::nullopt;
        }
        if (gap <= kNoneM) {
            if (part == 1 || radii[0] == radii[1]) {
                return part == 1 ? touch : TriangleTouch{t, 0.0, to_float(away)};
            }
            touch = {t, 0.0, to_float(away)};
            part = 1;
        }
    }
    return part == 1 ? touch : TriangleTouch{t, 0.0, to_float(away)};
}

std::optional<TriangleTouch> ShapeSweep::overlap_round(const Triangle& triangle,
                                                       const dvec3& normal) const {
    const dvec3 core = half_.y * axes_[1];
    const CoreDistance found = distance_to_triangle(-core, core, triangle);
    if (found.distance_m > radius_) {
        return std::nullopt;
    }
    const dvec3 front = unit_or_up(normal);
    const bool is_behind = found.is_over_face && glm::dot(found.away, front) <= 0.0;
    if (found.distance_m >= kNoneM && !is_behind) {
        return TriangleTouch{0.0, radius_ - found.distance_m, to_float(found.away)};
    }
    // Its core is behind the face or in it: out to the front, both ends of it.
    const double lowest = -glm::dot(front, triangle[0]) - std::abs(glm::dot(front, core));
    return TriangleTouch{0.0, radius_ - lowest, to_float(front)};
}

// ---- boxes ----

namespace {

/// Calls visit(axis) for the directions that can separate a box and a triangle, until it returns
/// false: the triangle's normal, the box's faces, and edges against edges. Those without length
/// (edges in parallel) are left out: another one speaks for them.
template <typename Visit>
bool for_each_axis(const std::array<dvec3, 3>& box, const std::array<dvec3, 3>& triangle,
                   const dvec3& normal, Visit&& visit) {
    constexpr double kFlat = 1e-6;  // sine
    if (const double size = length(normal); size > 0.0 && !visit(normal / size)) {
        return false;
    }
    for (const dvec3& axis : box) {
        if (!visit(axis)) {
            return false;
        }
    }
    for (std::size_t edge = 0; edge < 3; ++edge) {
        const dvec3 along = triangle[(edge + 1) % 3] - triangle[edge];
        const double along_length = length(along);
        for (const dvec3& axis : box) {
            const dvec3 across = glm::cross(axis, along);
            const double size = length(across);
            if (size > kFlat * along_length && !visit(across / size)) {
                return false;
            }
        }
    }
    return true;
}

Shadow shadow(const dvec3& axis, const std::array<dvec3, 3>& triangle,
              const std::array<dvec3, 3>& box, const dvec3& half) {
    const double a = glm::dot(axis, triangle[0]);
    const double b = glm::dot(axis, triangle[1]);
    const double c = glm::dot(axis, triangle[2]);
    return {std::min(a, std::min(b, c)), std::max(a, std::max(b, c)),
            std::abs(glm::dot(axis, box[0])) * half.x + std::abs(glm::dot(axis, box[1])) * half.y +
                std::abs(glm::dot(axis, box[2])) * half.z};
}

}  // namespace

std::optional<TriangleTouch> ShapeSweep::touch_box(const Triangle& triangle, const dvec3& normal,
                                                   double limit_t) const {
    double enter = -kInfinity;
    double leave = kInfinity;
    // Of what is in deeper than touching: if it never is, it only grazes.
    double enter_deeper = -kInfinity;
    double leave_deeper = kInfinity;
    dvec3 last{0.0, 1.0, 0.0};
    // Starting in touch, the direction that has the least to go decides whether it moves in.
    double least_m = kInfinity;
    dvec3 least{0.0, 1.0, 0.0};
    const bool meets = for_each_axis(axes_, triangle, normal, [&](const dvec3& axis) {
        const Shadow on = shadow(axis, triangle, axes_, half_);
        const double speed = glm::dot(axis, way_);
        const double up_m = on.high + on.reach;  // to go along the axis
        const double down_m = on.reach - on.low;
        if (std::min(up_m, down_m) < least_m - kNoneM) {
            least_m = std::min(up_m, down_m);
            least = up_m <= down_m ? axis : -axis;
        }
        const double deeper_m = std::min(kTouchDepthM, on.reach);
        if (speed == 0.0) {
            return up_m >= deeper_m && down_m >= deeper_m;
        }
        const double first = speed > 0.0 ? -down_m / speed : up_m / speed;
        const double until = speed > 0.0 ? up_m / speed : -down_m / speed;
        if (first > enter) {
            enter = first;
            last = speed > 0.0 ? -axis : axis;
        }
        leave = std::min(leave, until);
        const double later = deeper_m / std::abs(speed);
        enter_deeper = std::max(enter_deeper, first + later);
        leave_deeper = std::min(leave_deeper, until - later);
        return enter <= limit_t && enter_deeper <= leave_deeper;
    });
    if (!meets || leave < 0.0) {
        return std::nullopt;
    }
    if (enter > 0.0) {
        return TriangleTouch{enter, 0.0, to_float(last)};
    }
    if (least_m > kTouchDepthM) {
        return overlap_box(triangle, normal);
    }
    if (-glm::dot(least, way_) <= kAlong * length(way_)) {
        return std::nullopt;
    }
    return TriangleTouch{0.0, 0.0, to_float(least)};
}

std::optional<TriangleTouch> ShapeSweep::overlap_box(const Triangle& triangle,
                                                     const dvec3& normal) const {
    const dvec3 front = unit_or_up(normal);
    double front_m = kInfinity;
    double least_m = kInfinity;
    dvec3 least = front;
    bool is_first = glm::dot(normal, normal) > 0.0;  // the triangle's own
    const bool meets = for_each_axis(axes_, triangle, normal, [&](const dvec3& axis) {
        const Shadow on = shadow(axis, triangle, axes_, half_);
        const double up_m = on.high + on.reach;
        const double down_m = on.reach - on.low;
        if (is_first) {
            front_m = up_m;
            is_first = false;
            return up_m >= 0.0 && down_m >= 0.0;
        }
        const double facing = glm::dot(axis, front);
        if (facing >= kBack && up_m < least_m - kNoneM) {
            least_m = up_m;
            least = axis;
        }
        if (-facing >= kBack && down_m < least_m - kNoneM) {
            least_m = down_m;
            least = -axis;
        }
        return up_m >= 0.0 && down_m >= 0.0;
    });
    if (!meets) {
        return std::nullopt;
    }
    // Past an edge only if that is much nearer: the next triangle stands behind most edges.
    return 2.0 * least_m < front_m ? TriangleTouch{0.0, least_m, to_float(least)}
                                   : TriangleTouch{0.0, front_m, to_float(front)};
}

// ---- where ----

namespace {

/// The middle of the corners that are left of the triangle inside the box; none: nothing is left.
std::optional<dvec3> middle_inside(const std::array<dvec3, 3>& triangle,
                                   const std::array<dvec3, 3>& axes, const dvec3& half) {
    constexpr std::size_t kCornersMax = 9;  // each of six planes adds at most one
    std::array<dvec3, kCornersMax> corners{triangle[0], triangle[1], triangle[2]};
    std::size_t count = 3;
    for (int side = 0; side < 6; ++side) {
        const int axis = side / 2;
        const dvec3 out = (side % 2 == 0 ? 1.0 : -1.0) * axes[static_cast<std::size_t>(axis)];
        std::array<dvec3, kCornersMax> kept;
        std::size_t kept_count = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const dvec3& from = corners[i];
            const dvec3& to = corners[(i + 1) % count];
            const double from_m = glm::dot(out, from) - half[axis];
            const double to_m = glm::dot(out, to) - half[axis];
            if (from_m <= 0.0 && kept_count < kCornersMax) {
                kept[kept_count++] = from;
            }
            if (from_m * to_m < 0.0 && kept_count < kCornersMax) {
                kept[kept_count++] = from + (from_m / (from_m - to_m)) * (to - from);
            }
        }
        corners = kept;
        count = kept_count;
    }
    if (count == 0) {
        return std::nullopt;
    }
    dvec3 sum{0.0};
    for (std::size_t i = 0; i < count; ++i) {
        sum += corners[i];
    }
    return sum / static_cast<double>(count);
}

}  // namespace

Vec3 ShapeSweep::point(const Vec3& a, const Vec3& b, const Vec3& c, double t) const {
    constexpr double kRoomM = 1e-4;  // touching is not inside
    const dvec3 middle = t * way_;
    Triangle triangle = place(a, b, c);
    if (shape_.form == QueryForm::box) {
        for (dvec3& corner : triangle) {
            corner -= middle;
        }
        if (const auto inside = middle_inside(triangle, axes_, half_ + kRoomM)) {
            return to_float(*inside + middle + centre_);
        }
        return to_float(distance_to_triangle(dvec3{0.0}, dvec3{0.0}, triangle).on_triangle +
                        middle + centre_);
    }
    const dvec3 core = half_.y * axes_[1];
    return to_float(distance_to_triangle(middle - core, middle + core, triangle).on_triangle +
                    centre_);
}

}  // namespace terrane
