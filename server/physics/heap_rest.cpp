// How heaps come to rest. Bullet lets an island sleep when each of its bodies has been slow for two
// seconds. In a heap of hundreds that never comes: its solver leaves every body about half a
// centimetre a second of creep, whatever its settings (more iterations, two friction directions, no
// warm start, damping: none of them helped), and each second some body slips. 300 crates in a pit
// were still awake after a minute, 747 after twenty.
//
// So a body that keeps its place for a while, touching other bodies or ground that lets nothing lie
// still, dozes: it stays in its island, but has no velocity and infinite mass, and holds its
// neighbours like ground does. Calm spreads from there, and when all doze or are slow Bullet's rule
// puts the island to sleep. A dozer wakes when what touches it, or is about to, is fast or lets go
// of it, and by all that wakes a sleeper: touch, push, edit.
//
//         keeps within 1 cm for 1 s, 5 cm for 4 s, 40 cm for 10 s        island slow for 2 s
//   awake -------------------------------------------------> dozing ---------------------> asleep
//     ^---- touched by a fast one, a neighbour lost, woken ----'  <--- an awake body touches ---'
#include <algorithm>

#include "server/physics/physics_state.h"

namespace terrane {

namespace {

struct StillRule {
    float distance_m;
    float turn2;  ///< square of the turned angle, radians
    float seconds;
};
constexpr StillRule kStill{0.01F, 0.03F * 0.03F, 1.0F};
constexpr StillRule kNearlyStill{0.05F, 0.15F * 0.15F, 4.0F};
/// On a slope that friction almost holds Bullet's solver lets logs and stones creep 1 to 3 cm/s
/// without end; what falls or rolls in earnest is faster after ten seconds.
constexpr StillRule kCreeping{0.4F, 1.5F * 1.5F, 10.0F};
/// Faster than this a body wakes the dozers that it touches.
constexpr float kWakingSpeed = 0.25F;
/// And those that it will meet in so many steps; looked for this much beside its way.
constexpr float kAheadSteps = 1.5F;
constexpr float kAheadM = 0.02F;
/// Bullet's second user index of a dozer.
constexpr int kDozes = 1;

float turned2(const Quat& a, const Quat& b) {
    const Quat d = a - (glm::dot(a, b) < 0.0F ? -b : b);
    return 4.0F * glm::dot(d, d);  // small angles
}

bool is_within(const StillRule& rule, const StillPose& since, const BodyState& state) {
    const Vec3 way = state.position - since.position;
    return glm::dot(way, way) <= rule.distance_m * rule.distance_m &&
           turned2(state.rotation, since.rotation) <= rule.turn2;
}

/// Seconds that the body has kept its place by `rule`.
void follow(const StillRule& rule, StillPose& since, const BodyState& state, float dt) {
    if (is_within(rule, since, state)) {
        since.seconds += dt;
    } else {
        since = {state.position, state.rotation, 0.0F};
    }
}

bool is_fast(const BodySlot& body) {
    const auto above = [](const Vec3& v) { return glm::dot(v, v) > kWakingSpeed * kWakingSpeed; };
    return above(body.last.linear_velocity) || above(body.speed_before);
}

bool is_still(const btCollisionObject& object) {
    return object.getUserIndex() < 0 || object.getUserIndex2() == kDozes;
}

}  // namespace

void collide_unless_dozing(btBroadphasePair& pair, btCollisionDispatcher& dispatcher,
                           const btDispatcherInfo& info) {
    const auto* first = static_cast<const btCollisionObject*>(pair.m_pProxy0->m_clientObject);
    const auto* second = static_cast<const btCollisionObject*>(pair.m_pProxy1->m_clientObject);
    if (pair.m_algorithm == nullptr || !is_still(*first) || !is_still(*second)) {
        btCollisionDispatcher::defaultNearCallback(pair, dispatcher, info);
    }
}

void PhysicsWorld::State::doze(BodySlot& body) {
    body.rigid->setMassProps(0.0F, {0.0F, 0.0F, 0.0F});
    // Mass 0 says static to Bullet, and what is static belongs to no island.
    body.rigid->setCollisionFlags(body.rigid->getCollisionFlags() &
                                  ~btCollisionObject::CF_STATIC_OBJECT);
    body.rigid->setLinearVelocity({0.0F, 0.0F, 0.0F});
    body.rigid->setAngularVelocity({0.0F, 0.0F, 0.0F});
    body.rigid->updateInertiaTensor();
    body.last.linear_velocity = Vec3(0.0F);
    body.last.angular_velocity = Vec3(0.0F);
    body.rigid->setUserIndex2(kDozes);
    body.dozing_neighbours = body.neighbours;
    body.is_dozing = true;
}

void PhysicsWorld::State::stop_dozing(BodySlot& body) {
    body.still = {};
    body.nearly_still = {};
    body.creeping = {};
    if (body.is_dozing) {
        body.is_dozing = false;
        body.rigid->setUserIndex2(0);
        body.rigid->setMassProps(body.mass_kg, body.inertia);
        body.rigid->updateInertiaTensor();
    }
}

// A dozer that is hit while it still dozes stops what hits it, like a wall, and takes no momentum.
void PhysicsWorld::State::wake_ahead(float dt) {
    bodies.for_each([&](std::uint32_t, BodySlot& body) {
        if (body.mode != BodyMode::simulated || body.is_dozing || !body.rigid->isActive()) {
            return;
        }
        const Vec3 velocity = from_bullet(body.rigid->getLinearVelocity());
        if (glm::dot(velocity, velocity) > kWakingSpeed * kWakingSpeed) {
            const Aabb here = grow(box_of(body.volume), kAheadM);
            const Vec3 way = kAheadSteps * dt * velocity;
            const Aabb ahead = merge(here, Aabb{here.min + way, here.max + way});
            each_overlapping(ahead, [&](std::uint32_t other) {
                if (bodies.at(other).is_dozing) {
                    stop_dozing(bodies.at(other));
                }
            });
        }
    });
}

void PhysicsWorld::State::count_neighbours() {
    bodies.for_each([](std::uint32_t, BodySlot& body) {
        body.neighbours = 0;
        body.is_touched_fast = false;
    });
    touching.clear();  // several parts of two pieces may meet: each pair counts once
    for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
        const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(m);
        const int a = manifold.getBody0()->getUserIndex();
        const int b = manifold.getBody1()->getUserIndex();
        if (a >= 0 && b >= 0 && manifold.getNumContacts() > 0) {
            touching.push_back(static_cast<std::uint64_t>(std::min(a, b)) << 32 |
                               static_cast<std::uint64_t>(std::max(a, b)));
        }
    }
    std::ranges::sort(touching);
    touching.erase(std::ranges::unique(touching).begin(), touching.end());
    for (const std::uint64_t pair : touching) {
        BodySlot& first = bodies.at(static_cast<std::uint32_t>(pair >> 32));
        BodySlot& second = bodies.at(static_cast<std::uint32_t>(pair));
        ++first.neighbours;
        ++second.neighbours;
        first.is_touched_fast = first.is_touched_fast || is_fast(second);
        second.is_touched_fast = second.is_touched_fast || is_fast(first);
    }
}

