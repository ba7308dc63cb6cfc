#include "shared/motion/player_motion.h"

#include <algorithm>
#include <optional>

#include "shared/core/assert.h"
#include "shared/math/trig.h"
#include "shared/motion/among_bodies.h"
#include "shared/motion/surroundings.h"
#include "shared/motion/zone_border.h"

namespace terrane {

namespace {

constexpr float kGroundChangeMps2 = 40.0F;  ///< starting and stopping: walk speed in 0.11 s
constexpr float kAirChangeMps2 = 8.0F;      ///< below g: nobody holds on to a steep face by pushing
constexpr float kWaterChangeMps2 = 10.0F;
constexpr float kWaterDragPerS = 4.0F;
constexpr float kSpeedMaxMps = 60.0F;
constexpr float kFallMaxMps = 55.0F;
constexpr float kProbeM = 0.03F;  ///< ground nearer than this below a falling player is stood on
constexpr float kSnapExtraM = 0.05F;  ///< and this more than the steepest slope for a walker
/// Shares of the body's height under water.
constexpr float kChest = 0.65F;  ///< from here on a player swims
constexpr float kFloat = 0.72F;  ///< where buoyancy comes to rest: eyes above water
constexpr float kHysteresisM = 0.15F;
/// Chunks this near a player must be here: the mesh of the last metre reads beyond.
constexpr float kLoadedAroundM = 1.0F;

void limit_speed(Vec3& velocity) {
    for (int axis = 0; axis < 3; ++axis) {
        const float speed = velocity[axis];
        velocity[axis] =
            std::isfinite(speed) ? std::clamp(speed, -kSpeedMaxMps, kSpeedMaxMps) : 0.0F;
    }
}

/// `v` moved toward `target` by at most `change`.
Vec3 approach(const Vec3& v, const Vec3& target, float change) {
    const Vec3 missing = target - v;
    const float length = glm::length(missing);
    return length <= change ? target : v + missing * (change / length);
}

/// Horizontal, at most 1 long: where the player wants to go.
Vec3 wish_direction(const PlayerControls& controls) {
    const auto share = [](std::int8_t value) {
        return static_cast<float>(std::max<int>(value, -127)) / 127.0F;
    };
    const SineCosine turn = sine_cosine(controls.yaw);
    const float right = share(controls.move_right);
    const float forward = share(controls.move_forward);
    const Vec3 wish{right * turn.cosine - forward * turn.sine, 0.0F,
                    -right * turn.sine - forward * turn.cosine};
    const float length_squared = glm::dot(wish, wish);
    return length_squared > 1.0F ? wish / std::sqrt(length_squared) : wish;
}

Vec3 wish_velocity(const Mover& mover) {
    const float speed = mover.wants(kButtonRun) ? mover.config.run_mps : mover.config.walk_mps;
    return wish_direction(mover.controls) * speed;
}

Vec3 border_velocity(const Mover& mover, float speed_mps) {
    return mover.border_push * (kBorderPush * speed_mps);
}

void fall(Mover& mover) {
    PlayerState& state = mover.state;
    const Vec3 wish = wish_velocity(mover);
    if (glm::dot(wish, wish) > 0.0F) {
        const Vec3 level{state.velocity.x, 0.0F, state.velocity.z};
        const Vec3 changed = approach(level, wish, kAirChangeMps2 * mover.dt);
        state.velocity.x = changed.x;
        state.velocity.z = changed.z;
    }
    state.velocity += mover.border_push * (kBorderPushMps2 * mover.dt);
    const float gravity = mover.config.gravity_mps2 * mover.dt;
    // The mean of old and new speed: the height of a jump does not depend on the substep.
    Vec3 delta = state.velocity * mover.dt;
    delta.y -= 0.5F * gravity * mover.dt;
    state.velocity.y = std::max(state.velocity.y - gravity, -kFallMaxMps);
    gather(mover, glm::length(delta), 0.0F, kProbeM);

    const Vec3 from = state.position;
    const float rising = std::max(state.velocity.y, 0.0F);
    SlidePlanes planes(mover.floor_up, false);
    const BodyHits hits = slide(mover, state.position, delta, planes);
    const Vec3 clipped = push(mover, hits, planes, false);
    state.velocity = {clipped.x, std::min(clipped.y, rising), clipped.z};

    state.is_grounded = false;
    if (state.velocity.y <= kLeaveGroundMps ||
        state.velocity.y <= kLeaveGroundMps + rise_below(mover, kProbeM)) {
        state.is_grounded = settle(mover, state.position, kProbeM);
        // Wedged between steep faces: nothing to stand on, yet nowhere to fall.
        const Vec3 moved = state.position - from;
        const bool is_wedged = planes.has_wall() && delta.y < 0.0F && moved.y > 0.1F * delta.y &&
                               glm::dot(moved, moved) < 0.01F * glm::dot(delta, delta);
        state.is_grounded = state.is_grounded || is_wedged;
    }
    if (state.is_grounded) {
        state.velocity.y = 0.0F;
    }
}

void walk(Mover& mover) {
    PlayerState& state = mover.state;
    state.velocity.y = 0.0F;
    const Vec3 wish = wish_velocity(mover) + border_velocity(mover, mover.config.walk_mps);
    state.velocity = approach(state.velocity, wish, kGroundChangeMps2 * mover.dt);
    const Vec3 delta = state.velocity * mover.dt;
    const float length = glm::length(delta);
    const float snap_m = length * mover.slope_tangent + kSnapExtraM;
    gather(mover, length, length * mover.slope_tangent, snap_m);

    if (length > 1e-6F) {
        Vec3 foot = state.position;
        SlidePlanes planes(mover.floor_up, true);
        const BodyHits hits = slide(mover, foot, delta, planes);
        const auto stepped = planes.has_wall() && !is_pushed_ahead(mover, hits)
                                 ? step_up(mover, delta, foot)
                                 : std::optional<Vec3>();
        if (stepped.has_value()) {
            state.position = *stepped;
            return;  // on the step or on its way up: grounded either way
        }
        state.position = foot;
        state.velocity = push(mover, hits, planes, true);
        state.velocity.y = 0.0F;
    }
    state.is_grounded = settle(mover, state.position, snap_m);
}

void jump(Mover& mover) {
    const float height = std::max(mover.config.jump_height_m, 0.0F);
    mover.state.velocity.y = std::sqrt(2.0F * mover.config.gravity_mps2 * height);
    fall(mover);
}

/// `depth_m`: of the foot under the water's surface.
void swim(Mover& mover, float depth_m) {
    PlayerState& state = mover.state;
    const float speed = mover.config.swim_mps;
    const float float_m = kFloat * mover.config.height_m;
    Vec3 wish = wish_direction(mover.controls) * speed;
    if (mover.wants(kButtonDown)) {
        wish.y = -speed;
    } else {
        // Up to the surface and no farther: fast if asked to, else as buoyancy has it.
        const float up_max = mover.wants(kButtonJump) ? speed : 1.0F;
        wish.y = std::clamp((depth_m - float_m) * 3.0F, -1.0F, up_max);
    }
    wish += border_velocity(mover, speed);
    const Vec3 missing = wish - state.velocity;
    const float change = kWaterChangeMps2 + kWaterDragPerS * glm::length(missing);
    const float rising = state.velocity.y;
    state.velocity = approach(state.velocity, wish, change * mover.dt);
    if (mover.wants(kButtonJump) && rising > speed + kLeaveGroundMps) {
        state.velocity.y = rising - mover.config.gravity_mps2 * mover.dt;  // leaping out, see below
    }
    const Vec3 delta = state.velocity * mover.dt;
    gather(mover, glm::length(delta), 0.0F, kProbeM);

    SlidePlanes planes(mover.floor_up, false);
    const BodyHits hits = slide(mover, state.position, delta, planes);
    state.velocity = push(mover, hits, planes, false);
    state.is_grounded =
        state.velocity.y <= kLeaveGroundMps && settle(mover, state.position, kProbeM);
    if (planes.has_wall() && mover.wants(kButtonJump) && depth_m < float_m + 0.3F) {
        // Out over the edge of a bank: high enough to stand a step above the water.
        const float height = float_m + mover.config.step_height_m;
        state.velocity.y = std::sqrt(2.0F * mover.config.gravity_mps2 * height);
    }
}

/// Depth of the foot under water if the player swims.
std::optional<float> swimming_depth_m(const Mover& mover) {
    const PlayerState& state = mover.state;
    const float chest = kChest * mover.config.height_m - (state.is_swimming ? kHysteresisM : 0.0F);
    const auto surface =
        water_surface_m(mover.world.terrain->grid(), state.position + Vec3{0.0F, chest, 0.0F});
    return surface.has_value() ? std::optional(*surface - state.position.y) : std::nullopt;
}

bool leave_rock(Mover& mover) {
    PlayerState& state = mover.state;
    const VoxelGrid& grid = mover.world.terrain->grid();
    if (!is_buried(grid, mover.capsule, state.position)) {
        return false;
    }
    const auto spot = nearest_free_spot(grid, mover.capsule, state.position);
    state.position = spot.value_or(state.position + Vec3{0.0F, 0.5F, 0.0F});
    state.velocity = Vec3{0.0F};
    state.is_grounded = false;
    state.is_swimming = false;
    return true;
}

bool is_loaded_around(const Mover& mover) {
    const Aabb near = grow(player_box(mover.state.position, mover.config), kLoadedAroundM);
    return is_loaded(mover.world.terrain->grid(), voxels_of(near));
}

void move_by_controls(Mover& mover) {
    PlayerState& state = mover.state;
    const auto depth_m = swimming_depth_m(mover);
    state.is_swimming = depth_m.has_value();
    const bool is_standing = state.is_grounded && state.velocity.y <= kLeaveGroundMps;
    if (depth_m.has_value()) {
        swim(mover, *depth_m);
    } else if (!is_standing) {
        fall(mover);
    } else if (mover.wants(kButtonJump)) {
        jump(mover);
    } else {
        walk(mover);
    }
}

void hold(PlayerState& state) {
    state.velocity = Vec3{0.0F};
    state.carrier = 0;
}

void move(Mover& mover) {
    PlayerState& state = mover.state;
    const GridBounds& bounds = mover.world.terrain->grid().bounds();
    mover.world.near.clear_bodies();
    if (!is_loaded_around(mover)) {
        hold(state);
        return;
    }
    if (leave_rock(mover)) {
        hold(state);
        keep_in_zone(state, bounds, mover.capsule);
        return;
    }
    mover.border_push = border_push(bounds, state.position);
    if (mover.world.bodies != nullptr) {
        ride(mover);
        shove(mover);
        if (mover.carrier_index >= 0 && !is_loaded_around(mover)) {
            hold(state);
            return;
        }
    }
    move_by_controls(mover);
    keep_in_zone(state, bounds, mover.capsule);
    stand_on(mover);
    limit_speed(state.velocity);
}

}  // namespace

void step_player(PlayerState& state, const PlayerControls& controls, const MotionConfig& config,
                 MotionWorld& world, float dt) {
    TERRANE_ASSERT(world.terrain != nullptr && is_finite(state.position));
    limit_speed(state.velocity);
    state.yaw = controls.yaw;
    state.pitch = std::clamp<std::int16_t>(controls.pitch, -kQuarterTurn, kQuarterTurn);

    const float degrees = std::clamp(config.slope_max_deg, 1.0F, 89.0F);
    const SineCosine slope =
        sine_cosine(static_cast<std::uint16_t>(degrees * (65536.0F / 360.0F) + 0.5F));
    const Capsule capsule{config.radius_m, config.height_m, config.radius_m + kPlayerGapM};
    Mover mover{state,
                controls,
                config,
                world,
                std::clamp(std::isfinite(dt) ? dt : 0.0F, 0.0F, 0.1F),
                capsule,
                slope.cosine,
                slope.sine / slope.cosine};
    move(mover);
}

Vec3 eye_position(const PlayerState& state, const MotionConfig& config) {
    return state.position + Vec3{0.0F, config.eye_height_m, 0.0F};
}

Vec3 look_direction(std::uint16_t yaw, std::int16_t pitch) {
    return direction_of_view(yaw, pitch);
}

Aabb player_box(const Vec3& position, const MotionConfig& config) {
    const float r = config.radius_m;
    return {position - Vec3{r, 0.0F, r}, position + Vec3{r, config.height_m, r}};
}

}  // namespace terrane
