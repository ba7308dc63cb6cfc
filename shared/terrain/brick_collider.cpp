#include "shared/terrain/brick_collider.h"

#include <algorithm>

namespace terrane {
namespace {

TriangleMeshView view_of(const TreeCollider& tree, const BrickCoord& brick) {
    return {tree.mesh.positions, tree.mesh.indices, corner_of(origin_of(brick))};
}

TerrainTriangle triangle_at(const TreeCollider& tree, const BrickCoord& brick,
                            std::uint32_t triangle) {
    const TriangleMeshView view = view_of(tree, brick);
    const std::uint16_t* index = &view.indices[3 * std::size_t{triangle}];
    const std::vector<MaterialId>& materials = tree.mesh.materials;
    return {view.corner(triangle, 0),
            view.corner(triangle, 1),
            view.corner(triangle, 2),
            brick,
            triangle,
            material_of(materials[index[0]], materials[index[1]], materials[index[2]])};
}

void gather(const TreeCollider& tree, const BrickCoord& brick, const Aabb& box,
            std::vector<TerrainTriangle>& out) {
    std::vector<std::uint32_t> found;
    tree.tree.query_box(view_of(tree, brick), box, found);
    std::ranges::sort(found);
    for (const std::uint32_t triangle : found) {
        out.push_back(triangle_at(tree, brick, triangle));
    }
}

/// Exact copies: a cache full of colliders pays for every byte of slack.
void build_tree(const BrickMesh& mesh, TriangleTreeBuilder& builder, TreeCollider& tree) {
    tree.mesh.positions = std::vector<Vec3>(mesh.positions.begin(), mesh.positions.end());
    tree.mesh.materials = std::vector<MaterialId>(mesh.materials.begin(), mesh.materials.end());
    tree.mesh.indices = std::vector<std::uint16_t>(mesh.indices.begin(), mesh.indices.end());
    builder.build(view_of(tree, {0, 0, 0}), tree.tree);
}

}  // namespace

void BrickColliderBuilder::build(const VoxelGrid& grid, const BrickCoord& brick,
                                 BrickCollider& collider) {
    const BrickBox box = copy_brick_box(grid, brick);
    collider = {};
    if (kind_ == ColliderKind::kd) {
        mesh_brick(box, mesh_);
        collider.tree = std::make_unique<TreeCollider>();
        build_tree(mesh_, tree_builder_, *collider.tree);
    } else {
        build_flat(box, kind_ == ColliderKind::flat ? simd_scan() : scalar_scan(), collider.flat);
    }
}

std::uint32_t triangle_count(const BrickCollider& collider) {
    return collider.tree != nullptr
               ? static_cast<std::uint32_t>(collider.tree->mesh.indices.size() / 3)
               : collider.flat.triangle_count();
}

std::size_t memory_bytes(const BrickCollider& collider) {
    const std::size_t own = sizeof(BrickCollider) - sizeof(FlatCollider);
    if (collider.tree == nullptr) {
        return own + memory_bytes(collider.flat);
    }
    const BrickMesh& mesh = collider.tree->mesh;
    return sizeof(BrickCollider) + sizeof(TreeCollider) + mesh.positions.capacity() * sizeof(Vec3) +
           mesh.materials.capacity() * sizeof(MaterialId) +
           mesh.indices.capacity() * sizeof(std::uint16_t) + collider.tree->tree.memory_bytes();
}

TerrainTriangle triangle_at(const BrickCollider& collider, const BrickCoord& brick,
                            std::uint32_t triangle) {
    return collider.tree != nullptr ? triangle_at(*collider.tree, brick, triangle)
                                    : triangle_at(collider.flat, brick, triangle);
}

void gather(const BrickCollider& collider, const BrickCoord& brick, const Aabb& box,
            std::vector<TerrainTriangle>& out) {
    if (collider.tree != nullptr) {
        gather(*collider.tree, brick, box, out);
    } else {
        gather(collider.flat, brick, box, out);
    }
}

std::optional<TriangleHit> closest_hit(const BrickCollider& collider, const BrickCoord& brick,
                                       const ColliderRay& ray, float limit_t) {
    if (collider.tree != nullptr) {
        return collider.tree->tree.closest_hit(view_of(*collider.tree, brick), ray.ray, limit_t);
    }
    return closest_hit(collider.flat, brick, ray, limit_t);
}

void all_hits(const BrickCollider& collider, const BrickCoord& brick, const ColliderRay& ray,
              std::vector<TriangleHit>& out) {
    if (collider.tree != nullptr) {
        collider.tree->tree.all_hits(view_of(*collider.tree, brick), ray.ray, out);
    } else {
        all_hits(collider.flat, brick, ray, out);
    }
}

Aabb surface_box(const BrickCoord& brick) {
    const Vec3 corner = corner_of(origin_of(brick));
    return {corner - 0.5F, corner + (static_cast<float>(kBrickSize) + 0.5F)};
}

}  // namespace terrane
