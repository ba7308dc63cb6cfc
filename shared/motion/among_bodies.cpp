#include "shared/motion/among_bodies.h"

#include <algorithm>

namespace terrane {

namespace {

/// Bodies this far from a player's box are gathered: a step ahead, and what comes at 18 m/s.
constexpr float kReachM = 1.2F;
/// A carrier that is farther from where it was has jumped: it goes without the player.
constexpr float kCarryMaxM = 3.0F;
constexpr float kSlowRiseMps = 0.5F;
constexpr float kShoveMaxMps = 10.0F;
/// Bodies that come more slowly than this are taken to rest: their tremble wakes nobody.
constexpr float kComingMps = 0.02F;
/// Out of a body that was put over a player; and the most speed that a shove leaves in the air.
constexpr float kPartMps = 2.0F;
constexpr float kClimbMps = 1.0F;
constexpr float kShovedAirMps = 3.0F;
constexpr float kOverlapM = 2e-4F;

int index_of(const std::vector<NearBody>& bodies, std::uint64_t id) {
    const auto found =
        std::ranges::find_if(bodies, [id](const NearBody& near) { return near.body.id == id; });
    return found == bodies.end() ? -1 : static_cast<int>(found - bodies.begin());
}

/// How far ahead of a rising carrier its rider is kept: a deck that rises by more than the gap in
/// one substep would be stopped by the capsule. Nothing up to 0.5 m/s, so that nobody trembles.
Vec3 rise_of(const MotionBody& carrier, const Vec3& foot, float dt) {
    const float rising = velocity_at(carrier, foot).y - kSlowRiseMps;
    return {0.0F, std::clamp(rising, 0.0F, kShoveMaxMps) * dt, 0.0F};
}

/// Moves by `way` as far as it goes.
void carry(Mover& mover, const Vec3& way) {
    gather(mover, glm::length(way), 0.0F, 0.0F);
    SlidePlanes planes(mover.floor_up, false);
    slide(mover, mover.state.position, way, planes);
}

bool is_same_body(const NearBody& a, const NearBody& b) {
    return &a == &b || (a.body.id != 0 && a.body.id == b.body.id);
}

bool is_of_carrier(const Mover& mover, int index) {
    const std::vector<NearBody>& bodies = mover.world.near.bodies();
    return mover.carrier_index >= 0 && index >= 0 &&
           is_same_body(bodies[static_cast<std::size_t>(index)],
                        bodies[static_cast<std::size_t>(mover.carrier_index)]);
}

/// Sweeps go through `near` and the other parts of its body while this lives.
class Passage {
  public:
    Passage(std::vector<NearBody>& bodies, const NearBody& near) : bodies_(bodies) {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (!bodies[i].is_passed && is_same_body(bodies[i], near)) {
                bodies[i].is_passed = true;
                opened_ |= std::uint64_t{1} << i;
            }
        }
    }
    ~Passage() {
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            if ((opened_ >> i & 1U) != 0) {
                bodies_[i].is_passed = false;
            }
        }
    }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

  private:
    static_assert(kNearBodiesMax <= 64);
    std::vector<NearBody>& bodies_;
    std::uint64_t opened_ = 0;
};

void carry_through(const NearBody& near, Mover& mover, const Vec3& way) {
    const Passage passage(mover.world.near.bodies(), near);
    carry(mover, way);
}

/// Whether the nearest side of a body that the core is in leads all the way out.
bool is_way_out(Mover& mover, const NearBody& near, const BodyContact& met) {
    const float way = mover.capsule.touch_m - met.distance_m;
    gather(mover, way, 0.0F, 0.0F);
    const Passage passage(mover.world.near.bodies(), near);
    return !mover.world.near.sweep(mover.capsule, mover.state.position, met.normal, way).has_hit;
}

/// Once a substep, up through all bodies that the core of the capsule is in, which let it pass for
/// this substep: out of one that was put over a player with its nearest side toward the ground or
/// another body.
void climb_out(Mover& mover) {
    if (mover.has_climbed) {
        return;
    }
    mover.has_climbed = true;
    PlayerState& state = mover.state;
    std::vector<NearBody>& bodies = mover.world.near.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies[i].is_passed =
            mover.world.near.body_contact(static_cast<int>(i), mover.capsule, state.position)
                .distance_m < 0.0F;
    }
    carry(mover, {0.0F, kClimbMps * mover.dt, 0.0F});
    state.velocity.y = std::max(state.velocity.y, kClimbMps);  // not back down in this substep
    state.is_grounded = false;
}

