// Rigid bodies: Bullet, with the terrain as one collision object whose collision algorithm is our
// own. The terrain never becomes thousands of Bullet objects: for every body the masks say whether
// it may touch ground at all, the collider cache gives the triangles near it, and Bullet's
// convex-triangle algorithms make the contact points. Water contacts come from the same masks and
// drive buoyancy (buoyancy.h).
//
// A step, in order: what is not finite is quarantined, players' pushes wake who would notice them,
// bodies over chunks that are not loaded are held, pairs with bricks follow the bodies, players and
// water push, Bullet steps, bodies whose middle is in the ground are pushed out of it, and whoever
// left the zone is named lost.
//
//   simulated --- box meets a chunk not loaded --> held (a fixed obstacle, velocities kept)
//      |  ^------ all its chunks are loaded ----------'      (a sleeper is asked every 8th step)
//      |--------- not finite --------------------> quarantined (frozen at the last finite pose)
//      '--------- left the zone -----------------> lost (out of the simulation until removed)
//
// Owner: World. Thread: tick. Bullet's types stay inside this room.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shared/shape/body_kind.h"
#include "shared/shape/piece_shape.h"
#include "shared/terrain/terrain.h"

namespace terrane {

struct PhysicsConfig {
    float gravity_mps2 = 9.81F;
    float water_density_kg_m3 = 1000.0F;
    float speed_max_mps = 50.0F;
    std::uint32_t bodies_max = 4096;
    std::uint32_t awake_max = 600;       ///< dozers apart; above it the calmest islands sleep
    std::vector<float> ground_friction;  ///< by MaterialId; kGroundFriction where it ends
    bool is_contact_filter_on = true;    ///< contact_filter.h; off: the same states, slower
};

inline constexpr float kGroundFriction = 0.8F;
/// A body whose middle is this far beyond a side of the zone, or above or below it, is lost.
inline constexpr float kLostBesideM = 2.0F;
inline constexpr float kLostAboveM = 64.0F;

/// Index and generation; index 0 with generation 0 names no body.
struct BodyHandle {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;

    friend bool operator==(const BodyHandle&, const BodyHandle&) = default;
};

inline constexpr std::uint32_t kStaticsMax = 1U << 17;

/// As BodyHandle, of props.
struct StaticHandle {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;

    friend bool operator==(const StaticHandle&, const StaticHandle&) = default;
};

struct BodyState {
    Vec3 position{0.0F};  ///< the shape's middle, metres, zone space; ballast does not move it
    Quat rotation = kNoRotation;
    Vec3 linear_velocity{0.0F};   ///< of the middle, m/s
    Vec3 angular_velocity{0.0F};  ///< rad/s
    bool is_asleep = false;
};

/// Where a body touches something, for people to look at.
struct ContactView {
    Vec3 point{0.0F};      ///< on what it touches
    Vec3 normal{0.0F};     ///< unit, towards the body
    float depth_m = 0.0F;  ///< positive: apart
    bool is_ground = false;
};

struct WaterView {
    Vec3 middle{0.0F};
    float level_m = 0.0F;  ///< of the surface, where it is flat; else the middle's height
    float share = 0.0F;    ///< under water, 0 .. 1
};

struct PhysicsStats {
    std::uint32_t bodies = 0;
    std::uint32_t awake = 0;
    std::uint32_t dozing = 0;          ///< of them, those that a heap holds still
    std::uint32_t parked = 0;          ///< asleep by awake_max though they were moving
    std::uint32_t put_to_sleep = 0;    ///< by awake_max, since start
    std::uint32_t held = 0;            ///< over chunks that are not loaded
    std::uint32_t solid_contacts = 0;  ///< (body, brick) pairs
    std::uint32_t water_contacts = 0;
    std::uint32_t pushed_out = 0;   ///< bodies moved out of the ground in the last step
    std::uint32_t quarantined = 0;  ///< not finite: taken out of the simulation, since start
    std::uint32_t refused = 0;      ///< capsules of players that cannot be, since start
    std::uint32_t lost = 0;         ///< left the zone, since start
};

class PhysicsWorld {
  public:
    /// `terrain` must outlive the world.
    PhysicsWorld(Terrain& terrain, const PhysicsConfig& config);
    ~PhysicsWorld();
    PhysicsWorld(const PhysicsWorld&) = delete;
    PhysicsWorld& operator=(const PhysicsWorld&) = delete;

