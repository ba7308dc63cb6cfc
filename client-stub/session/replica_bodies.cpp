#include "client-stub/session/replica_bodies.h"

#include <algorithm>
#include <span>

namespace terrane {
namespace {

constexpr float kNearM = 16.0F;
/// Of the poses on the wire (shared/protocol/transform_codec.h).
constexpr float kPositionStepM = 1.0F / kPositionUnitsPerM;
constexpr float kRotationStep = 0.0014F;
/// Faster than this between two poses is a jump, not a movement.
constexpr float kBodySpeedMaxMps = 60.0F;

/// Of the sphere around the shape.
float reach_m(const MotionBody& body) {
    return glm::length(body.half_extents);
}

MotionBody body_of(const BodyKind& kind, const NodePose& pose) {
    MotionBody body;
    body.shape = kind.shape;
    body.half_extents = kind.half_extents;
    body.position = pose.position;
    body.rotation = pose.rotation;
    return body;
}

/// Parts of a movement that are no more than one step of the wire's rounding are none: a boat that
/// trembles by a millimetre would seem to sail off at 8 cm/s.
Vec3 without_rounding(Vec3 moved, float step) {
    for (int axis = 0; axis < 3; ++axis) {
        moved[axis] = std::abs(moved[axis]) < 1.5F * step ? 0.0F : moved[axis];
    }
    return moved;
}

/// `body` as it goes on by its velocities.
MotionBody moved_on(const MotionBody& body, float seconds) {
    MotionBody moved = body;
    if (seconds == 0.0F || body.id == 0) {
        return moved;
    }
    moved.position += body.linear_velocity * seconds;
    const Vec3 half_turn = body.angular_velocity * (0.5F * seconds);
    if (half_turn != Vec3{0.0F}) {
        const Quat turn{1.0F, half_turn.x, half_turn.y, half_turn.z};
        moved.rotation = glm::normalize(turn * body.rotation);
    }
    return moved;
}

}  // namespace

void body_velocity(const ReplicaNode& node, std::uint32_t tick, std::uint32_t tick_rate_hz,
                   Vec3& linear, Vec3& angular) {
    linear = Vec3{0.0F};
    angular = Vec3{0.0F};
    if (!node.has_pose || node.is_asleep || node.current_tick != tick ||
        node.previous_tick >= node.current_tick) {
        return;
    }
    const float per_s = static_cast<float>(tick_rate_hz) /
                        static_cast<float>(node.current_tick - node.previous_tick);
    const NodePose before = pose_at(node, node.previous_tick);
    const NodePose now = pose_at(node, node.current_tick);
    const Vec3 velocity = without_rounding(now.position - before.position, kPositionStepM) * per_s;
    if (glm::dot(velocity, velocity) > kBodySpeedMaxMps * kBodySpeedMaxMps) {
        return;
    }
    linear = velocity;
    const Quat turned = now.rotation * glm::conjugate(before.rotation);
    const float sign = turned.w < 0.0F ? -1.0F : 1.0F;
    angular =
        without_rounding(Vec3{turned.x, turned.y, turned.z}, kRotationStep) * (2.0F * sign * per_s);
}

void ReplicaBodies::collect(const Vec3& place) {
    place_ = place;
    near_.clear();
    collect_props(place);
    prop_count_ = near_.size();
    const ZoneInfo& zone = replica_.zone();
    NodePose pose;
    for (const ReplicaNode& node : replica_.nodes()) {
        if (node.id == 0 || zone.kinds[node.kind].shape == BodyShape::player ||
            !replica_.find_pose(node, replica_.tick(), pose)) {
            continue;
        }
        MotionBody body = body_of(zone.kinds[node.kind], pose);
        body.id = node.id;
        body.mass_kg = std::max(
            node.piece != nullptr ? node.piece->mass.mass_kg : body_mass_kg(zone.kinds[node.kind]),
            1.0F);
        body_velocity(node, replica_.tick(), zone.tick_rate_hz, body.linear_velocity,
                      body.angular_velocity);
        add_near(body, node.piece.get());
    }
    std::ranges::stable_sort(near_.begin() + static_cast<std::ptrdiff_t>(prop_count_), near_.end(),
                             {}, &MotionBody::id);
}

void ReplicaBodies::add_near(const MotionBody& body, const ReplicaPiece* piece) {
    if (piece != nullptr) {
        append_parts(body, piece->shape, grow(Aabb{place_, place_}, kNearM), near_);
    } else if (glm::length(body.position - place_) <= kNearM + reach_m(body)) {
        near_.push_back(body);
    }
}

void ReplicaBodies::collect_props(const Vec3& place) {
    if (replica_.props().empty()) {
        return;
    }
    constexpr float kPropReachM = 8.0F;
    const VoxelBox box = voxels_of(grow(Aabb{place, place}, kNearM + kPropReachM));
    const ChunkCoord low = chunk_of(box.min);
    const ChunkCoord high = chunk_of(box.max);
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                const auto found = replica_.props().find({x, y, z});
                if (found == replica_.props().end()) {
                    continue;
                }
                for (const ReplicaProp& prop : found->second) {
                    const MotionBody body = body_of(replica_.zone().kinds[prop.kind], prop.pose);
                    if (glm::length(body.position - place) <= kNearM + reach_m(body)) {
                        near_.push_back(body);
                    }
                }
            }
        }
    }
}

void ReplicaBodies::set_seconds_ahead(float seconds) {
    seconds_ahead_ = std::clamp(seconds, 0.0F, kBodiesAheadMaxS);
}

void ReplicaBodies::gather(const Aabb& box, std::vector<MotionBody>& out) {
    for (const MotionBody& body : near_) {
        const MotionBody moved = moved_on(body, seconds_ahead_);
        const Vec3 middle = middle_of(moved);
        if (overlaps(box, grow(Aabb{middle, middle}, reach_m(moved)))) {
            out.push_back(moved);
        }
    }
}

MotionBody* ReplicaBodies::find_near(std::uint64_t id) {
    const auto bodies = std::span(near_).subspan(prop_count_);
    const auto found = std::ranges::lower_bound(bodies, id, {}, &MotionBody::id);
    return id != 0 && found != bodies.end() && found->id == id ? &*found : nullptr;
}

bool ReplicaBodies::find(std::uint64_t id, MotionBody& out) {
    const MotionBody* found = find_near(id);
    if (found != nullptr) {
        out = moved_on(*found, seconds_ahead_);
    }
    return found != nullptr;
}

void ReplicaBodies::align(std::uint64_t id, const Vec3& foot, const Vec3& carrier_point, float dt) {
    constexpr float kRoundingM = 0.05F;
    const MotionBody* body = find_near(id);
    if (body == nullptr) {
        return;
    }
    const MotionBody then = moved_on(*body, -dt);
    const Vec3 missing = foot - (then.position + then.rotation * carrier_point);
    if (glm::length(missing) < kRoundingM) {
        for (MotionBody& part : near_) {
            part.position += part.id == id ? missing : Vec3{0.0F};
        }
    }
}

}  // namespace terrane
