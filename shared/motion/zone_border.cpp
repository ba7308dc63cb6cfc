#include "shared/motion/zone_border.h"

#include <algorithm>

namespace terrane {

namespace {

struct Sides {
    Vec3 low;
    Vec3 high;
};

Sides sides_of(const GridBounds& bounds) {
    return {corner_of(origin_of(bounds.min)), corner_of(origin_of(bounds.max))};
}

/// 0 beyond the soft strip, growing with the square to 1 at the wall.
float push_at(float from_wall_m) {
    constexpr float kLeast = 0.01F;  // less moves nobody, it would only keep him from resting
    const float share = std::clamp((kBorderSoftM - from_wall_m) / kBorderSoftM, 0.0F, 1.0F);
    return share * share > kLeast ? share * share : 0.0F;
}

}  // namespace

Vec3 border_push(const GridBounds& bounds, const Vec3& foot) {
    const Sides sides = sides_of(bounds);
    return {push_at(foot.x - sides.low.x) - push_at(sides.high.x - foot.x), 0.0F,
            push_at(foot.z - sides.low.z) - push_at(sides.high.z - foot.z)};
}

void add_border(CapsuleSweep& near, const GridBounds& bounds, const Aabb& box) {
    const Sides sides = sides_of(bounds);
    const Vec3 size = box.max - box.min;
    const Vec3 up{0.0F, size.y, 0.0F};
    for (const float x : {sides.low.x, sides.high.x}) {
        if (box.min.x <= x && x <= box.max.x) {
            near.add_rectangle({x, box.min.y, box.min.z}, up, {0.0F, 0.0F, size.z});
        }
    }
    for (const float z : {sides.low.z, sides.high.z}) {
        if (box.min.z <= z && z <= box.max.z) {
            near.add_rectangle({box.min.x, box.min.y, z}, up, {size.x, 0.0F, 0.0F});
        }
    }
}

void keep_in_zone(PlayerState& state, const GridBounds& bounds, const Capsule& capsule) {
    const Vec3 low = sides_of(bounds).low + capsule.touch_m;
    const Vec3 high = sides_of(bounds).high - capsule.touch_m;
    for (const int axis : {0, 2}) {
        const float inside = std::min(std::max(state.position[axis], low[axis]), high[axis]);
        if (inside != state.position[axis]) {
            state.position[axis] = inside;
            state.velocity[axis] = 0.0F;
        }
    }
    const float floor_m = low.y - capsule.radius;
    if (state.position.y < floor_m) {
        state.position.y = floor_m;
        state.velocity.y = std::max(state.velocity.y, 0.0F);
        state.is_grounded = true;
    }
}

bool is_out_of_zone(const PlayerState& state, const GridBounds& bounds) {
    constexpr float kBesideM = 1.0F;
    constexpr float kBelowM = 8.0F;
    const Sides sides = sides_of(bounds);
    const Vec3& at = state.position;
    return !is_finite(at) || at.x < sides.low.x - kBesideM || at.x > sides.high.x + kBesideM ||
           at.z < sides.low.z - kBesideM || at.z > sides.high.z + kBesideM ||
           at.y < sides.low.y - kBelowM;
}

}  // namespace terrane
