#include "server/replication/replicator.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "shared/core/assert.h"
#include "shared/protocol/encode.h"
#include "shared/protocol/limits.h"
#include "shared/protocol/transform_codec.h"
#include "shared/protocol/wire_types.h"

namespace terrane {
namespace {

constexpr std::uint64_t kInterestTicks = 4;
constexpr float kLeaveBeyondM = 32.0F;

SharedBytes share(Bytes bytes) {
    return std::make_shared<const Bytes>(std::move(bytes));
}

/// A node as the wire sees it, but for the session's slot.
struct NodeView {
    Vec3 position{0.0F};
    Quat rotation = kNoRotation;
    std::uint8_t kind = 0;
    bool is_asleep = false;
    const std::string* name = nullptr;
};

bool view_node(const World& world, EntityId entity, NodeView& view) {
    if (const auto player = world.players.find(entity); player != world.players.end()) {
        const Transform& pose = world.scene.world(player->second.node);
        view = {pose.position, pose.rotation, 0, false, &player->second.name};
        return true;
    }
    if (const auto body = world.bodies.find(entity); body != world.bodies.end()) {
        const Transform& pose = world.scene.world(body->second.node);
        view = {pose.position, pose.rotation, static_cast<std::uint8_t>(body->second.kind),
                world.physics.state(body->second.handle).is_asleep, nullptr};
        return true;
    }
    return false;
}

wire::RejectReason to_wire(RejectReason reason) {
    static_assert(static_cast<int>(RejectReason::stale) ==
                  static_cast<int>(wire::RejectReason::stale));
    static_assert(static_cast<int>(RejectReason::occupied) ==
                  static_cast<int>(wire::RejectReason::occupied));
    static_assert(static_cast<std::size_t>(wire::RejectReason::MAX) + 1 == kRejectReasonCount);
    return static_cast<wire::RejectReason>(reason);
}

float distance2(const Vec3& a, const Vec3& b) {
    const Vec3 d = a - b;
    return glm::dot(d, d);
}

}  // namespace

struct Replicator::Session {
    EntityId player = 0;
    ChunkView chunks;
    NodeSlots slots;
    std::vector<EntityId> entered;      ///< of this tick
    std::vector<std::uint16_t> exited;  ///< slots, of this tick
    std::vector<EntityId> owed;         ///< moved, but State was full: first in the next one
    std::vector<ChunkCoord> asked_hashes;
    bool is_new = true;

