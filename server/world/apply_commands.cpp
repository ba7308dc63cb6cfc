#include "server/world/apply_commands.h"

#include <algorithm>

#include "server/world/props.h"
#include "server/world/vehicles.h"
#include "shared/core/log.h"

namespace terrane {
namespace {

void apply(World& world, const JoinCommand& join, StepResult& result) {
    if (world.players.contains(join.player)) {
        return;  // the session table lets a name in once; a log edited by hand may not
    }
    Player& player = add_player(world, join);
    if (join.stored_vehicle != 0) {
        sit_down(world, player, join.stored_vehicle, join.stored_seat, result);
    }
    result.joined.push_back({join.player, join.name, !join.has_stored_state});
}

void apply(World& world, const LeaveCommand& leave, StepResult& result) {
    const auto found = world.players.find(leave.player);
    if (found != world.players.end()) {
        result.left.push_back(found->second);  // in its seat, if it sat
        stand_up(world, found->second, result);
        remove_player(world, leave.player);
    }
}

void apply(World& world, const InputCommand& input, StepResult&) {
    const auto found = world.players.find(input.player);
    if (found == world.players.end()) {
        return;  // it left in this tick
    }
    Player& player = found->second;
    player.controls = input.controls;
    player.applied_input = input.client_tick;
    player.ticks_without_input = 0;
}

void apply(World& world, const ChunkCommand& arrived, StepResult& result) {
    if (!contains(world.grid.bounds(), arrived.coord) || world.grid.is_loaded(arrived.coord)) {
        return;
    }
    world.grid.insert(arrived.coord, arrived.chunk);
    world.terrain.chunk_arrived(arrived.coord);
    add_props(world, arrived.coord, arrived.props);
    result.chunks_arrived.push_back(arrived.coord);
}

void apply(World& world, const ChunkLeaveCommand& leaving, StepResult& result) {
    if (world.grid.is_loaded(leaving.coord)) {
        remove_props(world, leaving.coord);
        world.grid.erase(leaving.coord);
        world.terrain.chunk_left(leaving.coord);
        result.chunks_left.push_back(leaving.coord);
    }
}

void move_to(World& world, EntityId id, const Vec3& foot, StepResult& result) {
    const auto found = world.players.find(id);
    if (found != world.players.end()) {
        stand_up(world, found->second, result);
        put_player(world, found->second, foot);
    }
}

void apply(World& world, const RespawnCommand& respawn, StepResult& result) {
    move_to(world, respawn.player, spawn_position(world, respawn.player), result);
}

bool is_place_in_zone(const World& world, const Vec3& place) {
    return is_finite(place) && contains(to_aabb(voxel_box(world.grid.bounds())), place);
}

void apply(World& world, const TeleportCommand& teleport, StepResult& result) {
    if (is_place_in_zone(world, teleport.position)) {
        move_to(world, teleport.player, teleport.position, result);
    }
}

void apply(World& world, const SpawnPointCommand& point, StepResult& result) {
    if (is_place_in_zone(world, point.position)) {
        world.spawn_point = point.position;
        result.is_spawn_point_changed = true;
    }
}

void apply(World& world, const ChatCommand& chat, StepResult& result) {
    const auto found = world.players.find(chat.player);
    if (found != world.players.end()) {
        result.lines.push_back({found->second.name, 0, chat.text});
    }
}

void apply(World&, const SayCommand& say, StepResult& result) {
    result.lines.push_back({"", say.to, say.text});
}

void apply(World& world, const SkyCommand& sky, StepResult& result) {
    world.daytime = {static_cast<std::uint32_t>(world.tick), sky.day_fraction, sky.day_length_s};
    result.is_sky_changed = true;
}

/// Phases 4 and 5 do it (step_world.cpp).
void apply(World&, const BlastCommand&, StepResult&) {}

void apply(World& world, const SpawnCommand& spawn, StepResult& result) {
    const std::uint32_t kind = find_kind(world.config.kinds, spawn.kind);
    if (kind == 0 || kind >= world.config.kinds.size()) {
        log_warn("spawn: no kind of body is named '{}'", spawn.kind);
        return;
    }
    BodyState state;
    state.position = spawn.position;
    state.rotation = spawn.rotation;
    if (const Body* body = add_body(world, 0, kind, state)) {
        result.spawned.push_back(body->id);
    } else {
        log_warn(
            "spawn: {} refused: the zone holds physics.bodies_max bodies or the place is not "
            "finite",
            spawn.kind);
    }
}

}  // namespace

void apply_commands(World& world, std::span<const Command> commands, StepResult& result) {
    for (auto& [id, player] : world.players) {
        ++player.ticks_without_input;
    }
    // Players' ids are given out before the step: what spawns in it gets later ones, in a replay
    // of the commands too.
    for (const Command& command : commands) {
        if (const auto* join = std::get_if<JoinCommand>(&command)) {
            world.next_entity = std::max(world.next_entity, join->player + 1);
        }
    }
    for (const Command& command : commands) {
        std::visit([&](const auto& value) { apply(world, value, result); }, command);
    }
}

}  // namespace terrane
