// A player among a few bodies on a small world. The bodies move in straight lines and turn as they
// are told; they slide with friction, stop at walls and at the player's capsule as in the zone,
// where it stands still while they move. No gravity.
#pragma once

#include "tests/shared/motion/motion_scene.h"

namespace terrane {

struct SceneBodies : MotionBodies {
    void gather(const Aabb& box, std::vector<MotionBody>& out) override;
    bool find(std::uint64_t id, MotionBody& out) override;

    std::vector<MotionBody> all;  ///< ascending by id
};

struct BodyScene : MotionScene {
    explicit BodyScene(const GridBounds& bounds = {{-1, -1, -1}, {1, 1, 1}});

    /// A box that nothing but its velocity moves, unless it has a mass and `are_pushed`.
    MotionBody& add(std::uint64_t id, const Vec3& position, const Vec3& half_extents,
                    float mass_kg = 0.0F, BodyShape shape = BodyShape::box);
    MotionBody& body(std::uint64_t id);
    /// One substep: the player, then the bodies.
    void step(const PlayerControls& controls);
    void run_all(const PlayerControls& controls, float seconds);
    /// Distance of the capsule's surface to that body; negative where they overlap.
    float gap_to_m(const MotionBody& body) const;
    float body_gap_m(std::uint64_t id) { return gap_to_m(body(id)); }
    /// The foot in the body's frame.
    Vec3 foot_on(std::uint64_t id);

    SceneBodies bodies;
    bool are_pushed = true;          ///< pushes change velocities
    float friction_mps2 = 0.0F;      ///< slows what is pushed
    float wall_x = 1e9F;             ///< bodies do not pass it
    std::vector<MotionPush> pushes;  ///< of the last substep

  private:
    void move(MotionBody& body);
};

/// `q` turned by `turn` radians about the vertical; exact enough for small steps.
Quat turned(const Quat& q, float turn);

}  // namespace terrane
