// What a client knows of the zone: the confirmed voxels and the nodes in view, made of nothing but
// the zone's messages. A client's guesses (prediction) live elsewhere; this is the zone's word.
//
// Voxels. A chunk arrives whole and then follows operation by operation:
//   revision <= ours       old: the blob already held it; skipped
//   revision == ours + 1   applied
//   revision >  ours + 1   a gap: counted, and the chunk stands still until it arrives whole again
// An operation that changes nothing here changed something in the zone: counted the same way. Gaps,
// such operations and unequal hashes are the divergences; there are none in a correct zone.
//
// Nodes. The zone names a node by a slot; a slot used again has another generation, and a pose for
// another generation is dropped. Poses stay quantised until somebody looks (find_pose): a thousand
// bots never do. A node that took a seat has no pose of its own: it is where its vehicle's seat is,
// and nowhere once the vehicle has left, until the zone says more.
//
// Props are static bodies that come and go with their chunk. Pieces are nodes made of voxels: those
// come before their node, and go with it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "client-stub/session/chunk_cache.h"
#include "client-stub/session/zone_info.h"
#include "schemas/to_client_generated.h"
#include "shared/core/result.h"
#include "shared/motion/player_motion.h"
#include "shared/protocol/transform_codec.h"
#include "shared/shape/piece_shape.h"
#include "shared/terrain/terrain.h"
#include "shared/voxel/brush.h"
#include "shared/voxel/voxel_grid.h"
#include "shared/voxel/voxel_piece.h"

namespace terrane {

struct QuantisedPose {
    QuantisedPosition position;
    std::uint32_t rotation = 0;
};

/// The voxels of a node that was cut off from the ground.
struct ReplicaPiece {
    VoxelPiece voxels;
    PieceMass mass;    ///< its centre is the node's position
    PieceShape shape;  ///< for motion; no parts unless ReplicaConfig.has_piece_shapes
};

struct ReplicaNode {
    std::uint64_t id = 0;  ///< 0: the slot is free
    std::uint8_t generation = 0;
    std::uint8_t kind = 0;
    bool is_asleep = false;
    bool is_held = false;  ///< at the edge of what the zone has loaded
    bool has_pose = false;
    std::uint32_t previous_tick = 0;
    std::uint32_t current_tick = 0;
    QuantisedPose previous;
    QuantisedPose current;
    std::string name;           ///< of a player
    std::uint64_t vehicle = 0;  ///< id of the node it sits in, 0: none
    std::uint16_t vehicle_slot = 0;
    std::uint8_t seat = 0;
    std::shared_ptr<const ReplicaPiece> piece;  ///< of a kind whose shape is piece, else null
};

struct NodePose {
    Vec3 position{0.0F};
    Quat rotation = kNoRotation;
};

/// Between the node's own last two poses; `tick` is the zone's, with a fraction. Not beyond either.
NodePose pose_at(const ReplicaNode& node, double tick);

/// Where who sits on `seat` of a vehicle is: the foot, turned with the vehicle.
NodePose seat_pose(const NodePose& vehicle, const BodyKind& kind, std::uint8_t seat);

/// A static body that stands where it grew.
struct ReplicaProp {
    std::uint8_t index = 0;  ///< its name in the chunk
    std::uint8_t kind = 0;
    NodePose pose;  ///< of its shape's middle
};

/// The player of this session sits in a vehicle.
struct OwnSeat {
    std::uint64_t vehicle = 0;  ///< id, 0: it does not
    std::uint8_t seat = 0;
};

/// A chunk that arrived, changed or left (grid().is_loaded() tells) and what of it, in zone space.
struct ChangedChunk {
    ChunkCoord chunk;
    VoxelBox changed;
};

struct ReplicaConfig {
    ChunkCache* cache = nullptr;       ///< shared by the replicas of this thread; may be null
    bool has_terrain = false;          ///< keep masks and colliders, for predicting motion
    bool has_piece_shapes = false;     ///< for motion among pieces
    bool is_tracking_changes = false;  ///< for take_changed_chunks()
};

struct ReplicaCounters {
    std::uint64_t chunks_received = 0;
    std::uint64_t chunks_forgotten = 0;
    std::uint64_t ops_applied = 0;  ///< those of runs too
    std::uint64_t ops_old = 0;
    std::uint64_t ops_not_loaded = 0;
    std::uint64_t ops_gap = 0;        ///< divergence
    std::uint64_t ops_no_effect = 0;  ///< divergence
    std::uint64_t hashes_equal = 0;
    std::uint64_t hashes_unequal = 0;  ///< divergence
    std::uint64_t hashes_skipped = 0;  ///< chunk not here, not there, or past that revision
    std::uint64_t poses_stale = 0;     ///< and seats

