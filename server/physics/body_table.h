// The rigid bodies by index: what physics keeps about each beside Bullet's own object. Slots are
// reused, last freed first, under a new generation, so that an old handle names nothing. Iteration
// is by index, which makes every loop over bodies run in the same order in every run.
// Private to server/physics.
#pragma once

#include <memory>
#include <vector>

#include "server/physics/bullet.h"
#include "server/physics/buoyancy.h"
#include "server/physics/physics_world.h"
#include "server/physics/piece_body.h"
#include "server/physics/terrain_pairs.h"

namespace terrane {

enum class BodyMode : std::uint8_t { simulated, held, quarantined, lost };

/// What players press on a body within one substep, newton seconds and newton metre seconds about
/// its centre of mass.
struct BodyLoad {
    Vec3 along_ns{0.0F};
    Vec3 turn_nms{0.0F};

    friend bool operator==(const BodyLoad&, const BodyLoad&) = default;
};

/// Since when a body has kept its place (heap_rest.cpp).
struct StillPose {
    Vec3 position{0.0F};
    Quat rotation = kNoRotation;
    float seconds = 0.0F;
};

/// Where a body's middle was last found to be out of the ground (physics_step.cpp).
struct FreeSpot {
    Vec3 at{0.0F};
    std::uint32_t pairs_revision = 0;
    bool is_known = false;
};

struct BodySlot {
    std::unique_ptr<btConvexShape> shape;  ///< null: a piece
    std::unique_ptr<PieceBody> piece;
    std::unique_ptr<btRigidBody> rigid;  ///< null: the slot is free
    BodyVolume volume;                   ///< pose as of the last step
    BodyState last;                      ///< the last finite state; held: what will be restored
    TerrainPairs pairs;
    FreeSpot free_spot;
    btVector3 inertia{0.0F, 0.0F, 0.0F};
    BodyLoad pushed;  ///< for the next step
    BodyLoad load;    ///< of the last step in which it was awake: what it sleeps under
    StillPose still;
    StillPose nearly_still;
    StillPose creeping;
    Vec3 speed_before{0.0F};  ///< the velocity before the last step
    float mass_kg = 0.0F;
    float ballast_m = 0.0F;       ///< its centre of mass is this far below its middle
    float inner_radius_m = 0.0F;  ///< of the largest ball inside
    std::uint32_t generation = 1;
    BodyMode mode = BodyMode::simulated;
    Vec3 parked_linear{0.0F};  ///< what it goes on with (awake_cap.cpp)
    Vec3 parked_angular{0.0F};
    std::uint64_t parked_island = 0;      ///< which of them were parked together
    std::uint32_t parked_count = 0;       ///< bodies of its island; 0: not parked
    std::uint16_t neighbours = 0;         ///< bodies that it touched in the last step
    std::uint16_t dozing_neighbours = 0;  ///< as it began to doze
    bool is_touched_fast = false;         ///< by one of them
    bool is_dozing = false;               ///< of infinite mass until something happens near
    bool is_moved = false;
    bool is_in_world = false;  ///< Bullet's
};

/// The body's box, stretched along its way in the next `dt` seconds.
Aabb swept_box(const BodySlot& body, float dt);
/// Takes the pose of `state` into `body`.
void set_last(BodySlot& body, const BodyState& state);
/// From the centre of mass, about which Bullet turns a body, to its middle, which BodyState names.
Vec3 arm_to_middle(const BodySlot& body, const Quat& rotation);
Vec3 centre_of_mass(const BodySlot& body);
/// A point inside the body: its middle, of a piece that of its largest part.
Vec3 core_point(const BodySlot& body, const BodyState& state);
/// Bullet's frame: the centre of mass and, of a piece, its principal axes.
btTransform bullet_pose(const BodySlot& body, const BodyState& state);
/// What Bullet says now.
BodyState bullet_state(const BodySlot& body);
void set_bullet_velocity(BodySlot& body, const BodyState& state);
bool is_finite(const BodyState& state);
/// Around the centre of mass. nullptr if the kind is no body (player) or has no size.
std::unique_ptr<btConvexShape> make_shape(const BodyKind& kind);

class BodyTable {
  public:
    explicit BodyTable(std::uint32_t bodies_max) : bodies_max_(bodies_max) {}

    bool is_full() const { return count_ >= bodies_max_; }
    std::uint32_t count() const { return count_; }
    /// Slots, free ones included.
    std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
    bool is_used(std::uint32_t index) const {
        return index < slots_.size() && slots_[index].rigid != nullptr;
    }
    BodySlot& at(std::uint32_t index) { return slots_[index]; }
    const BodySlot& at(std::uint32_t index) const { return slots_[index]; }
    /// nullptr if the handle is of no living body.
    BodySlot* find(BodyHandle handle);
    const BodySlot* find(BodyHandle handle) const;
    BodyHandle handle(std::uint32_t index) const { return {index, slots_[index].generation}; }

    /// A slot to fill; the table must not be full.
    std::uint32_t take();
    /// Bullet must not hold the body any more.
    void free(std::uint32_t index);

    /// Calls fn(index, body) for every used slot, ascending.
    template <typename Fn>
    void for_each(Fn&& fn) {
        for (std::uint32_t i = 0; i < slots_.size(); ++i) {
            if (slots_[i].rigid != nullptr) {
                fn(i, slots_[i]);
            }
        }
    }

    template <typename Fn>
    void for_each(Fn&& fn) const {
        for (std::uint32_t i = 0; i < slots_.size(); ++i) {
            if (slots_[i].rigid != nullptr) {
                fn(i, slots_[i]);
            }
        }
    }

  private:
    std::vector<BodySlot> slots_;
    std::vector<std::uint32_t> free_;
    std::uint32_t bodies_max_;
    std::uint32_t count_ = 0;
};

}  // namespace terrane
