// What kinds of bodies there are: shape, weight, seats and look, from config/bodies.toml. A kind's
// index in the table is its number on the wire (kind 0 is the player) and in the store, by name.
//
//   solid    density_kg_m3, weighs density x volume       crate, ball, barrel, log
//   hollow   mass_kg, floats by its hull's volume         boat, with seats and ballast
//   static   is_static: grows with the terrain and stands until its ground goes; then it is a body
//            like any other                               boulder, pine
//
// A body's position is its shape's middle everywhere outside of server/physics: on the wire, in the
// store, for motion. Ballast only moves the centre of mass that Bullet turns it about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shared/math/vec.h"

namespace terrane {

/// A piece is what an edit cut out of the terrain: its shape comes from its voxels, not from here.
enum class BodyShape : std::uint8_t {
    player = 0,
    box = 1,
    sphere = 2,
    cylinder = 3,
    capsule = 4,
    piece = 5
};
inline constexpr std::size_t kBodyShapes = 6;

struct BodyKind {
    std::string name;
    BodyShape shape = BodyShape::box;
    /// Metres. Sphere: x = radius. Cylinder and capsule, about y: x = radius, y = half length, of a
    /// capsule with its caps, so at least x.
    Vec3 half_extents{0.3F};
    float density_kg_m3 = 350.0F;  ///< of a solid one; not read if mass_kg is given
    float friction = 0.6F;
    float restitution = 0.1F;
    float red = 0.6F;
    float green = 0.45F;
    float blue = 0.3F;
    float mass_kg = 0.0F;       ///< above 0: hollow, weighs this, floats by its hull's volume
    float ballast_m = 0.0F;     ///< box: the centre of mass lies this far below the middle
    std::vector<Vec3> seats{};  ///< a seated player's foot, metres, in the body's frame: the
                                ///< shape's middle its origin; seat 0 steers
    bool is_static = false;     ///< a prop, scattered
    float thrust_n = 0.0F;      ///< what the rower in seat 0 can push with, afloat
    std::uint32_t scatter_per_km2 = 0;  ///< static: how many grow on a square kilometre that suits
    std::int32_t scatter_low_m = 1;     ///< lowest and highest ground they grow on, above the sea
    std::int32_t scatter_high_m = 1000;
};

using BodyKindTable = std::vector<BodyKind>;

/// Cubic metres of a shape with `half_extents` as in BodyKind; 0 for the player, which is no body,
/// and for a piece, whose volume is that of its parts.
float volume_m3(BodyShape shape, const Vec3& half_extents);
/// Half the edges of the smallest box around the shape in its own frame.
Vec3 box_half_extents(BodyShape shape, const Vec3& half_extents);
/// Moments of inertia about the axes of a solid of 1 kg, kg m2; as a box's for player and piece.
Vec3 inertia_per_kg(BodyShape shape, const Vec3& half_extents);
/// From the middle of a capsule to that of a cap; 0 where half_extents.y is too small.
inline float capsule_arm_m(const Vec3& half_extents) {
    return half_extents.y > half_extents.x ? half_extents.y - half_extents.x : 0.0F;
}
inline float volume_m3(const BodyKind& kind) {
    return volume_m3(kind.shape, kind.half_extents);
}
/// Of a rigid body: mass_kg if that is given, else density by volume; 0 for the player.
inline float body_mass_kg(const BodyKind& kind) {
    return kind.mass_kg > 0.0F ? kind.mass_kg : kind.density_kg_m3 * volume_m3(kind);
}
/// Mass by hull volume: below the water's it floats. 0 for the player and what has no volume.
float hull_density_kg_m3(const BodyKind& kind);
/// How high the middle of a prop is over its foot, metres: half its height, of a ball a quarter,
/// since a boulder lies half in the ground.
float middle_above_foot_m(BodyShape shape, const Vec3& half_extents);

}  // namespace terrane
