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
#include "shared/voxel/prop_scatter.h"

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

/// A player enters the zone. `stored`: where it was, if it has been here before, and the body it
/// sat in.
struct JoinCommand {
    EntityId player = 0;
    std::string name;
    bool has_stored_state = false;
    PlayerState stored;
    EntityId stored_vehicle = 0;  ///< 0: was not seated
    std::uint8_t stored_seat = 0;
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
/// A chunk was loaded or generated: it is simulated from now on. `props`: those that stand.
struct ChunkCommand {
    ChunkCoord coord;
    Chunk chunk;
    std::vector<PropPlacement> props{};
};
/// A chunk is no longer simulated; its state is kept elsewhere.
struct ChunkLeaveCommand {
    ChunkCoord coord;
};
struct SpawnCommand {
    std::string kind;
    Vec3 position{0.0F};
    Quat rotation = kNoRotation;
};
/// A player is put at the spawn place, standing still.
struct RespawnCommand {
    EntityId player = 0;
};
struct TeleportCommand {
    EntityId player = 0;
    Vec3 position{0.0F};  ///< foot
};
/// Players start, and come back, here from now on.
struct SpawnPointCommand {
    Vec3 position{0.0F};  ///< foot
};
/// A line of chat by a player, for everybody.
struct ChatCommand {
    EntityId player = 0;
    std::string text;
};
/// A line by the zone itself.
struct SayCommand {
    EntityId to = 0;  ///< 0: everybody
    std::string text;
};
/// The time of day is this now, and goes on by itself.
struct SkyCommand {
    float day_fraction = 0.5F;  ///< 0 midnight, 0.5 noon; below 1
    float day_length_s = 0.0F;  ///< 0: time stands still
};

/// A ball of voxels goes, what stands around is thrown (blast.h).
struct BlastCommand {
    Vec3 centre{0.0F};
    float radius_m = 2.0F;      ///< at most kBrushRadiusMax voxels
    float impulse_ns = 600.0F;  ///< on what touches the centre; nothing at kBlastReach radii
};

using Command = std::variant<JoinCommand, LeaveCommand, InputCommand, ChunkCommand,
                             ChunkLeaveCommand, SpawnCommand, RespawnCommand, TeleportCommand,
                             SpawnPointCommand, ChatCommand, SayCommand, SkyCommand, BlastCommand>;

}  // namespace terrane
