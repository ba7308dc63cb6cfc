// Sweeps and overlaps of shapes with the surface. The way is cut into pieces; of each the colliders
// name the triangles whose own boxes meet the box around the shape during that piece, and
// ShapeSweep decides about them. A triangle first touched at t is among those of the piece that
// holds t, so once a touch lies before the end of a piece nothing later can come before it.
//
// Pieces double in length while they meet no surface at all, and are short where there is some:
// boxes around long ways that are not along an axis hold much that is not on the way.
#include <algorithm>
#include <array>
#include <cmath>

#include "shared/math/ray_box.h"
#include "shared/terrain/terrain.h"

namespace terrane {

/// Owner: walk_sweep. The triangle stands for itself: the collider may be gone when it is needed.
struct Terrain::SweepHit {
    TriangleTouch touch;
    TerrainTriangle triangle;
};

namespace {

/// Lengths of pieces along the fastest axis, metres.
constexpr double kPieceM = 4.0;
constexpr double kPieceMaxM = 32.0;
/// Metres; beyond, floats tell places apart no better than this room allows for.
constexpr float kFarthest = 1048576.0F;

bool is_near_zone(const Vec3& v) {
    return std::abs(v.x) < kFarthest && std::abs(v.y) < kFarthest && std::abs(v.z) < kFarthest;
}

/// The part of the way in which the shape can meet anything the zone has.
std::optional<RaySpan> clip(const TerrainMasks& masks, const ShapeSweep& sweep, const Vec3& way) {
    const BrickRange& zone = masks.surface_range();
    const Aabb surfaces = merge(surface_box(zone.min), surface_box(zone.max));
    const Vec3 reach = half_extents(bounds_of(sweep.shape())) + 1.0F;
    return intersect(Ray{sweep.shape().centre, way, 1.0F},
                     {surfaces.min - reach, surfaces.max + reach});
}

}  // namespace

std::optional<Terrain::SweepHit> Terrain::walk_sweep(const ShapeSweep& sweep, bool is_any) {
    const glm::dvec3& way = sweep.way();
    const Vec3 narrow_way{static_cast<float>(way.x), static_cast<float>(way.y),
                          static_cast<float>(way.z)};
    const std::optional<RaySpan> span = clip(masks_, sweep, narrow_way);
    if (!span) {
        return std::nullopt;
    }
    const double fastest = std::max(std::abs(way.x), std::max(std::abs(way.y), std::abs(way.z)));
    // A little earlier and later than the span, whose ends are rounded.
    const double end = std::min(static_cast<double>(span->leave) + 1e-6, 1.0);
    double t = std::max(static_cast<double>(span->enter) - 1e-6, 0.0);
    double piece_m = kPieceM;
    std::optional<SweepHit> best;
    for (;;) {
        const double next = (end - t) * fastest > piece_m ? t + piece_m / fastest : end;
        const Aabb box = sweep.bounds(t, next);
        bool has_surface = false;
        near_.clear();
        masks_.for_each_surface_brick(box, [&](const BrickCoord& brick) {
            has_surface = true;
            if (piece_m <= kPieceM) {
                gather(colliders_.get(brick), brick, box, near_);
            }
        });
        if (has_surface && piece_m > kPieceM) {
            piece_m = kPieceM;
            continue;
        }
        for (const TerrainTriangle& triangle : near_) {
            const double limit = best ? best->touch.t : 1.0;
            const auto touch = sweep.touch(triangle.a, triangle.b, triangle.c, limit);
            // They ascend, so the first of equal ones stays; unless it comes in a later piece.
            if (touch &&
                (!best || touch->is_before(best->touch) ||
                 (!best->touch.is_before(*touch) && (triangle.brick < best->triangle.brick ||
                                                     (triangle.brick == best->triangle.brick &&
                                                      triangle.index < best->triangle.index))))) {
                best = SweepHit{*touch, triangle};
                if (is_any) {
                    return best;
                }
            }
        }
        if (next >= end || (best && best->touch.t < next)) {
            return best;
        }
        piece_m = has_surface ? kPieceM : std::min(2.0 * piece_m, kPieceMaxM);
        t = next;
    }
}

TerrainTouch Terrain::describe(const ShapeSweep& sweep, const SweepHit& hit) {
    const TerrainTriangle& triangle = hit.triangle;
    return {static_cast<float>(hit.touch.t),
            hit.touch.normal,
            static_cast<float>(hit.touch.depth_m),
            sweep.point(triangle.a, triangle.b, triangle.c, hit.touch.t),
            triangle.brick,
            triangle.index,
            triangle.material};
}

std::optional<TerrainTouch> Terrain::sweep(const QueryShape& shape, const Vec3& way) {
    if (!is_valid(shape) || !is_near_zone(shape.centre) || !is_near_zone(shape.centre + way)) {
        return std::nullopt;
    }
    const ShapeSweep sweep(shape, way);
    const std::optional<SweepHit> hit = walk_sweep(sweep, false);
    return hit ? std::optional<TerrainTouch>(describe(sweep, *hit)) : std::nullopt;
}

bool Terrain::meets_sweep(const QueryShape& shape, const Vec3& way) {
    return is_valid(shape) && is_near_zone(shape.centre) && is_near_zone(shape.centre + way) &&
           walk_sweep(ShapeSweep(shape, way), true).has_value();
}

template <typename Visit>
void Terrain::for_each_overlap(const QueryShape& shape, Visit&& visit) {
    if (!is_valid(shape) || !is_near_zone(shape.centre)) {
        return;
    }
    const ShapeSweep still(shape, Vec3{0.0F});
    const Aabb box = still.bounds(0.0, 0.0);
    near_.clear();
    gather_triangles(box, near_);
    for (const TerrainTriangle& triangle : near_) {
        const auto touch = still.overlap(triangle.a, triangle.b, triangle.c);
        if (touch && !visit(still, SweepHit{*touch, triangle})) {
            return;
        }
    }
}

bool Terrain::overlaps(const QueryShape& shape) {
    bool is_met = false;
    for_each_overlap(shape, [&is_met](const ShapeSweep&, const SweepHit&) {
        is_met = true;
        return false;
    });
    return is_met;
}

std::optional<TerrainTouch> Terrain::deepest_overlap(const QueryShape& shape) {
    std::optional<TerrainTouch> deepest;
    std::optional<TriangleTouch> best;
    for_each_overlap(shape, [&](const ShapeSweep& still, const SweepHit& hit) {
        if (!best || hit.touch.is_before(*best)) {
            best = hit.touch;
            deepest = describe(still, hit);
        }
        return true;
    });
    return deepest;
}

void Terrain::gather_overlaps(const QueryShape& shape, std::vector<TerrainTouch>& out) {
    for_each_overlap(shape, [&out](const ShapeSweep& still, const SweepHit& hit) {
        out.push_back(describe(still, hit));
        return true;
    });
}

}  // namespace terrane
