#include "server/world/step_world.h"

#include <algorithm>

#include "server/world/apply_commands.h"
#include "server/world/blast.h"
#include "server/world/pieces.h"
#include "server/world/props.h"
#include "server/world/solids.h"
#include "server/world/vehicles.h"
#include "shared/math/trig.h"

namespace terrane {
namespace {

void clear(StepResult& result, std::uint64_t tick) {
    result.tick = tick;
    result.edits.clear();
    result.rejections.clear();
    result.joined.clear();
    result.left.clear();
    result.spawned.clear();
    result.removed.clear();
    result.chunks_arrived.clear();
    result.chunks_left.clear();
    result.props_gone.clear();
    result.seats_changed.clear();
    result.seats_missed.clear();
    result.stuck_in_seat.clear();
    result.out_of_zone.clear();
    result.lines.clear();
    result.is_sky_changed = false;
    result.is_spawn_point_changed = false;
    result.pieces = {};
    result.moved.clear();
    result.bricks_changed = 0;
}

void update_terrain(World& world, std::span<const VoxelBox> changed, StepResult& result) {
    const std::span<const BrickCoord> bricks = world.terrain.voxels_changed(changed);
    result.bricks_changed += static_cast<std::uint32_t>(bricks.size());
    world.physics.terrain_changed(bricks);
    for (const VoxelBox& box : changed) {
        fell_props(world, box, result);
    }
}

constexpr float kSubstepS = 1.0F / static_cast<float>(kSubstepsPerSecond);

/// Who sits moves with the vehicle.
void move_once(World& world, Player& player, const PlayerControls& controls) {
    if (player.vehicle == 0) {
        step_player(player.state, controls, world.config.motion, world.motion, kSubstepS);
    }
}

/// Calls `visit(player, input)` for the inputs that are, or are not, the newest of their player, in
/// the order of the commands: who came first wins a voxel.
template <typename Visit>
void for_each_input(World& world, std::span<const Command> commands, bool is_newest,
                    const Visit& visit) {
    for (const Command& command : commands) {
        const InputCommand* input = std::get_if<InputCommand>(&command);
        const auto player =
            input == nullptr ? world.players.end() : world.players.find(input->player);
        if (player != world.players.end() &&
            (input->client_tick == player->second.applied_input) == is_newest) {
            visit(player->second, *input);
        }
    }
}

template <typename Visit>
void for_each_blast(const World& world, std::span<const Command> commands, const Visit& visit) {
    for (const Command& command : commands) {
        const BlastCommand* blast = std::get_if<BlastCommand>(&command);
        if (blast != nullptr && is_valid(*blast, world.grid.bounds())) {
            visit(*blast);
        }
    }
}

/// Of several inputs of one player in a tick all but the newest run whole, edits and then motion,
/// so that every edit is judged from the pose that its client had; the newest keeps step with
/// Bullet.
void run_late_inputs(World& world, std::span<const Command> commands, StepResult& result) {
    std::vector<VoxelBox> changed;
    for_each_input(world, commands, false, [&](Player& player, const InputCommand& input) {
        changed.clear();
        apply_edits(world, player, input, result, changed);
        update_terrain(world, changed, result);
        use_seats(world, player, input.controls, result);
        for (std::uint32_t s = 0; s < substeps_per_tick(world.config); ++s) {
            move_once(world, player, input.controls);
        }
        follow(world, player, player.state.position);
        world.motion.pushes.clear();  // bodies get those of the tick's own substeps
    });
}

/// A player whose input is late still stands on what carries it.
void rest_weight(World& world, const Player& player) {
    const auto carrier = world.bodies.find(player.state.carrier);
    if (carrier != world.bodies.end()) {
        const BodyState state = world.physics.state(carrier->second.handle);
        const float weight_ns = kPlayerMassKg * world.config.motion.gravity_mps2 * kSubstepS;
        world.motion.pushes.push_back(
            {carrier->first,
             {0.0F, -weight_ns, 0.0F},
             state.position + state.rotation * player.state.carrier_point});
    }
}

void move_players(World& world) {
    for (auto& [id, player] : world.players) {
        if (player.vehicle != 0) {
            continue;
        }
        if (player.ticks_without_input == 0) {
            move_once(world, player, player.controls);
        } else if (player.ticks_without_input < kStarvedTicks) {
            rest_weight(world, player);
        } else {
            PlayerControls neutral;
            neutral.yaw = player.state.yaw;
            neutral.pitch = player.state.pitch;
            move_once(world, player, neutral);
        }
        world.physics.set_player(id, player.state.position, world.config.motion.radius_m,
                                 world.config.motion.height_m);
    }
}

/// What players did to bodies in this substep.
void push_bodies(World& world) {
    for (const MotionPush& push : world.motion.pushes) {
        if (const auto body = world.bodies.find(push.body); body != world.bodies.end()) {
            world.physics.push(body->second.handle, push.impulse_ns, push.point);
        }
    }
    world.motion.pushes.clear();
}

void run_motion(World& world) {
    for (std::uint32_t substep = 0; substep < substeps_per_tick(world.config); ++substep) {
        move_players(world);
        push_bodies(world);
        push_vehicles(world, kSubstepS);
        world.physics.step(kSubstepS);
    }
    carry_riders(world);
}

void find_fallen_players(const World& world, StepResult& result) {
    for (const auto& [id, player] : world.players) {
        if (player.vehicle == 0 && is_out_of_zone(player.state, world.grid.bounds())) {
            result.out_of_zone.push_back(id);
        }
    }
}

void remove_lost_bodies(World& world, StepResult& result) {
    for (const BodyHandle& handle : world.physics.take_lost()) {
        const auto found = world.body_by_handle.find(handle.index);
        if (found != world.body_by_handle.end()) {
            const EntityId body = found->second;
            empty_seats(world, body, result);
            remove_body(world, body);
            result.removed.push_back(body);
        }
    }
}

/// Queries meet a body or player where its node is.
void move_object(World& world, EntityId entity) {
    if (const auto body = world.bodies.find(entity); body != world.bodies.end()) {
        const Transform& pose = world.scene.world(body->second.node);
        world.objects.move(body->second.slot, pose.position, pose.rotation);
    } else if (const auto found = world.players.find(entity); found != world.players.end()) {
        follow(world, found->second, world.scene.world(found->second.node).position);
    }
}

void update_scene(World& world, StepResult& result) {
    Transform transform;
    for (const BodyHandle& handle : world.physics.moved()) {
        const auto found = world.body_by_handle.find(handle.index);
        if (found == world.body_by_handle.end()) {
            continue;
        }
        const BodyState state = world.physics.state(handle);
        transform.position = state.position;
        transform.rotation = state.rotation;
        const NodeId node = world.bodies.at(found->second).node;
        if (transform == world.scene.local(node)) {
            result.moved.push_back(found->second);  // where it was, but asleep now, or held
        } else {
            world.scene.set_local(node, transform);
        }
    }
    world.physics.clear_moved();
    for (const auto& [id, player] : world.players) {
        if (player.vehicle != 0) {
            continue;  // the vehicle's child: it moves with it
        }
        transform.position = player.state.position;
        transform.rotation = rotation_about(Vec3(0.0F, 1.0F, 0.0F), player.state.yaw);
        if (!(transform == world.scene.local(player.node))) {
            world.scene.set_local(player.node, transform);
        }
    }
    for (const NodeId node : world.scene.update()) {
        result.moved.push_back(world.scene.user(node));
        move_object(world, result.moved.back());
    }
    world.objects.commit();
}

}  // namespace

void note_ops(std::vector<AppliedOp>&& ops, EntityId player, std::uint32_t edit, StepResult& result,
              std::vector<VoxelBox>& changed) {
    for (AppliedOp& op : ops) {
        changed.push_back(op.changed);
        result.edits.push_back({player, edit, std::move(op)});
    }
}

void step_world(World& world, std::span<const Command> commands, StepResult& result, PhaseHook hook,
                void* hook_context) {
    const auto finished = [&](WorldPhase phase) {
        if (hook != nullptr) {
            hook(hook_context, phase);
        }
    };
    ++world.tick;
    clear(result, world.tick);
    apply_commands(world, commands, result);
    find_fallen_players(world, result);  // motion would only bring them back to the border
    run_late_inputs(world, commands, result);
    finished(WorldPhase::apply);

    std::vector<VoxelBox> changed;
    for_each_input(world, commands, true, [&](Player& player, const InputCommand& input) {
        apply_edits(world, player, input, result, changed);
        use_seats(world, player, input.controls, result);
    });
    for_each_blast(world, commands,
                   [&](const BlastCommand& blast) { apply_blast(world, blast, result, changed); });
    cut_loose_pieces(world, result, changed);
    finished(WorldPhase::edit);

    update_terrain(world, changed, result);
    for_each_blast(world, commands, [&](const BlastCommand& blast) { throw_around(world, blast); });
    finished(WorldPhase::terrain);

    run_motion(world);
    remove_lost_bodies(world, result);
    finished(WorldPhase::motion);

    update_scene(world, result);
    finished(WorldPhase::scene);
}

}  // namespace terrane
