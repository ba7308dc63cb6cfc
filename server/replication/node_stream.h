// The nodes one session sees, and the State it is sent each tick: its own player, nodes that came,
// left and moved, seats taken and left. A session sees the nodes within its view's radius (they
// leave 32 m beyond it); who is near is looked up in a grid for a quarter of the sessions each
// tick, what moved goes out every tick.
//
// A seated player belongs to its vehicle: it comes into view and leaves it with it, and while it
// sits nothing is sent about it but the seat.
//
//   seat taken    NodeSeat, after the vehicle's enter if that is new    poses stop
//   seat left     NodeSeat with no parent, and a pose                   poses go on
//
// Owner: Replicator. Thread: tick.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schemas/to_client_generated.h"
#include "server/replication/node_slots.h"
#include "server/world/step_world.h"
#include "shared/protocol/framing.h"
#include "shared/protocol/transform_codec.h"
#include "shared/scene/interest_grid.h"

namespace terrane {

/// A node as the wire sees it, but for the session's slot.
struct NodeView {
    EntityId entity = 0;
    EntityId vehicle = 0;  ///< of a seated player
    Vec3 position{0.0F};
    QuantisedPosition wire_position;
    std::uint32_t wire_rotation = 0;
    std::uint8_t kind = 0;
    std::uint8_t seat = 0;
    bool is_asleep = false;
    bool is_held = false;
    const std::string* name = nullptr;  ///< of a player
};

/// What all sessions share of one tick's nodes.
struct NodeTick {
    /// `tick_grid` is filled when first asked for.
    NodeTick(const World& tick_world, const StepResult& tick_result, InterestGrid& tick_grid);

    /// Everything there is but seated players, ascending by entity; made when first asked for.
    std::span<const NodeView> all();
    /// Appends the places in all() of what is at most `radius_m` from `at`, ascending.
    void find_near(const Vec3& at, float radius_m, std::vector<std::uint32_t>& places);

    const World& world;
    const StepResult& result;
    std::vector<NodeView> moved;  ///< in the order of StepResult.moved

  private:
    InterestGrid& grid_;
    InterestScratch scratch_;
    std::vector<NodeView> all_;
    bool has_all_ = false;
};

bool view_node(const World& world, EntityId entity, NodeView& view);

class NodeStream {
  public:
    NodeStream(EntityId player, float radius_m) : player_(player), radius_m_(radius_m) {}

    /// The State of this tick. The session's player must be in the world. Pieces do not enter while
    /// there is no room for their voxels.
    Bytes make_state(NodeTick& tick, flatbuffers::FlatBufferBuilder& builder,
                     bool is_congested = false);
    /// Pieces that enter in the State last made: their voxels must be sent before it.
    std::span<const EntityId> entered_pieces() const { return entered_pieces_; }
    std::size_t node_count() const { return slots_.count(); }
    /// Poses in the last State.
    std::size_t poses_sent() const { return poses_.size(); }

  private:
    void update_interest(NodeTick& tick);
    void look_around(NodeTick& tick, const Vec3& eye);
    void meet(const World& world, const NodeView& view, const Vec3& eye);
    void enter_with_riders(const World& world, EntityId entity);
    void enter(const World& world, EntityId entity);
    void drop(EntityId entity);
    void drop_with_riders(const World& world, EntityId entity);
    void take_seats(const NodeTick& tick);
    void add_seat(const World& world, EntityId rider);
    bool is_riding(const NodeView& view);
    void add_pose(const NodeView& view, std::uint64_t tick);
    void fill_poses(NodeTick& tick);

    EntityId player_;
    float radius_m_;
    NodeSlots slots_;
    std::vector<EntityId> in_view_;  ///< who has a slot, ascending
    bool is_new_ = true;

    // Of the tick that runs.
    std::vector<EntityId> entered_;
    std::vector<EntityId> entered_pieces_;
    std::size_t piece_bytes_ = 0;
    bool is_congested_ = false;
    std::vector<EntityId> stood_up_;
    std::vector<std::uint32_t> near_;
    std::vector<EntityId> gone_;
    std::vector<std::uint16_t> exited_;  ///< slots
    std::vector<wire::NodeSeat> seats_;
    std::vector<wire::NodeTransform> poses_;
};

}  // namespace terrane
