// The terrain as physics, motion and sight see it: masks (what may be touched) and colliders (the
// surface itself, made when first needed). Follows a VoxelGrid that somebody else owns and edits;
// whoever edits the grid calls chunk_arrived, chunk_left or voxels_changed in the same tick, before
// anything asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shared/math/ray.h"
#include "shared/terrain/collider_cache.h"
#include "shared/terrain/terrain_masks.h"

namespace terrane {

struct TerrainHit {
    float t = 0.0F;                 ///< in lengths of ray.direction
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit, out of the ground
    BrickCoord brick;
    std::uint32_t triangle = 0;
    MaterialId material = kFirstSolid;
};

struct TerrainConfig {
    std::size_t collider_budget_bytes = 64U << 20;
    ColliderKind collider = ColliderKind::flat;
};

class Terrain {
  public:
    explicit Terrain(const VoxelGrid& grid, const TerrainConfig& config = {});

    /// A chunk is in the grid (new or replaced whole): its masks and its neighbours' border masks
    /// are derived anew and their colliders dropped.
    void chunk_arrived(const ChunkCoord& chunk);
    void chunk_left(const ChunkCoord& chunk);
    /// Voxels in `box` changed: masks of every brick whose 10^3 box meets it are remade, colliders
    /// dropped. Returns those bricks, ascending. Valid until the next call.
    std::span<const BrickCoord> voxels_changed(const VoxelBox& box);

    /// Does `box` (metres), grown by one voxel, meet a set bit? No box that meets a triangle is
    /// missed.
    TerrainOverlap overlap(const Aabb& box) const;
    /// Appends every triangle whose own box meets `box`, bricks ascending, index ascending. Builds
    /// the colliders that the box reaches.
    void gather_triangles(const Aabb& box, std::vector<TerrainTriangle>& out);
    /// Closest front or back face hit, of equal ones the smallest (brick, index); builds the
    /// colliders that the ray reaches. A chunk that is not loaded reads as air. nullopt for a
    /// direction shorter than 1e-30, an origin beyond 2^20 m and a ray that is not finite.
    std::optional<TerrainHit> raycast(const Ray& ray);

    const VoxelGrid& grid() const { return *grid_; }
    const TerrainMasks& masks() const { return masks_; }
    ColliderCache& colliders() { return colliders_; }

  private:
    void drop_colliders_around(const ChunkCoord& chunk);
    struct BrickHit {
        TriangleHit hit;
        BrickCoord brick;
    };
    void raycast_brick(const ColliderRay& ray, const BrickCoord& brick,
                       std::optional<BrickHit>& best);
    TerrainHit describe(const BrickHit& hit);

    const VoxelGrid* grid_;
    TerrainMasks masks_;
    ColliderCache colliders_;
    std::vector<BrickCoord> touched_;
};

}  // namespace terrane