/// Gives the body what it takes to end a closing speed, within the player's strength; nothing if it
/// does not close in. Returns what that changes of the speed of its point.
float give(Mover& mover, const NearBody& near, const Vec3& normal, const Vec3& point,
           float closing_mps) {
    const float inverse_mass = inverse_mass_at(near.body, point, normal);
    if (near.body.id == 0 || !(inverse_mass > 0.0F)) {
        return 0.0F;
    }
    const float wanted_ns = closing_mps / (inverse_mass + 1.0F / kPlayerMassKg);
    const float given_ns = std::min(wanted_ns, mover.push_left_ns);
    if (given_ns <= 0.0F) {
        return 0.0F;
    }
    mover.push_left_ns -= given_ns;
    mover.world.pushes.push_back({near.body.id, normal * -given_ns, point});
    return given_ns * inverse_mass;
}

void shove_by(Mover& mover, int index) {
    PlayerState& state = mover.state;
    NearBody& near = mover.world.near.bodies()[static_cast<std::size_t>(index)];
    const Aabb box = grow(player_box(state.position, mover.config), kReachM);
    if (!overlaps(near.box, box)) {
        return;
    }
    const BodyContact met = mover.world.near.body_contact(index, mover.capsule, state.position);
    const float gap = met.distance_m - mover.capsule.touch_m;
    const float coming = is_of_carrier(mover, index)
                             ? 0.0F
                             : glm::dot(velocity_at(near.body, met.point), met.normal);
    float still_coming = 0.0F;
    if (coming > kComingMps && gap < coming * mover.dt) {
        still_coming =
            std::min(coming - give(mover, near, met.normal, met.point, coming), kShoveMaxMps);
        move_by(near, met.normal * (still_coming * mover.dt));
        const float away = glm::dot(state.velocity, met.normal);
        const float least = std::min(still_coming, kShovedAirMps);
        if (!state.is_grounded && away < least) {
            state.velocity += met.normal * (least - away);
        }
    }
    const float parting = std::clamp(-gap, 0.0F, kPartMps * mover.dt);
    const float way = still_coming * mover.dt + (gap > 0.0F ? -gap : parting);
    if (way > kOverlapM) {
        if (met.distance_m < 0.0F && !is_way_out(mover, near, met)) {
            climb_out(mover);
        } else {
            carry_through(near, mover, met.normal * way);
        }
    }
}

}  // namespace

void ride(Mover& mover) {
    PlayerState& state = mover.state;
    MotionBodies* bodies = mover.world.bodies;
    CapsuleSweep& near = mover.world.near;
    mover.push_left_ns = kPlayerStrengthN * mover.dt;
    MotionBody carrier;
    Vec3 way{0.0F};
    Vec3 rise{0.0F};
    bool is_carried = state.carrier != 0 && state.is_grounded && !state.is_swimming &&
                      bodies->find(state.carrier, carrier) && mend_body(carrier);
    if (is_carried) {
        mover.carried_to = carrier.position + carrier.rotation * state.carrier_point;
        rise = rise_of(carrier, mover.carried_to, mover.dt);
        mover.carried_to += rise;
        way = mover.carried_to - state.position;
        is_carried = glm::dot(way, way) <= kCarryMaxM * kCarryMaxM;  // false for a NaN
    }
    const float reach = kReachM + glm::length(state.velocity) * mover.dt;
    const Aabb box = grow(player_box(state.position, mover.config), reach);
    near.gather_bodies(*bodies, is_carried ? sweep(box, way) : box);
    mover.carrier_index = is_carried ? index_of(near.bodies(), state.carrier) : -1;
    if (mover.carrier_index < 0) {
        return;
    }
    NearBody& under = near.bodies()[static_cast<std::size_t>(mover.carrier_index)];
    for (NearBody& part : near.bodies()) {
        if (is_same_body(part, under)) {
            move_by(part, rise);
        }
    }
    if (glm::dot(way, way) > 0.0F) {
        carry_through(under, mover, way);
        const Vec3 missing = mover.carried_to - state.position;
        if (glm::dot(missing, missing) < 1e-8F) {
            state.position = mover.carried_to;  // without the rounding of the sweep: no drift
        }
    }
    mover.carrier_velocity = velocity_at(carrier, state.position);
}

