// The surface of one brick in a form that can be asked. There are two forms behind these functions,
// chosen by name; their answers are the same bit for bit, so a zone's state does not depend on it:
//
//   flat   quads and a scan over their bounds (flat_collider.h): at most 11 bytes a triangle
//   kd     the mesh and a loose kD tree over it (triangle_tree.h): about 28 bytes a triangle
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "shared/shape/triangle_tree.h"
#include "shared/terrain/flat_collider.h"
#include "shared/voxel/surface_nets.h"

namespace terrane {

enum class ColliderKind : std::uint8_t {
    flat = 0,
    kd = 1,
    flat_scalar = 2,  ///< flat without SIMD: for comparison
};

struct TreeCollider {
    BrickMesh mesh;  ///< metres relative to the brick's origin, in [-0.5, 8.5]
    TriangleTree tree;
};

struct BrickCollider {
    FlatCollider flat;
    std::unique_ptr<TreeCollider> tree;  ///< there: the surface is in it, and not in `flat`
};

/// Builds colliders one after the other in the same working memory.
class BrickColliderBuilder {
  public:
    explicit BrickColliderBuilder(ColliderKind kind = ColliderKind::flat) : kind_(kind) {}

    /// From the brick's 10^3 box as the grid has it now, what answers queries.
    /// Replaces `collider`.
    void build(const VoxelGrid& grid, const BrickCoord& brick, BrickCollider& collider);

  private:
    ColliderKind kind_;
    BrickMesh mesh_;
    TriangleTreeBuilder tree_builder_;
};

std::uint32_t triangle_count(const BrickCollider& collider);
std::size_t memory_bytes(const BrickCollider& collider);

// What flat_collider.h says of the same names holds for these.

TerrainTriangle triangle_at(const BrickCollider& collider, const BrickCoord& brick,
                            std::uint32_t triangle);
void gather(const BrickCollider& collider, const BrickCoord& brick, const Aabb& box,
            std::vector<TerrainTriangle>& out);
std::optional<TriangleHit> closest_hit(const BrickCollider& collider, const BrickCoord& brick,
                                       const ColliderRay& ray, float limit_t);
void all_hits(const BrickCollider& collider, const BrickCoord& brick, const ColliderRay& ray,
              std::vector<TriangleHit>& out);

/// What a brick's quads can reach: half a voxel beyond each side. Metres, zone space.
Aabb surface_box(const BrickCoord& brick);

}  // namespace terrane
