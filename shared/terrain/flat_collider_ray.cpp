// Rays of the flat collider. Bounds, then a filter in single precision leave out quads; margins
// cover all that rounding can move, and intersect_quad decides about the rest.
#include <algorithm>
#include <cmath>
#include <limits>

#include "shared/terrain/flat_layout.h"

namespace terrane {
namespace {

/// Metres beyond which a quad may be left out by a ray: far more than what rounding can move.
constexpr double kMarginM = 1.0 / 64.0;
/// What the deciding formula itself can lose grows with the square of the distance.
constexpr double kFarMargin = 0x1p-48;
/// Stands for a smaller direction component, relative to the largest: over a brick it moves the
/// ray by less than any margin, and its reciprocal stays finite.
constexpr double kSlowest = 0x1p-60;

}  // namespace

ColliderRay::ColliderRay(const Ray& given) : ray(given) {
    const Vec3& d = given.direction;
    const float fastest = std::max(std::abs(d.x), std::max(std::abs(d.y), std::abs(d.z)));
    is_valid = fastest > 0.0F && is_finite(d) && is_finite(given.origin);
    if (!is_valid) {
        return;
    }
    scale = static_cast<double>(fastest);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        direction[axis] = static_cast<double>(d[static_cast<int>(axis)]) / scale;
        inverse[axis] =
            std::copysign(1.0 / std::max(std::abs(direction[axis]), kSlowest), direction[axis]);
        const bool is_forward = inverse[axis] > 0.0;
        direction_f[axis] = static_cast<float>(direction[axis]);
        inverse_per_step[axis] = static_cast<float>(inverse[axis] / kStepsPerMetre);
        near_row[axis] = static_cast<std::uint8_t>(is_forward ? axis : axis + 3);
        far_row[axis] = static_cast<std::uint8_t>(is_forward ? axis + 3 : axis);
    }
}

namespace {

/// A ray in the space of one collider. Its places count in metres of the fastest axis, from where
/// it enters the collider's bounds.
struct NearRay {
    ScanRay scan;                 ///< in steps
    double enter = 0.0;           ///< metres from the ray's origin to where it enters
    std::array<float, 3> from{};  ///< the place where it enters, metres
    std::array<float, 3> direction{};
    float tolerance = 0.0F;  ///< of the volumes in surely_misses
};

/// False if the ray misses the collider's bounds between 0 and `limit_t`.
bool come_near(const FlatCollider& collider, const BrickCoord& brick, const ColliderRay& ray,
               float limit_t, NearRay& near) {
    if (!ray.is_valid || collider.quad_count == 0) {
        return false;
    }
    // What the scan reads is on its way while the ray is made ready.
    for (std::size_t at = 0; at < 7 * std::size_t{collider.quad_count}; at += 64) {
        __builtin_prefetch(collider.bytes.get() + at);
    }
    const VoxelCoord corner = origin_of(brick);
    const std::array<std::int32_t, 3> corners{corner.x, corner.y, corner.z};
    std::array<double, 3> origin;
    double reach = 16.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // From half a voxel below the brick, where steps and units are counted from.
        origin[axis] = static_cast<double>(ray.ray.origin[static_cast<int>(axis)]) -
                       static_cast<double>(corners[axis]) + 0.5;
        reach = std::max(reach, std::abs(origin[axis]));
    }
    const double far_m = reach * reach * kFarMargin;
    const double margin = kMarginM + far_m;
    double enter = -margin;
    double leave = static_cast<double>(std::min(ray.ray.t_max, limit_t)) * ray.scale + margin;
    constexpr double kStepM = 1.0 / kStepsPerMetre;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low =
            (collider.low[axis] * kStepM - margin - origin[axis]) * ray.inverse[axis];
        const double high =
            ((collider.high[axis] + 1) * kStepM + margin - origin[axis]) * ray.inverse[axis];
        enter = std::max(enter, std::min(low, high));
        leave = std::min(leave, std::max(low, high));
    }
    if (!(enter <= leave)) {
        return false;
    }
    const auto slack = static_cast<float>(margin * kStepsPerMetre);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double place = origin[axis] + enter * ray.direction[axis];
        const auto step = static_cast<float>(place * kStepsPerMetre);
        const bool is_forward = ray.inverse[axis] > 0.0;
        near.from[axis] = static_cast<float>(place);
        near.scan.near_shift[axis] = is_forward ? -slack - step : 1.0F + slack - step;
        near.scan.far_shift[axis] = is_forward ? 1.0F + slack - step : -slack - step;
    }
    near.direction = ray.direction_f;
    near.scan.inverse = ray.inverse_per_step;
    near.scan.near_row = ray.near_row;
    near.scan.far_row = ray.far_row;
    near.enter = enter;
    near.scan.enter = static_cast<float>(-margin);
    near.scan.leave = static_cast<float>(leave - enter + margin);
    // Volumes are d . (a x b) with a and b within 17 m of where the ray enters, each off by 2e-6 m
    // and by what the margin allows for distance.
    near.tolerance = static_cast<float>(1.0 / 256.0 + 256.0 * far_m);
    return true;
}

