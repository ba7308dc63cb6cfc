// Rays through the terrain: brick by brick along the ray (Amanatides and Woo, 1987), asking the
// masks before a collider.
//
// A brick's quads reach half a voxel beyond it, so a piece of the ray inside one brick may hit
// quads of the bricks around. Each step takes the piece [t, next] inside one brick, and asks every
// brick whose reach the piece's box meets and that the step before did not ask. Both ends of that
// range of bricks move one way only along the ray, so "not the step before" means "never before".
// When a step is done, everything up to `next` is known: a hit at or before it is the closest.
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

struct Piece {
    std::array<double, 3> low;
    std::array<double, 3> high;
};

/// The box around the ray between two t.
Piece piece_of(const Ray& ray, double t0, double t1) {
    Piece piece;
    for (int axis = 0; axis < 3; ++axis) {
        const auto origin = static_cast<double>(ray.origin[axis]);
        const auto direction = static_cast<double>(ray.direction[axis]);
        const double a = origin + t0 * direction;
        const double b = origin + t1 * direction;
        piece.low[static_cast<std::size_t>(axis)] = std::min(a, b);
        piece.high[static_cast<std::size_t>(axis)] = std::max(a, b);
    }
    return piece;
}

std::int32_t floor_to_int(double value) {
    return static_cast<std::int32_t>(std::floor(value));
}

BrickRange bricks_reached(const Piece& piece) {
    const auto low = [&piece](std::size_t axis) {
        return floor_to_int((piece.low[axis] - kReach) / kBrickSize);
    };
    const auto high = [&piece](std::size_t axis) {
        return floor_to_int((piece.high[axis] + kReach) / kBrickSize);
    };
    return {{low(0), low(1), low(2)}, {high(0), high(1), high(2)}};
}

bool contains(const BrickRange& range, const BrickCoord& b) {
    return b.x >= range.min.x && b.x <= range.max.x && b.y >= range.min.y && b.y <= range.max.y &&
           b.z >= range.min.z && b.z <= range.max.z;
}

/// Walks the bricks that the ray itself passes.
class BrickWalk {
  public:
    BrickWalk(const Ray& ray, double start) : ray_(&ray) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto i = static_cast<int>(axis);
            const double place =
                static_cast<double>(ray.origin[i]) + start * static_cast<double>(ray.direction[i]);
            brick_[axis] = floor_to_int(place / kBrickSize);
            find_next(axis);
        }
    }
    /// Where the ray leaves the brick that it is in.
    double leave() const { return std::min(next_[0], std::min(next_[1], next_[2])); }
    void advance() {
        const std::size_t axis = next_[0] <= next_[1] ? (next_[0] <= next_[2] ? 0U : 2U)
                                                      : (next_[1] <= next_[2] ? 1U : 2U);
        brick_[axis] += ray_->direction[static_cast<int>(axis)] > 0.0F ? 1 : -1;
        find_next(axis);
    }

  private:
    void find_next(std::size_t axis) {
        const auto origin = static_cast<double>(ray_->origin[static_cast<int>(axis)]);
        const auto direction = static_cast<double>(ray_->direction[static_cast<int>(axis)]);
        const double side = static_cast<double>(brick_[axis] + (direction > 0.0 ? 1 : 0)) *
                            static_cast<double>(kBrickSize);
        next_[axis] = direction == 0.0 ? std::numeric_limits<double>::infinity()
                                       : (side - origin) / direction;
    }

    const Ray* ray_;
    std::array<std::int32_t, 3> brick_{};
    std::array<double, 3> next_{};
};

/// The part of the ray within the brick's reach, as the voxels its masks are asked about: the
/// piece's box grown by one voxel. Empty if the ray passes by.
VoxelBox voxels_on_ray(const Ray& ray, const BrickCoord& brick, double t0, double t1) {
    const VoxelCoord origin = origin_of(brick);
    const std::array<std::int32_t, 3> corner{origin.x, origin.y, origin.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto from = static_cast<double>(ray.origin[static_cast<int>(axis)]);
        const auto direction = static_cast<double>(ray.direction[static_cast<int>(axis)]);
        const double low = static_cast<double>(corner[axis]) - kReach;
        const double high = static_cast<double>(corner[axis] + kBrickSize) + kReach;
        if (direction == 0.0) {
            if (from < low || from > high) {
                return {};
            }
            continue;
        }
        const double a = (low - from) / direction;
        const double b = (high - from) / direction;
        t0 = std::max(t0, std::min(a, b));
        t1 = std::min(t1, std::max(a, b));
    }
    if (t0 > t1) {
        return {};
    }
    const Piece piece = piece_of(ray, t0, t1);
    return {{floor_to_int(piece.low[0]) - 1, floor_to_int(piece.low[1]) - 1,
             floor_to_int(piece.low[2]) - 1},
            {floor_to_int(piece.high[0]) + 1, floor_to_int(piece.high[1]) + 1,
             floor_to_int(piece.high[2]) + 1}};
}

Vec3 triangle_normal(const TriangleMeshView& mesh, std::uint32_t triangle) {
    const Vec3 a = mesh.corner(triangle, 0);
    return glm::normalize(glm::cross(mesh.corner(triangle, 1) - a, mesh.corner(triangle, 2) - a));
}

}  // namespace

void Terrain::raycast_brick(const Ray& ray, const BrickCoord& brick,
                            std::optional<TerrainHit>& best) {
    const BrickCollider& collider = colliders_.get(brick);
    const TriangleMeshView view = collider.view(brick);
    const float limit = best ? best->t : ray.t_max;
    const std::optional<TriangleHit> hit = collider.tree.closest_hit(view, ray, limit);
    if (!hit || (best && hit->t == best->t && best->brick < brick)) {
        return;
    }
    best = TerrainHit{hit->t, triangle_normal(view, hit->triangle), brick, hit->triangle,
                      triangle_material(collider.mesh, hit->triangle)};
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
    const auto end = static_cast<double>(span->leave);
    auto t = static_cast<double>(span->enter);
    BrickWalk walk(ray, t);
    std::optional<TerrainHit> best;
    BrickRange asked;
    while (true) {
        const double next = std::clamp(walk.leave(), t, end);
        const BrickRange reached = bricks_reached(piece_of(ray, t, next));
        for (std::int32_t y = reached.min.y; y <= reached.max.y; ++y) {
            for (std::int32_t z = reached.min.z; z <= reached.max.z; ++z) {
                for (std::int32_t x = reached.min.x; x <= reached.max.x; ++x) {
                    const BrickCoord brick{x, y, z};
                    if (contains(asked, brick) || masks_.fill(brick) == BrickFill::empty) {
                        continue;
                    }
                    const VoxelBox voxels =
                        voxels_on_ray(ray, brick, static_cast<double>(span->enter), end);
                    if (!is_empty(voxels) && masks_.overlap_brick(brick, voxels).solid) {
                        raycast_brick(ray, brick, best);
                    }
                }
            }
        }
        if (next >= end || (best && static_cast<double>(best->t) <= next)) {
            return best;
        }
        asked = reached;
        t = next;
        walk.advance();
    }
}

}  // namespace terrane
