#include "server/physics/body_table.h"

#include <algorithm>

#include "shared/core/assert.h"

namespace terrane {

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

BodyState bullet_state(const BodySlot& body) {
    const btTransform& pose = body.rigid->getWorldTransform();
    BodyState state;
    state.position = from_bullet(pose.getOrigin());
    state.rotation = from_bullet(pose.getRotation());
    state.linear_velocity = from_bullet(body.rigid->getLinearVelocity());
    state.angular_velocity = from_bullet(body.rigid->getAngularVelocity());
    state.is_asleep = !body.rigid->isActive();
    return state;
}

bool is_finite(const BodyState& state) {
    const Quat& q = state.rotation;
    return is_finite(state.position) && is_finite(state.linear_velocity) &&
           is_finite(state.angular_velocity) && std::isfinite(q.w) && is_finite({q.x, q.y, q.z});
}

std::unique_ptr<btConvexShape> make_shape(const BodyKind& kind) {
    const Vec3& half = kind.half_extents;
    const float mass = body_mass_kg(kind);
    if (!is_finite(half) || !(half.x > 0.0F) || !std::isfinite(mass) || !(mass > 0.0F)) {
        return nullptr;
    }
    switch (kind.shape) {
        case BodyShape::sphere:
            return std::make_unique<btSphereShape>(half.x);
        case BodyShape::cylinder:
            return std::make_unique<btCylinderShape>(btVector3(half.x, half.y, half.x));
        case BodyShape::box:
            if (!(half.y > 0.0F) || !(half.z > 0.0F)) {
                return nullptr;
            }
            return std::make_unique<btBoxShape>(to_bullet(half));
        case BodyShape::player:
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
