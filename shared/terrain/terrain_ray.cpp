// Rays through the terrain: brick by brick along the ray (Amanatides and Woo, 1987), asking the
// surface bits before a collider.
//
// A brick's quads reach half a voxel beyond it, so a piece of the ray inside one brick may hit
// quads of the bricks around. A step takes the piece [t, next] inside one brick. If no brick around
// has a surface, the step is over; else it asks every brick whose reach the piece's box meets and
// that no step before did ask. Both ends of that range of bricks move one way only along the ray,
// so it is enough to remember the last range asked. When a step is done, everything up to `next` is
// known: a hit at or before it is the closest.
#include <algorithm>
#include <array>
#include <cmath>

#include "shared/math/ray_box.h"
#include "shared/terrain/terrain.h"

namespace terrane {
namespace {

/// Half a voxel of reach, and far more than the rounding of points on the ray.
constexpr double kReach = 0.5 + 1.0 / 64.0;
/// Metres. A float there still tells apart an eighth of a metre, less than the margins here.
constexpr float kFarthestOrigin = 1048576.0F;

/// Without SSE4.1 std::floor is a call, and there are a dozen of these a step.
std::int32_t floor_to_int(double value) {
    const auto whole = static_cast<std::int32_t>(value);
    return whole - (static_cast<double>(whole) > value ? 1 : 0);
}

/// A ray in double precision. The reciprocal of a direction of zero is not used.
struct WideRay {
    std::array<double, 3> origin;
    std::array<double, 3> direction;
    std::array<double, 3> inverse;

    explicit WideRay(const Ray& ray) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            origin[axis] = static_cast<double>(ray.origin[static_cast<int>(axis)]);
            direction[axis] = static_cast<double>(ray.direction[static_cast<int>(axis)]);
            inverse[axis] = direction[axis] != 0.0 ? 1.0 / direction[axis] : 0.0;
        }
    }
};

/// The box around a part of the ray.
struct Piece {
    std::array<double, 3> low;
    std::array<double, 3> high;

    Piece(const WideRay& ray, double t0, double t1) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double a = ray.origin[axis] + t0 * ray.direction[axis];
            const double b = ray.origin[axis] + t1 * ray.direction[axis];
            low[axis] = std::min(a, b);
            high[axis] = std::max(a, b);
        }
    }
    /// The voxels whose quads may reach the piece.
    VoxelBox voxels() const {
        return {{floor_to_int(low[0] - kReach), floor_to_int(low[1] - kReach),
                 floor_to_int(low[2] - kReach)},
                {floor_to_int(high[0] + kReach), floor_to_int(high[1] + kReach),
                 floor_to_int(high[2] + kReach)}};
    }
};

bool contains(const BrickRange& range, const BrickCoord& b) {
    return b.x >= range.min.x && b.x <= range.max.x && b.y >= range.min.y && b.y <= range.max.y &&
           b.z >= range.min.z && b.z <= range.max.z;
}

/// Walks the bricks that the ray itself passes.
class BrickWalk {
  public:
    BrickWalk(const WideRay& ray, double start) : ray_(&ray) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double place = ray.origin[axis] + start * ray.direction[axis];
            place_[axis] = floor_to_int(place) >> kBrickShift;
            find_next(axis);
        }
    }
    BrickCoord brick() const { return {place_[0], place_[1], place_[2]}; }
    /// Where the ray leaves the brick that it is in.
    double leave() const { return std::min(next_[0], std::min(next_[1], next_[2])); }
    void advance() {
        const std::size_t axis = next_[0] <= next_[1] ? (next_[0] <= next_[2] ? 0U : 2U)
                                                      : (next_[1] <= next_[2] ? 1U : 2U);
        place_[axis] += ray_->direction[axis] > 0.0 ? 1 : -1;
        find_next(axis);
    }

  private:
    void find_next(std::size_t axis) {
        const double direction = ray_->direction[axis];
        const std::int32_t side = place_[axis] + (direction > 0.0 ? 1 : 0);
        next_[axis] = direction == 0.0
                          ? std::numeric_limits<double>::infinity()
                          : (static_cast<double>(side * kBrickSize) - ray_->origin[axis]) *
                                ray_->inverse[axis];
    }

    const WideRay* ray_;
    std::array<std::int32_t, 3> place_{};
    std::array<double, 3> next_{};
};

