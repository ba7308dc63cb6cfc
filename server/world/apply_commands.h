// Phases 3 and 4: commands to changes of the world. apply_commands lets players, bodies and chunks
// in and out and notes the newest input of each player; apply_edits judges each edit from the
// player's pose before its input's motion and applies it whole or refuses it with a reason.
#pragma once

#include <span>
#include <vector>

#include "server/world/step_world.h"

namespace terrane {

void apply_commands(World& world, std::span<const Command> commands, StepResult& result);

/// The edits of one input. Appends to `changed` the box of voxels that each operation changed.
void apply_edits(World& world, const Player& player, const InputCommand& input, StepResult& result,
                 std::vector<VoxelBox>& changed);

/// Why `brush` may not be applied by `player` looking along its input's controls, or none. Judges
/// all but `rate` (the session's) and `stale` (known only by trying). Cost: at most 8 voxel rays,
/// and for placing near somebody a box test a voxel of the brush.
RejectReason judge_edit(const World& world, const Player& player, const PlayerControls& controls,
                        const Brush& brush);

}  // namespace terrane
