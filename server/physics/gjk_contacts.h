// Contacts by Bullet's own convex-triangle algorithms, for cylinders, hulls and the parts of bodies
// made of several: GJK and EPA, one triangle after the other, each at most one point, which is
// fitted to the surface. Bullet keeps the points of several steps and chooses four among them.
// Private to server/physics.
#pragma once

#include <span>

#include "server/physics/ground_part.h"

namespace terrane {

/// The triangles near a part, in its frame, and which of them it can touch within `reach_m`.
struct NearGround {
    NearSurface surface;
    std::span<const std::uint32_t> reachable;  ///< indices, ascending
    std::span<const float> friction;           ///< by material
    float reach_m = 0.0F;
    int step = 0;  ///< tells this step's points from older ones
};

/// A body that sank deeper is lifted in several steps.
inline constexpr float kDepthMaxM = 0.5F;

struct GjkPair {
    const btCollisionObjectWrapper& convex;
    const btCollisionObjectWrapper& terrain;
    const btDispatcherInfo& info;
    btDispatcher& dispatcher;
};

/// Brings `manifold` up to date; `algorithm` is made at the first need.
void collide_by_gjk(const GjkPair& pair, Terrain& terrain, const GroundPart& part,
                    const NearGround& ground, btPersistentManifold& manifold,
                    btCollisionAlgorithm*& algorithm);

}  // namespace terrane
