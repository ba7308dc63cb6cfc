// The solids that players meet: rigid bodies as physics has them, and the props of simulated
// chunks. The zone's side of MotionBodies (shared/motion).
#pragma once

#include <vector>

#include "server/physics/physics_world.h"
#include "shared/motion/player_motion.h"

namespace terrane {

struct World;

/// Owner: World. Thread: tick.
class WorldBodies final : public MotionBodies {
  public:
    explicit WorldBodies(const World& world) : world_(&world) {}
    void gather(const Aabb& box, std::vector<MotionBody>& out) override;
    bool find(std::uint64_t id, MotionBody& out) override;

  private:
    void gather_props(const Aabb& box, std::vector<MotionBody>& out) const;

    const World* world_;
    std::vector<BodyHandle> near_;
};

}  // namespace terrane
