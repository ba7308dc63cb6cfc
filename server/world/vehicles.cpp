#include "server/world/vehicles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "server/world/solids.h"
#include "shared/math/trig.h"
#include "shared/motion/surroundings.h"
#include "shared/motion/zone_border.h"
#include "shared/voxel/voxel_ray.h"

namespace terrane {
namespace {

struct SeatChoice {
    EntityId vehicle = 0;
    std::uint8_t seat = 0;
    float distance2_m2 = 0.0F;
};

Vec3 seat_position(const World& world, const Body& body, std::uint8_t seat) {
    const BodyState state = world.physics.state(body.handle);
    return state.position + state.rotation * world.config.kinds[body.kind].seats[seat];
}

std::uint8_t first_free_seat(const Body& body) {
    const auto free = std::find(body.riders.begin(), body.riders.end(), EntityId{0});
    return static_cast<std::uint8_t>(free - body.riders.begin());
}

/// Middle of a player above the foot: what must be seen of a seat, and of a place to stand.
constexpr Vec3 kWaist{0.0F, 0.9F, 0.0F};

bool is_way_free(const World& world, const Vec3& from, const Vec3& to) {
    return !raycast_voxels(world.grid, {from, to - from, 1.0F});
}

/// Where a rider can stand up: on the vehicle over the seat, beside it, or in it; free of rock, and
/// not behind any.
std::optional<Vec3> find_standing_place(const World& world, const Player& player,
                                        const Body& body) {
    const MotionConfig& motion = world.config.motion;
    const Capsule capsule{motion.radius_m, motion.height_m, motion.radius_m + kPlayerGapM};
    const Vec3 seat = seat_position(world, body, player.seat);
    const Aabb box = world.physics.bounds(body.handle);
    const Vec3 middle = (box.min + box.max) * 0.5F;
    const Vec3 beside = (box.max - box.min) * 0.5F + capsule.touch_m;
    const std::array<Vec3, 6> places{
        Vec3(seat.x, box.max.y + kPlayerGapM, seat.z), Vec3(middle.x + beside.x, seat.y, seat.z),
        Vec3(middle.x - beside.x, seat.y, seat.z),     Vec3(seat.x, seat.y, middle.z + beside.z),
        Vec3(seat.x, seat.y, middle.z - beside.z),     seat};
    const auto found = std::find_if(places.begin(), places.end(), [&](const Vec3& place) {
        return !is_buried(world.grid, capsule, place) &&
               is_way_free(world, seat + kWaist, place + kWaist);
    });
    return found == places.end() ? std::nullopt : std::optional(*found);
}

void put_out(World& world, Player& player, const Vec3& foot, StepResult& result) {
    Body& body = world.bodies.at(player.vehicle);
    body.riders[player.seat] = 0;
    player.state.position = foot;
    player.state.velocity = world.physics.state(body.handle).linear_velocity;
    player.vehicle = 0;
    player.seat = 0;
    world.scene.set_parent(player.node, kNoNode);
    Transform pose;
    pose.position = foot;
    pose.rotation = rotation_about(Vec3(0.0F, 1.0F, 0.0F), player.state.yaw);
    world.scene.set_local(player.node, pose);
    follow(world, player, foot);
    world.physics.set_player(player.id, foot, world.config.motion.radius_m,
                             world.config.motion.height_m);
    result.seats_changed.push_back(player.id);
}

/// Of the vehicle with the nearest free seat in reach its first free one: who comes first rows. Of
/// equally near vehicles the first by body slot.
std::optional<SeatChoice> find_seat(const World& world, const Vec3& foot, const Vec3& eye) {
    constexpr float kVehicleReachM = 8.0F;  // the largest box of a kind is 8 m long
    std::vector<BodyHandle> near;
    world.physics.bodies_near(grow(Aabb{foot, foot}, kVehicleReachM), near);
    std::optional<SeatChoice> best;
    for (const BodyHandle& handle : near) {
        const auto found = world.body_by_handle.find(handle.index);
        if (found == world.body_by_handle.end()) {
            continue;
        }
        const Body& body = world.bodies.at(found->second);
        for (std::uint8_t seat = 0; seat < body.riders.size(); ++seat) {
            const Vec3 away = seat_position(world, body, seat) - foot;
            const float distance2 = glm::dot(away, away);
            if (body.riders[seat] == 0 && distance2 <= kSeatReachM * kSeatReachM &&
                (!best || distance2 < best->distance2_m2) &&
                is_way_free(world, eye, seat_position(world, body, seat) + kWaist)) {
                best = {body.id, first_free_seat(body), distance2};
            }
        }
    }
    return best;
}

void attach(World& world, Player& player, const Body& body) {
    Transform local;
    local.position = world.config.kinds[body.kind].seats[player.seat];
    world.scene.set_parent(player.node, body.node);
    world.scene.set_local(player.node, local);
}

/// The end of the longer level edge: -z, where a player looks too, or +x.
Vec3 bow_of(const BodyKind& kind) {
    const Vec3& half = kind.half_extents;
    return half.z >= half.x ? Vec3(0.0F, 0.0F, -half.z) : Vec3(half.x, 0.0F, 0.0F);
}

void row(World& world, const Body& body, const PlayerControls& controls, float dt) {
    const BodyKind& kind = world.config.kinds[body.kind];
    const bool is_idle = controls.move_forward == 0 && controls.move_right == 0;
    if (is_idle || kind.thrust_n <= 0.0F || world.physics.submerged_share(body.handle) <= 0.0F) {
        return;
    }
    constexpr float kTurnShare = 0.25F;  // at the bow, sideways: turns a boat in a few seconds
    constexpr float kFull = 127.0F;
    const BodyState state = world.physics.state(body.handle);
    const Vec3 bow = state.rotation * bow_of(kind);
    Vec3 ahead{bow.x, 0.0F, bow.z};
    const float length = glm::length(ahead);
    if (length < 0.1F) {
        return;  // it stands on its stern
    }
    ahead /= length;
    const Vec3 right{-ahead.z, 0.0F, ahead.x};
    const float impulse_ns = kind.thrust_n * dt;
    const auto share = [](std::int8_t move) { return static_cast<float>(move) / kFull; };
    world.physics.apply_impulse(body.handle, ahead * (impulse_ns * share(controls.move_forward)),
                                state.position);
    world.physics.apply_impulse(body.handle,
                                right * (impulse_ns * kTurnShare * share(controls.move_right)),
                                state.position + bow);
}

EntityId first_rider(const Body& body) {
    const auto taken = std::find_if(body.riders.begin(), body.riders.end(),
                                    [](EntityId rider) { return rider != 0; });
    return taken == body.riders.end() ? 0 : *taken;
}

/// The zone's soft border, for boats: who rows does not fall off the world.
void push_inward(World& world, const Body& body, float dt) {
    constexpr float kBoatPushMps2 = 12.0F;  // at the border: more than any crew rows against
    const BodyState state = world.physics.state(body.handle);
    const Vec3 push = border_push(world.grid.bounds(), state.position);
    if (push != Vec3(0.0F)) {
        const float mass_kg = body_mass_kg(world.config.kinds[body.kind]);
        world.physics.apply_impulse(body.handle, push * (kBoatPushMps2 * mass_kg * dt),
                                    state.position);
    }
}

}  // namespace

void use_seats(World& world, Player& player, const PlayerControls& controls, StepResult& result) {
    const bool is_using = (controls.buttons & kButtonUse) != 0;
    const bool is_pressed = is_using && !player.is_using;
    player.is_using = is_using;
    if (!is_pressed) {
        return;
    }
    if (player.vehicle != 0) {
        const Body& body = world.bodies.at(player.vehicle);
        if (const auto place = find_standing_place(world, player, body)) {
            put_out(world, player, *place, result);
        } else {
            result.stuck_in_seat.push_back(player.id);
        }
        return;
    }
    const Vec3 eye = eye_position(player.state, world.config.motion);
    if (const auto choice = find_seat(world, player.state.position, eye)) {
        sit_down(world, player, choice->vehicle, choice->seat, result);
    } else {
        result.seats_missed.push_back(player.id);
    }
}

bool sit_down(World& world, Player& player, EntityId vehicle, std::uint8_t seat,
              StepResult& result) {
    const auto found = world.bodies.find(vehicle);
    if (found == world.bodies.end() || seat >= found->second.riders.size() ||
        found->second.riders[seat] != 0 || player.vehicle != 0) {
        return false;
    }
    Body& body = found->second;
    body.riders[seat] = player.id;
    player.vehicle = vehicle;
    player.seat = seat;
    player.state.carrier = 0;
    player.state.is_grounded = false;
    player.state.is_swimming = false;
    world.physics.remove_player(player.id);
    world.physics.wake(body.handle);
    attach(world, player, body);
    player.state.position = seat_position(world, body, seat);
    result.seats_changed.push_back(player.id);
    return true;
}

void stand_up(World& world, Player& player, StepResult& result) {
    if (player.vehicle != 0) {
        const Body& body = world.bodies.at(player.vehicle);
        const Vec3 seat = seat_position(world, body, player.seat);
        put_out(world, player, find_standing_place(world, player, body).value_or(seat), result);
    }
}

void empty_seats(World& world, EntityId vehicle, StepResult& result) {
    const std::vector<EntityId> riders = world.bodies.at(vehicle).riders;
    for (const EntityId rider : riders) {
        if (rider != 0) {
            stand_up(world, world.players.at(rider), result);
        }
    }
}

void push_vehicles(World& world, float dt) {
    const float weight_ns = kPlayerMassKg * world.config.physics.gravity_mps2 * dt;
    for (const auto& [id, player] : world.players) {
        if (player.vehicle == 0) {
            continue;
        }
        const Body& body = world.bodies.at(player.vehicle);
        world.physics.push(body.handle, {0.0F, -weight_ns, 0.0F},
                           seat_position(world, body, player.seat));
        if (player.id == first_rider(body)) {
            push_inward(world, body, dt);
        }
        if (player.seat == 0 && player.ticks_without_input < kStarvedTicks) {
            row(world, body, player.controls, dt);
        }
    }
}

void carry_riders(World& world) {
    for (auto& [id, player] : world.players) {
        if (player.vehicle != 0) {
            const Body& body = world.bodies.at(player.vehicle);
            player.state.position = seat_position(world, body, player.seat);
            player.state.velocity = world.physics.state(body.handle).linear_velocity;
            player.state.yaw = player.controls.yaw;
            player.state.pitch = std::clamp<std::int16_t>(player.controls.pitch, -16384, 16384);
        }
    }
}

}  // namespace terrane
