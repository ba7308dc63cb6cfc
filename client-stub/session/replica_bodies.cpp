#include "client-stub/session/replica_bodies.h"

#include <algorithm>

namespace terrane {
namespace {

constexpr float kNearM = 16.0F;
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
    const Vec3 velocity = (now.position - before.position) * per_s;
    if (glm::dot(velocity, velocity) > kBodySpeedMaxMps * kBodySpeedMaxMps) {
        return;
    }
    linear = velocity;
    const Quat turned = now.rotation * glm::conjugate(before.rotation);
    const float sign = turned.w < 0.0F ? -1.0F : 1.0F;
    angular = Vec3{turned.x, turned.y, turned.z} * (2.0F * sign * per_s);
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
        if (glm::length(body.position - place) > kNearM + reach_m(body)) {
            continue;
        }
        body.id = node.id;
        body.mass_kg = std::max(body_mass_kg(zone.kinds[node.kind]), 1.0F);
        body_velocity(node, replica_.tick(), zone.tick_rate_hz, body.linear_velocity,
                      body.angular_velocity);
        near_.push_back(body);
    }
    std::ranges::sort(near_.begin() + static_cast<std::ptrdiff_t>(prop_count_), near_.end(), {},
                      &MotionBody::id);
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

MotionBody ReplicaBodies::ahead(const MotionBody& body) const {
    MotionBody moved = body;
    if (seconds_ahead_ == 0.0F || body.id == 0) {
        return moved;
    }
    moved.position += body.linear_velocity * seconds_ahead_;
    const Vec3 half_turn = body.angular_velocity * (0.5F * seconds_ahead_);
    if (half_turn != Vec3{0.0F}) {
        const Quat turn{1.0F, half_turn.x, half_turn.y, half_turn.z};
        moved.rotation = glm::normalize(turn * body.rotation);
    }
    return moved;
}

void ReplicaBodies::gather(const Aabb& box, std::vector<MotionBody>& out) {
    for (const MotionBody& body : near_) {
        const MotionBody moved = ahead(body);
        if (overlaps(box, grow(Aabb{moved.position, moved.position}, reach_m(moved)))) {
            out.push_back(moved);
        }
    }
}

bool ReplicaBodies::find(std::uint64_t id, MotionBody& out) {
    const auto begin = near_.begin() + static_cast<std::ptrdiff_t>(prop_count_);
    const auto found =
        std::lower_bound(begin, near_.end(), id,
                         [](const MotionBody& body, std::uint64_t key) { return body.id < key; });
    if (id == 0 || found == near_.end() || found->id != id) {
        return false;
    }
    out = ahead(*found);
    return true;
}

}  // namespace terrane
