#include "client-stub/session/replica.h"

#include <algorithm>
#include <utility>

#include "shared/core/assert.h"
#include "shared/protocol/wire_types.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

std::string to_string(const flatbuffers::String* text) {
    return text == nullptr ? std::string() : text->str();
}

BodyShape to_body_shape(wire::KindShape shape) {
    switch (shape) {
        case wire::KindShape::player:
            return BodyShape::player;
        case wire::KindShape::box:
            return BodyShape::box;
        case wire::KindShape::sphere:
            return BodyShape::sphere;
        case wire::KindShape::cylinder:
            return BodyShape::cylinder;
    }
    return BodyShape::box;
}

/// Every chunk in view and a ring beyond it, where the zone forgets; a cube is generous.
std::size_t chunks_max_of(const ZoneInfo& zone) {
    const std::size_t side = 2 * (zone.view_chunks + std::size_t{2}) + 1;
    return side * side * side;
}

NodePose to_pose(const QuantisedPose& pose) {
    return {restore_position(pose.position), restore_rotation(pose.rotation)};
}

}  // namespace

ZoneInfo to_zone_info(const wire::Welcome& welcome) {
    ZoneInfo zone;
    zone.server_version = to_string(welcome.server_version());
    zone.player_id = welcome.player_id();
    zone.tick = welcome.tick();
    zone.tick_rate_hz = welcome.tick_rate_hz();
    zone.substeps_per_tick = welcome.substeps_per_tick();
    zone.bounds = {from_wire(*welcome.bounds_min()), from_wire(*welcome.bounds_max())};
    zone.view_chunks = welcome.view_chunks();
    zone.reach_m = welcome.reach_m();
    zone.brush_radius_max = welcome.brush_radius_max();
    zone.edits_per_s = welcome.edits_per_s();
    zone.edits_burst = welcome.edits_burst();
    for (const wire::Material* material : *welcome.materials()) {
        zone.materials.push_back({.name = to_string(material->name()),
                                  .red = material->red(),
                                  .green = material->green(),
                                  .blue = material->blue(),
                                  .friction = 0.8F,
                                  .can_place = material->can_place()});
    }
    for (const wire::Kind* kind : *welcome.kinds()) {
        BodyKind body;
        body.name = to_string(kind->name());
        body.shape = to_body_shape(kind->shape());
        body.half_extents = from_wire(*kind->half_extents());
        body.red = kind->red();
        body.green = kind->green();
        body.blue = kind->blue();
        zone.kinds.push_back(std::move(body));
    }
    zone.motion = from_wire(*welcome.motion());
    zone.sun_direction = from_wire(*welcome.sun_direction());
    return zone;
}

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

Replica::Replica(ZoneInfo zone, const ReplicaConfig& config)
    : zone_(std::move(zone)),
      config_(config),
      chunks_max_(chunks_max_of(zone_)),
      grid_(zone_.bounds) {
    if (config_.has_terrain) {
        terrain_ = std::make_unique<Terrain>(grid_);
    }
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
    if (state.exits() != nullptr) {
        for (const std::uint16_t slot : *state.exits()) {
            if (slot < nodes_.size()) {
                nodes_[slot] = {};
            }
        }
    }
    if (const auto entered = apply_enters(state); !entered.has_value()) {
        return entered;
    }
    apply_poses(state);
    return {};
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
        node.name = to_string(enter->name());
        nodes_[slot] = std::move(node);
    }
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
    }
}

Result<void> Replica::apply(const wire::Chunk& message) {
    const ChunkCoord c = from_wire(*message.position());
    if (!contains(zone_.bounds, c)) {
        return fail("Chunk.position: ({}, {}, {}) lies outside the zone", c.x, c.y, c.z);
    }
    const std::span<const std::uint8_t> blob(message.blob()->data(), message.blob()->size());
    Result<Chunk> decoded = config_.cache == nullptr
                                ? decode_chunk(blob, zone_.materials.size())
                                : config_.cache->decode(blob, zone_.materials.size());
    if (!decoded.has_value()) {
        return fail("Chunk.blob of ({}, {}, {}): {}", c.x, c.y, c.z, decoded.error().message);
    }
    if (!grid_.is_loaded(c) && grid_.chunk_count() >= chunks_max_) {
        return fail("Chunk: more than {} chunks for a view of {}", chunks_max_, zone_.view_chunks);
    }
    const Chunk& chunk = grid_.insert(c, std::move(*decoded));
    ++counters_.chunks_received;
    stuck_.erase(c);
    compare_waiting_hash(c, chunk);
    if (terrain_ != nullptr) {
        terrain_->chunk_arrived(c);
    }
    note_change(c, box_of(c));
    return {};
}

