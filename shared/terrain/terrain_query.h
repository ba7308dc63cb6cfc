// What questions about the terrain's surface are answered with. The questions themselves are
// members of Terrain (terrain.h):
//
//   raycast, meets_ray                    closest and any, terrain_ray.cpp
//   sweep, meets_sweep                    a sphere, capsule or box along a way, terrain_sweep.cpp
//   overlaps, deepest_overlap, gather_overlaps    the same shapes at rest
//
// All walk bricks by surface bits, ask the colliders (flat or kD) for candidates, and let one
// scalar formula decide: answers are those of asking every triangle in turn, bit for bit.
//
// The surface is a shell. A shape wholly inside rock overlaps no triangle: ask
// TerrainMasks::is_core_at. A chunk that is not loaded reads as air, and its neighbours end with a
// surface towards it. Who must not take that for the truth (A25) asks first_unknown of the way that
// was free.
//
// Who asks what. Motion takes the triangles near a player once a substep and sweeps its capsule
// against those and the bodies together (shared/motion/capsule_sweep.h): one sweep at a time here
// would gather anew for each. What a player aims at and whether an edit is in sight stay voxel rays
// (shared/voxel/voxel_ray.h): an edit names voxels, the surface lies up to half a voxel beside
// them, and whoever judges needs neither colliders nor their memory.
#pragma once

#include <optional>

#include "shared/shape/triangle_sweep.h"
#include "shared/terrain/terrain_masks.h"

namespace terrane {

/// Owner: the caller. `t` in lengths of the ray's direction or of the way.
struct TerrainHit {
    float t = 0.0F;
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit, out of the ground
    BrickCoord brick;
    std::uint32_t triangle = 0;
    MaterialId material = kFirstSolid;
};

struct TerrainTouch {
    float t = 0.0F;                 ///< 0 if it starts in overlap
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit, from the surface to the shape; in overlap the way out
    float depth_m = 0.0F;  ///< above 0: it starts in overlap and would have to go so far along it
    Vec3 point{0.0F};      ///< of the surface, touched
    BrickCoord brick;
    std::uint32_t triangle = 0;
    MaterialId material = kFirstSolid;
};

/// Part of a way of which nothing is known.
struct TerrainUnknown {
    float t = 0.0F;  ///< not after the way comes near the chunk
    ChunkCoord chunk;
};

/// The first chunk within the zone, but not loaded, whose voxels can have a say in what the ray, or
/// the shape on its way, meets up to `t_max`: its surface reaches up to a voxel and a half beyond
/// it, and so far do the surfaces that end there only because it is missing. nullopt: all is known.
std::optional<TerrainUnknown> first_unknown(const TerrainMasks& masks, const Ray& ray);
std::optional<TerrainUnknown> first_unknown(const TerrainMasks& masks, const QueryShape& shape,
                                            const Vec3& way, float t_max = 1.0F);

}  // namespace terrane
