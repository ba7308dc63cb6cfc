#include "server/physics/body_table.h"

#include <algorithm>

#include "shared/core/assert.h"

namespace terrane {

namespace {

/// A box whose middle lies `ballast_m` above the origin. Bullet's box has its own there, so this is
/// a hull of eight corners, rounded by the same margin as Bullet's boxes are: inwards.
std::unique_ptr<btConvexShape> make_raised_box(const Vec3& half, float ballast_m) {
    auto hull = std::make_unique<btConvexHullShape>();
    const float margin = std::min(hull->getMargin(), 0.5F * std::min({half.x, half.y, half.z}));
    hull->setMargin(margin);
    for (int i = 0; i < 8; ++i) {
        const Vec3 sign{(i & 1) != 0 ? 1.0F : -1.0F, (i & 2) != 0 ? 1.0F : -1.0F,
                        (i & 4) != 0 ? 1.0F : -1.0F};
        hull->addPoint(to_bullet(sign * (half - margin) + Vec3(0.0F, ballast_m, 0.0F)), false);
    }
    hull->recalcLocalAabb();
    return hull;
}

}  // namespace

Aabb swept_box(const BodySlot& body, float dt) {
    const Aabb here = box_of(body.volume);
    const Vec3 way = body.last.linear_velocity * dt;
    return merge(here, Aabb{here.min + way, here.max + way});
}

void set_last(BodySlot& body, const BodyState& state) {
    body.last = state;
    body.volume.position = state.position;
    body.volume.rotation = state.rotation;
}

Vec3 arm_to_middle(const BodySlot& body, const Quat& rotation) {
    return rotation * Vec3(0.0F, body.ballast_m, 0.0F);
}

Vec3 centre_of_mass(const BodySlot& body) {
    return body.volume.position - arm_to_middle(body, body.volume.rotation);
}

Vec3 core_point(const BodySlot& body, const BodyState& state) {
    return body.piece == nullptr
               ? state.position
               : state.position +
                     state.rotation * body.piece->shape.parts[body.piece->largest].middle;
}

btTransform bullet_pose(const BodySlot& body, const BodyState& state) {
    if (body.piece != nullptr) {
        return to_bullet(state.position, state.rotation * body.piece->shape.axes);
    }
    return to_bullet(state.position - arm_to_middle(body, state.rotation), state.rotation);
}

BodyState bullet_state(const BodySlot& body) {
    const btTransform& pose = body.rigid->getWorldTransform();
    BodyState state;
    state.rotation = from_bullet(pose.getRotation());
    if (body.piece != nullptr) {
        state.rotation = state.rotation * glm::conjugate(body.piece->shape.axes);
    }
    state.angular_velocity = from_bullet(body.rigid->getAngularVelocity());
    const Vec3 arm = arm_to_middle(body, state.rotation);
    state.position = from_bullet(pose.getOrigin()) + arm;
    state.linear_velocity =
        from_bullet(body.rigid->getLinearVelocity()) + glm::cross(state.angular_velocity, arm);
    state.is_asleep = !body.rigid->isActive();
    return state;
}

void set_bullet_velocity(BodySlot& body, const BodyState& state) {
    const Vec3 arm = arm_to_middle(body, state.rotation);
    body.rigid->setLinearVelocity(
        to_bullet(state.linear_velocity - glm::cross(state.angular_velocity, arm)));
    body.rigid->setAngularVelocity(to_bullet(state.angular_velocity));
}

bool is_finite(const BodyState& state) {
    const Quat& q = state.rotation;
    return is_finite(state.position) && is_finite(state.linear_velocity) &&
           is_finite(state.angular_velocity) && std::isfinite(q.w) && is_finite({q.x, q.y, q.z});
}

std::unique_ptr<btConvexShape> make_shape(const BodyKind& kind) {
    const Vec3& half = kind.half_extents;
    if (!is_finite(half) || !(half.x > 0.0F)) {
        return nullptr;
    }
    switch (kind.shape) {
        case BodyShape::sphere:
            return std::make_unique<btSphereShape>(half.x);
        case BodyShape::cylinder:
            if (!(half.y > 0.0F)) {
                return nullptr;
            }
            return std::make_unique<btCylinderShape>(btVector3(half.x, half.y, half.x));
        case BodyShape::capsule:
            if (!(half.y >= half.x)) {
                return nullptr;
            }
            return std::make_unique<btCapsuleShape>(half.x, 2.0F * capsule_arm_m(half));
        case BodyShape::box:
            if (!(half.y > 0.0F) || !(half.z > 0.0F)) {
                return nullptr;
            }
            if (kind.ballast_m > 0.0F) {
                return make_raised_box(half, kind.ballast_m);
            }
            return std::make_unique<btBoxShape>(to_bullet(half));
        case BodyShape::player:
        case BodyShape::piece:
            break;
    }
    return nullptr;
}

BodySlot* BodyTable::find(BodyHandle handle) {
    const bool is_named =
        is_used(handle.index) && slots_[handle.index].generation == handle.generation;
    return is_named ? &slots_[handle.index] : nullptr;
}

const BodySlot* BodyTable::find(BodyHandle handle) const {
    const bool is_named =
        is_used(handle.index) && slots_[handle.index].generation == handle.generation;
    return is_named ? &slots_[handle.index] : nullptr;
}

std::uint32_t BodyTable::take() {
    TERRANE_ASSERT(!is_full());
    ++count_;
    if (!free_.empty()) {
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return index;
    }
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
}

void BodyTable::free(std::uint32_t index) {
    TERRANE_ASSERT(is_used(index) && !slots_[index].is_in_world);
    const std::uint32_t next_generation = slots_[index].generation + 1;
    slots_[index] = BodySlot{};
    slots_[index].generation = next_generation;
    free_.push_back(index);
    --count_;
}

}  // namespace terrane
