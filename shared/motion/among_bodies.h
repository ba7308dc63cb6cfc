// A player among bodies: carried by the one under the foot, shoved by those that come, pushing
// those walked against. All of it is bounded: a player gives at most 500 N for the substep, is
// shoved at most 10 m/s, and every way goes by a sweep that stops at what it meets, so no body
// presses anybody into the ground or into another body.
//
// Bodies move after the players, and against a player's capsule that stands still meanwhile. A body
// that comes is therefore measured where it will be after the substep, so that the player is out of
// its way before it arrives; all others are measured where they are. A deck that rises is ahead of
// itself in the same way, and its rider with it.
//
//        player gives J = min(500 N x h, closing speed / (1 / m_body + 1 / 70 kg))
//        the body still comes at  w = coming - J / m_body:  so fast the player is shoved
//
// Both formulas are an inelastic collision of two masses, cut off at the player's strength: a ball
// stops at the shin, a crate is caught over some steps, a boat is not stopped at all.
#pragma once

#include "shared/motion/mover.h"

namespace terrane {

inline constexpr float kPlayerStrengthN = 500.0F;
/// Lighter ones slide on the ground before a walking player's push: 500 N against a friction of
/// 0.5.
inline constexpr float kPushedKg = 100.0F;

/// Gathers the bodies near and moves the player along with the carrier as far as walls let it.
void ride(Mover& mover);
/// Out of the way of bodies that come or overlap.
void shove(Mover& mover);
/// Pushes the bodies that the player's own move ran into. Returns what is left of the velocity:
/// against a wall nothing, against a body as much as it moves away.
Vec3 push(Mover& mover, const BodyHits& hits, const SlidePlanes& planes, bool is_walking);
/// How fast a body at most `reach_m` below the foot rises, as state.velocity counts; 0 if there is
/// none. Who does not leave it much faster lands on it.
float rise_below(const Mover& mover, float reach_m);
/// The first body that was hit is none to step up on: a ball, which rolls away under the foot, or
/// one that his push moves and that rises above half his step.
bool is_pushed_ahead(const Mover& mover, const BodyHits& hits);
/// Notes the body under the foot as carrier and rests the player's weight on it. The velocity
/// becomes relative to a new carrier, or the zone's again without one.
void stand_on(Mover& mover);

}  // namespace terrane
