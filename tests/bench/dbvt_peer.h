// Bullet's btDbvt as the peer of the rows about trees of boxes. Its types stay in dbvt_peer.cpp;
// without Bullet, make_dbvt_peer returns nothing (dbvt_missing.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shared/bvh/query.h"

namespace terrane::bench {

class DbvtPeer {
  public:
    virtual ~DbvtPeer() = default;

    /// Appends the objects whose leaf meets `box`.
    virtual void overlaps(const Aabb& box, std::vector<std::uint32_t>& objects) = 0;
    /// The first object on the way of a box of these half extents; the direction has length 1.
    virtual std::optional<BvhHit> sweep(const Ray& ray, const Vec3& half_extents) = 0;
    virtual void insert(std::uint32_t object, const Aabb& box) = 0;
    virtual void remove(std::uint32_t object) = 0;
    /// A tick: larger leaves, moved only when left; then a hundredth of the tree optimised.
    virtual void update(std::span<const Aabb> boxes, std::span<const Aabb> before) = 0;
};

/// Built by insertion, then optimised top-down: its best for what stands still.
std::unique_ptr<DbvtPeer> make_dbvt_peer(std::span<const Aabb> boxes);

}  // namespace terrane::bench
