// What touches what, for people to look at: nothing in the simulation asks this.
#include <cmath>

#include "server/physics/physics_state.h"

namespace terrane {

std::vector<ContactView> PhysicsWorld::contacts_near(const Aabb& box, std::size_t count_max) const {
    State& s = *state_;  // Bullet's dispatcher has no const calls
    std::vector<ContactView> found;
    for (int m = 0; m < s.dispatcher.getNumManifolds(); ++m) {
        const btPersistentManifold& manifold = *s.dispatcher.getManifoldByIndexInternal(m);
        const bool is_ground =
            manifold.getBody0() == &s.terrain_object || manifold.getBody1() == &s.terrain_object;
        // Bullet's normal points from the second object to the first.
        const float sign = manifold.getBody0() == &s.terrain_object ? -1.0F : 1.0F;
        for (int p = 0; p < manifold.getNumContacts() && found.size() < count_max; ++p) {
            const btManifoldPoint& point = manifold.getContactPoint(p);
            const Vec3 at = from_bullet(point.getPositionWorldOnB());
            const Vec3 normal = sign * from_bullet(point.m_normalWorldOnB);
            // What a client could not take is not shown.
            if (contains(box, at) && is_finite(normal) && std::isfinite(point.getDistance())) {
                found.push_back({at, normal, point.getDistance(), is_ground});
            }
        }
    }
    return found;
}

std::vector<WaterView> PhysicsWorld::water_near(const Aabb& box, std::size_t count_max) const {
    const State& s = *state_;
    std::vector<WaterView> found;
    s.bodies.for_each([&](std::uint32_t index, const BodySlot& body) {
        const Vec3& middle = body.last.position;
        if (found.size() >= count_max || !contains(box, middle)) {
            return;
        }
        // One that came asleep has no pairs until it wakes.
        const bool is_wet = body.pairs.water_count() > 0 ||
                            (body.mode == BodyMode::simulated && !body.rigid->isActive() &&
                             s.terrain->overlap(box_of(body.volume)).water);
        if (!is_wet) {
            return;
        }
        const WaterLevel water = classify_water(*s.terrain, box_of(body.volume));
        const float level_m = water.kind == WaterCase::flat ? water.level_m : middle.y;
        found.push_back({middle, level_m, submerged_share(s.bodies.handle(index))});
    });
    return found;
}

}  // namespace terrane