/// Cuts [t0, t1] to the part of the ray within the brick's reach; false if nothing is left.
bool clip_to_reach(const WideRay& ray, const BrickCoord& brick, double& t0, double& t1) {
    const VoxelCoord origin = origin_of(brick);
    const std::array<std::int32_t, 3> corner{origin.x, origin.y, origin.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low = static_cast<double>(corner[axis]) - kReach - ray.origin[axis];
        const double high =
            static_cast<double>(corner[axis] + kBrickSize) + kReach - ray.origin[axis];
        if (ray.direction[axis] == 0.0) {
            if (low > 0.0 || high < 0.0) {
                return false;
            }
            continue;
        }
        const double a = low * ray.inverse[axis];
        const double b = high * ray.inverse[axis];
        t0 = std::max(t0, std::min(a, b));
        t1 = std::min(t1, std::max(a, b));
    }
    return t0 <= t1;
}

/// Does the ray come near a quad of the brick between t0 and t1? Asked for the whole piece within
/// the brick's reach, then for shorter pieces, whose boxes hold the ray more closely.
bool meets_surface(const WideRay& ray, const BrickCoord& brick, const BrickWords& surface,
                   double t0, double t1) {
    if (!clip_to_reach(ray, brick, t0, t1) || !meets(surface, brick, Piece(ray, t0, t1).voxels())) {
        return false;
    }
    constexpr int kPieces = 4;
    const double step = (t1 - t0) / kPieces;
    for (int i = 0; i < kPieces; ++i) {
        const double from = t0 + i * step;
        const double to = i + 1 == kPieces ? t1 : t0 + (i + 1) * step;
        if (meets(surface, brick, Piece(ray, from, to).voxels())) {
            return true;
        }
    }
    return false;
}

}  // namespace

void Terrain::raycast_brick(const ColliderRay& ray, const BrickCoord& brick,
                            std::optional<BrickHit>& best) {
    const float limit = best ? best->hit.t : ray.ray.t_max;
    const std::optional<TriangleHit> hit = closest_hit(colliders_.get(brick), brick, ray, limit);
    if (hit && (!best || hit->t != best->hit.t || brick < best->brick)) {
        best = BrickHit{*hit, brick};
    }
}

TerrainHit Terrain::describe(const BrickHit& hit) {
    const TerrainTriangle triangle =
        triangle_at(colliders_.get(hit.brick), hit.brick, hit.hit.triangle);
    const Vec3 normal =
        glm::normalize(glm::cross(triangle.b - triangle.a, triangle.c - triangle.a));
    return {hit.hit.t, normal, hit.brick, hit.hit.triangle, triangle.material};
}

std::optional<TerrainHit> Terrain::raycast(const Ray& ray) {
    const auto largest = [](const Vec3& v) {
        return std::max(std::abs(v.x), std::max(std::abs(v.y), std::abs(v.z)));
    };
    // Beyond these limits places on the ray could not be told from each other, or counted.
    if (!is_finite(ray.direction) || largest(ray.direction) < kTinyDirection ||
        !(largest(ray.origin) < kFarthestOrigin)) {
        return std::nullopt;
    }
    const BrickRange& zone = masks_.surface_range();
    const Aabb reach = grow(merge(surface_box(zone.min), surface_box(zone.max)), 1.0F);
    const std::optional<RaySpan> span = intersect(ray, reach);
    if (!span) {
        return std::nullopt;
    }
    const WideRay wide(ray);
    const ColliderRay prepared(ray);
    const auto start = static_cast<double>(span->enter);
    const auto end = static_cast<double>(span->leave);
    BrickWalk walk(wide, start);
    std::optional<BrickHit> best;
    BrickRange asked;
    for (double t = start;;) {
        const double next = std::clamp(walk.leave(), t, end);
        // A step may begin a rounding beside its brick; the bricks around cover that many times.
        if (masks_.is_near_surface(walk.brick())) {
            const VoxelBox near = Piece(wide, t, next).voxels();
            const BrickRange reached{brick_of(near.min), brick_of(near.max)};
            for (std::int32_t y = reached.min.y; y <= reached.max.y; ++y) {
                for (std::int32_t z = reached.min.z; z <= reached.max.z; ++z) {
                    for (std::int32_t x = reached.min.x; x <= reached.max.x; ++x) {
                        const BrickCoord brick{x, y, z};
                        if (!contains(asked, brick) && masks_.has_surface(brick) &&
                            meets_surface(wide, brick, masks_.surface(brick), start, end)) {
                            raycast_brick(prepared, brick, best);
                        }
                    }
                }
            }
            asked = reached;
        }
        if (next >= end || (best && static_cast<double>(best->hit.t) <= next)) {
            return best ? std::optional<TerrainHit>(describe(*best)) : std::nullopt;
        }
        t = next;
        walk.advance();
    }
}

}  // namespace terrane
