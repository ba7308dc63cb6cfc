#include "shared/terrain/brick_collider.h"

namespace terrane {

void BrickColliderBuilder::build(const VoxelGrid& grid, const BrickCoord& brick,
                                 BrickCollider& collider) {
    mesh_brick(copy_brick_box(grid, brick), mesh_);
    // Exact copies: a cache full of colliders pays for every byte of slack.
    collider.mesh.positions = std::vector<Vec3>(mesh_.positions.begin(), mesh_.positions.end());
    collider.mesh.materials =
        std::vector<MaterialId>(mesh_.materials.begin(), mesh_.materials.end());
    collider.mesh.indices = std::vector<std::uint16_t>(mesh_.indices.begin(), mesh_.indices.end());
    tree_builder_.build(collider.view(), collider.tree);
}

std::size_t memory_bytes(const BrickCollider& collider) {
    return sizeof(BrickCollider) + collider.mesh.positions.capacity() * sizeof(Vec3) +
           collider.mesh.materials.capacity() * sizeof(MaterialId) +
           collider.mesh.indices.capacity() * sizeof(std::uint16_t) + collider.tree.memory_bytes();
}

Aabb surface_box(const BrickCoord& brick) {
    const Vec3 corner = corner_of(origin_of(brick));
    return {corner - 0.5F, corner + (static_cast<float>(kBrickSize) + 0.5F)};
}

}  // namespace terrane
