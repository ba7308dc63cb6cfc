// Embree 3 as the peer of builds and rays: user geometry, a box a primitive, one thread. Optional:
// without it make_embree_peer returns nothing (embree_missing.cpp).
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "shared/bvh/query.h"

namespace terrane::bench {

enum class EmbreeQuality : std::uint8_t {
    low,     ///< its Morton builder
    medium,  ///< its default: binned SAH
};

class EmbreePeer {
  public:
    virtual ~EmbreePeer() = default;

    /// Builds again, all of it.
    virtual void build() = 0;
    virtual std::optional<BvhHit> closest_hit(const Ray& ray) = 0;
};

/// Not built yet. `boxes` must outlive it.
std::unique_ptr<EmbreePeer> make_embree_peer(std::span<const Aabb> boxes, EmbreeQuality quality);

}  // namespace terrane::bench
