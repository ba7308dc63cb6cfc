// The replica's part that follows State: the own player, nodes by slot, their poses and seats.
#include <algorithm>
#include <utility>

#include "client-stub/session/replica.h"
#include "shared/protocol/limits.h"
#include "shared/protocol/wire_types.h"
#include "shared/terrain/shape_of_piece.h"

namespace terrane {
namespace {

NodePose to_pose(const QuantisedPose& pose) {
    return {restore_position(pose.position), restore_rotation(pose.rotation)};
}

}  // namespace

NodePose pose_at(const ReplicaNode& node, double tick) {
    if (tick >= node.current_tick) {
        return to_pose(node.current);
    }
    if (tick <= node.previous_tick) {
        return to_pose(node.previous);
    }
    const auto part =
        static_cast<float>((tick - node.previous_tick) / (node.current_tick - node.previous_tick));
    const NodePose from = to_pose(node.previous);
    const NodePose to = to_pose(node.current);
    return {glm::mix(from.position, to.position, part),
            glm::slerp(from.rotation, to.rotation, part)};
}

NodePose seat_pose(const NodePose& vehicle, const BodyKind& kind, std::uint8_t seat) {
    const Vec3 foot = seat < kind.seats.size() ? kind.seats[seat] : Vec3{0.0F};
    return {vehicle.position + vehicle.rotation * foot, vehicle.rotation};
}

Result<void> Replica::apply(const wire::State& state) {
    if (has_state_ && state.tick() <= tick_) {
        return fail("State.tick: {} after {}", state.tick(), tick_);
    }
    if (state.applied_input() < applied_input_) {
        return fail("State.applied_input: {} after {}", state.applied_input(), applied_input_);
    }
    has_state_ = true;
    tick_ = state.tick();
    applied_input_ = state.applied_input();
    own_ = from_wire(*state.own());
    own_seat_ = {state.own()->vehicle(), state.own()->seat()};
    if (state.exits() != nullptr) {
        for (const std::uint16_t slot : *state.exits()) {
            if (slot < nodes_.size()) {
                nodes_[slot] = {};
            }
        }
    }
    if (auto entered = apply_enters(state); !entered.has_value()) {
        return entered;
    }
    apply_poses(state);
    return apply_seats(state);
}

Result<void> Replica::apply_enters(const wire::State& state) {
    if (state.enters() == nullptr) {
        return {};
    }
    for (const wire::NodeEnter* enter : *state.enters()) {
        if (enter->kind() >= zone_.kinds.size()) {
            return fail("State.enters.kind: {}, but Welcome named {}", enter->kind(),
                        zone_.kinds.size());
        }
        const std::size_t slot = enter->slot();
        if (slot >= nodes_.size()) {
            nodes_.resize(slot + 1);
        }
        ReplicaNode node;
        node.id = enter->id();
        node.generation = enter->generation();
        node.kind = enter->kind();
        node.name = enter->name() == nullptr ? std::string() : enter->name()->str();
        if (zone_.kinds[node.kind].shape == BodyShape::piece) {
            const auto coming = coming_pieces_.find(node.id);
            if (coming == coming_pieces_.end()) {
                return fail("State.enters.id: piece {} enters without its voxels", node.id);
            }
            node.piece = std::move(coming->second);
            coming_pieces_.erase(coming);
        }
        nodes_[slot] = std::move(node);
    }
    return {};
}

/// The voxels wait for their node; more wait than nodes can enter only if the zone is wrong.
Result<void> Replica::apply(const wire::Piece& message) {
    if (coming_pieces_.size() >= kEntersPerStateMax) {
        return fail("Piece: more than {} wait for their nodes", kEntersPerStateMax);
    }
    const std::span<const std::uint8_t> bytes(message.voxels()->data(), message.voxels()->size());
    Result<VoxelPiece> voxels = decode_piece(bytes, {kPieceVoxelsMax, zone_.materials.size()});
    if (!voxels.has_value()) {
        return fail("Piece.voxels of {}: {}", message.id(), voxels.error().message);
    }
    ReplicaPiece piece{std::move(*voxels), {}, {}};
    std::vector<float> densities;
    for (const Material& material : zone_.materials) {
        densities.push_back(std::max(material.density_kg_m3, 1.0F));
    }
    piece.mass = weigh_piece(piece.voxels, densities);
    if (config_.has_piece_shapes) {
        piece.shape = shape_of_piece(piece.voxels, piece.mass);
    }
    coming_pieces_[message.id()] = std::make_shared<const ReplicaPiece>(std::move(piece));
    return {};
}

void Replica::apply_poses(const wire::State& state) {
    if (state.nodes() == nullptr) {
        return;
    }
    for (const wire::NodeTransform* sent : *state.nodes()) {
        ReplicaNode* node = sent->slot() < nodes_.size() ? &nodes_[sent->slot()] : nullptr;
        if (node == nullptr || node->id == 0 || node->generation != sent->generation()) {
            ++counters_.poses_stale;
            continue;
        }
        const QuantisedPose pose{{sent->x(), sent->y(), sent->z()}, sent->rotation()};
        node->previous = node->has_pose ? node->current : pose;
        // Poses come when something moved: until the tick before this one, it stood there.
        node->previous_tick = tick_ == 0 ? 0 : tick_ - 1;
        node->current = pose;
        node->current_tick = tick_;
        node->has_pose = true;
        node->is_asleep = (sent->flags() & kNodeAsleep) != 0;
        node->is_held = (sent->flags() & kNodeHeld) != 0;
    }
}

Result<void> Replica::apply_seats(const wire::State& state) {
    if (state.seats() == nullptr) {
        return {};
    }
    for (const wire::NodeSeat* seat : *state.seats()) {
        if (auto applied = apply_seat(*seat); !applied.has_value()) {
            return applied;
        }
    }
    return {};
}

/// Only players sit, and only in what is no player: so no node sits in one that sits.
Result<void> Replica::apply_seat(const wire::NodeSeat& seat) {
    ReplicaNode* node = seat.slot() < nodes_.size() ? &nodes_[seat.slot()] : nullptr;
    if (node == nullptr || node->id == 0 || node->generation != seat.generation()) {
        ++counters_.poses_stale;
        return {};
    }
    if (seat.parent_slot() == kNoParentSlot) {
        if (node->vehicle != 0) {
            node->vehicle = 0;
            // It stands up where its pose of this tick is: not on a line from where it sat down.
            node->has_pose = node->has_pose && node->current_tick == tick_;
            node->previous = node->current;
        }
        return {};
    }
    if (zone_.kinds[node->kind].shape != BodyShape::player) {
        return fail("State.seats.slot: {} is a {}: only players sit", seat.slot(),
                    zone_.kinds[node->kind].name);
    }
    const ReplicaNode* vehicle =
        seat.parent_slot() < nodes_.size() ? &nodes_[seat.parent_slot()] : nullptr;
    if (vehicle == nullptr || vehicle->id == 0 || vehicle->generation != seat.parent_generation()) {
        ++counters_.poses_stale;
        return {};
    }
    const BodyKind& kind = zone_.kinds[vehicle->kind];
    if (kind.shape == BodyShape::player || seat.seat() >= kind.seats.size()) {
        return fail("State.seats.seat: {} of a {}, which has {}", seat.seat(), kind.name,
                    kind.shape == BodyShape::player ? 0 : kind.seats.size());
    }
    node->vehicle = vehicle->id;
    node->vehicle_slot = seat.parent_slot();
    node->seat = seat.seat();
    return {};
}

const ReplicaNode* Replica::find_node(std::uint64_t id) const {
    for (const ReplicaNode& node : nodes_) {
        if (node.id == id && id != 0) {
            return &node;
        }
    }
    return nullptr;
}

bool Replica::find_pose(const ReplicaNode& node, double tick, NodePose& pose) const {
    if (node.id == 0) {
        return false;
    }
    if (node.vehicle == 0) {
        pose = pose_at(node, tick);
        return node.has_pose;
    }
    const ReplicaNode* vehicle =
        node.vehicle_slot < nodes_.size() ? &nodes_[node.vehicle_slot] : nullptr;
    if (vehicle == nullptr || vehicle->id != node.vehicle || !vehicle->has_pose) {
        return false;
    }
    pose = seat_pose(pose_at(*vehicle, tick), zone_.kinds[vehicle->kind], node.seat);
    return true;
}

}  // namespace terrane
