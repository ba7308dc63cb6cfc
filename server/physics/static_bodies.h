// Props inside Bullet: collision objects that are in its tree but not in its list of objects.
// Bullet walks that list several times a step, sleeping or not; whoever is only in the tree costs a
// step nothing until a body's box meets its own, and still collides like any other. Shapes are made
// once for each size and kept. Private to server/physics.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "server/physics/bullet.h"
#include "server/physics/physics_world.h"

namespace terrane {

class StaticBodies {
  public:
    /// Both must outlive it.
    StaticBodies(btDbvtBroadphase& tree, btDispatcher& dispatcher)
        : tree_(&tree), dispatcher_(&dispatcher) {}
    ~StaticBodies();
    StaticBodies(const StaticBodies&) = delete;
    StaticBodies& operator=(const StaticBodies&) = delete;

    StaticHandle add(const BodyKind& kind, const Vec3& position, const Quat& rotation);
    /// Its box as it was; empty if the handle names no prop.
    Aabb remove(StaticHandle handle);
    std::size_t count() const { return slots_.size() - free_.size(); }

  private:
    struct Slot {
        std::unique_ptr<btCollisionObject> object;  ///< null: the slot is free
        std::uint32_t generation = 1;
    };

    btConvexShape* find_or_make_shape(const BodyKind& kind);
    void leave_tree(Slot& slot);

    btDbvtBroadphase* tree_;
    btDispatcher* dispatcher_;
    std::map<std::array<float, 4>, std::unique_ptr<btConvexShape>> shapes_;  ///< by shape and size
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
};

}  // namespace terrane