void PhysicsWorld::State::settle_heaps(float dt) {
    count_neighbours();
    stats.dozing = 0;
    bodies.for_each([&](std::uint32_t, BodySlot& body) {
        if (body.mode != BodyMode::simulated || !body.rigid->isActive()) {
            return;
        }
        if (body.is_dozing) {
            if (body.is_touched_fast || body.neighbours < body.dozing_neighbours) {
                stop_dozing(body);
            }
        } else if (body.pairs.water_count() > 0) {
            body.still.seconds = 0.0F;
            body.nearly_still.seconds = 0.0F;
            body.creeping.seconds = 0.0F;
        } else {
            follow(kStill, body.still, body.last, dt);
            follow(kNearlyStill, body.nearly_still, body.last, dt);
            follow(kCreeping, body.creeping, body.last, dt);
            // Alone on good ground it sleeps before it would doze.
            const bool is_still = body.neighbours > 0 && body.still.seconds >= kStill.seconds;
            if (!body.is_touched_fast &&
                (is_still || body.nearly_still.seconds >= kNearlyStill.seconds ||
                 body.creeping.seconds >= kCreeping.seconds)) {
                doze(body);
            }
        }
        stats.dozing += body.is_dozing ? 1U : 0U;
    });
}

}  // namespace terrane
