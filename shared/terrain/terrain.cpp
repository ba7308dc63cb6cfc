#include "shared/terrain/terrain.h"

#include <algorithm>

namespace terrane {

MaterialId triangle_material(const BrickMesh& mesh, std::uint32_t triangle) {
    const std::size_t first = 3 * std::size_t{triangle};
    const MaterialId a = mesh.materials[mesh.indices[first]];
    const MaterialId b = mesh.materials[mesh.indices[first + 1]];
    const MaterialId c = mesh.materials[mesh.indices[first + 2]];
    return b == c ? b : a;
}

Terrain::Terrain(const VoxelGrid& grid, const TerrainConfig& config)
    : grid_(&grid), masks_(grid), colliders_(grid, config.collider_budget_bytes) {}

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
    touched_.clear();
    masks_.voxels_changed(box, touched_);
    for (const BrickCoord& brick : touched_) {
        colliders_.drop(brick);
    }
    return touched_;
}

TerrainOverlap Terrain::overlap(const Aabb& box) const {
    return masks_.overlap(box);
}

void Terrain::gather_triangles(const Aabb& box, std::vector<TerrainTriangle>& out) {
    masks_.for_each_surface_brick(box,
                                  [&](const BrickCoord& brick) { gather_from(brick, box, out); });
}

void Terrain::gather_from(const BrickCoord& brick, const Aabb& box,
                          std::vector<TerrainTriangle>& out) {
    const BrickCollider& collider = colliders_.get(brick);
    const TriangleMeshView view = collider.view(brick);
    found_.clear();
    collider.tree.query_box(view, box, found_);
    std::ranges::sort(found_);
    for (const std::uint32_t triangle : found_) {
        out.push_back({view.corner(triangle, 0), view.corner(triangle, 1), view.corner(triangle, 2),
                       brick, triangle, triangle_material(collider.mesh, triangle)});
    }
}

}  // namespace terrane
