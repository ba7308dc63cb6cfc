// The zone's sides: a wall that nobody passes, and before it a push inward that grows from nothing
// at 4 m to its full strength at the wall, weaker than a walker.
#pragma once

#include "shared/motion/player_motion.h"

namespace terrane {

inline constexpr float kBorderSoftM = 4.0F;  ///< where the push begins, before the wall
inline constexpr float kBorderPush = 0.6F;   ///< at the wall, of the speed of walking or swimming
inline constexpr float kBorderPushMps2 = 6.0F;  ///< at the wall, for one in the air

/// Inward, each axis 0 at 4 m from its wall to 1 at the wall. Exactly 0 farther in.
Vec3 border_push(const GridBounds& bounds, const Vec3& foot);
/// The walls as faces like any other, where `box` meets them.
void add_border(CapsuleSweep& near, const GridBounds& bounds, const Aabb& box);
/// The last word, for a player who was put outside: inside the walls, on the floor.
void keep_in_zone(PlayerState& state, const GridBounds& bounds, const Capsule& capsule);

}  // namespace terrane
