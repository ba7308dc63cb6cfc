// Embree 3 as the peer of rays against the terrain's triangles: a scene a brick, or one for all.
// Its default build quality and flags, one thread. Optional like EmbreePeer.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "shared/math/ray.h"
#include "tests/bench/terrain_scene.h"

namespace terrane::bench {

class EmbreeMeshes {
  public:
    virtual ~EmbreeMeshes() = default;

    /// In lengths of ray.direction. `mesh`: the number of a surface brick, the ray in its space; 0
    /// if there is one scene for all, the ray in zone space.
    virtual std::optional<float> closest_hit(std::size_t mesh, const Ray& ray) const = 0;
};

/// Built. `is_one`: all bricks of `scene` in one tree. nullptr without Embree.
std::unique_ptr<EmbreeMeshes> make_embree_meshes(const TerrainScene& scene, bool is_one);

}  // namespace terrane::bench
