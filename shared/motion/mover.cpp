#include "shared/motion/mover.h"

#include <algorithm>

#include "shared/motion/zone_border.h"

namespace terrane {

namespace {

constexpr float kSnapExtraM = 0.05F;  ///< below where a step began there may be ground
constexpr float kRimUp = 0.2F;        ///< a rim holds until its contact is this close to level
constexpr int kSlides = 4;
constexpr Vec3 kUp{0.0F, 1.0F, 0.0F};

bool is_ground(const Mover& mover, const CapsuleContact& contact) {
    return contact.normal.y >= mover.floor_up ||
           (contact.face_up >= mover.floor_up && contact.normal.y >= kRimUp);
}

void note(BodyHits& hits, const CapsuleContact& hit) {
    const auto end = hits.hits.begin() + hits.count;
    if (hit.body >= 0 && hits.count < static_cast<int>(hits.hits.size()) &&
        std::none_of(
            hits.hits.begin(), end,
            [&hit](const BodyHits::Hit& known) { return known.body == hit.body; })) {
        hits.hits[static_cast<std::size_t>(hits.count++)] = {hit.body, hit.normal};
    }
}

}  // namespace

void gather(Mover& mover, float length_m, float up_m, float down_m) {
    Aabb box = grow(player_box(mover.state.position, mover.config),
                    length_m + 2.0F * kPlayerGapM + kStepForwardM);
    box.max.y += up_m;
    box.min.y -= down_m;
    mover.world.near.gather(*mover.world.terrain, box);
    add_border(mover.world.near, mover.world.terrain->grid().bounds(), box);
    mover.world.near.push_out(mover.capsule, mover.state.position, mover.floor_up);
}

BodyHits slide(const Mover& mover, Vec3& foot, Vec3 delta, SlidePlanes& planes) {
    BodyHits hits;
    const Vec3 wanted = delta;
    for (int i = 0; i < kSlides; ++i) {
        const float length = glm::length(delta);
        if (length < 1e-6F) {
            return hits;
        }
        const Vec3 direction = delta / length;
        const SweepResult found = mover.world.near.sweep(mover.capsule, foot, direction, length);
        foot += direction * found.travelled_m;
        if (!found.has_hit) {
            return hits;
        }
        note(hits, found.hit);
        if (!planes.add(found.hit.normal)) {
            return hits;
        }
        delta = planes.clip(direction * (length - found.travelled_m));
        if (glm::dot(delta, wanted) <= 0.0F) {  // turned back by a corner: do not tremble in it
            return hits;
        }
    }
    return hits;
}

bool settle(Mover& mover, Vec3& foot, float reach_m) {
    CapsuleSweep& near = mover.world.near;
    SweepResult found = near.sweep(mover.capsule, foot, -kUp, reach_m);
    const float free_m = found.travelled_m;
    if (found.has_hit && found.hit.body >= 0 && !is_ground(mover, found.hit)) {
        // The flank of a ball or crate that is walked against: the ground may be right there.
        bool& is_passed = near.bodies()[static_cast<std::size_t>(found.hit.body)].is_passed;
        is_passed = true;
        found = near.sweep(mover.capsule, foot, -kUp, std::min(free_m + kPlayerGapM, reach_m));
        is_passed = false;
    }
    if (!found.has_hit || !is_ground(mover, found.hit)) {
        return false;
    }
    foot.y -= free_m;
    mover.ground_index = found.hit.body;
    return true;
}

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

}  // namespace terrane
