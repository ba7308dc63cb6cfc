// Players inside Bullet: static capsules that set_player moves, with zero velocity.
#include <algorithm>
#include <cmath>

#include "server/physics/physics_state.h"

namespace terrane {

namespace {

/// A player who stands still moves by less than this, and lets what leans on him sleep.
constexpr float kPlayerStillM = 0.001F;

/// The box of a player's capsule.
Aabb capsule_box(const Vec3& foot, float radius_m, float height_m) {
    return {foot - Vec3(radius_m, 0.0F, radius_m), foot + Vec3(radius_m, height_m, radius_m)};
}

bool is_elsewhere(const Aabb& a, const Aabb& b) {
    const Vec3 low = glm::abs(a.min - b.min);
    const Vec3 high = glm::abs(a.max - b.max);
    return std::max({low.x, low.y, low.z, high.x, high.y, high.z}) > kPlayerStillM;
}

}  // namespace

void PhysicsWorld::set_player(std::uint64_t key, const Vec3& foot, float radius_m, float height_m) {
    State& s = *state_;
    if (!is_finite(foot) || !(radius_m > 0.0F) || !(height_m >= 2.0F * radius_m) ||
        !std::isfinite(height_m)) {
        ++s.stats.refused;
        return;
    }
    PlayerCapsule& player = s.players[key];
    const Aabb box = capsule_box(foot, radius_m, height_m);
    if (player.object == nullptr) {
        player.woken = box;
    } else if (is_elsewhere(player.woken, box)) {
        s.wake_around(player.woken);
        player.woken = box;
    }
    if (player.radius_m != radius_m || player.height_m != height_m) {
        if (player.object != nullptr) {
            s.world.removeCollisionObject(player.object.get());
        }
        player.radius_m = radius_m;
        player.height_m = height_m;
        player.shape = std::make_unique<btCapsuleShape>(radius_m, height_m - 2.0F * radius_m);
        player.object = std::make_unique<btCollisionObject>();
        player.object->setCollisionShape(player.shape.get());
        player.object->setActivationState(ISLAND_SLEEPING);
        player.object->setWorldTransform(
            to_bullet(foot + Vec3(0.0F, 0.5F * height_m, 0.0F), kNoRotation));
        s.world.addCollisionObject(player.object.get(), btBroadphaseProxy::StaticFilter,
                                   btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter);
    }
    const btTransform pose = to_bullet(foot + Vec3(0.0F, 0.5F * height_m, 0.0F), kNoRotation);
    player.object->setWorldTransform(pose);
    player.object->setInterpolationWorldTransform(pose);
    s.world.updateSingleAabb(player.object.get());
}

void PhysicsWorld::remove_player(std::uint64_t key) {
    const auto found = state_->players.find(key);
    if (found != state_->players.end()) {
        state_->wake_around(found->second.woken);
        state_->world.removeCollisionObject(found->second.object.get());
        state_->players.erase(found);
    }
}

}  // namespace terrane