Result<void> Replica::apply(const wire::ChunkOps& message, std::vector<AppliedOp>& applied) {
    const ChunkCoord c = from_wire(*message.position());
    Chunk* chunk = grid_.find(c);
    if (chunk == nullptr) {
        // Sent before our chunk was: the blob that follows holds them.
        counters_.ops_not_loaded += message.ops()->size();
        return {};
    }
    VoxelBox changed;
    std::uint32_t revision = message.first_revision();
    for (const wire::ChunkOp* sent : *message.ops()) {
        const ChunkOp op = from_wire(*sent);
        if (!is_valid(op, zone_.materials.size())) {
            return fail("ChunkOps.ops: revision {} of ({}, {}, {}) is no valid operation", revision,
                        c.x, c.y, c.z);
        }
        const std::uint32_t op_revision = revision++;
        if (op_revision <= chunk->revision || stuck_.contains(c)) {
            ++counters_.ops_old;
            continue;
        }
        if (op_revision != chunk->revision + 1) {
            ++counters_.ops_gap;
            stuck_.insert(c);
            continue;
        }
        VoxelBox op_changed;
        if (apply_op_here(*chunk, c, op, op_changed)) {
            applied.push_back({c, op, op_revision, op_changed});
            changed = merge(changed, op_changed);
        }
    }
    if (!is_empty(changed)) {
        if (terrain_ != nullptr) {
            terrain_->voxels_changed(changed);
        }
        note_change(c, changed);
    }
    return {};
}

bool Replica::apply_op_here(Chunk& chunk, const ChunkCoord& c, const ChunkOp& op,
                            VoxelBox& changed) {
    changed =
        config_.cache == nullptr ? apply_op(chunk, c, op) : config_.cache->apply(chunk, c, op);
    if (is_empty(changed)) {
        ++counters_.ops_no_effect;
        stuck_.insert(c);
        return false;
    }
    ++counters_.ops_applied;
    compare_waiting_hash(c, chunk);
    return true;
}

void Replica::apply(const wire::Forget& message) {
    for (const wire::ChunkPos* position : *message.chunks()) {
        const ChunkCoord c = from_wire(*position);
        if (!grid_.is_loaded(c)) {
            continue;
        }
        grid_.erase(c);
        stuck_.erase(c);
        waiting_hashes_.erase(c);
        ++counters_.chunks_forgotten;
        if (terrain_ != nullptr) {
            terrain_->chunk_left(c);
        }
        note_change(c, box_of(c));
    }
}

void Replica::apply(const wire::Hash& message) {
    for (const wire::ChunkHash* sent : *message.hashes()) {
        const ChunkCoord c = from_wire(sent->position());
        const Chunk* chunk = grid_.find(c);
        const bool is_unknown_there = sent->revision() == 0 && sent->hash() == 0;
        if (chunk == nullptr || is_unknown_there || sent->revision() < chunk->revision) {
            ++counters_.hashes_skipped;
        } else if (sent->revision() == chunk->revision) {
            compare_hash(*chunk, sent->hash());
        } else {
            waiting_hashes_[c] = {sent->revision(), sent->hash()};
        }
    }
}

void Replica::compare_hash(const Chunk& chunk, std::uint64_t hash) {
    if (hash_chunk(chunk) == hash) {
        ++counters_.hashes_equal;
    } else {
        ++counters_.hashes_unequal;
    }
}

void Replica::compare_waiting_hash(const ChunkCoord& c, const Chunk& chunk) {
    if (waiting_hashes_.empty()) {
        return;
    }
    const auto found = waiting_hashes_.find(c);
    if (found == waiting_hashes_.end() || chunk.revision < found->second.revision) {
        return;
    }
    if (chunk.revision == found->second.revision) {
        compare_hash(chunk, found->second.hash);
    } else {
        ++counters_.hashes_skipped;
    }
    waiting_hashes_.erase(found);
}

void Replica::note_change(const ChunkCoord& c, const VoxelBox& changed) {
    if (config_.is_tracking_changes) {
        VoxelBox& all = changed_[c];
        all = merge(all, changed);
    }
}

std::vector<ChangedChunk> Replica::take_changed_chunks() {
    std::vector<ChangedChunk> taken;
    taken.reserve(changed_.size());
    for (const auto& [c, box] : changed_) {
        taken.push_back({c, box});
    }
    changed_.clear();
    std::ranges::sort(taken, {}, &ChangedChunk::chunk);
    return taken;
}

}  // namespace terrane