void shove(Mover& mover) {
    const int count = static_cast<int>(mover.world.near.bodies().size());
    for (int index = 0; index < count; ++index) {
        shove_by(mover, index);
    }
}

Vec3 push(Mover& mover, const BodyHits& hits, const SlidePlanes& planes, bool is_walking) {
    const Vec3 wanted = mover.state.velocity;
    Vec3 left = planes.clip(wanted);
    for (int i = 0; i < hits.count; ++i) {
        const BodyHits::Hit& hit = hits.hits[static_cast<std::size_t>(i)];
        const float into = -glm::dot(wanted, hit.normal);
        const bool is_underfoot =
            is_of_carrier(mover, hit.body) || (is_walking && planes.is_floor(hit.normal));
        if (into <= 0.0F || is_underfoot) {
            continue;
        }
        const NearBody& near = mover.world.near.bodies()[static_cast<std::size_t>(hit.body)];
        const Vec3 point =
            mover.world.near.body_contact(hit.body, mover.capsule, mover.state.position).point;
        const Vec3 velocity = velocity_at(near.body, point) - mover.carrier_velocity;
        float leaving = std::max(-glm::dot(velocity, hit.normal), 0.0F);
        leaving += give(mover, near, hit.normal, point, into - leaving);
        left -= hit.normal * std::min(leaving, into);
    }
    return left;
}

float rise_below(const Mover& mover, float reach_m) {
    const CapsuleSweep& near = mover.world.near;
    if (near.bodies().empty()) {
        return 0.0F;
    }
    const Vec3& foot = mover.state.position;
    const SweepResult found = near.sweep(mover.capsule, foot, {0.0F, -1.0F, 0.0F}, reach_m);
    if (!found.has_hit || found.hit.body < 0) {
        return 0.0F;
    }
    const MotionBody& body = near.bodies()[static_cast<std::size_t>(found.hit.body)].body;
    return velocity_at(body, foot).y - mover.carrier_velocity.y;
}

bool is_pushed_ahead(const Mover& mover, const BodyHits& hits) {
    if (hits.count == 0) {
        return false;
    }
    const NearBody& near = mover.world.near.bodies()[static_cast<std::size_t>(hits.hits[0].body)];
    const bool is_light = near.body.mass_kg > 0.0F && near.body.mass_kg < kPushedKg;
    const float rise_m = near.box.max.y - mover.state.position.y;
    return near.body.shape == BodyShape::sphere ||
           (is_light && rise_m > 0.5F * mover.config.step_height_m);
}

void stand_on(Mover& mover) {
    PlayerState& state = mover.state;
    const bool is_on_body = state.is_grounded && !state.is_swimming && mover.ground_index >= 0;
    const NearBody* near =
        is_on_body ? &mover.world.near.bodies()[static_cast<std::size_t>(mover.ground_index)]
                   : nullptr;
    if (near == nullptr || near->body.id == 0) {
        state.velocity += mover.carrier_velocity;
        state.carrier = 0;
        state.carrier_point = Vec3{0.0F};
        return;
    }
    const MotionBody& body = near->body;
    const Vec3 foot = state.position;
    const bool has_changed = !is_of_carrier(mover, mover.ground_index);
    if (has_changed) {
        state.velocity += mover.carrier_velocity - velocity_at(body, foot);
        state.velocity.y = 0.0F;
    }
    // Who stands still keeps the very same point: rounding would add up to a drift.
    const Vec3 moved = foot - mover.carried_to;
    if (has_changed || state.velocity != Vec3{0.0F} || !(glm::dot(moved, moved) < 1e-6F)) {
        state.carrier = body.id;
        state.carrier_point = glm::conjugate(body.rotation) * (foot - near->position);
    }
    if (body.mass_kg > 0.0F) {
        const float weight_ns = kPlayerMassKg * mover.config.gravity_mps2 * mover.dt;
        const Vec3 point =
            mover.world.near.body_contact(mover.ground_index, mover.capsule, foot).point;
        mover.world.pushes.push_back({body.id, {0.0F, -weight_ns, 0.0F}, point});
    }
}

}  // namespace terrane
