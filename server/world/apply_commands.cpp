#include "server/world/apply_commands.h"

#include "shared/core/log.h"

namespace terrane {
namespace {

void apply(World& world, const JoinCommand& join, StepResult& result) {
    if (world.players.contains(join.player)) {
        return;  // the session table lets a name in once; a log edited by hand may not
    }
    add_player(world, join);
    result.joined.push_back(join.player);
}

void apply(World& world, const LeaveCommand& leave, StepResult& result) {
    const auto found = world.players.find(leave.player);
    if (found != world.players.end()) {
        result.left.push_back(found->second);
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
    result.chunks_arrived.push_back(arrived.coord);
}

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
    for (const Command& command : commands) {
        std::visit([&](const auto& value) { apply(world, value, result); }, command);
    }
}

}  // namespace terrane
