#include "shared/motion/player_motion.h"

#include <algorithm>
#include <optional>

#include "shared/core/assert.h"
#include "shared/math/trig.h"
#include "shared/motion/slide_planes.h"
#include "shared/motion/surroundings.h"

namespace terrane {

namespace {

constexpr float kGroundChangeMps2 = 40.0F;  ///< starting and stopping: walk speed in 0.11 s
constexpr float kAirChangeMps2 = 8.0F;      ///< below g: nobody holds on to a steep face by pushing
constexpr float kWaterChangeMps2 = 10.0F;
constexpr float kWaterDragPerS = 4.0F;
constexpr float kSpeedMaxMps = 60.0F;
constexpr float kFallMaxMps = 55.0F;
/// Moving up faster than this a player has left the ground (a jump, a blast).
constexpr float kLeaveGroundMps = 0.5F;
constexpr float kProbeM = 0.03F;  ///< ground nearer than this below a falling player is stood on
constexpr float kSnapExtraM = 0.05F;  ///< and this more than the steepest slope for a walker
constexpr float kStepForwardM =
    0.03F;                           ///< the least way onto a step: less finds no hold on its rim
constexpr float kStepAheadM = 0.7F;  ///< where a step must have become ground
constexpr float kRimUp = 0.2F;       ///< a rim holds until its contact is this close to level
/// Shares of the body's height under water.
constexpr float kChest = 0.65F;  ///< from here on a player swims
constexpr float kFloat = 0.72F;  ///< where buoyancy comes to rest: eyes above water
constexpr float kHysteresisM = 0.15F;
/// Chunks this near a player must be here: the mesh of the last metre reads beyond.
constexpr float kLoadedAroundM = 1.0F;
constexpr int kSlides = 4;
constexpr Vec3 kUp{0.0F, 1.0F, 0.0F};

/// One substep of one player.
struct Mover {
    PlayerState& state;
    const PlayerControls& controls;
    const MotionConfig& config;
    MotionWorld& world;
    float dt;
    Capsule capsule;
    float floor_up;  ///< cosine of the steepest slope to stand on
    float slope_tangent;