    /// A null handle if bodies_max is reached, the state is not finite or where a body is lost, or
    /// the kind has no size or mass (the player), weighs less than a gram or is wider than 128 m.
    BodyHandle add_body(const BodyKind& kind, const BodyState& state);
    /// What an edit cut off, as one rigid body; `state.position` is its centre of mass. A null
    /// handle as above, or if the piece is not valid. Keeps a copy of it.
    BodyHandle add_piece(const PieceShape& piece, float friction, const BodyState& state);
    void remove_body(BodyHandle body);
    bool is_alive(BodyHandle body) const;
    BodyState state(BodyHandle body) const;
    /// Asleep by awake_max though it was moving: it will go on.
    bool is_parked(BodyHandle body) const;
    /// What a restart should begin with: of a parked body, awake with its velocity.
    BodyState state_to_keep(BodyHandle body) const;
    Aabb bounds(BodyHandle body) const;
    void wake(BodyHandle body);
    /// Newton seconds at `point` (zone space); wakes the body. One that is not finite quarantines
    /// it.
    void apply_impulse(BodyHandle body, const Vec3& impulse_ns, const Vec3& point);
    /// What a player does to a body in the next step, newton seconds at `point`: pressing against
    /// it, or weight. Unlike apply_impulse it acts as a force through the step, beside gravity, and
    /// a sleeping body wakes only if the sum of its pushes differs from that under which it fell
    /// asleep by what would show (2 mm/s or 4 mrad/s). So who steps onto a boat or off it wakes it,
    /// who stands still lets it sleep, and leaning on a boulder of 5 t does nothing. For as long as
    /// it lasts, call it before every step.
    void push(BodyHandle body, const Vec3& impulse_ns, const Vec3& point);
    /// Wakes the body. Capped at speed_max_mps and 60 rad/s; values that are not finite quarantine
    /// it.
    void set_velocity(BodyHandle body, const Vec3& linear, const Vec3& angular);

    /// In the simulation, and not asleep.
    bool is_awake(BodyHandle body) const;
    /// Over chunks that are not loaded; moved() names it when that begins and when it ends.
    bool is_held(BodyHandle body) const;
    /// Share of its volume that is under water now, 0 .. 1; reads the voxels in its box.
    float submerged_share(BodyHandle body) const;
    /// Appends where bodies need the ground loaded: the boxes, stretched along their ways in the
    /// next `ahead_s` seconds (a substep at least), of all that are awake or were when they were
    /// held. In the order of the bodies' indices.
    void list_wanted(std::vector<Aabb>& out, float ahead_s) const;

    /// A prop: never moves, costs nothing in a step; `position` is its shape's middle. A null
    /// handle if there are kStaticsMax, the pose is not finite or the kind has no size.
    StaticHandle add_static(const BodyKind& kind, const Vec3& position, const Quat& rotation);
    /// Wakes what leans on it. Twice is harmless.
    void remove_static(StaticHandle prop);

    /// A player's capsule: a static object, teleported with zero velocity each substep (a kinematic
    /// one flings crates). `key` is the caller's name for it; box from foot position. When it has
    /// moved by more than a millimetre, or goes, bodies within 0.1 m of where it was wake. Values
    /// that are not finite, or no capsule, are refused and counted: it stays as it was.
    void set_player(std::uint64_t key, const Vec3& foot, float radius_m, float height_m);
    void remove_player(std::uint64_t key);

    /// Ground or water changed in these bricks (Terrain::voxels_changed): contacts with them are
    /// remade and every body whose box, grown by a voxel, meets them wakes now.
    void terrain_changed(std::span<const BrickCoord> bricks);

    /// One substep: forces (gravity, buoyancy, drag), then stepSimulation(dt, 0). 0 < dt <= 0.25.
    void step(float dt);

    /// Bodies whose pose changed, or that fell asleep, since the last call of clear_moved, each
    /// once, ascending by index. Valid until the next step, add or remove.
    std::span<const BodyHandle> moved() const;
    void clear_moved();
    /// Bodies that were lost since the last call, ascending; the caller removes them.
    std::vector<BodyHandle> take_lost();
    /// Does any body's box meet `box`?
    bool overlaps_body(const Aabb& box) const;
    /// Appends the bodies whose box meets `box`, ascending by index.
    void bodies_near(const Aabb& box, std::vector<BodyHandle>& out) const;
    /// Of the last step, with their point in `box`, at most `count_max`; in no particular order.
    std::vector<ContactView> contacts_near(const Aabb& box, std::size_t count_max) const;
    /// Bodies with a water contact whose middle lies in `box`, ascending, at most `count_max`.
    std::vector<WaterView> water_near(const Aabb& box, std::size_t count_max) const;
    const PhysicsStats& stats() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace terrane
