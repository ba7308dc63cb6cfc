// Bullet as the peer of the terrain rows: a btBvhTriangleMeshShape a brick, plain or quantized, on
// the same meshes. Bullet's types stay in bullet_peer.cpp; without Bullet, make_bullet_peer returns
// nothing (bullet_missing.cpp).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tests/bench/terrain_scene.h"

namespace terrane::bench {

class BulletPeer {
  public:
    virtual ~BulletPeer() = default;

    /// Builds one tree over every brick's mesh and throws it away; returns the triangles seen.
    virtual std::size_t build_all() = 0;
    /// Tree nodes and what holds them, all bricks.
    virtual std::size_t tree_bytes() const = 0;
    /// Calls back for each triangle that the tree reports for `box` (brick space).
    virtual void query_box(std::size_t surface, const Aabb& box, std::vector<Vec3>& corners,
                           std::vector<std::uint32_t>& triangles) = 0;
    /// Closest hit from a to b (brick space), as a share of the way.
    virtual std::optional<float> closest_hit(std::size_t surface, const Vec3& a, const Vec3& b) = 0;
    virtual std::size_t count_hits(std::size_t surface, const Vec3& a, const Vec3& b) = 0;
    /// Closest hit in a collision world with one object a brick (zone space).
    virtual std::optional<float> world_hit(const Vec3& a, const Vec3& b) = 0;
};

std::unique_ptr<BulletPeer> make_bullet_peer(const TerrainScene& scene, bool is_quantized);

}  // namespace terrane::bench
