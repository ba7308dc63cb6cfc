#include "server/app/saver.h"

#include <iterator>
#include <utility>

#include "server/world/pieces.h"
#include "shared/core/assert.h"
#include "shared/core/log.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

void copy(const Vec3& from, float (&to)[3]) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

Vec3 to_vec(const float (&from)[3]) {
    return {from[0], from[1], from[2]};
}

}  // namespace

Saver::Saver(Store& store, WorkerPool& workers, const ChunkArchive& archive,
             std::uint32_t interval_ticks)
    : store_(&store),
      workers_(&workers),
      archive_(&archive),
      interval_ticks_(interval_ticks),
      next_tick_(interval_ticks),
      encoding_(std::make_shared<Encoding>()) {}

void Saver::note(const World& world, const StepResult& result) {
    for (const AppliedEdit& edit : result.edits) {
        chunks_.insert(edit.op.chunk);
    }
    for (const GoneProp& gone : result.props_gone) {
        props_.insert(gone.chunk);
    }
    for (const EntityId entity : result.moved) {
        if (world.bodies.contains(entity)) {
            bodies_.insert(entity);
        }
    }
    bodies_.insert(result.spawned.begin(), result.spawned.end());
    for (const EntityId body : result.removed) {
        bodies_.erase(body);
        removed_bodies_.insert(body);
    }
    for (const Player& player : result.left) {
        left_players_.push_back(to_stored(player));
    }
    if (result.is_spawn_point_changed) {
        spawn_point_.emplace();
        copy(*world.spawn_point, spawn_point_->position);
    }
}

void Saver::add_grown(std::vector<StoredChunk> chunks) {
    std::move(chunks.begin(), chunks.end(), std::back_inserter(grown_chunks_));
}

void Saver::run(const World& world) {
    if (is_encoding_ && !submit_encoded()) {
        return;
    }
    if (world.tick >= next_tick_ && has_changes(world)) {
        next_tick_ = world.tick + interval_ticks_;
        start_encoding(world);
    }
}

bool Saver::finish(const World& world) {
    bool is_submitted = true;
    if (is_encoding_) {
        workers_->drain();
        store_->drain();  // makes room in its queue
        is_submitted = submit_encoded();
    }
    if (is_submitted) {
        start_encoding(world);
        workers_->drain();
        is_submitted = submit_encoded();
    }
    store_->drain();
    const StoreStats stats = store_->stats();
    const bool is_durable = is_submitted && !stats.has_failed;
    if (!is_durable) {
        log_error("the last save failed: everything after tick {} is lost, the zone stood at {}",
                  stats.durable_tick, world.tick);
    }
    return is_durable;
}

bool Saver::has_changes(const World& world) const {
    return !chunks_.empty() || !props_.empty() || !bodies_.empty() || !removed_bodies_.empty() ||
           !left_players_.empty() || spawn_point_ || !grown_chunks_.empty() ||
           !world.players.empty();
}

StoreBatch Saver::take_batch(const World& world) {
    StoreBatch batch;
    batch.tick = world.tick;
    batch.players = std::exchange(left_players_, {});
    for (const auto& [id, player] : world.players) {
        batch.players.push_back(to_stored(player));
    }
    for (const EntityId id : bodies_) {
        if (const auto body = world.bodies.find(id); body != world.bodies.end()) {
            batch.bodies.push_back(to_stored(world, body->second));
        }
    }
    batch.removed_bodies.assign(removed_bodies_.begin(), removed_bodies_.end());
    batch.spawn_point = std::exchange(spawn_point_, std::nullopt);
    batch.grown_chunks = std::exchange(grown_chunks_, {});
    for (const ChunkCoord& coord : props_) {
        batch.props.push_back({coord, archive_->props_removed(coord)});
    }
    props_.clear();
    bodies_.clear();
    removed_bodies_.clear();
    return batch;
}

void Saver::start_encoding(const World& world) {
    std::vector<std::pair<ChunkCoord, Chunk>> copies;
    std::vector<std::pair<ChunkCoord, ChunkArchive::Blob>> blobs;
    for (const ChunkCoord& coord : chunks_) {
        if (const Chunk* chunk = world.grid.find(coord)) {
            copies.emplace_back(coord, *chunk);
        } else {
            blobs.emplace_back(coord, archive_->blob(coord));
        }
    }
    chunks_.clear();
    is_encoding_ = true;
    workers_->post([encoding = encoding_, copies = std::move(copies), blobs = std::move(blobs),
                    batch = take_batch(world)]() mutable {
        for (const auto& [coord, chunk] : copies) {
            batch.chunks.push_back({coord, encode_chunk(chunk)});
        }
        for (const auto& [coord, blob] : blobs) {
            batch.chunks.push_back({coord, {blob.bytes.begin(), blob.bytes.end()}});
        }
        const std::lock_guard lock(encoding->mutex);
        encoding->done = std::move(batch);
    });
}

bool Saver::submit_encoded() {
    const std::lock_guard lock(encoding_->mutex);
    std::optional<StoreBatch>& done = encoding_->done;
    if (!done || !store_->submit(*done)) {
        return false;
    }
    done.reset();
    is_encoding_ = false;
    return true;
}

StoredPlayer to_stored(const Player& player) {
    StoredPlayer stored;
    stored.name = player.name;
    stored.id = player.id;
    copy(player.state.position, stored.position);
    if (player.state.carrier == 0) {  // else it is the carrier's, which may be gone by then
        copy(player.state.velocity, stored.velocity);
    }
    stored.yaw = player.state.yaw;
    stored.pitch = player.state.pitch;
    stored.vehicle = player.vehicle;
    stored.seat = player.seat;
    return stored;
}

PlayerState from_stored(const StoredPlayer& player) {
    PlayerState state;
    state.position = to_vec(player.position);
    state.velocity = to_vec(player.velocity);
    state.yaw = player.yaw;
    state.pitch = player.pitch;
    return state;
}

StoredBody to_stored(const World& world, const Body& body) {
    const BodyState state = world.physics.state_to_keep(body.handle);
    StoredBody stored;
    stored.id = body.id;
    stored.kind = world.config.kinds[body.kind].name;
    copy(state.position, stored.position);
    copy(state.linear_velocity, stored.linear_velocity);
    copy(state.angular_velocity, stored.angular_velocity);
    stored.rotation[0] = state.rotation.x;
    stored.rotation[1] = state.rotation.y;
    stored.rotation[2] = state.rotation.z;
    stored.rotation[3] = state.rotation.w;
    stored.is_asleep = state.is_asleep;
    if (body.piece != nullptr) {
        stored.piece = body.piece->bytes;
    }
    return stored;
}

BodyState from_stored(const StoredBody& body) {
    BodyState state;
    state.position = to_vec(body.position);
    state.rotation = Quat(body.rotation[3], body.rotation[0], body.rotation[1], body.rotation[2]);
    state.linear_velocity = to_vec(body.linear_velocity);
    state.angular_velocity = to_vec(body.angular_velocity);
    state.is_asleep = body.is_asleep;
    return state;
}

}  // namespace terrane
