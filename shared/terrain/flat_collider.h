// The surface of one brick as flat arrays, at most 11 bytes a triangle all in: no tree, since a
// brick has 75 quads on average and a scan over their bounds (flat_scan.h) beats walking one. The
// primitive is the mesher's quad, two triangles on a shared diagonal.
//
//   rows      6 bytes a quad, 6 for each group of 8    bounds, see flat_scan.h
//   corners   4 a quad, u8 (u16 above 256 vertices)    (0, 1, 2) and (0, 2, 3) are its triangles
//   swapped   1 bit a quad                             its second triangle comes first
//   vertices  7 bytes each: x, y, z as u16 in 1/256 m from half a voxel below the brick; material
//
// Triangles have the mesher's numbers. Boxes are compared in whole 1/256 m, rays by
// intersect_quad in zone space, so the answers are those of any other collider, bit for bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "shared/math/aabb.h"
#include "shared/shape/triangle_tree.h"
#include "shared/terrain/flat_scan.h"
#include "shared/voxel/surface_nets.h"

namespace terrane {

/// One triangle of the surface, zone space, counter-clockwise seen from the air.
struct TerrainTriangle {
    Vec3 a;
    Vec3 b;
    Vec3 c;
    BrickCoord brick;
    std::uint32_t index = 0;  ///< in its brick's collider: (brick, index) names it
    MaterialId material = kFirstSolid;
};

/// A ray made ready once for all the colliders that it is asked of.
struct ColliderRay {
    Ray ray;
    std::array<double, 3> direction{};  ///< divided by its largest component
    std::array<double, 3> inverse{};    ///< of it; finite, with its sign
    double scale = 0.0;                 ///< the largest component
    // For the scan, in single precision: inverse in steps, and which row of bounds comes first.
    std::array<float, 3> direction_f{};
    std::array<float, 3> inverse_per_step{};
    std::array<std::uint8_t, 3> near_row{};
    std::array<std::uint8_t, 3> far_row{};
    bool is_valid = false;  ///< finite, with a direction: else it hits nothing

    explicit ColliderRay(const Ray& given);
};

struct FlatCollider {
    std::unique_ptr<std::uint8_t[]> bytes;
    const FlatScan* scan = nullptr;
    std::uint16_t quad_count = 0;
    std::uint16_t vertex_count = 0;
    std::array<std::uint8_t, 3> low{};  ///< bounds of all quads, in steps
    std::array<std::uint8_t, 3> high{};

    std::uint32_t triangle_count() const { return 2U * quad_count; }
};

/// Replaces `collider`; `mesh` as mesh_brick makes it.
void build_flat(const BrickMesh& mesh, const FlatScan& scan, FlatCollider& collider);
/// The same surface straight from voxels, without the mesh.
void build_flat(const BrickBox& box, const FlatScan& scan, FlatCollider& collider);
std::size_t memory_bytes(const FlatCollider& collider);

// In all of these `brick` says where the collider lies and `box` and `ray` are in zone space; of a
// collider alone, brick (0, 0, 0) is its own space.

TerrainTriangle triangle_at(const FlatCollider& collider, const BrickCoord& brick,
                            std::uint32_t triangle);
/// Appends the triangles whose own boxes meet `box` (touching counts), ascending.
void gather(const FlatCollider& collider, const BrickCoord& brick, const Aabb& box,
            std::vector<TerrainTriangle>& out);
/// Smallest t; of equal ones the smallest triangle. `limit_t` cuts the ray off (included).
std::optional<TriangleHit> closest_hit(const FlatCollider& collider, const BrickCoord& brick,
                                       const ColliderRay& ray, float limit_t);
/// Appends every hit, ascending by t, then by triangle.
void all_hits(const FlatCollider& collider, const BrickCoord& brick, const ColliderRay& ray,
              std::vector<TriangleHit>& out);

/// A triangle's material: that of two of its corners, else of its first.
inline MaterialId material_of(MaterialId a, MaterialId b, MaterialId c) {
    return b == c ? b : a;
}

}  // namespace terrane
