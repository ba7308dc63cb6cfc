// What water does to a body in one substep: it pushes with the weight of what the body displaces,
// at the centre of that volume (which rights a boat and tilts a crate), and it resists.
//
//   resistance, along the velocity v    1/2 rho Cd A |v| v     A = area seen along v, by its share
//                                                              under water; sets the sinking speed
//   waves, bodies at the surface only   4 s (1 - s) rate v     s = submerged share: a bobbing body
//                                                              gives its energy to waves; without
//                                                              this term it would bob for minutes
//   turning                             rate w                 the same two, for angular velocity
//
// The resistance is taken implicitly, v' = v_free / (1 + c |v| dt), so that no speed and no step
// makes it unstable, and sinking settles at the speed where weight and drag are equal.
#pragma once

#include "server/physics/buoyancy.h"

namespace terrane {

struct WaterConfig {
    float density_kg_m3 = 1000.0F;
    float gravity_mps2 = 9.81F;
};

/// The body's motion and mass.
struct BodyMotion {
    float mass_kg = 1.0F;
    Vec3 linear_velocity{0.0F};
    Vec3 angular_velocity{0.0F};
    Vec3 push_n{0.0F};  ///< what else than weight and water acts on it
};

struct WaterForce {
    Vec3 lift_n{0.0F};  ///< acts at `lift_point`
    Vec3 lift_point{0.0F};
    Vec3 drag_n{0.0F};            ///< acts at the centre of mass
    Vec3 angular_velocity{0.0F};  ///< after this substep's resistance
};

/// Cd of the shape, for area_along.
float drag_coefficient(BodyShape shape);
/// The area of the body's shadow along the unit vector `direction`, square metres.
float area_along(const BodyVolume& body, const Vec3& direction);

WaterForce water_force(const WaterConfig& config, const BodyVolume& body, const Submersion& under,
                       const BodyMotion& motion, float dt);

}  // namespace terrane
