// What PhysicsWorld is made of. Bullet's objects are declared in the order in which they need each
// other; the bodies come last, so that they go first. Private to server/physics.
#pragma once

#include <map>

#include "server/physics/terrain_contacts.h"

namespace terrane {

struct PlayerCapsule {
    std::unique_ptr<btCapsuleShape> shape;
    std::unique_ptr<btCollisionObject> object;
    float radius_m = 0.0F;
    float height_m = 0.0F;
};

struct PhysicsWorld::State {
    State(Terrain& ground, const PhysicsConfig& settings);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // Membership in Bullet (physics_world.cpp).
    void enter(Body& body, bool is_obstacle);
    void leave(Body& body);
    /// Out of the simulation for good, at the last finite pose.
    void retire(Body& body, BodyMode mode);
    void quarantine(std::uint32_t index, Body& body);
    void write_pose(Body& body, const BodyState& state);
    /// Calls fn(index) for every body whose box meets `box`, in no order that may reach state.
    template <typename Fn>
    void each_overlapping(const Aabb& box, Fn&& fn) const;

    // The phases of a step, in order (physics_step.cpp).
    void check_motion();
    void hold_and_release(float dt);
    void update_pairs(float dt);
    void push_with_water(float dt);
    void take_poses(float dt);
    void list_moved();

    void take_pose(std::uint32_t index, Body& body, float dt);
    void stop_at_surface(const Body& body, BodyState& state);
    bool push_out_of_ground(const Body& body, BodyState& state);
    bool is_ground_loaded(const Body& body, float dt) const;

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
    std::vector<BodyHandle> moved;
    std::vector<BodyHandle> lost;
    PhysicsStats stats;
};

}  // namespace terrane
