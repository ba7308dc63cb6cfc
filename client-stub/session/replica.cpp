#include "client-stub/session/replica.h"

#include <algorithm>
#include <utility>

#include "shared/protocol/wire_types.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

/// Every chunk in view and a ring beyond it, where the zone forgets; a cube is generous.
std::size_t chunks_max_of(const ZoneInfo& zone) {
    const std::size_t side = 2 * (zone.view_chunks + std::size_t{2}) + 1;
    return side * side * side;
}

}  // namespace

Replica::Replica(ZoneInfo zone, const ReplicaConfig& config)
    : zone_(std::move(zone)),
      config_(config),
      chunks_max_(chunks_max_of(zone_)),
      grid_(zone_.bounds) {
    if (config_.has_terrain) {
        terrain_ = std::make_unique<Terrain>(grid_);
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
    if (auto taken = take_props(c, message); !taken.has_value()) {
        return taken;
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
        if (!is_next(*chunk, c, op_revision)) {
            continue;
        }
        const VoxelBox op_changed = config_.cache == nullptr ? apply_op(*chunk, c, op)
                                                             : config_.cache->apply(*chunk, c, op);
        if (finish_op(*chunk, c, op_changed)) {
            applied.push_back({c, op, op_revision, op_changed, {}});
            changed = merge(changed, op_changed);
        }
    }
    voxels_changed(c, changed);
    return {};
}

Result<void> Replica::apply(const wire::ChunkRuns& message, std::vector<AppliedOp>& applied) {
    const ChunkCoord c = from_wire(*message.position());
    std::vector<VoxelRun> runs;
    runs.reserve(message.runs()->size());
    for (const wire::VoxelRun* run : *message.runs()) {
        runs.push_back(from_wire(*run));
    }
    if (!is_valid(runs, zone_.materials.size())) {
        return fail("ChunkRuns.runs: revision {} of ({}, {}, {}) is no valid operation",
                    message.revision(), c.x, c.y, c.z);
    }
    Chunk* chunk = grid_.find(c);
    if (chunk == nullptr) {
        ++counters_.ops_not_loaded;
        return {};
    }
    if (!is_next(*chunk, c, message.revision())) {
        return {};
    }
    const VoxelBox changed = config_.cache == nullptr ? apply_runs(*chunk, c, runs)
                                                      : config_.cache->apply(*chunk, c, runs);
    if (finish_op(*chunk, c, changed)) {
        applied.push_back({c, {}, message.revision(), changed, std::move(runs)});
        voxels_changed(c, changed);
    }
    return {};
}

bool Replica::is_next(const Chunk& chunk, const ChunkCoord& c, std::uint32_t revision) {
    if (revision <= chunk.revision || stuck_.contains(c)) {
        ++counters_.ops_old;
        return false;
    }
    if (revision != chunk.revision + 1) {
        ++counters_.ops_gap;
        stuck_.insert(c);
        return false;
    }
    return true;
}

bool Replica::finish_op(const Chunk& chunk, const ChunkCoord& c, const VoxelBox& changed) {
    if (is_empty(changed)) {
        ++counters_.ops_no_effect;
        stuck_.insert(c);
        return false;
    }
    ++counters_.ops_applied;
    compare_waiting_hash(c, chunk);
    return true;
}

void Replica::voxels_changed(const ChunkCoord& c, const VoxelBox& changed) {
    if (is_empty(changed)) {
        return;
    }
    if (terrain_ != nullptr) {
        terrain_->voxels_changed(changed);
    }
    note_change(c, changed);
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
        props_.erase(c);
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
