#include "server/replication/node_stream.h"

#include <algorithm>

#include "server/world/pieces.h"
#include "shared/core/assert.h"
#include "shared/protocol/encode.h"
#include "shared/protocol/wire_types.h"

namespace terrane {
namespace {

constexpr std::uint64_t kInterestTicks = 4;
constexpr float kLeaveBeyondM = 32.0F;
/// Once voxels of pieces exceed this, the next piece enters later.
constexpr std::size_t kPieceBytesPerTick = 32 * 1024;

float distance2(const Vec3& a, const Vec3& b) {
    const Vec3 d = a - b;
    return glm::dot(d, d);
}

void view_player(const World& world, const Player& player, NodeView& view) {
    view.kind = 0;
    view.is_asleep = false;
    view.is_held = false;
    view.name = &player.name;
    view.vehicle = player.vehicle;
    view.seat = player.seat;
    view.position = world.scene.world(player.node).position;
}

void view_body(const World& world, const Body& body, NodeView& view) {
    view.kind = static_cast<std::uint8_t>(body.kind);
    view.is_asleep = world.physics.state(body.handle).is_asleep;
    view.is_held = world.physics.is_held(body.handle);
    view.name = nullptr;
    view.vehicle = 0;
    view.position = world.scene.world(body.node).position;
}

std::uint8_t flags_of(const NodeView& view) {
    return static_cast<std::uint8_t>((view.is_asleep ? kNodeAsleep : 0) |
                                     (view.is_held ? kNodeHeld : 0));
}

}  // namespace

bool view_node(const World& world, EntityId entity, NodeView& view) {
    NodeId node;
    if (const auto player = world.players.find(entity); player != world.players.end()) {
        view_player(world, player->second, view);
        node = player->second.node;
    } else if (const auto body = world.bodies.find(entity); body != world.bodies.end()) {
        view_body(world, body->second, view);
        node = body->second.node;
    } else {
        return false;
    }
    view.entity = entity;
    view.wire_position = quantise_position(view.position);
    view.wire_rotation = quantise_rotation(world.scene.world(node).rotation);
    return true;
}

NodeTick::NodeTick(const World& tick_world, const StepResult& tick_result, InterestGrid& tick_grid)
    : world(tick_world), result(tick_result), grid_(tick_grid) {
    moved.reserve(result.moved.size());
    NodeView view;
    for (const EntityId entity : result.moved) {
        if (view_node(world, entity, view)) {
            moved.push_back(view);
        }
    }
}

std::span<const NodeView> NodeTick::all() {
    if (!has_all_) {
        has_all_ = true;
        NodeView view;
        for (const auto& [id, player] : world.players) {
            if (player.vehicle == 0) {
                view.entity = id;
                view_player(world, player, view);
                all_.push_back(view);
            }
        }
        const auto player_count = static_cast<std::ptrdiff_t>(all_.size());
        for (const auto& [id, body] : world.bodies) {
            view.entity = id;
            view_body(world, body, view);
            all_.push_back(view);
        }
        std::inplace_merge(
            all_.begin(), all_.begin() + player_count, all_.end(),
            [](const NodeView& a, const NodeView& b) { return a.entity < b.entity; });
        std::vector<Vec3> positions;
        positions.reserve(all_.size());
        for (const NodeView& node : all_) {
            positions.push_back(node.position);
        }
        grid_.update(positions);
    }
    return all_;
}

void NodeTick::find_near(const Vec3& at, float radius_m, std::vector<std::uint32_t>& places) {
    all();
    grid_.find_near(at, radius_m, places, scratch_);
}

Bytes NodeStream::make_state(NodeTick& tick, flatbuffers::FlatBufferBuilder& builder,
                             bool is_congested) {
    is_congested_ = is_congested;
    update_interest(tick);
    take_seats(tick);
    fill_poses(tick);
    std::vector<flatbuffers::Offset<wire::NodeEnter>> enters;
    enters.reserve(entered_.size());
    NodeView view;
    for (const EntityId entity : entered_) {
        const bool is_there = view_node(tick.world, entity, view);
        TERRANE_ASSERT(is_there);
        const NodeSlot& slot = *slots_.find(entity);
        const auto name = view.name != nullptr ? builder.CreateString(*view.name)
                                               : flatbuffers::Offset<flatbuffers::String>();
        enters.push_back(
            wire::CreateNodeEnter(builder, slot.slot, slot.generation, view.kind, entity, name));
    }
    const Player& player = tick.world.players.at(player_);
    const wire::OwnState own = to_wire(player.state, player.vehicle, player.seat);
    const auto enters_at = builder.CreateVector(enters);
    const auto exits_at = builder.CreateVector(exited_);
    const auto nodes_at = builder.CreateVectorOfStructs(poses_);
    flatbuffers::Offset<flatbuffers::Vector<const wire::NodeSeat*>> seats_at;
    if (!seats_.empty()) {
        seats_at = builder.CreateVectorOfStructs(seats_);
    }
    const auto state =
        wire::CreateState(builder, static_cast<std::uint32_t>(tick.world.tick),
                          player.applied_input, &own, enters_at, exits_at, nodes_at, seats_at);
    return finish_message(builder, wire::ToClientMessage::State, state.Union());
}

void NodeStream::update_interest(NodeTick& tick) {
    entered_.clear();
    entered_pieces_.clear();
    piece_bytes_ = 0;
    exited_.clear();
    seats_.clear();
    for (const Player& player : tick.result.left) {
        drop(player.id);
    }
    for (const EntityId body : tick.result.removed) {
        drop(body);
    }
    const Vec3 eye = tick.world.players.at(player_).state.position;
    if (is_new_ || (tick.world.tick + player_) % kInterestTicks == 0) {
        is_new_ = false;
        look_around(tick, eye);
        return;
    }
    NodeView view;
    const auto meet_new = [&](EntityId entity) {
        if (view_node(tick.world, entity, view) && view.vehicle == 0) {
            meet(tick.world, view, eye);
        }
    };
    for (const JoinedPlayer& joined : tick.result.joined) {
        meet_new(joined.id);
    }
    std::for_each(tick.result.spawned.begin(), tick.result.spawned.end(), meet_new);
}

/// Who is in view and no longer near leaves, who is near enough comes.
void NodeStream::look_around(NodeTick& tick, const Vec3& eye) {
    near_.clear();
    tick.find_near(eye, radius_m_ + kLeaveBeyondM, near_);
    const std::span<const NodeView> all = tick.all();
    gone_.clear();
    std::size_t next = 0;
    for (const EntityId entity : in_view_) {
        while (next < near_.size() && all[near_[next]].entity < entity) {
            ++next;
        }
        if (next == near_.size() || all[near_[next]].entity != entity) {
            gone_.push_back(entity);
        }
    }
    for (const EntityId entity : gone_) {
        const auto player = tick.world.players.find(entity);
        if (player == tick.world.players.end() || player->second.vehicle == 0) {
            drop_with_riders(tick.world, entity);  // who sits goes with the vehicle
        }
    }
    for (const std::uint32_t place : near_) {
        meet(tick.world, all[place], eye);
    }
}

void NodeStream::meet(const World& world, const NodeView& view, const Vec3& eye) {
    if (view.entity == player_) {
        return;
    }
    const float away2 = distance2(view.position, eye);
    const float leave_m = radius_m_ + kLeaveBeyondM;
    if (away2 <= radius_m_ * radius_m_) {
        enter_with_riders(world, view.entity);
    } else if (away2 > leave_m * leave_m) {
        drop_with_riders(world, view.entity);
    }
}

/// What is in view stays as it is: so riders who found no room enter when it is met again.
void NodeStream::enter_with_riders(const World& world, EntityId entity) {
    enter(world, entity);
    const auto body = world.bodies.find(entity);
    if (body == world.bodies.end() || slots_.find(entity) == nullptr) {
        return;
    }
    for (const EntityId rider : body->second.riders) {
        if (rider != 0 && rider != player_ && slots_.find(rider) == nullptr) {
            enter(world, rider);
            add_seat(world, rider);
        }
    }
}

/// Nothing if it is in view, or if there is no room in State, for more voxels of pieces in this
/// tick, or among the slots: then it enters when its session looks around the next time.
void NodeStream::enter(const World& world, EntityId entity) {
    if (slots_.find(entity) != nullptr || entered_.size() >= kEntersPerStateMax) {
        return;
    }
    const auto body = world.bodies.find(entity);
    const bool is_piece = body != world.bodies.end() && body->second.piece != nullptr;
    const bool is_full = is_congested_ || piece_bytes_ > kPieceBytesPerTick;
    if ((is_piece && is_full) || !slots_.enter(entity)) {
        return;
    }
    in_view_.insert(std::ranges::lower_bound(in_view_, entity), entity);
    entered_.push_back(entity);
    if (is_piece) {
        entered_pieces_.push_back(entity);
        piece_bytes_ += body->second.piece->bytes.size();
    }
}

void NodeStream::drop(EntityId entity) {
    if (slots_.find(entity) != nullptr) {
        exited_.push_back(slots_.exit(entity).slot);
        in_view_.erase(std::ranges::lower_bound(in_view_, entity));
    }
}

void NodeStream::drop_with_riders(const World& world, EntityId entity) {
    if (slots_.find(entity) == nullptr) {
        return;
    }
    if (const auto body = world.bodies.find(entity); body != world.bodies.end()) {
        for (const EntityId rider : body->second.riders) {
            drop(rider);
        }
    }
    drop(entity);
}

/// Of everybody in view who sat down or stood up in this tick.
void NodeStream::take_seats(const NodeTick& tick) {
    stood_up_.clear();
    for (const EntityId rider : tick.result.seats_changed) {
        const auto player = tick.world.players.find(rider);
        if (player == tick.world.players.end() || rider == player_) {
            continue;
        }
        const EntityId vehicle = player->second.vehicle;
        if (vehicle == 0) {
            if (const NodeSlot* slot = slots_.find(rider)) {
                seats_.emplace_back(slot->slot, kNoParentSlot, slot->generation, 0, 0);
                stood_up_.push_back(rider);
            }
            continue;
        }
        if (slots_.find(rider) != nullptr || slots_.find(vehicle) != nullptr) {
            enter_with_riders(tick.world, vehicle);
        }
        add_seat(tick.world, rider);
    }
}

/// Nothing if rider or vehicle is not in view.
void NodeStream::add_seat(const World& world, EntityId rider) {
    const Player& player = world.players.at(rider);
    const NodeSlot* slot = slots_.find(rider);
    const NodeSlot* parent = slots_.find(player.vehicle);
    if (slot == nullptr || parent == nullptr) {
        return;
    }
    const bool is_told = std::any_of(seats_.begin(), seats_.end(), [&](const wire::NodeSeat& seat) {
        return seat.slot() == slot->slot && seat.parent_slot() == parent->slot;
    });
    if (!is_told) {
        seats_.emplace_back(slot->slot, parent->slot, slot->generation, parent->generation,
                            player.seat);
    }
}

bool NodeStream::is_riding(const NodeView& view) {
    return view.vehicle != 0 && slots_.find(view.vehicle) != nullptr;
}

/// Once a tick, if it is in view: State has room for as many as there are slots.
void NodeStream::add_pose(const NodeView& view, std::uint64_t tick) {
    static_assert(NodeSlots::kSlotsMax <= kNodesPerStateMax);
    NodeSlot* slot = slots_.find(view.entity);
    if (slot == nullptr || slot->sent_tick == tick) {
        return;
    }
    slot->sent_tick = tick;
    poses_.push_back(to_wire(view.wire_position, view.wire_rotation, slot->slot, slot->generation,
                             flags_of(view)));
}

/// Entered nodes, then who stood up, then moved ones; each once.
void NodeStream::fill_poses(NodeTick& tick) {
    poses_.clear();
    const std::uint64_t now = tick.world.tick;
    NodeView view;
    const auto add = [&](EntityId entity) {
        if (view_node(tick.world, entity, view)) {
            add_pose(view, now);
        }
    };
    std::for_each(entered_.begin(), entered_.end(), add);
    std::for_each(stood_up_.begin(), stood_up_.end(), add);
    for (const NodeView& moved : tick.moved) {
        if (!is_riding(moved)) {
            add_pose(moved, now);
        }
    }
}

}  // namespace terrane
