#include "shared/terrain/terrain.h"

namespace terrane {

Terrain::Terrain(const VoxelGrid& grid, const TerrainConfig& config)
    : grid_(&grid),
      masks_(grid),
      colliders_(grid, config.collider_budget_bytes, config.collider),
      reach_(grow(
          merge(surface_box(masks_.surface_range().min), surface_box(masks_.surface_range().max)),
          1.0F)) {}

void Terrain::chunk_arrived(const ChunkCoord& chunk) {
    masks_.chunk_arrived(chunk);
    drop_colliders_around(chunk);
}

void Terrain::chunk_left(const ChunkCoord& chunk) {
    masks_.chunk_left(chunk);
    drop_colliders_around(chunk);
}

void Terrain::drop_colliders_around(const ChunkCoord& chunk) {
    if (colliders_.stats().kept == 0) {
        return;
    }
    const BrickCoord first = brick_of(origin_of(chunk));
    for (std::int32_t y = -1; y <= kBricksPerChunkSide; ++y) {
        for (std::int32_t z = -1; z <= kBricksPerChunkSide; ++z) {
            for (std::int32_t x = -1; x <= kBricksPerChunkSide; ++x) {
                colliders_.drop(first + BrickCoord{x, y, z});
            }
        }
    }
}

std::span<const BrickCoord> Terrain::voxels_changed(const VoxelBox& box) {
    return voxels_changed(std::span(&box, 1));
}

std::span<const BrickCoord> Terrain::voxels_changed(std::span<const VoxelBox> boxes) {
    touched_.clear();
    masks_.voxels_changed(boxes, touched_);
    for (const BrickCoord& brick : touched_) {
        colliders_.drop(brick);
    }
    return touched_;
}

TerrainOverlap Terrain::overlap(const Aabb& box) const {
    return masks_.overlap(box);
}

void Terrain::gather_triangles(const Aabb& box, std::vector<TerrainTriangle>& out) {
    masks_.for_each_surface_brick(
        box, [&](const BrickCoord& brick) { gather(colliders_.get(brick), brick, box, out); });
}

}  // namespace terrane
