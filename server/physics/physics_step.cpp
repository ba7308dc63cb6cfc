// The phases of one step, in the order in which PhysicsWorld::step calls them.
#include <algorithm>
#include <optional>

#include "server/physics/ground_probe.h"
#include "server/physics/physics_state.h"
#include "server/physics/water_forces.h"

namespace terrane {

namespace {

/// In water a body sleeps later: it must be still, not only slow at the top of a bob.
constexpr float kWaterRestSpeed = 0.006F;
constexpr float kWaterRestSpin = 0.02F;
/// Whether the chunks under a sleeper are still there is asked every so many steps.
constexpr std::uint32_t kSleeperSteps = 8;
/// A push that changes less, within one step, would not show.
constexpr float kNoticedSpeed = 0.002F;
constexpr float kNoticedSpin = 0.004F;
/// A body in the ground leaves it at this pace a step.
constexpr float kPushStepM = 0.25F;
/// Of its inner radius: the ball that may not pass a surface, however fast the body is.
constexpr float kCoreShare = 0.5F;
constexpr float kPushMarginM = 0.02F;
/// Of its inner radius: this near to where its middle was free, with the same ground around, it is
/// not asked again whether it is. A ray each step was a third of what a resting body cost.
constexpr float kFreeShare = 0.1F;
constexpr float kPushedSpeedMax = 2.0F;

/// Takes the part of `velocity` that goes against `way` out of it.
void stop_against(Vec3& velocity, const Vec3& way) {
    const float against = glm::dot(velocity, way);
    if (against < 0.0F) {
        velocity -= against * way;
    }
}

/// A point of the body that should not be in the ground and is: its middle, or that of a part.
std::optional<Vec3> buried_point(Terrain& terrain, VoxelReader& reader, const BodySlot& body,
                                 const BodyState& state) {
    if (body.piece == nullptr) {
        return is_enclosed(terrain, reader, state.position) ? std::optional(state.position)
                                                            : std::nullopt;
    }
    for (const ShapePart& part : body.piece->shape.parts) {
        const Vec3 middle = state.position + state.rotation * part.middle;
        if (is_enclosed(terrain, reader, middle)) {
            return middle;
        }
    }
    return std::nullopt;
}

/// Parts of a piece turn away from where they were free: it is always asked.
bool is_known_free(const BodySlot& body, const Vec3& middle) {
    const FreeSpot& spot = body.free_spot;
    const Vec3 way = middle - spot.at;
    const float near = kFreeShare * body.inner_radius_m;
    return body.piece == nullptr && spot.is_known && spot.pairs_revision == body.pairs.revision() &&
           glm::dot(way, way) < near * near;
}

/// Its smallest moment of inertia.
float least_inertia(const BodySlot& body) {
    return std::min({body.inertia.x(), body.inertia.y(), body.inertia.z()});
}

/// What a torque impulse changes, radians a second.
Vec3 spin_by(const BodySlot& body, const Vec3& turn_nms) {
    const btMatrix3x3& axes = body.rigid->getWorldTransform().getBasis();
    return from_bullet(axes * (axes.transpose() * to_bullet(turn_nms) / body.inertia));
}

}  // namespace

Vec3 capped(const Vec3& v, float limit) {
    const float length2 = glm::dot(v, v);
    if (length2 <= limit * limit) {
        return v;
    }
    // By its largest side first: the square of a finite length may be none.
    const Vec3 sides = glm::abs(v);
    const Vec3 scaled = v / std::max({sides.x, sides.y, sides.z});
    return scaled * (limit / glm::length(scaled));
}

void PhysicsWorld::State::check_motion() {
    bodies.for_each([&](std::uint32_t index, BodySlot& body) {
        if (body.mode != BodyMode::simulated || !body.rigid->isActive()) {
            return;
        }
        const Vec3 linear = from_bullet(body.rigid->getLinearVelocity());
        const Vec3 angular = from_bullet(body.rigid->getAngularVelocity());
        if (!is_finite(linear) || !is_finite(angular)) {
            quarantine(index, body);
            return;
        }
        body.rigid->setLinearVelocity(to_bullet(capped(linear, config.speed_max_mps)));
        body.rigid->setAngularVelocity(to_bullet(capped(angular, kSpinMax)));
    });
}

bool PhysicsWorld::State::is_ground_loaded(const BodySlot& body, float dt) const {
    const VoxelBox around = voxels_of(grow(swept_box(body, dt), kLoadedAroundM));
    const ChunkCoord low = chunk_of(around.min);
    const ChunkCoord high = chunk_of(around.max);
    // The masks' table, not the grid's, whose hash was a third of this room's own time.
    const TerrainMasks& masks = terrain->masks();
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                const ChunkCoord chunk{x, y, z};
                if (!masks.is_loaded(chunk) && contains(masks.bounds(), chunk)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// A push changes no speed by more than a body may have: as a force it would turn Bullet's numbers
// into infinities within the step, and those of all that touches the body.
void PhysicsWorld::State::take_pushes() {
    bodies.for_each([&](std::uint32_t index, BodySlot& body) {
        BodyLoad pushed = body.pushed;
        body.pushed = {};
        if (!is_finite(pushed.along_ns) || !is_finite(pushed.turn_nms)) {
            quarantine(index, body);
            return;
        }
        pushed.along_ns = capped(pushed.along_ns, config.speed_max_mps * body.mass_kg);
        pushed.turn_nms = capped(pushed.turn_nms, kSpinMax * least_inertia(body));
        if (pushed == body.load || body.mode != BodyMode::simulated) {
            return;
        }
        if (!body.rigid->isActive() || body.is_dozing) {
            const Vec3 speed = (pushed.along_ns - body.load.along_ns) / body.mass_kg;
            const Vec3 spin = spin_by(body, pushed.turn_nms - body.load.turn_nms);
            if (glm::dot(speed, speed) < kNoticedSpeed * kNoticedSpeed &&
                glm::dot(spin, spin) < kNoticedSpin * kNoticedSpin) {
                return;
            }
            rouse(body);
        }
        body.load = pushed;
    });
}

void PhysicsWorld::State::hold_and_release(float dt) {
    bodies.for_each([&](std::uint32_t index, BodySlot& body) {
        const bool is_due = body.mode == BodyMode::simulated &&
                            (body.rigid->isActive() || (index + step_count) % kSleeperSteps == 0);
        if (is_due && !is_ground_loaded(body, dt)) {
            leave(body);
            body.pairs.clear(*terrain);
            enter(body, true);
            body.mode = BodyMode::held;
            body.is_moved = true;
        } else if (body.mode == BodyMode::held && is_ground_loaded(body, dt)) {
            leave(body);
            enter(body, false);
            body.mode = BodyMode::simulated;
            body.is_moved = true;
        }
    });
}

void PhysicsWorld::State::update_pairs(float dt) {
    bodies.for_each([&](std::uint32_t, BodySlot& body) {
        if (body.mode == BodyMode::simulated && body.rigid->isActive()) {
            body.pairs.update(*terrain, swept_box(body, dt));
        }
    });
}

// What turns a body goes in as a change of its spin: Bullet's friction does not see the torques
// that wait for its step, and a crate with somebody on its edge crept away at 8 cm/s.
void PhysicsWorld::State::apply_forces(float dt) {
    bodies.for_each([&](std::uint32_t, BodySlot& body) {
        if (body.mode != BodyMode::simulated || !body.rigid->isActive()) {
            return;
        }
        body.rigid->setSleepingThresholds(kRestSpeed, kRestSpin);
        if (body.pairs.water_count() > 0) {
            push_with_water(body, dt);
        }
        if (body.load != BodyLoad{} && !body.is_dozing) {
            body.rigid->applyCentralForce(to_bullet(body.load.along_ns / dt));
            body.rigid->applyTorqueImpulse(to_bullet(body.load.turn_nms));
        }
    });
}

void PhysicsWorld::State::push_with_water(BodySlot& body, float dt) {
    const Submersion under = submerge(*terrain, body.volume);
    if (under.volume_m3 <= 0.0F) {
        return;
    }
    btRigidBody& rigid = *body.rigid;
    rigid.setSleepingThresholds(kWaterRestSpeed, kWaterRestSpin);
    const WaterConfig water{config.water_density_kg_m3, config.gravity_mps2};
    const BodyMotion motion{body.mass_kg, from_bullet(rigid.getLinearVelocity()),
                            from_bullet(rigid.getAngularVelocity()), body.load.along_ns / dt};
    const WaterForce force = water_force(water, body.volume, under, motion, dt);
    rigid.applyCentralForce(to_bullet(force.lift_n + force.drag_n));
    rigid.setAngularVelocity(to_bullet(force.angular_velocity));
    const Vec3 turn = glm::cross(force.lift_point - centre_of_mass(body), force.lift_n);
    rigid.applyTorqueImpulse(to_bullet(turn * dt));
}

void PhysicsWorld::State::stop_at_surface(const BodySlot& body, BodyState& state) {
    const Vec3 from = core_point(body, body.last);
    const Vec3 to = core_point(body, state);
    const Vec3 way = to - from;
    const float length = glm::length(way);
    if (length < body.inner_radius_m) {
        return;  // its inner ball cannot have passed a surface unseen
    }
    const float radius = kCoreShare * body.inner_radius_m;
    if (!terrain->overlap(grow(merge(Aabb{from, from}, to), radius)).solid) {
        return;
    }
    const auto hit = terrain->sweep(make_sphere(from, radius), way);
    if (!hit.has_value() || hit->depth_m > 0.0F || glm::dot(hit->normal, way) >= 0.0F) {
        return;
    }
    VoxelReader reader(terrain->grid());
    if (is_enclosed(*terrain, reader, from)) {
        return;  // it is on its way out
    }
    state.position = state.position + hit->t * way - way;
    stop_against(state.linear_velocity, hit->normal);
}

bool PhysicsWorld::State::push_out_of_ground(const BodySlot& body, BodyState& state) {
    if (body.pairs.solid_count() == 0) {
        return false;
    }
    VoxelReader reader(terrain->grid());
    const std::optional<Vec3> buried = buried_point(*terrain, reader, body, state);
    if (!buried.has_value()) {
        return false;
    }
    const Vec3 way = way_out(reader, *buried);
    const float distance = distance_out(*terrain, *buried, way, kPushStepM);
    state.position += (distance + kPushMarginM) * way;
    stop_against(state.linear_velocity, way);
    state.linear_velocity = capped(state.linear_velocity, kPushedSpeedMax);
    return true;
}

void PhysicsWorld::State::take_pose(std::uint32_t index, BodySlot& body, float dt) {
    if (body.last.is_asleep && !body.rigid->isActive()) {
        return;
    }
    body.speed_before = body.last.linear_velocity;
    BodyState state = bullet_state(body);
    if (!is_finite(state)) {
        quarantine(index, body);
        return;
    }
    const BodyState before = state;
    // Out of a deep overlap the solver may throw a body any distance in one step.
    const Vec3 way = state.position - body.volume.position;
    const Vec3 way_allowed = capped(way, config.speed_max_mps * dt + kPushStepM);
    if (way != way_allowed) {
        state.position = body.volume.position + way_allowed;
    }
    stop_at_surface(body, state);
    const bool is_free = is_known_free(body, state.position);
    const bool is_pushed = !is_free && push_out_of_ground(body, state);
    if (!is_free) {
        body.free_spot = {state.position, body.pairs.revision(), !is_pushed};
    }
    state.linear_velocity = capped(state.linear_velocity, config.speed_max_mps);
    state.angular_velocity = capped(state.angular_velocity, kSpinMax);
    if (state.position != before.position || state.linear_velocity != before.linear_velocity ||
        state.angular_velocity != before.angular_velocity) {
        write_pose(body, state);
        stop_dozing(body);
        body.rigid->activate(true);
        state.is_asleep = false;
    }
    stats.pushed_out += is_pushed ? 1U : 0U;
    body.is_moved = body.is_moved || state.position != body.last.position ||
                    state.rotation != body.last.rotation || state.is_asleep != body.last.is_asleep;
    set_last(body, state);
    if (!contains(inside, state.position)) {
        retire(body, BodyMode::lost);
        lost.push_back(bodies.handle(index));
        ++stats.lost;
    }
}

void PhysicsWorld::State::take_poses(float dt) {
    stats.pushed_out = 0;
    stats.bodies = bodies.count();
    stats.awake = 0;
    stats.held = 0;
    stats.solid_contacts = 0;
    stats.water_contacts = 0;
    bodies.for_each([&](std::uint32_t index, BodySlot& body) {
        if (body.mode == BodyMode::simulated) {
            take_pose(index, body, dt);
        }
        stats.awake += body.mode == BodyMode::simulated && !body.last.is_asleep ? 1U : 0U;
        stats.held += body.mode == BodyMode::held ? 1U : 0U;
        stats.solid_contacts += body.pairs.solid_count();
        stats.water_contacts += body.pairs.water_count();
    });
}

void PhysicsWorld::State::list_moved() {
    moved.clear();
    bodies.for_each([&](std::uint32_t index, BodySlot& body) {
        if (body.is_moved) {
            moved.push_back(bodies.handle(index));
        }
    });
}

}  // namespace terrane
