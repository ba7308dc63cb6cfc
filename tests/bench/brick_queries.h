// The queries that the rows about colliders and trees ask: boxes and rays at single bricks, in the
// brick's space, the same ones of every structure.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/bench/terrain_scene.h"

namespace terrane::bench {

/// A box of 1-3 m around a vertex of its brick.
struct BoxQuery {
    std::size_t surface;  ///< index into TerrainScene::surfaces
    Aabb box;
};

/// From a point around the brick through it and out again.
struct RayQuery {
    std::size_t surface;
    Vec3 from;
    Vec3 to;

    Ray ray() const { return {from, to - from, 1.0F}; }
};

/// Every third surface brick in turn, four rounds: caches are cool, as in a zone.
std::shared_ptr<std::vector<BoxQuery>> make_boxes(const TerrainScene& scene);
std::shared_ptr<std::vector<RayQuery>> make_rays(const TerrainScene& scene);

/// Order does not matter, which triangles do. Sum these over what was found. Cheap: both sides of a
/// row pay for it.
inline std::uint64_t hash_triangle(std::size_t surface, std::uint32_t triangle) {
    const std::uint64_t id = surface * 4096 + triangle;
    return id * (id + 0x9e3779b97f4a7c15ULL);
}

}  // namespace terrane::bench
