#include "server/physics/water_forces.h"

#include <algorithm>

#include "shared/math/trig.h"

namespace terrane {

namespace {

constexpr auto kPiF = static_cast<float>(kPi);
/// Per second; waves and turning, at the surface and below it.
constexpr float kWaveRate = 2.5F;
constexpr float kTurnRate = 0.8F;
/// Small against the quadratic drag: 2 % of the sinking speed of a 0.6 m crate of density 2.
constexpr float kViscousRate = 0.06F;

}  // namespace

float drag_coefficient(BodyShape shape) {
    switch (shape) {
        case BodyShape::sphere:
            return 0.47F;
        case BodyShape::cylinder:
            return 0.95F;
        case BodyShape::capsule:
            return 0.7F;  // a ball's ends, a cylinder's side
        default:
            return 1.05F;
    }
}

float area_along(const BodyVolume& body, const Vec3& direction) {
    const Vec3 d = glm::abs(glm::conjugate(body.rotation) * direction);
    const Vec3& half = body.half_extents;
    switch (body.shape) {
        case BodyShape::sphere:
            return kPiF * half.x * half.x;
        case BodyShape::cylinder:
            return kPiF * half.x * half.x * d.y +
                   4.0F * half.x * half.y * std::sqrt(std::max(0.0F, 1.0F - d.y * d.y));
        case BodyShape::capsule:
            return kPiF * half.x * half.x + 4.0F * half.x * capsule_arm_m(half) *
                                                std::sqrt(std::max(0.0F, 1.0F - d.y * d.y));
        case BodyShape::piece: {  // of its box, as far as that is full
            const float full = volume_m3(body) / (8.0F * half.x * half.y * half.z);
            return 4.0F * std::sqrt(std::min(1.0F, full)) *
                   (d.x * half.y * half.z + d.y * half.x * half.z + d.z * half.x * half.y);
        }
        default:
            return 4.0F * (d.x * half.y * half.z + d.y * half.x * half.z + d.z * half.x * half.y);
    }
}

WaterForce water_force(const WaterConfig& config, const BodyVolume& body, const Submersion& under,
                       const BodyMotion& motion, float dt) {
    WaterForce force;
    force.lift_point = under.centre;
    force.angular_velocity = motion.angular_velocity;
    const float volume = volume_m3(body);
    if (under.volume_m3 <= 0.0F || volume <= 0.0F) {
        return force;
    }
    const float share = std::min(1.0F, under.volume_m3 / volume);
    force.lift_n.y = config.density_kg_m3 * under.volume_m3 * config.gravity_mps2;

    const Vec3 down{0.0F, -config.gravity_mps2, 0.0F};
    const Vec3 free =
        motion.linear_velocity + dt * (down + (force.lift_n + motion.push_n) / motion.mass_kg);
    const float speed = glm::length(motion.linear_velocity);
    const Vec3 along = speed > 0.0F ? motion.linear_velocity / speed : Vec3(0.0F, 1.0F, 0.0F);
    const float displaced = config.density_kg_m3 / motion.mass_kg;
    const float quadratic =
        0.5F * displaced * drag_coefficient(body.shape) * area_along(body, along) * share;
    const float at_surface = 4.0F * share * (1.0F - share);
    const float rate = quadratic * speed + kWaveRate * at_surface + kViscousRate * share;
    force.drag_n = (motion.mass_kg / dt) * (free / (1.0F + rate * dt) - free);

    const float spin = glm::length(motion.angular_velocity);
    const float turning = (kWaveRate * at_surface + kTurnRate * share) * (1.0F + spin);
    force.angular_velocity = motion.angular_velocity / (1.0F + turning * dt);
    return force;
}

}  // namespace terrane
