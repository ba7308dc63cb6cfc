// A loose kD tree over the triangles of one mesh ("Voxel Terrain: Physics", the Roblox engine's
// account). Serves meshes that are not born on the lattice, and is the collider's oracle.
//
// Nodes are 12 bytes in one array. A branch halves its triangles on one axis and keeps two planes,
// refitted to the vertices: everything left lies below splits[0], everything right above splits[1];
// the two sides may overlap (hence loose). Its children are adjacent, so one index is enough.
//
//   branch | splits[0] : f32      | splits[1] : f32      | first child : 30 | axis : 2 (0 x, 1 y, 2
//   z) | leaf   | triangle 0 : u32     | triangle 1 : u32     | count : 30       | 3 |
//
// A node's extent is not stored: a query narrows it while it descends. No side of a branch holds
// fewer than a quarter of its triangles, so the depth is bounded; it is measured while building and
// sizes the stack of the queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shared/math/aabb.h"
#include "shared/math/ray.h"
#include "shared/shape/ray_triangle.h"

namespace terrane {

/// Three indices a triangle. Finite positions, every index in range. Does not own its arrays.
struct TriangleMeshView {
    std::span<const Vec3> positions;
    std::span<const std::uint16_t> indices;
    /// Where the mesh's origin lies in the space of rays, boxes and hits. The tree itself is built
    /// without it. A brick's corner keeps positions exact: multiples of 1/256 m in zone space.
    Vec3 offset{0.0F};

    std::size_t triangle_count() const { return indices.size() / 3; }
    Vec3 corner(std::size_t triangle, std::size_t which) const {
        return positions[indices[3 * triangle + which]] + offset;
    }
};

struct TriangleHit {
    float t = 0.0F;  ///< in lengths of ray.direction
    std::uint32_t triangle = 0;

    friend bool operator==(const TriangleHit&, const TriangleHit&) = default;
};

inline constexpr int kTriangleTreeDepthMax = 64;
inline constexpr std::size_t kTriangleTreeTrianglesMax = std::size_t{1} << 24;

class TriangleTree {
  public:
    struct Node {
        std::uint32_t words[2];   ///< branch: bits of the two splits; leaf: two triangles
        std::uint32_t tag_index;  ///< index or count << 2 | axis or kLeafTag
    };
    static constexpr std::uint32_t kLeafTag = 3;

    /// Appends the triangles whose own boxes meet `box` (touching counts), each once, in no
    /// particular order. `mesh` must be what the tree was built from, at any offset.
    void query_box(const TriangleMeshView& mesh, const Aabb& box,
                   std::vector<std::uint32_t>& out) const;
    /// Smallest t; of equal ones the smallest triangle. `limit_t` cuts the ray off (included).
    std::optional<TriangleHit> closest_hit(
        const TriangleMeshView& mesh, const Ray& ray,
        float limit_t = std::numeric_limits<float>::infinity()) const;
    /// Appends every hit, ascending by t, then by triangle.
    void all_hits(const TriangleMeshView& mesh, const Ray& ray,
                  std::vector<TriangleHit>& out) const;

    const Aabb& bounds() const { return bounds_; }
    /// Branches on the longest way from the root to a leaf.
    int depth() const { return depth_; }
    std::span<const Node> nodes() const { return nodes_; }
    std::size_t memory_bytes() const { return nodes_.capacity() * sizeof(Node); }

  private:
    friend class TriangleTreeBuilder;

    Aabb bounds_;
    std::vector<Node> nodes_;
    int depth_ = 0;
};
static_assert(sizeof(TriangleTree::Node) == 12);

/// Builds trees one after the other in the same working memory.
class TriangleTreeBuilder {
  public:
    TriangleTreeBuilder();
    ~TriangleTreeBuilder();
    TriangleTreeBuilder(const TriangleTreeBuilder&) = delete;
    TriangleTreeBuilder& operator=(const TriangleTreeBuilder&) = delete;

    /// Replaces `tree`. At most kTriangleTreeTrianglesMax triangles. Deterministic.
    void build(const TriangleMeshView& mesh, TriangleTree& tree);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Deepest tree that the quarter rule lets `triangle_count` triangles make.
int triangle_tree_depth_bound(std::size_t triangle_count);

}  // namespace terrane
