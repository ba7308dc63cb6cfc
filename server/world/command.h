// Whatever asks the world to change, as a value. Commands are the only way into step_world:
// players' inputs, joins, chunks that finished loading, spawns by operators and rules. A log of
// them replays the zone.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "shared/motion/player_motion.h"
#include "shared/voxel/brush.h"

namespace terrane {

/// 64 bits, never used again: zone, epoch, counter.
using EntityId = std::uint64_t;

/// Values of wire::RejectReason.
enum class RejectReason : std::uint8_t {
    none,
    too_far,
    no_sight,
    out_of_zone,
    not_loaded,
    occupied,
    bad_material,
    bad_value,
    rate,
    protected_area,
    stale,
};
inline constexpr std::size_t kRejectReasonCount = 11;
const char* name_of(RejectReason reason);

struct EditRequest {
    std::uint32_t id = 0;  ///< the session's number for it
    Brush brush;
};

/// A player enters the zone. `stored`: where it was, if it has been here before.
struct JoinCommand {
    EntityId player = 0;
    std::string name;
    bool has_stored_state = false;
    PlayerState stored;
};
struct LeaveCommand {
    EntityId player = 0;
};
/// One client tick of a player: edits are judged from the pose before it, then motion runs.
struct InputCommand {
    EntityId player = 0;
    std::uint32_t client_tick = 0;
    PlayerControls controls;
    std::vector<EditRequest> edits;
};
/// A chunk was loaded or generated.
struct ChunkCommand {
    ChunkCoord coord;
    Chunk chunk;
};
struct SpawnCommand {
    std::string kind;
    Vec3 position{0.0F};
    Quat rotation = kNoRotation;
};

using Command = std::variant<JoinCommand, LeaveCommand, InputCommand, ChunkCommand, SpawnCommand>;

}  // namespace terrane