/// A cheap no, four edges at a time in single precision: true only if the ray passes edges of
/// either triangle on opposite sides by more than rounding can account for.
bool surely_misses(const NearRay& ray, const std::array<std::uint64_t, 4>& corners) {
    const auto place = [&](std::size_t i) {
        return __builtin_convertvector(units_of(corners[i]), Float4);
    };
    const Float4 p[4] = {place(0), place(1), place(2), place(3)};
    constexpr float kUnitM = 1.0F / static_cast<float>(kUnits);
    const Float4 x = Float4{p[0][0], p[1][0], p[2][0], p[3][0]} * kUnitM - spread(ray.from[0]);
    const Float4 y = Float4{p[0][1], p[1][1], p[2][1], p[3][1]} * kUnitM - spread(ray.from[1]);
    const Float4 z = Float4{p[0][2], p[1][2], p[2][2], p[3][2]} * kUnitM - spread(ray.from[2]);
    const Float4 next_x = __builtin_shufflevector(x, x, 1, 2, 3, 0);
    const Float4 next_y = __builtin_shufflevector(y, y, 1, 2, 3, 0);
    const Float4 next_z = __builtin_shufflevector(z, z, 1, 2, 3, 0);
    // Sides of the edges 01, 12, 23, 30.
    const Float4 sides = spread(ray.direction[0]) * (y * next_z - z * next_y) +
                         spread(ray.direction[1]) * (z * next_x - x * next_z) +
                         spread(ray.direction[2]) * (x * next_y - y * next_x);
    const float diagonal = ray.direction[0] * (y[2] * z[0] - z[2] * y[0]) +
                           ray.direction[1] * (z[2] * x[0] - x[2] * z[0]) +
                           ray.direction[2] * (x[2] * y[0] - y[2] * x[0]);  // 20
    const auto left = std::bit_cast<Word2>(sides > spread(ray.tolerance));
    const auto right = std::bit_cast<Word2>(sides < spread(-ray.tolerance));
    const bool is_left = diagonal > ray.tolerance;
    const bool is_right = diagonal < -ray.tolerance;
    const bool misses_first = (left[0] != 0 || is_left) && (right[0] != 0 || is_right);
    const bool misses_second = (left[1] != 0 || is_right) && (right[1] != 0 || is_left);
    return misses_first && misses_second;
}

/// Calls fn(t, triangle) for every hit up to `ray.t_max`; fn returns the t beyond which nothing is
/// of interest any more.
template <typename Fn>
void for_each_hit(const FlatCollider& collider, const BrickCoord& brick, const ColliderRay& ray,
                  float limit_t, Fn&& fn) {
    NearRay near;
    if (!come_near(collider, brick, ray, limit_t, near)) {
        return;
    }
    const QuadReader reader(collider);
    std::array<ScanHit, kScanQuadsMax> candidates;
    const std::uint32_t count =
        collider.scan->ray(reader.rows(collider), near.scan, candidates.data());
    const Placement placement(brick);
    Ray shorter = ray.ray;
    shorter.t_max = std::min(ray.ray.t_max, limit_t);
    auto leave = std::numeric_limits<float>::infinity();
    for (std::uint32_t i = 0; i < count; ++i) {
        if (candidates[i].enter > leave) {
            continue;
        }
        const std::uint32_t quad = candidates[i].quad;
        const std::array<std::uint64_t, 4> corners = reader.corners(quad);
        if (surely_misses(near, corners)) {
            continue;
        }
        const QuadHit hit = intersect_quad(
            shorter, to_vec(placement.place(corners[0])), to_vec(placement.place(corners[1])),
            to_vec(placement.place(corners[2])), to_vec(placement.place(corners[3])));
        const std::uint32_t swapped = reader.swapped(quad);
        auto interest = std::numeric_limits<float>::infinity();
        if (hit.first >= 0.0F) {
            interest = fn(hit.first, 2 * quad + swapped);
        }
        if (hit.second >= 0.0F) {
            interest = fn(hit.second, 2 * quad + 1 - swapped);
        }
        if (interest < std::numeric_limits<float>::infinity()) {
            // A place is rounded to a float: what enters a little later may hit at the same one.
            const double place = static_cast<double>(interest) * ray.scale;
            leave = static_cast<float>(place - near.enter + kMarginM + place * 0x1p-22);
        }
    }
}

}  // namespace

std::optional<TriangleHit> closest_hit(const FlatCollider& collider, const BrickCoord& brick,
                                       const ColliderRay& ray, float limit_t) {
    std::optional<TriangleHit> best;
    for_each_hit(collider, brick, ray, limit_t, [&](float t, std::uint32_t triangle) {
        if (!best || t < best->t || (t == best->t && triangle < best->triangle)) {
            best = TriangleHit{t, triangle};
        }
        return best->t;
    });
    return best;
}

void all_hits(const FlatCollider& collider, const BrickCoord& brick, const ColliderRay& ray,
              std::vector<TriangleHit>& out) {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for_each_hit(collider, brick, ray, ray.ray.t_max, [&](float t, std::uint32_t triangle) {
        out.push_back({t, triangle});
        return std::numeric_limits<float>::infinity();
    });
    std::sort(out.begin() + first, out.end(), [](const TriangleHit& a, const TriangleHit& b) {
        return a.t != b.t ? a.t < b.t : a.triangle < b.triangle;
    });
}

}  // namespace terrane
