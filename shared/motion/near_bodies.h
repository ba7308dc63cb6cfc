// The bodies near one player for one substep, ready to be measured against a capsule.
#pragma once

#include <vector>

#include "shared/motion/motion_bodies.h"

namespace terrane {

/// More bodies than this within reach of one player are left out, the largest ids first.
inline constexpr std::size_t kNearBodiesMax = 64;

struct NearBody {
    MotionBody body;
    Vec3 position{0.0F};  ///< where it is measured: body.position, or ahead of it
    Mat3 to_zone{1.0F};   ///< of body.rotation
    Aabb box;
    bool is_passed = false;  ///< sweeps go through it for the moment
};

/// `distance_m` is of the capsule's core segment and negative where they overlap.
struct BodyContact {
    float distance_m = 0.0F;
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit, from the body to the capsule
    Vec3 point{0.0F};               ///< on the body
};

/// Asks `bodies` for what meets `box`. Leaves out players and what is not finite; takes speeds of
/// at most 60 m/s and 60 rad/s for true. `gathered` is working memory.
void gather_bodies(MotionBodies& bodies, const Aabb& box, std::vector<MotionBody>& gathered,
                   std::vector<NearBody>& near);
/// False for a body that must be left out; else mends rotation and speeds.
bool mend_body(MotionBody& body);

/// The core segment runs upright from `low` to `high`.
BodyContact contact_of(const NearBody& near, const Vec3& low, const Vec3& high);
/// y of the unit normal of the face touched at `point`, of several the largest.
float face_up_at(const NearBody& near, const Vec3& point);
/// Measures it `way` farther from now on.
void move_by(NearBody& near, const Vec3& way);

/// Velocity of the body's point that is now at `point`.
Vec3 velocity_at(const MotionBody& body, const Vec3& point);
/// What one newton second at `point` along the unit vector `direction` changes of that point's
/// speed along it, 1/kg; 0 for what cannot be pushed. A part of a body counts as if all of the mass
/// were in it.
float inverse_mass_at(const MotionBody& body, const Vec3& point, const Vec3& direction);

}  // namespace terrane
