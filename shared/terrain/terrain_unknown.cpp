// What a query read as air because it is not there: the chunks that are missing along its way.
#include <algorithm>
#include <cmath>

#include "shared/math/ray_box.h"
#include "shared/terrain/terrain_query.h"

namespace terrane {
namespace {

/// A quad lies in cells half a voxel beside its voxels and spans two of them.
constexpr float kInfluenceM = 1.5F;
/// The way is looked at in pieces no longer than this along any axis, so that a piece's box touches
/// few chunks that the way itself does not.
constexpr float kPieceM = 16.0F;

std::int32_t chunk_at(float place, std::int32_t first, std::int32_t last) {
    const float chunk = std::floor(place / static_cast<float>(kChunkSize));
    return static_cast<std::int32_t>(
        std::clamp(chunk, static_cast<float>(first), static_cast<float>(last)));
}

/// Calls visit(chunk) for every chunk of the zone that `box` meets, ascending.
template <typename Visit>
void for_each_chunk(const GridBounds& bounds, const Aabb& box, Visit&& visit) {
    // One beyond on either side, which is empty again: a box out there meets nothing.
    const auto first = [&](int axis, std::int32_t min, std::int32_t max) {
        return std::max(chunk_at(box.min[axis], min - 1, max), min);
    };
    const auto last = [&](int axis, std::int32_t min, std::int32_t max) {
        return std::min(chunk_at(box.max[axis], min - 1, max), max - 1);
    };
    for (std::int32_t y = first(1, bounds.min.y, bounds.max.y);
         y <= last(1, bounds.min.y, bounds.max.y); ++y) {
        for (std::int32_t z = first(2, bounds.min.z, bounds.max.z);
             z <= last(2, bounds.min.z, bounds.max.z); ++z) {
            for (std::int32_t x = first(0, bounds.min.x, bounds.max.x);
                 x <= last(0, bounds.min.x, bounds.max.x); ++x) {
                visit(ChunkCoord{x, y, z});
            }
        }
    }
}

Aabb chunk_box(const ChunkCoord& chunk) {
    const Vec3 corner = corner_of(origin_of(chunk));
    return {corner, corner + static_cast<float>(kChunkSize)};
}

/// `reach`: how far from the ray something counts, on each axis.
std::optional<TerrainUnknown> first_unknown(const TerrainMasks& masks, const Ray& ray,
                                            const Vec3& reach) {
    const Aabb zone = to_aabb(voxel_box(masks.bounds()));
    const auto around = [&reach](const Aabb& box) {
        return Aabb{box.min - reach, box.max + reach};
    };
    if (!is_finite(ray.origin) || !is_finite(ray.direction)) {
        return std::nullopt;
    }
    const std::optional<RaySpan> span = intersect(ray, around(zone));
    if (!span) {
        return std::nullopt;
    }
    const Vec3 speed = glm::abs(ray.direction);
    const float fastest = std::max(speed.x, std::max(speed.y, speed.z));
    const float step = fastest > 0.0F ? kPieceM / fastest : 0.0F;
    float t = span->enter;
    for (int piece = 1;; ++piece) {
        float next = span->leave;
        if (fastest * (span->leave - span->enter) > kPieceM * static_cast<float>(piece)) {
            next = std::min(next, span->enter + step * static_cast<float>(piece));
        }
        // A direction of nothing has an infinite way that leads nowhere.
        const Vec3 from = fastest > 0.0F ? point_at(ray, t) : ray.origin;
        const Vec3 to = fastest > 0.0F ? point_at(ray, next) : ray.origin;
        std::optional<TerrainUnknown> found;
        for_each_chunk(masks.bounds(), around(merge(Aabb{from, from}, to)),
                       [&](const ChunkCoord& chunk) {
                           if (masks.is_loaded(chunk)) {
                               return;
                           }
                           const auto met = intersect(ray, around(chunk_box(chunk)));
                           if (met && (!found || met->enter < found->t)) {
                               found = TerrainUnknown{met->enter, chunk};
                           }
                       });
        if (found || next >= span->leave) {
            return found;
        }
        t = next;
    }
}

/// Far more than what rounding moves, even at the zone's corner.
constexpr float kRoomM = 1.0F / 128.0F;

}  // namespace

std::optional<TerrainUnknown> first_unknown(const TerrainMasks& masks, const Ray& ray) {
    return first_unknown(masks, ray, Vec3{kInfluenceM + kRoomM});
}

std::optional<TerrainUnknown> first_unknown(const TerrainMasks& masks, const QueryShape& shape,
                                            const Vec3& way, float t_max) {
    if (!is_valid(shape)) {
        return std::nullopt;
    }
    const Vec3 half = half_extents(bounds_of(shape));
    return first_unknown(masks, {shape.centre, way, t_max}, half + kInfluenceM + kRoomM);
}

}  // namespace terrane
