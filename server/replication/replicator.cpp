#include "server/replication/replicator.h"

#include <algorithm>
#include <utility>

#include "server/replication/chunk_stream.h"
#include "server/replication/node_stream.h"
#include "server/world/pieces.h"
#include "shared/core/assert.h"
#include "shared/protocol/encode.h"
#include "shared/protocol/limits.h"
#include "shared/protocol/wire_types.h"

namespace terrane {
namespace {

SharedBytes share(Bytes bytes) {
    return std::make_shared<const Bytes>(std::move(bytes));
}

wire::RejectReason to_wire(RejectReason reason) {
    static_assert(static_cast<int>(RejectReason::stale) ==
                  static_cast<int>(wire::RejectReason::stale));
    static_assert(static_cast<int>(RejectReason::occupied) ==
                  static_cast<int>(wire::RejectReason::occupied));
    static_assert(static_cast<std::size_t>(wire::RejectReason::MAX) + 1 == kRejectReasonCount);
    return static_cast<wire::RejectReason>(reason);
}

/// Neighbouring operations of brushes in messages, runs in one of their own; the edits of `author`
/// are named. 0: nobody's are.
std::vector<SharedBytes> encode_change(std::span<const AppliedEdit* const> edits, EntityId author) {
    std::vector<SharedBytes> messages;
    std::vector<ChunkOp> ops;
    std::vector<std::uint32_t> own;
    std::uint32_t first_revision = 0;
    const auto flush = [&] {
        if (!ops.empty()) {
            messages.push_back(
                share(encode_chunk_ops(edits.front()->op.chunk, first_revision, ops, own)));
            ops.clear();
            own.clear();
        }
    };
    for (const AppliedEdit* edit : edits) {
        const AppliedOp& op = edit->op;
        if (!op.runs.empty()) {
            flush();
            messages.push_back(share(encode_chunk_runs(op.chunk, op.revision, op.runs)));
            continue;
        }
        if (ops.size() == kOpsPerMessageMax) {
            flush();
        }
        if (ops.empty()) {
            first_revision = op.revision;
        }
        ops.push_back(op.op);
        if (author != 0 && edit->player == author) {
            own.push_back(edit->edit);
        }
    }
    flush();
    return messages;
}

}  // namespace

struct Replicator::Session {
    EntityId player = 0;
    ChunkStream chunks;
    NodeStream nodes;
    std::vector<ChunkCoord> asked_hashes;
    DebugViews debug;
    bool is_congested = false;  ///< in this tick