    bool wants(ControlButton button) const { return (controls.buttons & button) != 0; }
};

float clamp_finite(float value, float limit) {
    return std::isfinite(value) ? std::clamp(value, -limit, limit) : 0.0F;
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

bool is_ground(const Mover& mover, const CapsuleContact& contact) {
    return contact.normal.y >= mover.floor_up ||
           (contact.face_up >= mover.floor_up && contact.normal.y >= kRimUp);
}

/// The zone ends in walls: what a move could cross of them becomes faces like any other.
void add_border(Mover& mover, const Aabb& box) {
    const GridBounds& bounds = mover.world.terrain->grid().bounds();
    const Vec3 low = corner_of(origin_of(bounds.min));
    const Vec3 high = corner_of(origin_of(bounds.max));
    const Vec3 size = box.max - box.min;
    const Vec3 up{0.0F, size.y, 0.0F};
    for (const float x : {low.x, high.x}) {
        if (box.min.x <= x && x <= box.max.x) {
            mover.world.near.add_rectangle({x, box.min.y, box.min.z}, up, {0.0F, 0.0F, size.z});
        }
    }
    for (const float z : {low.z, high.z}) {
        if (box.min.z <= z && z <= box.max.z) {
            mover.world.near.add_rectangle({box.min.x, box.min.y, z}, up, {size.x, 0.0F, 0.0F});
        }
    }
}

/// Takes the triangles that a move of `length_m` in any direction may meet (a slide may turn), plus
/// what stepping up and settling down look at.
void gather(Mover& mover, float length_m, float up_m, float down_m) {
    Aabb box = grow(player_box(mover.state.position, mover.config),
                    length_m + 2.0F * kPlayerGapM + kStepForwardM);
    box.max.y += up_m;
    box.min.y -= down_m;
    mover.world.near.gather(*mover.world.terrain, box);
    add_border(mover, box);
    mover.world.near.push_out(mover.capsule, mover.state.position, mover.floor_up);
}

/// Moves `foot` by `delta` as far as it goes, sliding along what it meets.
void slide(const Mover& mover, Vec3& foot, Vec3 delta, SlidePlanes& planes) {
    const Vec3 wanted = delta;
    for (int i = 0; i < kSlides; ++i) {
        const float length = glm::length(delta);
        if (length < 1e-6F) {
            return;
        }
        const Vec3 direction = delta / length;
        const SweepResult found = mover.world.near.sweep(mover.capsule, foot, direction, length);
        foot += direction * found.travelled_m;
        if (!found.has_hit || !planes.add(found.hit.normal)) {
            return;
        }
        delta = planes.clip(direction * (length - found.travelled_m));
        if (glm::dot(delta, wanted) <= 0.0F) {  // turned back by a corner: do not tremble in it
            return;
        }
    }
}

/// Lowers the foot onto ground at most `reach_m` below. Leaves it where it is if there is none.
bool settle(const Mover& mover, Vec3& foot, float reach_m) {
    const SweepResult found = mover.world.near.sweep(mover.capsule, foot, -kUp, reach_m);
    if (!found.has_hit || !is_ground(mover, found.hit)) {
        return false;
    }
    foot.y -= found.travelled_m;
    return true;
}

/// Up, forward, down: where a walker gets who is blocked at `slid`, if that is farther. The mesh
/// makes ramps of risers, often too steep to stand on: then what counts is the ground beyond, and
/// the foot goes up the ramp until it is there.
std::optional<Vec3> step_up(Mover& mover, const Vec3& delta, const Vec3& slid) {
    const CapsuleSweep& near = mover.world.near;
    const float length = glm::length(delta);
    const Vec3 direction = delta / length;
    const float forward = std::max(length, kStepForwardM);
    gather(mover, forward + kStepAheadM, mover.config.step_height_m, kSnapExtraM);
    const Vec3 from = mover.state.position;
    Vec3 foot = from;
    foot.y += near.sweep(mover.capsule, from, kUp, mover.config.step_height_m).travelled_m;
    SlidePlanes planes(mover.floor_up, true);
    slide(mover, foot, direction * forward, planes);
    const float drop = foot.y - from.y + kSnapExtraM;
    if (!settle(mover, foot, drop)) {
        Vec3 beyond = foot;
        SlidePlanes planes_beyond(mover.floor_up, true);
        slide(mover, beyond, direction * kStepAheadM, planes_beyond);
        if (!settle(mover, beyond, drop)) {
            return std::nullopt;
        }
        foot.y -= near.sweep(mover.capsule, foot, -kUp, drop).travelled_m;
    }
    const bool is_farther =
        glm::dot(foot - from, direction) > glm::dot(slid - from, direction) + 1e-3F;
    return is_farther ? std::optional(foot) : std::nullopt;
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
    const float gravity = mover.config.gravity_mps2 * mover.dt;
    // The mean of old and new speed: the height of a jump does not depend on the substep.
    Vec3 delta = state.velocity * mover.dt;
    delta.y -= 0.5F * gravity * mover.dt;
    state.velocity.y = std::max(state.velocity.y - gravity, -kFallMaxMps);
    gather(mover, glm::length(delta), 0.0F, kProbeM);

    const Vec3 from = state.position;
    const float rising = std::max(state.velocity.y, 0.0F);
    SlidePlanes planes(mover.floor_up, false);
    slide(mover, state.position, delta, planes);
    const Vec3 clipped = planes.clip(state.velocity);
    state.velocity = {clipped.x, std::min(clipped.y, rising), clipped.z};

    state.is_grounded = false;
    if (state.velocity.y <= kLeaveGroundMps) {
        state.is_grounded = settle(mover, state.position, kProbeM);
        // Wedged between steep faces: nothing to stand on, yet nowhere to fall.
        const Vec3 moved = state.position - from;
        const bool is_wedged = planes.has_wall() && delta.y < -0.02F &&
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
    state.velocity = approach(state.velocity, wish_velocity(mover), kGroundChangeMps2 * mover.dt);
    const Vec3 delta = state.velocity * mover.dt;
    const float length = glm::length(delta);
    const float snap_m = length * mover.slope_tangent + kSnapExtraM;
    gather(mover, length, length * mover.slope_tangent, snap_m);

    if (length > 1e-6F) {
        Vec3 foot = state.position;
        SlidePlanes planes(mover.floor_up, true);
        slide(mover, foot, delta, planes);
        const auto stepped =
            planes.has_wall() ? step_up(mover, delta, foot) : std::optional<Vec3>();
        if (stepped.has_value()) {
            state.position = *stepped;
            return;  // on the step or on its way up: grounded either way
        }
        state.velocity = planes.clip(state.velocity);
        state.velocity.y = 0.0F;
        state.position = foot;
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
    slide(mover, state.position, delta, planes);
    state.velocity = planes.clip(state.velocity);
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

/// The last word, for a player who was put outside: inside the walls, on the floor.
void keep_in_zone(Mover& mover) {
    PlayerState& state = mover.state;
    const GridBounds& bounds = mover.world.terrain->grid().bounds();
    const Vec3 low = corner_of(origin_of(bounds.min)) + mover.capsule.touch_m;
    const Vec3 high = corner_of(origin_of(bounds.max)) - mover.capsule.touch_m;
    for (const int axis : {0, 2}) {
        const float inside = std::min(std::max(state.position[axis], low[axis]), high[axis]);
        if (inside != state.position[axis]) {
            state.position[axis] = inside;
            state.velocity[axis] = 0.0F;
        }
    }
    const float floor_m = low.y - mover.config.radius_m;
    if (state.position.y < floor_m) {
        state.position.y = floor_m;
        state.velocity.y = std::max(state.velocity.y, 0.0F);
        state.is_grounded = true;
    }
}

void move(Mover& mover) {
    PlayerState& state = mover.state;
    const Aabb near = grow(player_box(state.position, mover.config), kLoadedAroundM);
    if (!is_loaded(mover.world.terrain->grid(), voxels_of(near))) {
        state.velocity = Vec3{0.0F};
        return;
    }
    if (!leave_rock(mover)) {
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
    keep_in_zone(mover);
}

}  // namespace

void step_player(PlayerState& state, const PlayerControls& controls, const MotionConfig& config,
                 MotionWorld& world, float dt) {
    TERRANE_ASSERT(world.terrain != nullptr && is_finite(state.position));
    for (int axis = 0; axis < 3; ++axis) {
        state.velocity[axis] = clamp_finite(state.velocity[axis], kSpeedMaxMps);
    }
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

bool is_out_of_zone(const PlayerState& state, const GridBounds& bounds) {
    constexpr float kBesideM = 1.0F;
    constexpr float kBelowM = 8.0F;
    const Vec3& at = state.position;
    const Vec3 low = corner_of(origin_of(bounds.min));
    const Vec3 high = corner_of(origin_of(bounds.max));
    return !is_finite(at) || at.x < low.x - kBesideM || at.x > high.x + kBesideM ||
           at.z < low.z - kBesideM || at.z > high.z + kBesideM || at.y < low.y - kBelowM;
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
