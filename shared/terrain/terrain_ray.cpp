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
        const std::size_t axis = first_of(next_);
        place_[axis] += ray_->direction[axis] > 0.0 ? 1 : -1;
        find_next(axis);
    }
    /// Goes on to the next chunk; returns where that begins.
    double leave_chunk() {
        std::array<double, 3> out;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            out[axis] = leave(axis, place_[axis] >> 2, kChunkSize);
        }
        const std::size_t first = first_of(out);
        const bool is_up = ray_->direction[first] > 0.0;
        const std::int32_t chunk = (place_[first] >> 2) + (is_up ? 1 : -1);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double place = ray_->origin[axis] + out[first] * ray_->direction[axis];
            place_[axis] = floor_to_int(place) >> kBrickShift;
            if (axis == first) {  // whatever rounding says
                place_[axis] = chunk * kBricksPerChunkSide + (is_up ? 0 : kBricksPerChunkSide - 1);
            }
            find_next(axis);
        }
        return out[first];
    }

  private:
    static std::size_t first_of(const std::array<double, 3>& t) {
        return t[0] <= t[1] ? (t[0] <= t[2] ? 0U : 2U) : (t[1] <= t[2] ? 1U : 2U);
    }
    /// Where the ray leaves cell `place` of cells `size` wide along the axis.
    double leave(std::size_t axis, std::int32_t place, std::int32_t size) const {
        const double direction = ray_->direction[axis];
        const std::int32_t side = place + (direction > 0.0 ? 1 : 0);
        return direction == 0.0
                   ? std::numeric_limits<double>::infinity()
                   : (static_cast<double>(side * size) - ray_->origin[axis]) * ray_->inverse[axis];
    }
    void find_next(std::size_t axis) { next_[axis] = leave(axis, place_[axis], kBrickSize); }

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

/// Does the ray come near a quad of the brick between t0 and t1? Asked once, of the whole piece
/// within the brick's reach: four shorter pieces saved fewer looks at a collider than they cost.
bool meets_surface(const WideRay& ray, const BrickCoord& brick, const BrickWords& surface,
                   double t0, double t1) {
    return clip_to_reach(ray, brick, t0, t1) && meets(surface, brick, Piece(ray, t0, t1).voxels());
}

/// Calls visit(brick) for every brick of `range`, those that the ray meets first before the others.
template <typename Visit>
void for_each_along(const WideRay& ray, const BrickRange& range, Visit&& visit) {
    const BrickCoord size = range.max - range.min;
    const auto place = [&ray](std::size_t axis, std::int32_t min, std::int32_t length,
                              std::int32_t i) {
        return ray.direction[axis] < 0.0 ? min + length - i : min + i;
    };
    for (std::int32_t y = 0; y <= size.y; ++y) {
        for (std::int32_t z = 0; z <= size.z; ++z) {
            for (std::int32_t x = 0; x <= size.x; ++x) {
                visit(BrickCoord{place(0, range.min.x, size.x, x), place(1, range.min.y, size.y, y),
                                 place(2, range.min.z, size.z, z)});
            }
        }
    }
}

}  // namespace

void Terrain::raycast_brick(const ColliderRay& ray, const BrickCoord& brick,
                            std::optional<BrickHit>& best) {
    // A place is decided before it is rounded to a float: a limit at the best one would leave out
    // another that is rounded to the same, which counts if its brick is smaller.
    const float limit =
        best ? std::nextafter(best->hit.t, std::numeric_limits<float>::infinity()) : ray.ray.t_max;
    const std::optional<TriangleHit> hit = closest_hit(colliders_.get(brick), brick, ray, limit);
    if (hit && (!best || hit->t < best->hit.t || (hit->t == best->hit.t && brick < best->brick))) {
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
    const std::optional<BrickHit> hit = walk_ray(ray, false);
    return hit ? std::optional<TerrainHit>(describe(*hit)) : std::nullopt;
}

bool Terrain::meets_ray(const Ray& ray) {
    return walk_ray(ray, true).has_value();
}

std::optional<Terrain::BrickHit> Terrain::walk_ray(const Ray& ray, bool is_any) {
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
        if (masks_.is_far_from_surface(chunk_of(walk.brick()))) {
            t = std::max(t, walk.leave_chunk());
            if (t >= end) {
                break;
            }
            continue;
        }
        const double next = std::clamp(walk.leave(), t, end);
        // A step may begin a rounding beside its brick; the bricks around cover that many times.
        if (masks_.is_near_surface(walk.brick())) {
            const VoxelBox near = Piece(wide, t, next).voxels();
            const BrickRange reached{brick_of(near.min), brick_of(near.max)};
            for_each_along(wide, reached, [&](const BrickCoord& brick) {
                if (contains(asked, brick)) {
                    return;
                }
                BrickWords made;
                const BrickWords* surface = masks_.find_surface(brick, made);
                const double until =
                    best ? std::min(end, static_cast<double>(best->hit.t) * (1.0 + 0x1p-22)) : end;
                if (surface != nullptr && meets_surface(wide, brick, *surface, start, until)) {
                    raycast_brick(prepared, brick, best);
                }
            });
            asked = reached;
        }
        if (next >= end || (best && (is_any || static_cast<double>(best->hit.t) <= next))) {
            break;
        }
        t = next;
        walk.advance();
    }
    return best;
}

}  // namespace terrane
