// Bodies with seats. A player who presses `use` near a free seat sits down: its node becomes a
// child of the vehicle's, its capsule leaves the physics, its weight rests on the seat, and it
// moves with the vehicle and no longer by itself. Whoever sits in seat 0 steers with the move
// controls, by a push of the kind's thrust_n while the vehicle is afloat. `use` again: it stands
// up, on the vehicle.
//
//   walking --use, a free seat within kSeatReachM--> seated --use; vehicle gone; teleport-->
//   walking
#pragma once

#include "server/world/step_world.h"

namespace terrane {

inline constexpr float kSeatReachM = 2.5F;  ///< from the foot

/// Answers a press of `use`; `controls` are those of the input that runs.
void use_seats(World& world, Player& player, const PlayerControls& controls, StepResult& result);

/// false: no such seat, or taken.
bool sit_down(World& world, Player& player, EntityId vehicle, std::uint8_t seat,
              StepResult& result);
/// Onto or beside the vehicle, with its speed; where there is no room, where the seat is. Nothing
/// if the player does not sit.
void stand_up(World& world, Player& player, StepResult& result);
/// Everybody in `vehicle`, before it goes.
void empty_seats(World& world, EntityId vehicle, StepResult& result);

/// Before each substep of physics: what riders weigh and push.
void push_vehicles(World& world, float dt);
/// After the tick's physics: riders are where their seats are.
void carry_riders(World& world);

}  // namespace terrane
