#include "tests/shared/motion/body_scene.h"

#include <algorithm>

#include "shared/motion/near_bodies.h"

namespace terrane {

namespace {

NearBody near_of(const MotionBody& body) {
    SceneBodies one;
    one.all = {body};
    std::vector<MotionBody> gathered;
    std::vector<NearBody> near;
    gather_bodies(one, grow(Aabb{body.position, body.position}, 100.0F), gathered, near);
    return near.at(0);
}

BodyContact contact_with(const MotionScene& scene, const MotionBody& body) {
    const float radius = scene.config.radius_m;
    const Vec3& foot = scene.player.position;
    return contact_of(near_of(body), foot + Vec3{0.0F, radius, 0.0F},
                      foot + Vec3{0.0F, scene.config.height_m - radius, 0.0F});
}

}  // namespace

void SceneBodies::gather(const Aabb& box, std::vector<MotionBody>& out) {
    for (const MotionBody& body : all) {
        const Vec3& half = body.half_extents;
        const Vec3 reach = body.shape == BodyShape::box && body.rotation == kNoRotation
                               ? half
                               : Vec3{glm::length(half) + half.x};
        if (overlaps(Aabb{body.position - reach, body.position + reach}, box)) {
            out.push_back(body);
        }
    }
}

bool SceneBodies::find(std::uint64_t id, MotionBody& out) {
    const auto found =
        std::ranges::find_if(all, [id](const MotionBody& body) { return body.id == id; });
    if (found == all.end()) {
        return false;
    }
    out = *found;
    return true;
}

BodyScene::BodyScene(const GridBounds& bounds) : MotionScene(bounds) {
    world.bodies = &bodies;
}

MotionBody& BodyScene::add(std::uint64_t id, const Vec3& position, const Vec3& half_extents,
                           float mass_kg, BodyShape shape) {
    MotionBody body;
    body.id = id;
    body.shape = shape;
    body.half_extents = half_extents;
    body.position = position;
    body.mass_kg = mass_kg;
    bodies.all.push_back(body);
    return bodies.all.back();
}

MotionBody& BodyScene::body(std::uint64_t id) {
    return *std::ranges::find_if(bodies.all,
                                 [id](const MotionBody& body) { return body.id == id; });
}

void BodyScene::step(const PlayerControls& controls) {
    world.pushes.clear();
    step_player(player, controls, config, world, kSubstepS);
    pushes = world.pushes;
    for (const MotionPush& push : pushes) {
        MotionBody& pushed = body(push.body);
        if (are_pushed) {
            const Vec3 change = push.impulse_ns / pushed.mass_kg;
            pushed.linear_velocity += Vec3{change.x, 0.0F, change.z};
        }
    }
    for (MotionBody& one : bodies.all) {
        move(one);
    }
}

void BodyScene::move(MotionBody& body) {
    Vec3& velocity = body.linear_velocity;
    if (body.mass_kg > 0.0F && friction_mps2 > 0.0F) {
        const float speed = glm::length(velocity);
        velocity *= speed > 0.0F ? std::max(speed - friction_mps2 * kSubstepS, 0.0F) / speed : 0.0F;
    }
    // Like Bullet against a static capsule: what would come nearer than touching stops there. Not
    // the carrier: its rider follows in the next substep.
    const BodyContact met = contact_with(*this, body);
    const float coming = glm::dot(velocity, met.normal);
    const float free_mps = std::max(met.distance_m - config.radius_m, 0.0F) / kSubstepS;
    if (body.mass_kg > 0.0F && body.id != player.carrier && coming > free_mps) {
        velocity -= met.normal * (coming - free_mps);
    }
    body.position += velocity * kSubstepS;
    body.rotation = turned(body.rotation, body.angular_velocity.y * kSubstepS);
    if (body.mass_kg > 0.0F && body.position.x + body.half_extents.x > wall_x) {
        body.position.x = wall_x - body.half_extents.x;
        velocity.x = std::min(velocity.x, 0.0F);
    }
}

void BodyScene::run_all(const PlayerControls& controls, float seconds) {
    const int steps = static_cast<int>(seconds * 60.0F + 0.5F);
    for (int i = 0; i < steps; ++i) {
        step(controls);
    }
}

float BodyScene::gap_to_m(const MotionBody& body) const {
    return contact_with(*this, body).distance_m - config.radius_m;
}

Vec3 BodyScene::foot_on(std::uint64_t id) {
    const MotionBody& on = body(id);
    return glm::conjugate(on.rotation) * (player.position - on.position);
}

Quat turned(const Quat& q, float turn) {
    const float half = 0.5F * turn;
    const Quat step{1.0F - 0.5F * half * half, 0.0F, half, 0.0F};
    return glm::normalize(step * q);
}

}  // namespace terrane
