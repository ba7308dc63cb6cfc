// A solid that scene queries meet, and its exact answers: the narrow phase after the trees' boxes.
// Solids are props, rigid bodies and players: a shape of shared/shape, or, of a piece, the hulls of
// its parts.
//
// Rays have closed forms (box, sphere, cylinder, capsule). A shape that moves is stopped by
// conservative advancement (Mirtich, 1996): the distance between two convex things is a convex
// function of time, so a step of what is proven free, over the rate at which they close in, never
// passes the first touch, and arrives within a micrometre in a few steps. As with the terrain
// (triangle_sweep.h):
//
//   starts apart                  the first t at which they touch; normal: from the solid
//   starts touching (0.5 mm)      t = 0 if it moves in, no hit if it moves along or away
//   starts deeper                 t = 0 wherever it moves; normal: against the way
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shared/math/frustum.h"
#include "shared/math/ray.h"
#include "shared/scene/convex_distance.h"
#include "shared/shape/body_kind.h"

namespace terrane {

/// The convex hulls that a piece is made of, in its frame. Owner: whoever made the piece; it must
/// outlive every solid that names it.
struct SolidParts {
    std::vector<Vec3> corners;
    std::vector<std::uint32_t> ends;  ///< of each part's run of corners
    Aabb box;                         ///< around all

    void add(std::span<const Vec3> part);
};

struct Solid {
    BodyShape shape = BodyShape::box;
    /// As in BodyKind; of a player, who is an upright capsule, x = radius, y = half height.
    Vec3 half_extents{0.5F};
    Vec3 position{0.0F};                ///< of its middle, or of a piece's origin
    Quat rotation = kNoRotation;        ///< unit
    const SolidParts* parts = nullptr;  ///< of a piece
};

struct SolidHit {
    float t = 0.0F;                 ///< in lengths of the ray's direction or of the way
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit, out of the solid
    Vec3 point{0.0F};               ///< of the solid
};

/// A shape and its way, made ready once for all the solids that it is asked of.
struct SolidSweep {
    SolidSweep(const QueryShape& shape, const Vec3& way);

    ConvexCore core;
    glm::dvec3 way;
};

/// The box that a tree should hold: with room for rounding, so that no exact answer is lost. Empty
/// for a solid that is not finite.
Aabb bounds_of(const Solid& solid);

/// Starting inside, t is 0 and the normal points back along the ray. nullopt for a ray that is not
/// finite or has no direction.
std::optional<SolidHit> raycast(const Solid& solid, const Ray& ray);
/// No touch up to `limit_t` (included): nullopt.
std::optional<SolidHit> sweep(const Solid& solid, const SolidSweep& sweep, float limit_t = 1.0F);
/// Touching counts.
bool overlaps(const Solid& solid, const ConvexCore& shape);
/// False if one of the frustum's planes has all of a part behind it.
bool overlaps(const Solid& solid, const Frustum& frustum);

struct SolidNearest {
    float distance_m = 0.0F;  ///< 0 inside
    Vec3 point{0.0F};         ///< of the solid
};
SolidNearest nearest_to(const Solid& solid, const Vec3& point);

}  // namespace terrane