    Session(EntityId id, std::uint32_t view_chunks)
        : player(id),
          chunks(view_chunks),
          nodes(id, static_cast<float>(view_chunks * kChunkSize)) {}
};

/// All that a tick did to one chunk.
struct Replicator::ChunkChange {
    ChunkCoord coord;
    std::vector<const AppliedEdit*> edits;  ///< ascending by revision
    std::vector<SharedBytes> messages;      ///< for those who made none of them
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

void Replicator::show_debug(EntityId player, DebugViews views) {
    if (const auto found = sessions_.find(player); found != sessions_.end()) {
        found->second.debug = views;
    }
}

std::size_t Replicator::chunk_count(EntityId player) const {
    const auto found = sessions_.find(player);
    return found == sessions_.end() ? 0 : found->second.chunks.count();
}

bool Replicator::has_chunk(EntityId player, const ChunkCoord& coord) const {
    const auto found = sessions_.find(player);
    return found != sessions_.end() && found->second.chunks.has(coord);
}

void Replicator::replicate(const World& world, const StepResult& result, const SessionSink& sink) {
    update_archive(result);
    if (sessions_.empty()) {
        return;
    }
    note_congestion(sink);
    send_ops(result, sink);
    send_props_gone(result, sink);
    send_rejections(result, sink);
    send_lines(world, result, sink);
    NodeTick nodes(world, result, interest_);
    chunk_budget_bytes_ =
        std::clamp(config_.all_chunk_bytes_per_tick / std::max<std::size_t>(loading_count_, 1),
                   std::min(config_.chunk_bytes_per_tick_least, config_.chunk_bytes_per_tick),
                   config_.chunk_bytes_per_tick);
    loading_count_ = 0;
    piece_frames_.clear();
    for (auto& [id, session] : sessions_) {
        if (!world.players.contains(id)) {
            continue;  // joins in the next tick
        }
        send_chunks(world, session, sink);
        send_hashes(world, session, sink);
        send_debug(world, session, sink);
        Bytes state = session.nodes.make_state(nodes, builder_, session.is_congested);
        send_pieces(world, session, sink);
        stats_.node_states += session.nodes.poses_sent();
        stats_.state_bytes += state.size();
        sink.send(id, share(std::move(state)));
    }
}

void Replicator::update_archive(const StepResult& result) {
    for (const AppliedEdit& edit : result.edits) {
        archive_.op_applied(edit.op, result.tick);
    }
    for (const GoneProp& gone : result.props_gone) {
        archive_.prop_gone(gone.chunk, gone.index, result.tick);
    }
}

void Replicator::note_congestion(const SessionSink& sink) {
    for (auto& [id, session] : sessions_) {
        session.is_congested = sink.waiting_bytes(id) > config_.outbox_soft_bytes;
    }
}

void Replicator::send_ops(const StepResult& result, const SessionSink& sink) {
    std::map<ChunkCoord, ChunkChange> changes;
    for (const AppliedEdit& edit : result.edits) {
        changes[edit.op.chunk].edits.push_back(&edit);
    }
    for (auto& [coord, change] : changes) {
        change.coord = coord;
        change.messages = encode_change(change.edits, 0);
        for (auto& [id, session] : sessions_) {
            send_change(change, session, sink);
        }
    }
}

void Replicator::send_change(const ChunkChange& change, Session& session, const SessionSink& sink) {
    const bool has_chunk = session.chunks.has(change.coord);
    const bool is_author =
        std::any_of(change.edits.begin(), change.edits.end(),
                    [&](const AppliedEdit* edit) { return edit->player == session.player; });
    if (!has_chunk && !is_author) {
        return;
    }
    if (session.is_congested || session.chunks.is_behind(change.coord)) {
        ++stats_.ops_held_back;
        if (has_chunk) {
            session.chunks.fall_behind(change.coord, change.edits.front()->op.revision - 1);
        }
        for (const AppliedEdit* edit : change.edits) {
            if (edit->player == session.player && edit->op.runs.empty()) {
                session.chunks.owe({edit->edit, change.coord, edit->op.revision, edit->op.op});
            }
        }
        return;
    }
    const std::vector<SharedBytes> own =
        is_author ? encode_change(change.edits, session.player) : std::vector<SharedBytes>();
    for (const SharedBytes& message : is_author ? own : change.messages) {
        sink.send(session.player, message);
        ++stats_.op_messages;
    }
}

void Replicator::send_props_gone(const StepResult& result, const SessionSink& sink) {
    std::map<ChunkCoord, std::vector<std::uint8_t>> by_chunk;
    for (const GoneProp& gone : result.props_gone) {
        by_chunk[gone.chunk].push_back(gone.index);
    }
    for (const auto& [coord, indices] : by_chunk) {
        const SharedBytes message = share(encode_props_gone(coord, indices));
        for (auto& [id, session] : sessions_) {
            if (!session.chunks.has(coord)) {
                continue;
            }
            if (session.is_congested || session.chunks.is_behind(coord)) {
                session.chunks.props_fell_behind(coord, *archive_.revision(coord));
            } else {
                sink.send(id, message);
            }
        }
    }
}

/// A chunk that is not in the grid may still be known: then the truth is the archive's.
void Replicator::send_rejections(const StepResult& result, const SessionSink& sink) {
    for (const Rejection& rejection : result.rejections) {
        if (sessions_.contains(rejection.player)) {
            const std::uint32_t revision =
                archive_.revision(rejection.chunk).value_or(rejection.revision);
            sink.send(rejection.player,
                      share(encode_reject(rejection.edit, to_wire(rejection.reason),
                                          rejection.chunk, revision)));
        }
    }
}

void Replicator::send_lines(const World& world, const StepResult& result, const SessionSink& sink) {
    for (const ChatLine& line : result.lines) {
        const SharedBytes message = share(encode_chat(line.sender, line.text));
        for (const auto& [id, session] : sessions_) {
            if (line.to == 0 || line.to == id) {
                sink.send(id, message);
            }
        }
    }
    if (result.is_sky_changed) {
        const SharedBytes message = share(encode_sky_changed(
            wire::Sky(world.daytime.tick, world.daytime.day_fraction, world.daytime.day_length_s)));
        for (const auto& [id, session] : sessions_) {
            sink.send(id, message);
        }
    }
}

void Replicator::send_chunks(const World& world, Session& session, const SessionSink& sink) {
    const PlayerState& player = world.players.at(session.player).state;
    const std::vector<ChunkCoord> forgotten =
        session.chunks.move_to(chunk_of(voxel_at(player.position)));
    for (std::size_t first = 0; first < forgotten.size(); first += kForgetChunksMax) {
        const std::size_t count = std::min(kForgetChunksMax, forgotten.size() - first);
        sink.send(session.player, share(encode_forget(std::span(forgotten).subspan(first, count))));
    }
    if (session.is_congested) {
        return;
    }
    messages_.clear();
    const StreamCounts sent =
        session.chunks.send(world.grid, archive_, look_direction(player.yaw, player.pitch),
                            chunk_budget_bytes_, messages_);
    stats_.chunks_sent += sent.chunks;
    stats_.chunk_bytes += sent.bytes;
    loading_count_ += sent.bytes > 0 ? 1U : 0U;
    for (SharedBytes& message : messages_) {
        sink.send(session.player, std::move(message));
    }
}

void Replicator::send_pieces(const World& world, const Session& session, const SessionSink& sink) {
    for (const EntityId entity : session.nodes.entered_pieces()) {
        SharedBytes& frame = piece_frames_[entity];
        if (frame == nullptr) {
            frame = share(encode_piece(entity, world.bodies.at(entity).piece->bytes));
        }
        sink.send(session.player, frame);
    }
}

void Replicator::send_debug(const World& world, const Session& session, const SessionSink& sink) {
    const bool is_wanted = session.debug.contacts || session.debug.water;
    if (!is_wanted || session.is_congested || world.tick % kDebugTicks != 0) {
        return;
    }
    const Vec3& middle = world.players.at(session.player).state.position;
    const Aabb around = grow(Aabb{middle, middle}, kDebugAroundM);
    std::vector<wire::DebugContact> contacts;
    if (session.debug.contacts) {
        for (const ContactView& contact : world.physics.contacts_near(around, kDebugPointsMax)) {
            contacts.emplace_back(terrane::to_wire(contact.point), terrane::to_wire(contact.normal),
                                  contact.depth_m, contact.is_ground);
        }
    }
    std::vector<wire::DebugWater> water;
    if (session.debug.water) {
        for (const WaterView& body : world.physics.water_near(around, kDebugPointsMax)) {
            water.emplace_back(terrane::to_wire(body.middle), body.level_m, body.share);
        }
    }
    sink.send(session.player, share(encode_debug_contacts(static_cast<std::uint32_t>(world.tick),
                                                          contacts, water)));
}

void Replicator::send_hashes(const World& world, Session& session, const SessionSink& sink) {
    if (session.asked_hashes.empty()) {
        return;
    }
    std::vector<HashMessage> hashes;
    for (const ChunkCoord& coord : session.asked_hashes) {
        const std::optional<std::uint32_t> revision =
            session.chunks.has(coord) ? archive_.revision(coord) : std::nullopt;
        hashes.push_back(revision ? HashMessage{coord, *revision, archive_.hash(coord, world.grid)}
                                  : HashMessage{coord, 0, 0});
    }
    session.asked_hashes.clear();
    sink.send(session.player, share(encode_hash(static_cast<std::uint32_t>(world.tick), hashes)));
}

}  // namespace terrane
