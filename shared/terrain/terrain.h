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
#include "shared/terrain/terrain_query.h"

namespace terrane {

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
    /// The same for all boxes of a tick, which may overlap and be empty: each brick is in the
    /// answer once, its masks and a held collider are remade once.
    std::span<const BrickCoord> voxels_changed(std::span<const VoxelBox> boxes);

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
    /// Does raycast hit anything? Stops at the first hit found.
    bool meets_ray(const Ray& ray);

    /// Where `shape` first touches the surface on its way from where it is to `way` farther; how
    /// starts in overlap are answered: triangle_sweep.h. Of equal t the deepest, then the smallest
    /// (brick, index). nullopt also for a shape that is not valid, a way that is not finite, and a
    /// start or an end beyond 2^20 m.
    std::optional<TerrainTouch> sweep(const QueryShape& shape, const Vec3& way);
    /// Does sweep find anything? Stops at the first touch found.
    bool meets_sweep(const QueryShape& shape, const Vec3& way);
    /// Does the shape meet the surface where it is? Touching counts.
    bool overlaps(const QueryShape& shape);
    /// The triangle out of which it is the farthest to go; of equal ones the smallest.
    std::optional<TerrainTouch> deepest_overlap(const QueryShape& shape);
    /// Appends every triangle that the shape meets, bricks ascending, index ascending.
    void gather_overlaps(const QueryShape& shape, std::vector<TerrainTouch>& out);

    const VoxelGrid& grid() const { return *grid_; }
    const TerrainMasks& masks() const { return masks_; }
    ColliderCache& colliders() { return colliders_; }

  private:
    void drop_colliders_around(const ChunkCoord& chunk);
    struct BrickHit {
        TriangleHit hit;
        BrickCoord brick;
        TerrainTriangle triangle;  ///< not of a ray that only asks whether it hits
    };
    static TerrainHit describe(const BrickHit& hit);
    std::optional<BrickHit> walk_ray(const Ray& ray, bool is_any);
    class RayWalk;
    struct SweepHit;
    std::optional<SweepHit> walk_sweep(const ShapeSweep& sweep, bool is_any);
    static TerrainTouch describe(const ShapeSweep& sweep, const SweepHit& hit);
    template <typename Visit>
    void for_each_overlap(const QueryShape& shape, Visit&& visit);

    const VoxelGrid* grid_;
    TerrainMasks masks_;
    ColliderCache colliders_;
    Aabb reach_;  ///< no triangle lies outside
    std::vector<BrickCoord> touched_;
    std::vector<TerrainTriangle> near_;  ///< working memory of a query
};

}  // namespace terrane
