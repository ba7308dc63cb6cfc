#include "server/physics/static_bodies.h"

#include <cmath>

#include "server/physics/body_table.h"

namespace terrane {

StaticBodies::~StaticBodies() {
    for (Slot& slot : slots_) {
        leave_tree(slot);
    }
}

btConvexShape* StaticBodies::find_or_make_shape(const BodyKind& kind) {
    const Vec3& half = kind.half_extents;
    const std::array<float, 4> key{static_cast<float>(kind.shape), half.x, half.y, half.z};
    if (const auto found = shapes_.find(key); found != shapes_.end()) {
        return found->second.get();
    }
    BodyKind plain = kind;
    plain.ballast_m = 0.0F;  // it turns about nothing
    std::unique_ptr<btConvexShape> shape = make_shape(plain);
    return shape == nullptr ? nullptr : (shapes_[key] = std::move(shape)).get();
}

StaticHandle StaticBodies::add(const BodyKind& kind, const Vec3& position, const Quat& rotation) {
    const float length = glm::length(rotation);
    if (!is_finite(position) || !(length > 0.5F) || !std::isfinite(length) ||
        !std::isfinite(kind.friction) || !std::isfinite(kind.restitution) ||
        count() >= kStaticsMax) {
        return {};
    }
    btConvexShape* const shape = find_or_make_shape(kind);
    if (shape == nullptr) {
        return {};
    }
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Slot& slot = slots_[index];
    slot.object = std::make_unique<btCollisionObject>();
    btCollisionObject& object = *slot.object;
    object.setCollisionShape(shape);
    object.setWorldTransform(to_bullet(position, rotation / length));
    object.setInterpolationWorldTransform(object.getWorldTransform());
    object.setFriction(kind.friction);
    object.setRestitution(kind.restitution);
    object.setActivationState(ISLAND_SLEEPING);
    btVector3 low;
    btVector3 high;
    shape->getAabb(object.getWorldTransform(), low, high);
    object.setBroadphaseHandle(tree_->createProxy(
        low, high, shape->getShapeType(), &object, btBroadphaseProxy::StaticFilter,
        btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter, dispatcher_));
    return {index, slot.generation};
}

Aabb StaticBodies::remove(StaticHandle handle) {
    if (handle.index >= slots_.size() || slots_[handle.index].object == nullptr ||
        slots_[handle.index].generation != handle.generation) {
        return {};
    }
    Slot& slot = slots_[handle.index];
    const btBroadphaseProxy* const proxy = slot.object->getBroadphaseHandle();
    const Aabb box{from_bullet(proxy->m_aabbMin), from_bullet(proxy->m_aabbMax)};
    leave_tree(slot);
    slot.object.reset();
    ++slot.generation;
    free_.push_back(handle.index);
    return box;
}

void StaticBodies::leave_tree(Slot& slot) {
    if (slot.object != nullptr) {
        btBroadphaseProxy* const proxy = slot.object->getBroadphaseHandle();
        tree_->getOverlappingPairCache()->cleanProxyFromPairs(proxy, dispatcher_);
        tree_->destroyProxy(proxy, dispatcher_);
    }
}

}  // namespace terrane