    std::uint64_t divergences() const { return ops_gap + ops_no_effect + hashes_unequal; }
};

/// Thread: one. Takes verified messages; an Error means that their values make no sense here.
class Replica {
  public:
    Replica(ZoneInfo zone, const ReplicaConfig& config);
    Replica(const Replica&) = delete;
    Replica& operator=(const Replica&) = delete;

    Result<void> apply(const wire::State& state);
    Result<void> apply(const wire::Chunk& message);
    /// Appends what was applied to `applied`.
    Result<void> apply(const wire::ChunkOps& message, std::vector<AppliedOp>& applied);
    Result<void> apply(const wire::ChunkRuns& message, std::vector<AppliedOp>& applied);
    void apply(const wire::PropsGone& message);
    Result<void> apply(const wire::Piece& message);
    void apply(const wire::Forget& message);
    void apply(const wire::Hash& message);
    void apply(const wire::SkyChanged& message);

    const ZoneInfo& zone() const { return zone_; }
    const VoxelGrid& grid() const { return grid_; }
    /// nullptr unless asked for.
    Terrain* terrain() { return terrain_.get(); }
    bool has_state() const { return has_state_; }
    /// Of the newest State.
    std::uint32_t tick() const { return tick_; }
    std::uint32_t applied_input() const { return applied_input_; }
    const PlayerState& own() const { return own_; }
    const OwnSeat& own_seat() const { return own_seat_; }
    /// By slot.
    std::span<const ReplicaNode> nodes() const { return nodes_; }
    /// nullptr if it is not in view. Cost: a look at every slot.
    const ReplicaNode* find_node(std::uint64_t id) const;
    /// Of a node that sits: its vehicle's. False for a free slot, before the first pose, and for
    /// who sits in a vehicle that has left.
    bool find_pose(const ReplicaNode& node, double tick, NodePose& pose) const;
    /// By chunk, each list ascending by index.
    const std::map<ChunkCoord, std::vector<ReplicaProp>>& props() const { return props_; }
    /// 0 midnight, 0.5 noon; `tick` is the zone's, with a fraction.
    float day_fraction(double tick) const;
    /// Chunks that wait for a hash's revision to come.
    std::size_t hashes_waiting() const { return waiting_hashes_.size(); }
    const ReplicaCounters& counters() const { return counters_; }

    /// What changed since the last call, ascending. Empty unless is_tracking_changes.
    std::vector<ChangedChunk> take_changed_chunks();

  private:
    struct WaitingHash {
        std::uint32_t revision = 0;
        std::uint64_t hash = 0;
    };

    Result<void> apply_enters(const wire::State& state);
    void apply_poses(const wire::State& state);
    Result<void> apply_seats(const wire::State& state);
    Result<void> apply_seat(const wire::NodeSeat& seat);
    Result<void> take_props(const ChunkCoord& c, const wire::Chunk& message);
    /// Is the operation that makes `revision` the next one? Counts it if not.
    bool is_next(const Chunk& chunk, const ChunkCoord& c, std::uint32_t revision);
    /// After an operation: false if it changed nothing, the chunk cannot follow any further.
    bool finish_op(const Chunk& chunk, const ChunkCoord& c, const VoxelBox& changed);
    /// The voxels of `changed` are other ones now.
    void voxels_changed(const ChunkCoord& c, const VoxelBox& changed);
    void compare_hash(const Chunk& chunk, std::uint64_t hash);
    void compare_waiting_hash(const ChunkCoord& c, const Chunk& chunk);
    void note_change(const ChunkCoord& c, const VoxelBox& changed);

    ZoneInfo zone_;
    ReplicaConfig config_;
    std::size_t chunks_max_;
    VoxelGrid grid_;
    std::unique_ptr<Terrain> terrain_;
    std::unordered_set<ChunkCoord> stuck_;  ///< diverged: wait for a whole chunk
    std::unordered_map<ChunkCoord, WaitingHash> waiting_hashes_;
    std::unordered_map<ChunkCoord, VoxelBox> changed_;
    bool has_state_ = false;
    std::uint32_t tick_ = 0;
    std::uint32_t applied_input_ = 0;
    PlayerState own_;
    OwnSeat own_seat_;
    std::vector<ReplicaNode> nodes_;
    std::map<std::uint64_t, std::shared_ptr<const ReplicaPiece>> coming_pieces_;  ///< by node id
    std::map<ChunkCoord, std::vector<ReplicaProp>> props_;
    ReplicaCounters counters_;
};

}  // namespace terrane
