// Bullet as the peer of the rows about bodies: a dynamics world whose ground is one quantized
// btBvhTriangleMeshShape a brick, each a static object in its btDbvtBroadphase, on the same meshes
// and with the settings that suit it: sleeping statics, boxes of moving objects only, margins as
// Bullet sets them, friction and rolling friction as ours. Bodies never sleep.
#pragma once

#include <memory>

#include "shared/math/vec.h"
#include "shared/shape/body_kind.h"
#include "tests/bench/terrain_scene.h"

namespace terrane::bench {

class PhysicsPeer {
  public:
    virtual ~PhysicsPeer() = default;

    virtual void add(const BodyKind& kind, const Vec3& position) = 0;
    virtual void step(float dt) = 0;
    virtual std::size_t body_count() const = 0;
    virtual Vec3 position(std::size_t body) const = 0;
    virtual Vec3 velocity(std::size_t body) const = 0;
};

/// `scene` must outlive the peer.
std::unique_ptr<PhysicsPeer> make_physics_peer(const TerrainScene& scene);

}  // namespace terrane::bench