    Session(EntityId id, std::uint32_t view_chunks) : player(id), chunks(view_chunks) {}
};

struct Replicator::Tick {
    const World& world;
    const StepResult& result;
};

Replicator::Replicator(const ReplicationConfig& config) : config_(config) {}
Replicator::~Replicator() = default;

void Replicator::add_session(EntityId player, std::uint32_t view_chunks) {
    TERRANE_ASSERT(!sessions_.contains(player));
    sessions_.emplace(player, Session(player, view_chunks));
}

void Replicator::remove_session(EntityId player) {
    sessions_.erase(player);
}

void Replicator::request_hashes(EntityId player, std::span<const ChunkCoord> chunks) {
    const auto found = sessions_.find(player);
    if (found == sessions_.end()) {
        return;
    }
    std::vector<ChunkCoord>& asked = found->second.asked_hashes;
    const std::size_t room = kHashRequestChunksMax - asked.size();
    const auto taken = chunks.first(std::min(room, chunks.size()));
    asked.insert(asked.end(), taken.begin(), taken.end());
}

std::size_t Replicator::chunk_count(EntityId player) const {
    const auto found = sessions_.find(player);
    return found == sessions_.end() ? 0 : found->second.chunks.count();
}

void Replicator::replicate(const World& world, const StepResult& result, const SessionSink& sink) {
    const Tick tick{world, result};
    for (const AppliedEdit& edit : result.edits) {
        archive_.op_applied(edit.op);
    }
    send_ops(tick, sink);
    send_rejections(tick, sink);
    for (auto& [id, session] : sessions_) {
        if (!world.players.contains(id)) {
            continue;  // joins in the next tick
        }
        send_chunks(tick, session, sink);
        send_hashes(tick, session, sink);
        update_interest(tick, session);
        send_state(tick, session, sink);
        session.is_new = false;
    }
}

/// One message for each changed chunk, shared by all who have it; whoever made one of the edits
/// gets its own copy, which names them.
void Replicator::send_ops(const Tick& tick, const SessionSink& sink) {
    std::map<ChunkCoord, std::vector<const AppliedEdit*>> by_chunk;
    for (const AppliedEdit& edit : tick.result.edits) {
        by_chunk[edit.op.chunk].push_back(&edit);
    }
    for (const auto& [coord, edits] : by_chunk) {
        for (std::size_t first = 0; first < edits.size(); first += kOpsPerMessageMax) {
            const std::size_t count = std::min(kOpsPerMessageMax, edits.size() - first);
            send_chunk_ops(coord, std::span(edits).subspan(first, count), sink);
        }
    }
}

void Replicator::send_chunk_ops(const ChunkCoord& coord, std::span<const AppliedEdit* const> edits,
                                const SessionSink& sink) {
    std::vector<ChunkOp> ops;
    for (const AppliedEdit* edit : edits) {
        ops.push_back(edit->op.op);
    }
    const std::uint32_t first_revision = edits.front()->op.revision;
    const SharedBytes for_all = share(encode_chunk_ops(coord, first_revision, ops, {}));
    std::vector<std::uint32_t> own;
    for (const auto& [id, session] : sessions_) {
        if (!session.chunks.has(coord)) {
            continue;
        }
        own.clear();
        for (const AppliedEdit* edit : edits) {
            if (edit->player == id) {
                own.push_back(edit->edit);
            }
        }
        sink.send(id,
                  own.empty() ? for_all : share(encode_chunk_ops(coord, first_revision, ops, own)));
        ++stats_.op_messages;
    }
}

void Replicator::send_rejections(const Tick& tick, const SessionSink& sink) {
    for (const Rejection& rejection : tick.result.rejections) {
        if (sessions_.contains(rejection.player)) {
            sink.send(rejection.player,
                      share(encode_reject(rejection.edit, to_wire(rejection.reason),
                                          rejection.chunk, rejection.revision)));
        }
    }
}

void Replicator::send_chunks(const Tick& tick, Session& session, const SessionSink& sink) {
    const Player& player = tick.world.players.at(session.player);
    const ChunkCoord centre = chunk_of(voxel_at(player.state.position));
    const std::vector<ChunkCoord> forgotten = session.chunks.move_to(centre);
    for (std::size_t first = 0; first < forgotten.size(); first += kForgetChunksMax) {
        const std::size_t count = std::min(kForgetChunksMax, forgotten.size() - first);
        sink.send(session.player, share(encode_forget(std::span(forgotten).subspan(first, count))));
    }
    if (sink.waiting_bytes(session.player) > config_.outbox_soft_bytes) {
        return;
    }
    std::vector<SharedBytes> messages;
    session.chunks.stream(tick.world.grid, archive_, config_.chunk_bytes_per_tick, messages);
    for (SharedBytes& message : messages) {
        ++stats_.chunks_sent;
        stats_.chunk_bytes += message->size();
        sink.send(session.player, std::move(message));
    }
}

void Replicator::send_hashes(const Tick& tick, Session& session, const SessionSink& sink) {
    if (session.asked_hashes.empty()) {
        return;
    }
    std::vector<HashMessage> hashes;
    for (const ChunkCoord& coord : session.asked_hashes) {
        const Chunk* chunk = session.chunks.has(coord) ? tick.world.grid.find(coord) : nullptr;
        hashes.push_back(chunk == nullptr
                             ? HashMessage{coord, 0, 0}
                             : HashMessage{coord, chunk->revision, archive_.hash(coord, *chunk)});
    }
    session.asked_hashes.clear();
    sink.send(session.player,
              share(encode_hash(static_cast<std::uint32_t>(tick.world.tick), hashes)));
}

void Replicator::update_interest(const Tick& tick, Session& session) {
    session.entered.clear();
    session.exited.clear();
    const auto drop = [&](EntityId entity) {
        if (session.slots.find(entity) != nullptr) {
            session.exited.push_back(session.slots.exit(entity).slot);
        }
    };
    for (const Player& player : tick.result.left) {
        drop(player.id);
    }
    std::for_each(tick.result.removed.begin(), tick.result.removed.end(), drop);

    const Vec3 eye = tick.world.players.at(session.player).state.position;
    const float radius = static_cast<float>(session.chunks.radius() * kChunkSize);
    const auto meet = [&](EntityId entity) {
        NodeView view;
        if (entity == session.player || !view_node(tick.world, entity, view)) {
            return;
        }
        const float away2 = distance2(view.position, eye);
        const bool is_known = session.slots.find(entity) != nullptr;
        if (is_known && away2 > (radius + kLeaveBeyondM) * (radius + kLeaveBeyondM)) {
            drop(entity);
        } else if (!is_known && away2 <= radius * radius &&
                   session.entered.size() < kEntersPerStateMax && session.slots.enter(entity)) {
            session.entered.push_back(entity);
        }
    };
    if (session.is_new || (tick.world.tick + session.player) % kInterestTicks == 0) {
        for (const auto& [id, player] : tick.world.players) {
            meet(id);
        }
        for (const auto& [id, body] : tick.world.bodies) {
            meet(id);
        }
    } else {
        std::for_each(tick.result.joined.begin(), tick.result.joined.end(), meet);
        std::for_each(tick.result.spawned.begin(), tick.result.spawned.end(), meet);
    }
}

/// Entered nodes, then those owed from an earlier tick, then moved ones; each once. What does not
/// fit is owed to the next tick.
std::vector<EntityId> Replicator::nodes_to_send(const Tick& tick, Session& session) {
    std::vector<EntityId> nodes = session.entered;
    const auto append = [&](const std::vector<EntityId>& more) {
        for (const EntityId entity : more) {
            if (session.slots.find(entity) != nullptr) {
                nodes.push_back(entity);
            }
        }
    };
    append(session.owed);
    append(tick.result.moved);
    std::unordered_set<EntityId> seen;
    std::erase_if(nodes, [&](EntityId entity) { return !seen.insert(entity).second; });
    session.owed.clear();
    if (nodes.size() > kNodesPerStateMax) {
        session.owed.assign(nodes.begin() + kNodesPerStateMax, nodes.end());
        nodes.resize(kNodesPerStateMax);
    }
    return nodes;
}

void Replicator::send_state(const Tick& tick, Session& session, const SessionSink& sink) {
    const Player& player = tick.world.players.at(session.player);
    std::vector<flatbuffers::Offset<wire::NodeEnter>> enters;
    std::vector<wire::NodeTransform> nodes;
    NodeView view;
    for (const EntityId entity : nodes_to_send(tick, session)) {
        if (!view_node(tick.world, entity, view)) {
            continue;
        }
        const NodeSlot slot = *session.slots.find(entity);
        if (enters.size() < session.entered.size()) {  // entered nodes come first
            const auto name = view.name != nullptr ? builder_.CreateString(*view.name)
                                                   : flatbuffers::Offset<flatbuffers::String>();
            enters.push_back(wire::CreateNodeEnter(builder_, slot.slot, slot.generation, view.kind,
                                                   entity, name));
        }
        nodes.push_back(to_wire(quantise_position(view.position), quantise_rotation(view.rotation),
                                slot.slot, slot.generation,
                                view.is_asleep ? kNodeAsleep : std::uint8_t{0}));
    }
    const wire::OwnState own = to_wire(player.state, 0, 0);
    const auto enters_at = builder_.CreateVector(enters);
    const auto exits_at = builder_.CreateVector(session.exited);
    const auto nodes_at = builder_.CreateVectorOfStructs(nodes);
    const auto state = wire::CreateState(builder_, static_cast<std::uint32_t>(tick.world.tick),
                                         player.applied_input, &own, enters_at, exits_at, nodes_at);
    Bytes frame = finish_message(builder_, wire::ToClientMessage::State, state.Union());
    stats_.node_states += nodes.size();
    stats_.state_bytes += frame.size();
    sink.send(session.player, share(std::move(frame)));
}

}  // namespace terrane
