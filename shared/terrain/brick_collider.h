// The surface of one brick in a form that can be asked: its mesh and a loose kD tree over it.
// About 28 bytes a triangle, the tree 13.5 of them at most.
#pragma once

#include <cstddef>

#include "shared/shape/triangle_tree.h"
#include "shared/voxel/surface_nets.h"

namespace terrane {

struct BrickCollider {
    BrickMesh mesh;  ///< metres relative to the brick's origin, in [-0.5, 8.5]
    TriangleTree tree;

    /// In the brick's own space.
    TriangleMeshView view() const { return {mesh.positions, mesh.indices, Vec3(0.0F)}; }
    /// In zone space.
    TriangleMeshView view(const BrickCoord& brick) const {
        return {mesh.positions, mesh.indices, corner_of(origin_of(brick))};
    }
};

/// Builds colliders one after the other in the same working memory.
class BrickColliderBuilder {
  public:
    /// Meshes the brick's 10^3 box as the grid has it now, then builds the tree. Replaces
    /// `collider`.
    void build(const VoxelGrid& grid, const BrickCoord& brick, BrickCollider& collider);

  private:
    BrickMesh mesh_;
    TriangleTreeBuilder tree_builder_;
};

std::size_t memory_bytes(const BrickCollider& collider);

/// What a brick's quads can reach: half a voxel beyond each side. Metres, zone space.
Aabb surface_box(const BrickCoord& brick);

}  // namespace terrane
