// THE tick, inner half: commands in, one tick of the world, what happened out. No I/O, no clock, no
// other thread: the same world and commands give the same result, bit for bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "server/world/world.h"

namespace terrane {

struct AppliedEdit {
    EntityId player = 0;
    std::uint32_t edit = 0;  ///< the session's number for it
    AppliedOp op;            ///< one of the edit's operations; an edit has one a chunk
};

struct Rejection {
    EntityId player = 0;
    std::uint32_t edit = 0;
    RejectReason reason = RejectReason::none;
    ChunkCoord chunk;            ///< of the brush's centre
    std::uint32_t revision = 0;  ///< of that chunk, 0 = not loaded
};

/// A line for one player or for everybody.
struct ChatLine {
    std::string sender;  ///< empty: the zone
    EntityId to = 0;     ///< 0: everybody
    std::string text;
};

struct JoinedPlayer {
    EntityId id = 0;
    std::string name;
    bool is_new = false;  ///< has never been here
};

struct GoneProp {
    ChunkCoord chunk;
    std::uint8_t index = 0;
};

/// What became of what edits cut off (pieces.h).
struct PieceCounts {
    std::uint32_t cut = 0;      ///< became bodies
    std::uint32_t refused = 0;  ///< no room for a body: stayed
    std::uint32_t settled = 0;  ///< became ground again
    std::uint32_t removed = 0;  ///< did not fit as ground, or a speck
};

enum class WorldPhase : std::uint8_t { apply, edit, terrain, motion, scene };
inline constexpr std::size_t kWorldPhaseCount = 5;

/// Called after each phase, so that whoever has a clock can time it.
using PhaseHook = void (*)(void* context, WorldPhase finished);

/// Arrays to read after the step; valid until the next one.
struct StepResult {
    std::uint64_t tick = 0;
    std::vector<AppliedEdit> edits;  ///< player 0: the zone's own (water, pieces, blasts)
    std::vector<Rejection> rejections;
    std::vector<JoinedPlayer> joined;
    std::vector<Player> left;  ///< as they were
    std::vector<EntityId> spawned;
    std::vector<EntityId> removed;  ///< bodies that left the zone, the simulation, or became ground
    std::vector<ChunkCoord> chunks_arrived;
    std::vector<ChunkCoord> chunks_left;
    std::vector<GoneProp> props_gone;     ///< lost their ground
    std::vector<EntityId> seats_changed;  ///< players who sat down or stood up
    std::vector<EntityId> seats_missed;   ///< players who wanted to sit where no free seat is near
    std::vector<EntityId> stuck_in_seat;  ///< players who wanted to stand up where there is no room
    std::vector<EntityId> out_of_zone;    ///< players who fell out of the world
    std::vector<ChatLine> lines;          ///< in the order they were said
    bool is_sky_changed = false;
    bool is_spawn_point_changed = false;
    PieceCounts pieces;
    /// Bodies that fell asleep or are held where they were, then players and bodies whose node
    /// moved, by node order.
    std::vector<EntityId> moved;
    std::uint32_t bricks_changed = 0;
};

/// Appends operations on the grid to the result, and their boxes to `changed`. `player` 0: the
/// zone's own.
void note_ops(std::vector<AppliedOp>&& ops, EntityId player, std::uint32_t edit, StepResult& result,
              std::vector<VoxelBox>& changed);

void step_world(World& world, std::span<const Command> commands, StepResult& result,
                PhaseHook hook = nullptr, void* hook_context = nullptr);

}  // namespace terrane
