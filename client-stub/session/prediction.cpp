#include "client-stub/session/prediction.h"

#include <algorithm>
#include <optional>

namespace terrane {
namespace {

/// A correction farther than this is a jump, not a mistake.
constexpr float kJumpM = 3.0F;
/// Ground that changes within this of the way of inputs on their way may have been met.
constexpr float kMeetM = 2.0F;
/// Bodies are looked at again before the player is this far from where they were.
constexpr float kCollectAgainM = 6.0F;
/// Chunks this near must be here for a player to move (player_motion.h).
constexpr float kLoadedAroundM = 1.0F;

bool is_same(const PlayerState& a, const PlayerState& b) {
    return a.position == b.position && a.velocity == b.velocity && a.is_grounded == b.is_grounded &&
           a.is_swimming == b.is_swimming && a.carrier == b.carrier &&
           a.carrier_point == b.carrier_point;
}

}  // namespace

Prediction::Prediction(Replica& replica)
    : replica_(replica), grid_(replica.zone()), bodies_(replica) {
    motion_.terrain = &grid_.terrain();
    motion_.bodies = &bodies_;
}

void Prediction::tick(std::uint32_t input, const PlayerControls& controls,
                      std::span<const EditMessage> edits) {
    if (!has_state_) {
        return;
    }
    for (const EditMessage& edit : edits) {
        grid_.guess(edit.id, input, edit.brush, replica_);
    }
    if (glm::length(own_.position - bodies_.place()) > kCollectAgainM) {
        bodies_.collect(own_.position);
    }
    if (inputs_.size() >= kPredictedInputsMax) {
        inputs_.pop_front();
        ++counters_.inputs_forgotten;
    }
    const std::size_t before = inputs_.size();
    inputs_.push_back({input, controls, {}, false});
    own_before_ = own_;
    run(inputs_.back(), own_, before);
    ++counters_.inputs;
}

/// One input's motion; `inputs_before` of those on their way run before it.
void Prediction::run(SentInput& input, PlayerState& state, std::size_t inputs_before) {
    const ZoneInfo& zone = replica_.zone();
    const std::uint32_t substeps = zone.substeps_per_tick;
    const float dt = substep_s();
    const Aabb around = grow(player_box(state.position, zone.motion), kLoadedAroundM);
    input.is_held = !is_loaded(grid_.grid(), voxels_of(around));
    for (std::uint32_t substep = 0; substep < substeps && !is_seated(); ++substep) {
        bodies_.set_seconds_ahead(dt * static_cast<float>(inputs_before * substeps + substep));
        step_player(state, input.controls, zone.motion, motion_, dt);
    }
    motion_.pushes.clear();  // the zone's physics gets its own
    input.after = state;
}

float Prediction::substep_s() const {
    const ZoneInfo& zone = replica_.zone();
    return 1.0F / static_cast<float>(zone.tick_rate_hz * zone.substeps_per_tick);
}

void Prediction::reconcile(Nanoseconds now) {
    if (!replica_.has_state()) {
        return;
    }
    const std::vector<VoxelBox>& moved = grid_.follow(replica_);
    const bool is_new = !has_state_ || replica_.tick() != state_tick_;
    if (!is_new && !is_near_own(moved)) {
        return;
    }
    if (!has_state_) {
        own_ = own_before_ = replica_.own();
    }
    has_state_ = true;
    state_tick_ = replica_.tick();
    adopt_state(moved, now);
}

void Prediction::adopt_state(std::span<const VoxelBox> moved, Nanoseconds now) {
    std::optional<SentInput> ran;
    while (!inputs_.empty() && inputs_.front().number <= replica_.applied_input()) {
        ran = inputs_.front();
        inputs_.pop_front();
    }
    const bool is_same_place = ran.has_value() && is_same(ran->after, replica_.own());
    bodies_.collect(own_.position);
    if (is_same_place && !bodies_.has_bodies() && !is_near_own(moved) && !is_seated()) {
        return;
    }
    const Vec3 shown = own_.position;
    replay();
    float distance_m = glm::length(own_.position - shown);
    // Without inputs there is nothing that we predicted.
    bool is_free = !is_seated() && (ran.has_value() || !inputs_.empty());
    if (ran.has_value()) {
        distance_m =
            std::max(distance_m, glm::length(ran->after.position - replica_.own().position));
        is_free = is_free && !ran->is_held;
    }
    if (is_free) {
        correct(distance_m, shown - own_.position, now);
    }
}

/// From the zone's state on, the inputs that are on their way.
void Prediction::replay() {
    ++counters_.replays;
    const std::uint32_t applied = replica_.applied_input();
    const bool has_guesses = grid_.has_guesses_after(applied);
    if (has_guesses) {
        grid_.rewind_to(applied, replica_);
    }
    own_ = own_before_ = replica_.own();
    bodies_.align(own_.carrier, own_.position, own_.carrier_point, substep_s());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (has_guesses && grid_.has_guesses_of(inputs_[i].number)) {
            grid_.rewind_to(inputs_[i].number, replica_);
        }
        own_before_ = own_;
        run(inputs_[i], own_, i);
    }
    if (has_guesses) {
        grid_.rewind_to(PredictedGrid::kAllInputs, replica_);
    }
}

/// `shift`: from where we are to where we were shown.
void Prediction::correct(float distance_m, const Vec3& shift, Nanoseconds now) {
    const Vec3 left = picture_offset(now);
    const Vec3 offset = left + shift;
    offset_since_ = now;
    if (distance_m > kJumpM || glm::length(offset) > kJumpM) {
        ++counters_.jumps;
        offset_ = Vec3{0.0F};
        return;
    }
    offset_ = offset;
    if (distance_m > kCorrectionM) {
        ++counters_.corrections;
        counters_.correction_m_max = std::max(counters_.correction_m_max, distance_m);
        counters_.correction_m_sum += distance_m;
    }
}

Vec3 Prediction::picture_offset(Nanoseconds now) const {
    const auto part =
        static_cast<float>((now - offset_since_).count()) / static_cast<float>(kSmoothing.count());
    const float left = 1.0F - std::clamp(part, 0.0F, 1.0F);
    return offset_ * (left * left);
}

/// Does some of `moved` lie where inputs on their way went?
bool Prediction::is_near_own(std::span<const VoxelBox> moved) const {
    if (moved.empty()) {
        return false;
    }
    Aabb way = player_box(own_.position, replica_.zone().motion);
    for (const SentInput& input : inputs_) {
        way = merge(way, player_box(input.after.position, replica_.zone().motion));
    }
    way = grow(way, kMeetM);
    return std::ranges::any_of(moved,
                               [&](const VoxelBox& box) { return overlaps(way, to_aabb(box)); });
}

}  // namespace terrane
