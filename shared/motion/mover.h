// One substep of one player while it runs: what every part of it needs, and the moves that all ways
// of moving share. The parts, in the order of a substep:
//
//   ride (among_bodies.h)     along with the carrier under the foot
//   shove (among_bodies.h)    out of the way of bodies that come
//   walk, fall or swim        the player's own move, relative to the carrier (player_motion.cpp)
//   push (among_bodies.h)     what was walked against is pushed
//   keep_in_zone (zone_border.h)
#pragma once

#include <array>
#include <optional>

#include "shared/motion/player_motion.h"
#include "shared/motion/slide_planes.h"

namespace terrane {

struct Mover {
    PlayerState& state;
    const PlayerControls& controls;
    const MotionConfig& config;
    MotionWorld& world;
    float dt;
    Capsule capsule;
    float floor_up;  ///< cosine of the steepest slope to stand on
    float slope_tangent;
    Vec3 border_push{0.0F};       ///< inward, see zone_border.h
    Vec3 carrier_velocity{0.0F};  ///< at the foot, of the carrier at the start
    Vec3 carried_to{0.0F};        ///< where the carrier wanted the foot
    int carrier_index = -1;       ///< of the carrier at the start, in near.bodies()
    int ground_index = -1;        ///< of the body last settled on; -1 for the terrain
    float push_left_ns = 0.0F;    ///< what this substep may still give
    bool has_climbed = false;     ///< out of a body that was put over the player

    bool wants(ControlButton button) const { return (controls.buttons & button) != 0; }
};

/// The bodies that a slide ran into, each once, in order.
struct BodyHits {
    struct Hit {
        int body = -1;
        Vec3 normal{0.0F};
    };
    std::array<Hit, 4> hits{};
    int count = 0;
};

inline constexpr float kStepForwardM = 0.03F;  ///< the least way onto a step: less finds no hold
inline constexpr float kStepAheadM = 0.7F;     ///< where a step must have become ground
/// Moving up faster than this a player has left the ground (a jump, a blast).
inline constexpr float kLeaveGroundMps = 0.5F;

/// Takes the triangles that a move of `length_m` in any direction may meet (a slide may turn), plus
/// what stepping up and settling down look at, and moves the foot out of those it touches.
void gather(Mover& mover, float length_m, float up_m, float down_m);
/// Moves `foot` by `delta` as far as it goes, sliding along what it meets.
BodyHits slide(const Mover& mover, Vec3& foot, Vec3 delta, SlidePlanes& planes);
/// Lowers the foot onto ground at most `reach_m` below. Leaves it where it is if there is none.
bool settle(Mover& mover, Vec3& foot, float reach_m);
/// Up, forward, down: where a walker gets who is blocked at `slid`, if that is farther. The mesh
/// makes ramps of risers, often too steep to stand on: then what counts is the ground beyond, and
/// the foot goes up the ramp until it is there.
std::optional<Vec3> step_up(Mover& mover, const Vec3& delta, const Vec3& slid);

}  // namespace terrane
