// What a player meets besides the ground: rigid bodies and static props, as values that one substep
// reads, and what the player does to them in return.
//
// The player's sweep sees every body where it is at the start of the substep, one that comes where
// it will be at its end; it never moves a body. What a player does to one (push, weight) is
// appended as a MotionPush, and whoever owns the bodies applies or forgets it: the zone's physics
// applies it, a client that predicts forgets it.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/math/aabb.h"
#include "shared/shape/body_kind.h"
#include "shared/shape/piece_shape.h"

namespace terrane {

/// A solid near a player.
struct MotionBody {
    std::uint64_t id = 0;  ///< 0: a static prop, which neither carries nor is pushed
    BodyShape shape = BodyShape::box;
    Vec3 half_extents{0.5F};  ///< as in BodyKind
    Vec3 position{0.0F};      ///< of its middle, zone space
    Quat rotation{1.0F, 0.0F, 0.0F, 0.0F};
    /// From `position` to the middle of this shape, in the body's frame. 0 but for the parts of a
    /// piece: boxes that share id, pose, velocities and mass, `position` being its centre of mass.
    Vec3 offset{0.0F};
    Vec3 linear_velocity{0.0F};   ///< m/s
    Vec3 angular_velocity{0.0F};  ///< rad/s, zone space
    float mass_kg = 0.0F;         ///< 0: static
};

/// Of the shape, zone space.
inline Vec3 middle_of(const MotionBody& body) {
    return body.position + body.rotation * body.offset;
}

/// A piece is as many solids as it has parts: appends `whole`, its pose and motion, once for each
/// of `shape`'s parts of which the sphere around meets `box`.
void append_parts(const MotionBody& whole, const PieceShape& shape, const Aabb& box,
                  std::vector<MotionBody>& out);

/// Where the bodies come from: the zone's physics, or a client's replica.
class MotionBodies {
  public:
    virtual ~MotionBodies() = default;
    /// Appends the bodies whose own box meets `box`, ascending by id; props (id 0) first, always in
    /// the same order.
    virtual void gather(const Aabb& box, std::vector<MotionBody>& out) = 0;
    /// False if there is no such body (any more).
    virtual bool find(std::uint64_t id, MotionBody& out) = 0;
};

/// An impulse that a player gives a body.
struct MotionPush {
    std::uint64_t body = 0;
    Vec3 impulse_ns{0.0F};  ///< newton seconds, zone space
    Vec3 point{0.0F};       ///< where it acts, zone space
};

}  // namespace terrane
