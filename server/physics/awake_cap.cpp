// A limit for the bodies that are simulated at a time, by state and never by the clock: above
// awake_max the calmest islands go to sleep, whole, until the rest fits. Who was moving is parked:
// its velocity is kept, and it goes on with it as soon as its whole island fits again, oldest
// handle first, or when it is touched, pushed or woken. Dozers (heap_rest.cpp) cost next to nothing
// and do not count. An island larger than awake_max stays asleep until something wakes it.
#include <algorithm>

#include "server/physics/physics_state.h"

namespace terrane {

namespace {

/// Parked bodies go on when there is room for them and this share of awake_max besides.
constexpr std::uint32_t kSpareShare = 8;

/// Square of the fastest speed of a point of the body, about.
float restlessness(const BodySlot& body) {
    const BodyState& state = body.last;
    return glm::dot(state.linear_velocity, state.linear_velocity) +
           body.inner_radius_m * body.inner_radius_m *
               glm::dot(state.angular_velocity, state.angular_velocity);
}

}  // namespace

void PhysicsWorld::State::park(BodySlot& body, std::uint32_t island_count) {
    body.parked_count = 0;
    body.parked_island = parked_islands;
    if (!body.is_dozing && restlessness(body) > kRestSpeed * kRestSpeed) {
        body.parked_count = island_count;
        body.parked_linear = body.last.linear_velocity;
        body.parked_angular = body.last.angular_velocity;
    }
    body.rigid->setLinearVelocity({0.0F, 0.0F, 0.0F});
    body.rigid->setAngularVelocity({0.0F, 0.0F, 0.0F});
    body.rigid->forceActivationState(ISLAND_SLEEPING);
    body.last.linear_velocity = Vec3(0.0F);
    body.last.angular_velocity = Vec3(0.0F);
    body.last.is_asleep = true;
    body.is_moved = true;
    ++stats.put_to_sleep;
}

void PhysicsWorld::State::list_islands() {
    islands.clear();
    bodies.for_each([&](std::uint32_t index, BodySlot& body) {
        if (body.mode == BodyMode::simulated && !body.last.is_asleep) {
            const int tag = body.rigid->getIslandTag();
            islands.push_back({tag, index, body.is_dozing ? 0U : 1U, restlessness(body)});
        }
    });
    // A body that came in this step has no island yet: it is one of its own.
    std::ranges::sort(islands, [](const Island& a, const Island& b) {
        return a.tag != b.tag ? a.tag < b.tag : a.first < b.first;
    });
    std::size_t kept = 0;
    for (const Island& one : islands) {
        if (kept > 0 && one.tag >= 0 && islands[kept - 1].tag == one.tag) {
            islands[kept - 1].count += one.count;
            islands[kept - 1].restlessness =
                std::max(islands[kept - 1].restlessness, one.restlessness);
        } else {
            islands[kept++] = one;
        }
    }
    islands.resize(kept);
    std::ranges::sort(islands, [](const Island& a, const Island& b) {
        return a.restlessness != b.restlessness ? a.restlessness < b.restlessness
                                                : a.first < b.first;
    });
}

void PhysicsWorld::State::cap_awake() {
    const std::uint32_t busy = stats.awake - std::min(stats.awake, stats.dozing);
    if (busy <= config.awake_max) {
        if (stats.parked > 0) {
            resume_parked(busy);
        }
        return;
    }
    list_islands();
    std::uint32_t left = busy;
    for (const Island& island : islands) {
        if (left <= config.awake_max) {
            break;
        }
        ++parked_islands;
        const auto sleep_one = [&](BodySlot& body) {
            if (body.mode == BodyMode::simulated && !body.last.is_asleep) {
                park(body, island.count);
                --stats.awake;
            }
        };
        if (island.tag < 0) {
            sleep_one(bodies.at(island.first));
        } else {
            bodies.for_each([&](std::uint32_t, BodySlot& body) {
                if (body.rigid->getIslandTag() == island.tag) {
                    sleep_one(body);
                }
            });
        }
        left -= std::min(left, island.count);
    }
    count_parked();
}

void PhysicsWorld::State::resume_parked(std::uint32_t busy) {
    const std::uint32_t room_max = config.awake_max - config.awake_max / kSpareShare;
    std::vector<std::uint64_t> resumed;  // islands
    bodies.for_each([&](std::uint32_t, BodySlot& body) {
        if (body.parked_count == 0) {
            return;
        }
        if (std::ranges::find(resumed, body.parked_island) == resumed.end()) {
            const std::uint32_t room = busy == 0 ? config.awake_max : room_max;
            if (busy + body.parked_count > room) {
                return;
            }
            busy += body.parked_count;
            resumed.push_back(body.parked_island);
        }
        BodyState state = body.last;
        state.linear_velocity = body.parked_linear;
        state.angular_velocity = body.parked_angular;
        rouse(body);
        set_bullet_velocity(body, state);
        body.last.linear_velocity = state.linear_velocity;
        body.last.angular_velocity = state.angular_velocity;
    });
    count_parked();
}

void PhysicsWorld::State::count_parked() {
    stats.parked = 0;
    bodies.for_each([&](std::uint32_t, BodySlot& body) {
        if (body.parked_count > 0 && !body.last.is_asleep) {
            body.parked_count = 0;
        }
        stats.parked += body.parked_count > 0 ? 1U : 0U;
    });
}

}  // namespace terrane
