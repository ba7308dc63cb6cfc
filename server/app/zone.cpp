#include "server/app/zone.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/app/chunk_source.h"
#include "server/app/first_bodies.h"
#include "server/app/kind_files.h"
#include "server/rules/builtin_rules.h"
#include "server/world/apply_commands.h"
#include "server/world/pieces.h"
#include "shared/core/log.h"
#include "shared/protocol/encode.h"
#include "shared/protocol/limits.h"

namespace terrane {
namespace {

constexpr std::int32_t kLoadedAroundSpawn = 2;  ///< chunks, before the first tick
constexpr std::int32_t kHeldAroundSpawn = 1;    ///< chunks, for good

wire::KindShape to_wire(BodyShape shape) {
    switch (shape) {
        case BodyShape::player:
            return wire::KindShape::player;
        case BodyShape::box:
            return wire::KindShape::box;
        case BodyShape::sphere:
            return wire::KindShape::sphere;
        case BodyShape::cylinder:
            return wire::KindShape::cylinder;
        case BodyShape::capsule:
            return wire::KindShape::capsule;
        case BodyShape::piece:
            break;
    }
    return wire::KindShape::piece;
}

}  // namespace

WorldConfig to_world_config(const ZoneConfig& config) {
    WorldConfig world;
    world.bounds = config.bounds;
    world.tick_rate_hz = config.tick_rate_hz;
    world.reach_m = config.edit.reach_m;
    world.brush_radius_max = config.edit.radius_max;
    world.spawn_x = config.spawn.x_m;
    world.spawn_z = config.spawn.z_m;
    world.motion = config.motion;
    world.physics = config.physics;
    for (const Material& material : config.materials) {
        world.physics.ground_friction.push_back(material.friction);
    }
    world.terrain = config.terrain;
    world.debris = config.debris;
    world.objects = config.objects;
    world.materials = config.materials;
    world.kinds = config.kinds;
    BodyKind piece;
    piece.name = kPieceKindName;
    piece.shape = BodyShape::piece;
    piece.half_extents = Vec3(0.0F);
    world.kinds.push_back(piece);
    return world;
}

SessionConfig to_session_config(const ZoneConfig& config) {
    SessionConfig session;
    session.tick_rate_hz = config.tick_rate_hz;
    session.players_max = config.session.sessions_max;
    session.view_chunks_max = config.view.chunks_max;
    session.hello_timeout_s =
        static_cast<std::uint32_t>(std::ceil(config.session.login_deadline_s));
    session.input_timeout_s = static_cast<std::uint32_t>(config.session.silence_timeout_s);
    session.inputs.per_second = config.session.messages_per_s_max;
    session.edits = {static_cast<std::uint32_t>(config.edit.per_second), config.edit.burst};
    return session;
}

ReplicationConfig to_replication_config(const ZoneConfig& config) {
    ReplicationConfig replication;
    // New chunks wait long before the outbox is full and the session would be dropped as slow.
    replication.outbox_soft_bytes = std::min(replication.outbox_soft_bytes,
                                             std::size_t{config.session.outbox_kib_max} * 1024 / 4);
    replication.chunk_bytes_per_tick =
        std::min(replication.chunk_bytes_per_tick, replication.outbox_soft_bytes);
    return replication;
}

ChunkLoaderConfig to_chunk_loader_config(const ZoneConfig& config) {
    constexpr std::uint32_t kLingerS = 2;
    ChunkLoaderConfig loader;
    loader.bounds = config.bounds;
    loader.material_count = config.materials.size();
    loader.tickets.simulated_chunks = config.view.simulated_chunks;
    loader.tickets.linger_ticks = kLingerS * config.tick_rate_hz;
    return loader;
}

Zone::Zone(const ZoneConfig& config, const ZoneSurroundings& surroundings)
    : config_(config),
      surroundings_(surroundings),
      world_(to_world_config(config)),
      sessions_(to_session_config(config), *surroundings.carrier),
      replicator_(to_replication_config(config)),
      chunk_source_(make_chunk_source(config, surroundings.store)),
      chunk_loader_(*surroundings.workers, chunk_source_, replicator_.archive(),
                    to_chunk_loader_config(config)),
      player_loader_(surroundings.store, *surroundings.workers),
      pregen_(*surroundings.workers, chunk_source_, config.bounds),
      tick_stats_(config.tick_rate_hz) {
    RulesConfig rules = config.rules;
    rules.tick_rate_hz = config.tick_rate_hz;
    rules_ = make_builtin_rules(rules);
    if (surroundings.store != nullptr) {
        saver_ = std::make_unique<Saver>(*surroundings.store, *surroundings.workers,
                                         replicator_.archive(), config.tick_rate_hz);
    }
}

void Zone::open() {
    load_area(config_.spawn.x_m, config_.spawn.z_m);
    spawn_chunk_ = chunk_of(VoxelCoord{config_.spawn.x_m, 0, config_.spawn.z_m});
    chunk_loader_.tickets().hold_columns(spawn_chunk_, kHeldAroundSpawn);
    const Store* store = surroundings_.store;
    // Each start is an epoch of its own: an id given out just before a crash is not given again.
    world_.next_entity = (store == nullptr ? EntityId{1} : EntityId{store->start_count()}) << 32U;
    if (store != nullptr && store->spawn_point()) {
        const StoredPoint point = *store->spawn_point();
        world_.spawn_point = Vec3(point.position[0], point.position[1], point.position[2]);
        log_info("players start at {} {} {}, as ctl spawnpoint said, not at [spawn]",
                 point.position[0], point.position[1], point.position[2]);
        const VoxelCoord foot = voxel_at(*world_.spawn_point);
        load_area(foot.x, foot.z);
        hold_spawn();
    }
    if (store != nullptr && store->last_tick() > 0) {
        world_.tick = store->last_tick();
        restore_bodies();
    } else {
        place_first_bodies(world_, config_,
                           [this](std::int32_t x, std::int32_t z) { load_area(x, z); });
    }
    log_info("zone open: {} chunks loaded, {} bodies, tick {}", world_.grid.chunk_count(),
             world_.bodies.size(), world_.tick);
}

void Zone::close() {
    surroundings_.carrier->stop_accepting();
    sessions_.close_all(LeaveReason::server_stopping, "the zone is stopping");
    sessions_.flush();
    if (saver_ != nullptr) {
        saver_->finish(world_);
    }
}

bool Zone::kick(std::string_view name, std::string_view reason) {
    const Session* session = sessions_.find_name(name);
    if (session == nullptr) {
        return false;
    }
    sessions_.close(session->id, LeaveReason::kicked,
                    reason.empty() ? std::string_view("you were kicked") : reason);
    return true;
}

std::size_t Zone::pregen(const ChunkColumns& columns) {
    return saver_ == nullptr ? 0 : pregen_.want(columns);
}

void Zone::save_now() {
    if (saver_ != nullptr) {
        saver_->hurry();
    }
}

std::uint64_t Zone::saved_tick() const {
    return surroundings_.store == nullptr ? world_.tick : surroundings_.store->stats().durable_tick;
}

std::string Zone::failure() const {
    if (surroundings_.store == nullptr) {
        return "";
    }
    const StoreStats stats = surroundings_.store->stats();
    return stats.has_failed ? stats.failure : "";
}

/// At once: all chunks of the columns around voxel column (x, z).
void Zone::load_area(std::int32_t x, std::int32_t z) {
    const ChunkCoord centre = chunk_of(VoxelCoord{x, 0, z});
    commands_.clear();
    for (std::int32_t y = config_.bounds.min.y; y < config_.bounds.max.y; ++y) {
        for (std::int32_t dz = -kLoadedAroundSpawn; dz <= kLoadedAroundSpawn; ++dz) {
            for (std::int32_t dx = -kLoadedAroundSpawn; dx <= kLoadedAroundSpawn; ++dx) {
                if (auto chunk = chunk_loader_.load_now({centre.x + dx, y, centre.z + dz})) {
                    commands_.emplace_back(std::move(*chunk));
                }
            }
        }
    }
    apply_commands(world_, commands_, result_);
}

/// Where players appear now is simulated for good; where they did before no longer.
void Zone::hold_spawn() {
    const ChunkCoord now = world_.spawn_point
                               ? chunk_of(voxel_at(*world_.spawn_point))
                               : chunk_of(VoxelCoord{config_.spawn.x_m, 0, config_.spawn.z_m});
    chunk_loader_.tickets().hold_columns(now, kHeldAroundSpawn);
    chunk_loader_.tickets().release_columns(spawn_chunk_, kHeldAroundSpawn);
    spawn_chunk_ = now;
}

void Zone::restore_bodies() {
    for (const StoredBody& stored : surroundings_.store->load_bodies()) {
        const std::uint32_t kind = find_kind(world_.config.kinds, stored.kind);
        if (!stored.piece.empty()) {
            restore_piece(stored);
        } else if (kind == 0 || kind >= world_.config.kinds.size()) {
            log_warn("stored body {}: bodies.toml has no kind '{}' any more; it is left out",
                     stored.id, stored.kind);
        } else if (add_body(world_, stored.id, kind, from_stored(stored)) == nullptr) {
            log_warn(
                "stored body {} ({}) is left out: physics.bodies_max is reached or its "
                "stored state is not finite",
                stored.id, stored.kind);
        }
    }
}

void Zone::restore_piece(const StoredBody& stored) {
    Result<VoxelPiece> voxels =
        decode_piece(stored.piece, {kPieceVoxelsMax, world_.config.materials.size()});
    if (!voxels) {
        log_warn("stored piece {} is left out: {}", stored.id, voxels.error().message);
    } else if (add_piece(world_, stored.id, make_cut_piece(world_, std::move(*voxels)),
                         from_stored(stored)) == nullptr) {
        log_warn(
            "stored piece {} is left out: physics.bodies_max is reached or its stored state is not "
            "finite",
            stored.id);
    }
}

JoinCommand Zone::join_command(const LoadedPlayer& loaded) {
    JoinCommand join;
    join.name = loaded.request.name;
    if (loaded.stored) {
        join.player = loaded.stored->id;
        join.has_stored_state = true;
        join.stored = from_stored(*loaded.stored);
        join.stored_vehicle = loaded.stored->vehicle;
        join.stored_seat = loaded.stored->seat;
    } else {
        join.player = world_.next_entity++;
    }
    return join;
}

Bytes Zone::welcome_for(const JoinRequest& request, EntityId player) const {
    WelcomeMessage welcome;
    welcome.server_version = TERRANE_VERSION;
    welcome.player_id = player;
    welcome.tick = tick_;
    welcome.tick_rate_hz = config_.tick_rate_hz;
    welcome.substeps_per_tick = substeps_per_tick(world_.config);
    welcome.bounds = config_.bounds;
    welcome.view_chunks = request.view_chunks;
    welcome.reach_m = config_.edit.reach_m;
    welcome.brush_radius_max = config_.edit.radius_max;
    welcome.edits_per_s = config_.edit.per_second;
    welcome.edits_burst = config_.edit.burst;
    welcome.materials = config_.materials;
    for (const BodyKind& kind : world_.config.kinds) {
        welcome.kinds.push_back({kind.name, to_wire(kind.shape), kind.half_extents, kind.red,
                                 kind.green, kind.blue, kind.is_static, kind.seats,
                                 body_mass_kg(kind)});
    }
    welcome.motion = config_.motion;
    const Daytime& daytime = world_.daytime;
    welcome.sky = {daytime.tick, daytime.day_fraction, daytime.day_length_s};
    return encode_welcome(welcome);
}

SessionSink Zone::make_sink() {
    SessionSink sink;
    sink.send = [this](EntityId player, SharedBytes frame) {
        if (const auto found = session_of_.find(player); found != session_of_.end()) {
            sessions_.send(found->second, std::move(frame));
        }
    };
    sink.waiting_bytes = [this](EntityId player) {
        const auto found = session_of_.find(player);
        return found == session_of_.end() ? std::size_t{0} : sessions_.queued_bytes(found->second);
    };
    return sink;
}

}  // namespace terrane
