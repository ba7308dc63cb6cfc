#include "server/physics/physics_world.h"

#include <algorithm>
#include <cmath>

#include "server/physics/physics_state.h"
#include "shared/core/assert.h"
#include "shared/core/log.h"

namespace terrane {

namespace {

/// Of balls and logs, as a share of the radius. Bullet applies it to one point of a manifold, which
/// carries about half of the weight: they come to rest on slopes below one in seven. Without it,
/// bodies roll into the next hollow and keep each other awake there.
constexpr float kRollingFriction = 0.3F;

float inner_radius(const BodyVolume& body) {
    const Vec3& half = body.half_extents;
    switch (body.shape) {
        case BodyShape::sphere:
        case BodyShape::capsule:
            return half.x;
        case BodyShape::cylinder:
            return std::min(half.x, half.y);
        default:
            return std::min({half.x, half.y, half.z});
    }
}

/// Kinds beyond these have no business in a zone, and Bullet's numbers overflow with some.
constexpr float kMassMinKg = 1e-3F;
constexpr float kKindSizeMaxM = 128.0F;

/// Stone and wood that broke off hardly bounce.
constexpr float kPieceRestitution = 0.02F;

/// Bodies this near to something that goes away may have rested on it.
constexpr float kWakeAroundM = 0.1F;
Aabb with_margin(const Aabb& zone) {
    const Vec3 margin{kLostBesideM, kLostAboveM, kLostBesideM};
    return {zone.min - margin, zone.max + margin};
}

}  // namespace

PhysicsWorld::State::State(Terrain& ground, const PhysicsConfig& settings)
    : terrain(&ground),
      config(settings),
      inside(with_margin(to_aabb(voxel_box(ground.grid().bounds())))),
      dispatcher(&collision_config),
      world(&dispatcher, &broadphase, &solver, &collision_config),
      terrain_shape(ground),
      bodies(settings.bodies_max),
      contacts(ground, bodies, settings),
      statics(broadphase, dispatcher) {
    world.setGravity({0.0F, -settings.gravity_mps2, 0.0F});
    world.setForceUpdateAllAabbs(false);
    world.getDispatchInfo().m_deterministicOverlappingPairs = true;
    // The solver stops before its ten rounds where none would change a speed by 0.1 mm/s: at rest
    // after one or two.
    world.getSolverInfo().m_leastSquaresResidualThreshold = 1e-8F;
    contacts.register_with(dispatcher);
    dispatcher.setNearCallback(collide_unless_dozing);
    terrain_object.setCollisionShape(&terrain_shape);
    terrain_object.setActivationState(ISLAND_SLEEPING);
    world.addCollisionObject(&terrain_object, btBroadphaseProxy::StaticFilter,
                             btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter);
}

PhysicsWorld::State::~State() {
    bodies.for_each([&](std::uint32_t, BodySlot& body) {
        leave(body);
        body.pairs.clear(*terrain);
    });
    for (auto& [key, player] : players) {
        world.removeCollisionObject(player.object.get());
    }
    world.removeCollisionObject(&terrain_object);
}

void PhysicsWorld::State::enter(BodySlot& body, bool is_obstacle) {
    TERRANE_ASSERT(!body.is_in_world);
    body.rigid->setMassProps(is_obstacle ? 0.0F : body.mass_kg,
                             is_obstacle ? btVector3(0.0F, 0.0F, 0.0F) : body.inertia);
    write_pose(body, body.last);
    if (is_obstacle) {
        body.rigid->setLinearVelocity({0.0F, 0.0F, 0.0F});
        body.rigid->setAngularVelocity({0.0F, 0.0F, 0.0F});
    }
    world.addRigidBody(body.rigid.get());
    const bool is_asleep = is_obstacle || body.last.is_asleep;
    body.rigid->forceActivationState(is_asleep ? ISLAND_SLEEPING : ACTIVE_TAG);
    body.rigid->setDeactivationTime(0.0F);
    body.is_in_world = true;
}

bool PhysicsWorld::State::can_enter(const BodyState& state) const {
    return !bodies.is_full() && is_finite(state) && glm::length(state.rotation) > 0.5F &&
           contains(inside, state.position);
}

void PhysicsWorld::State::begin(std::uint32_t index, btCollisionShape& shape,
                                const BodySurface& surface, const BodyState& state) {
    BodySlot& body = bodies.at(index);
    set_last(body, state);
    body.last.rotation = state.rotation / glm::length(state.rotation);
    body.last.linear_velocity = capped(state.linear_velocity, config.speed_max_mps);
    body.last.angular_velocity = capped(state.angular_velocity, kSpinMax);
    body.volume.rotation = body.last.rotation;
    btRigidBody::btRigidBodyConstructionInfo info(body.mass_kg, nullptr, &shape, body.inertia);
    info.m_friction = surface.friction;
    info.m_restitution = surface.restitution;
    info.m_linearSleepingThreshold = kRestSpeed;
    info.m_angularSleepingThreshold = kRestSpin;
    body.rigid = std::make_unique<btRigidBody>(info);
    body.rigid->setUserIndex(static_cast<int>(index));
    body.rigid->setUserIndex2(0);
    if (body.inertia.x() == body.inertia.y() && body.inertia.y() == body.inertia.z()) {
        body.rigid->setFlags(0);  // no gyroscopic term: it is zero
    }
    if (surface.rolling_m > 0.0F) {
        body.rigid->setRollingFriction(surface.rolling_m);
        body.rigid->setSpinningFriction(surface.rolling_m);
    }
    enter(body, false);
    body.is_moved = true;
    list_moved();
}

void PhysicsWorld::State::leave(BodySlot& body) {
    stop_dozing(body);
    if (body.is_in_world) {
        world.removeRigidBody(body.rigid.get());
        body.is_in_world = false;
    }
}

void PhysicsWorld::State::retire(BodySlot& body, BodyMode mode) {
    leave(body);
    body.pairs.clear(*terrain);
    body.mode = mode;
    body.last.linear_velocity = Vec3(0.0F);
    body.last.angular_velocity = Vec3(0.0F);
    body.last.is_asleep = true;
    body.parked_count = 0;
    body.is_moved = true;
}

void PhysicsWorld::State::quarantine(std::uint32_t index, BodySlot& body) {
    if (stats.quarantined == 0) {
        log_error(
            "physics: body {} is not finite; it and later ones are taken out of the simulation",
            index);
    }
    ++stats.quarantined;
    retire(body, BodyMode::quarantined);
}

void PhysicsWorld::State::write_pose(BodySlot& body, const BodyState& state) {
    const btTransform pose = bullet_pose(body, state);
    btRigidBody& rigid = *body.rigid;
    rigid.setWorldTransform(pose);
    rigid.setInterpolationWorldTransform(pose);
    set_bullet_velocity(body, state);
    rigid.setInterpolationLinearVelocity(rigid.getLinearVelocity());
    rigid.setInterpolationAngularVelocity(rigid.getAngularVelocity());
    rigid.updateInertiaTensor();
}

// last.is_asleep stays: if the ground goes together with what is in `box`, the body is held as the
// sleeper that it was.
void PhysicsWorld::State::wake_around(const Aabb& box) {
    each_overlapping(grow(box, kWakeAroundM), [&](std::uint32_t index) {
        stop_dozing(bodies.at(index));
        bodies.at(index).rigid->activate();
    });
}

void PhysicsWorld::State::rouse(BodySlot& body) {
    stop_dozing(body);
    body.parked_count = 0;
    body.rigid->activate(true);
    body.last.is_asleep = false;
}

PhysicsWorld::PhysicsWorld(Terrain& terrain, const PhysicsConfig& config)
    : state_(std::make_unique<State>(terrain, config)) {}

PhysicsWorld::~PhysicsWorld() = default;

BodyHandle PhysicsWorld::add_body(const BodyKind& kind, const BodyState& state) {
    State& s = *state_;
    const float mass_kg = body_mass_kg(kind);
    if (!s.can_enter(state) || !(mass_kg >= kMassMinKg) || !std::isfinite(mass_kg) ||
        !(glm::length(kind.half_extents) <= kKindSizeMaxM) || !std::isfinite(kind.friction) ||
        !std::isfinite(kind.restitution)) {
        return {};
    }
    std::unique_ptr<btConvexShape> shape = make_shape(kind);
    if (shape == nullptr) {
        return {};
    }
    const std::uint32_t index = s.bodies.take();
    BodySlot& body = s.bodies.at(index);
    body.shape = std::move(shape);
    body.volume.shape = kind.shape;
    body.volume.half_extents = kind.half_extents;
    body.mass_kg = mass_kg;
    body.ballast_m = kind.shape == BodyShape::box ? kind.ballast_m : 0.0F;
    body.inner_radius_m = inner_radius(body.volume);
    if (kind.shape == BodyShape::capsule) {  // Bullet takes that of the box around it
        body.inertia = to_bullet(body.mass_kg * inertia_per_kg(kind.shape, kind.half_extents));
    } else {
        body.shape->calculateLocalInertia(body.mass_kg, body.inertia);
    }
    const float rolling =
        kind.shape == BodyShape::box ? 0.0F : kRollingFriction * kind.half_extents.x;
    s.begin(index, *body.shape, {kind.friction, kind.restitution, rolling}, state);
    return s.bodies.handle(index);
}

BodyHandle PhysicsWorld::add_piece(const PieceShape& piece, float friction,
                                   const BodyState& state) {
    State& s = *state_;
    if (!s.can_enter(state) || !std::isfinite(friction)) {
        return {};
    }
    std::unique_ptr<PieceBody> made = make_piece_body(piece);
    if (made == nullptr) {
        return {};
    }
    const std::uint32_t index = s.bodies.take();
    BodySlot& body = s.bodies.at(index);
    body.piece = std::move(made);
    body.volume.shape = BodyShape::piece;
    body.volume.piece = &body.piece->shape;
    body.volume.half_extents = box_half_extents(piece);
    body.mass_kg = piece.mass_kg;
    body.inertia = to_bullet(piece.moments);
    const Vec3& core = piece.parts[body.piece->largest].half_extents;
    body.inner_radius_m = std::min({core.x, core.y, core.z});
    s.begin(index, *body.piece->bullet_shape(), {friction, kPieceRestitution, 0.0F}, state);
    return s.bodies.handle(index);
}

void PhysicsWorld::remove_body(BodyHandle handle) {
    State& s = *state_;
    BodySlot* body = s.bodies.find(handle);
    if (body == nullptr) {
        return;
    }
    if (body->is_in_world) {
        s.wake_around(box_of(body->volume));
    }
    s.leave(*body);
    body->pairs.clear(*s.terrain);
    std::erase(s.lost, handle);
    s.bodies.free(handle.index);
    s.list_moved();
}

bool PhysicsWorld::is_alive(BodyHandle handle) const {
    return state_->bodies.find(handle) != nullptr;
}

BodyState PhysicsWorld::state(BodyHandle handle) const {
    const BodySlot* body = state_->bodies.find(handle);
    TERRANE_ASSERT(body != nullptr);
    return body->last;
}

bool PhysicsWorld::is_parked(BodyHandle handle) const {
    const BodySlot* body = state_->bodies.find(handle);
    return body != nullptr && body->parked_count > 0 && body->last.is_asleep;
}

BodyState PhysicsWorld::state_to_keep(BodyHandle handle) const {
    BodyState kept = state(handle);
    if (is_parked(handle)) {
        const BodySlot* body = state_->bodies.find(handle);
        kept.linear_velocity = body->parked_linear;
        kept.angular_velocity = body->parked_angular;
        kept.is_asleep = false;
    }
    return kept;
}

Aabb PhysicsWorld::bounds(BodyHandle handle) const {
    const BodySlot* body = state_->bodies.find(handle);
    TERRANE_ASSERT(body != nullptr);
    return box_of(body->volume);
}

void PhysicsWorld::wake(BodyHandle handle) {
    BodySlot* body = state_->bodies.find(handle);
    if (body == nullptr) {
        return;
    }
    if (body->mode == BodyMode::simulated) {
        state_->rouse(*body);
    } else if (body->mode == BodyMode::held) {
        body->last.is_asleep = false;  // it asks for its ground, and goes on when that is there
    }
}

void PhysicsWorld::apply_impulse(BodyHandle handle, const Vec3& impulse_ns, const Vec3& point) {
    BodySlot* body = state_->bodies.find(handle);
    if (body == nullptr || body->mode != BodyMode::simulated) {
        return;
    }
    state_->stop_dozing(*body);
    body->rigid->applyImpulse(to_bullet(impulse_ns), to_bullet(point - centre_of_mass(*body)));
    const BodyState state = bullet_state(*body);
    set_velocity(handle, state.linear_velocity, state.angular_velocity);
}

void PhysicsWorld::push(BodyHandle handle, const Vec3& impulse_ns, const Vec3& point) {
    BodySlot* body = state_->bodies.find(handle);
    if (body == nullptr || body->mode != BodyMode::simulated) {
        return;
    }
    const Vec3 turn_nms = glm::cross(point - centre_of_mass(*body), impulse_ns);
    if (!is_finite(impulse_ns) || !is_finite(turn_nms)) {
        apply_impulse(handle, impulse_ns, point);  // quarantines it
        return;
    }
    body->pushed.along_ns += impulse_ns;
    body->pushed.turn_nms += turn_nms;
}

void PhysicsWorld::set_velocity(BodyHandle handle, const Vec3& linear, const Vec3& angular) {
    BodySlot* body = state_->bodies.find(handle);
    if (body == nullptr) {
        return;
    }
    BodyState state = body->last;
    state.linear_velocity = linear;
    state.angular_velocity = angular;
    if (is_finite(linear) && is_finite(angular)) {
        state.linear_velocity = capped(linear, state_->config.speed_max_mps);
        state.angular_velocity = capped(angular, kSpinMax);
        body->last = state;
    }
    if (body->mode == BodyMode::simulated) {
        state_->stop_dozing(*body);
        // Not finite: check_motion finds it before Bullet spreads it to whatever touches.
        set_bullet_velocity(*body, state);
    }
    wake(handle);
}

bool PhysicsWorld::is_awake(BodyHandle handle) const {
    const BodySlot* body = state_->bodies.find(handle);
    return body != nullptr && body->mode == BodyMode::simulated && !body->last.is_asleep;
}

bool PhysicsWorld::is_held(BodyHandle handle) const {
    const BodySlot* body = state_->bodies.find(handle);
    return body != nullptr && body->mode == BodyMode::held;
}

float PhysicsWorld::submerged_share(BodyHandle handle) const {
    const BodySlot* body = state_->bodies.find(handle);
    if (body == nullptr) {
        return 0.0F;
    }
    return std::min(1.0F,
                    submerge(*state_->terrain, body->volume).volume_m3 / volume_m3(body->volume));
}

void PhysicsWorld::list_wanted(std::vector<Aabb>& out, float ahead_s) const {
    state_->bodies.for_each([&](std::uint32_t, const BodySlot& body) {
        const bool is_awake = body.mode == BodyMode::simulated
                                  ? body.rigid->isActive()
                                  : body.mode == BodyMode::held && !body.last.is_asleep;
        if (is_awake) {
            out.push_back(grow(swept_box(body, ahead_s), kLoadedAroundM));
        }
    });
}

StaticHandle PhysicsWorld::add_static(const BodyKind& kind, const Vec3& position,
                                      const Quat& rotation) {
    return state_->statics.add(kind, position, rotation);
}

void PhysicsWorld::remove_static(StaticHandle prop) {
    const Aabb box = state_->statics.remove(prop);
    if (!is_empty(box)) {
        state_->wake_around(box);
    }
}

void PhysicsWorld::terrain_changed(std::span<const BrickCoord> bricks) {
    State& s = *state_;
    for (const BrickCoord& brick : bricks) {
        const VoxelCoord low = origin_of(brick);
        const VoxelCoord high = low + VoxelCoord{kBrickSize, kBrickSize, kBrickSize};
        const Aabb box = grow(Aabb{corner_of(low), corner_of(high)}, 1.0F);
        // Pairs reach ahead of a moving body, so more bodies ask the masks again than wake.
        s.each_overlapping(grow(box, kTreeLagM), [&](std::uint32_t index) {
            BodySlot& body = s.bodies.at(index);
            body.pairs.mark_changed();
            if (body.mode == BodyMode::simulated && is_box_met(body.volume, box)) {
                s.rouse(body);
            }
        });
    }
}

void PhysicsWorld::step(float dt) {
    TERRANE_ASSERT_MSG(dt > 0.0F && dt <= 0.25F, "one bad time step freezes Bullet for good");
    State& s = *state_;
    ++s.step_count;
    s.check_motion();
    s.take_pushes();
    s.hold_and_release(dt);
    s.update_pairs(dt);
    s.apply_forces(dt);
    s.wake_ahead(dt);
    s.contacts.begin_step(dt);
    s.world.stepSimulation(dt, 0);
    s.take_poses(dt);
    s.settle_heaps(dt);
    s.cap_awake();
    s.list_moved();
}

std::span<const BodyHandle> PhysicsWorld::moved() const {
    return state_->moved;
}

void PhysicsWorld::clear_moved() {
    State& s = *state_;
    s.bodies.for_each([](std::uint32_t, BodySlot& body) { body.is_moved = false; });
    s.moved.clear();
}

std::vector<BodyHandle> PhysicsWorld::take_lost() {
    std::vector<BodyHandle> lost;
    lost.swap(state_->lost);
    std::ranges::sort(lost, {}, &BodyHandle::index);
    return lost;
}

bool PhysicsWorld::overlaps_body(const Aabb& box) const {
    bool is_met = false;
    state_->each_overlapping(box, [&](std::uint32_t) { is_met = true; });
    return is_met;
}

void PhysicsWorld::bodies_near(const Aabb& box, std::vector<BodyHandle>& out) const {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    state_->each_overlapping(
        box, [&](std::uint32_t index) { out.push_back(state_->bodies.handle(index)); });
    std::ranges::sort(out.begin() + first, out.end(), {}, &BodyHandle::index);
}

const PhysicsStats& PhysicsWorld::stats() const {
    return state_->stats;
}

}  // namespace terrane
