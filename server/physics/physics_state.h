// What PhysicsWorld is made of. Bullet's objects are declared in the order in which they need each
// other; the bodies come last, so that they go first. Private to server/physics.
#pragma once

#include <map>

#include "server/physics/static_bodies.h"
#include "server/physics/terrain_contacts.h"

namespace terrane {

/// Metres a second and radians a second; below them for two seconds a body on dry ground sleeps.
inline constexpr float kRestSpeed = 0.04F;
inline constexpr float kRestSpin = 0.08F;

/// Chunks this near a body must be loaded: one voxel of border for the masks, one for the mesh.
inline constexpr float kLoadedAroundM = 2.0F;

/// In Bullet's tree a moving body's box is that of the start of the last step: queries look this
/// much farther, then ask the body itself.
inline constexpr float kTreeLagM = 1.0F;

/// Finds what Bullet's tree holds near a box and hands on the bodies among it.
template <typename Fn>
struct BodyCallback final : btBroadphaseAabbCallback {
    explicit BodyCallback(Fn& function) : fn(function) {}
    bool process(const btBroadphaseProxy* proxy) override {
        const auto* object = static_cast<const btCollisionObject*>(proxy->m_clientObject);
        if (object->getUserIndex() >= 0) {
            fn(static_cast<std::uint32_t>(object->getUserIndex()));
        }
        return true;
    }
    Fn& fn;
};

struct PlayerCapsule {
    std::unique_ptr<btCapsuleShape> shape;
    std::unique_ptr<btCollisionObject> object;
    float radius_m = 0.0F;
    float height_m = 0.0F;
    Aabb woken;  ///< the capsule's box when bodies around it were last woken
};

struct BodySurface {
    float friction = 0.0F;
    float restitution = 0.0F;
    float rolling_m = 0.0F;
};

/// Bodies that touch each other, as Bullet counts them.
struct Island {
    int tag = -1;             ///< negative: one body on its own
    std::uint32_t first = 0;  ///< its lowest index
    std::uint32_t count = 0;  ///< dozers apart
    float restlessness = 0.0F;
};

inline constexpr float kSpinMax = 60.0F;
Vec3 capped(const Vec3& v, float limit);

/// Bullet's way to a pair's contacts: none are looked for between two that cannot move; those that
/// were found stay.
void collide_unless_dozing(btBroadphasePair& pair, btCollisionDispatcher& dispatcher,
                           const btDispatcherInfo& info);

struct PhysicsWorld::State {
    State(Terrain& ground, const PhysicsConfig& settings);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // Membership in Bullet (physics_world.cpp).
    void enter(BodySlot& body, bool is_obstacle);
    void leave(BodySlot& body);
    /// Out of the simulation for good, at the last finite pose.
    void retire(BodySlot& body, BodyMode mode);
    void quarantine(std::uint32_t index, BodySlot& body);
    void write_pose(BodySlot& body, const BodyState& state);
    /// What leans on or stands on something in `box` that goes must fall.
    void wake_around(const Aabb& box);
    /// Calls fn(index) for every body whose box meets `box`, in no order that may reach state.
    template <typename Fn>
    void each_overlapping(const Aabb& box, Fn&& fn) const;

    // Entering (physics_world.cpp).
    bool can_enter(const BodyState& state) const;
    /// Bullet's side of the body in slot `index`, whose shape, mass and inertia are set.
    void begin(std::uint32_t index, btCollisionShape& shape, const BodySurface& surface,
               const BodyState& state);

    // At most so many awake (awake_cap.cpp).
    void cap_awake();
    void list_islands();
    void park(BodySlot& body, std::uint32_t island_count);
    void resume_parked(std::uint32_t busy);
    void count_parked();

    // How heaps come to rest (heap_rest.cpp).
    void doze(BodySlot& body);
    /// Does nothing to whoever does not doze, but starts its time of stillness anew.
    void stop_dozing(BodySlot& body);
    void wake_ahead(float dt);
    void count_neighbours();
    void settle_heaps(float dt);

    /// Takes part again from now on, dozing or asleep.
    void rouse(BodySlot& body);

    // The phases of a step, in order (physics_step.cpp).
    void check_motion();
    void take_pushes();
    void hold_and_release(float dt);
    void update_pairs(float dt);
    void apply_forces(float dt);
    void take_poses(float dt);
    void list_moved();

    void take_pose(std::uint32_t index, BodySlot& body, float dt);
    void stop_at_surface(const BodySlot& body, BodyState& state);
    bool push_out_of_ground(const BodySlot& body, BodyState& state);
    void push_with_water(BodySlot& body, float dt);
    bool is_ground_loaded(const BodySlot& body, float dt) const;

    Terrain* terrain;
    PhysicsConfig config;
    Aabb inside;  ///< whoever is outside is lost
    btDefaultCollisionConfiguration collision_config;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    TerrainShape terrain_shape;
    btCollisionObject terrain_object;
    BodyTable bodies;
    TerrainContacts contacts;
    std::map<std::uint64_t, PlayerCapsule> players;
    StaticBodies statics;
    std::vector<BodyHandle> moved;
    std::vector<BodyHandle> lost;
    std::vector<Island> islands;
    std::vector<std::uint64_t> touching;
    PhysicsStats stats;
    std::uint64_t parked_islands = 0;  ///< that awake_max put to sleep, since start
    std::uint32_t step_count = 0;
};

template <typename Fn>
void PhysicsWorld::State::each_overlapping(const Aabb& box, Fn&& fn) const {
    const auto exact = [&](std::uint32_t index) {
        if (is_box_met(bodies.at(index).volume, box)) {
            fn(index);
        }
    };
    BodyCallback callback(exact);
    // Asking the tree does not change it; Bullet's call is not const.
    const_cast<btDbvtBroadphase&>(broadphase)
        .aabbTest(to_bullet(box.min - kTreeLagM), to_bullet(box.max + kTreeLagM), callback);
}

}  // namespace terrane
