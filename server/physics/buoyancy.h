// How much of a body is under water, and where: Archimedes by cases. Of the voxels that the body's
// box meets (wet_voxels.h) each gives a bound on the level: a wet voxel says "water up to here at
// least", a dry one "dry from here". Ground that no water is beside says nothing: a body is not in
// rock, and the water near it reaches the shore that is seen. (Thin ground said "dry" once: half of
// a crate at the shore was dry for good and it turned there like a mill's wheel.) If one level
// satisfies all of them the water is flat there.
//
//   none    nothing wet                       0
//   full    wet up to the box's top           the whole body
//   flat    one level through the box         exact: sphere cap; box, cylinder as a prism of 16
//                                             sides with the circle's area, and capsule as one of 8
//                                             with round ends, clipped by the plane
//           a piece: its parts, each as its box, by its share of the piece's volume
//   mixed   shores, steps, falls in the box   4 x 4 x 4 cells of the body, each with the level in
//                                             its own voxel column
//
// How high a voxel is wet, of its own height:
//   water under water 1; else water: occupancy / 255
//   solid below core: 1 under water, else the highest water voxel beside it (flooded), else nothing
//
// Pure functions, + - * / and sqrt only.
#pragma once

#include "shared/math/aabb.h"
#include "shared/shape/body_kind.h"
#include "shared/shape/piece_shape.h"
#include "shared/terrain/terrain.h"

namespace terrane {

/// A solid in zone space.
struct BodyVolume {
    BodyShape shape = BodyShape::box;
    Vec3 half_extents{0.5F};  ///< as in BodyKind
    Vec3 position{0.0F};
    Quat rotation = kNoRotation;
    const PieceShape* piece = nullptr;  ///< of shape `piece`, and only then
};

struct Submersion {
    float volume_m3 = 0.0F;
    Vec3 centre{0.0F};  ///< of the submerged volume, zone space; the body's centre if there is none
};

enum class WaterCase : std::uint8_t { none, full, flat, mixed };

struct WaterLevel {
    WaterCase kind = WaterCase::none;
    float level_m = 0.0F;  ///< flat only: the surface's height
};

float volume_m3(const BodyVolume& body);
/// The smallest axis-aligned box; of a piece, that around the boxes of its parts.
Aabb box_of(const BodyVolume& body);
/// Does the body's box, or that of one of its parts, meet `box`?
bool is_box_met(const BodyVolume& body, const Aabb& box);

WaterLevel classify_water(const Terrain& terrain, const Aabb& box);
/// The part of the body below the horizontal plane y = `level_m`.
Submersion submerge_flat(const BodyVolume& body, float level_m);
/// The part of the body in the water of `terrain`.
Submersion submerge(const Terrain& terrain, const BodyVolume& body);

}  // namespace terrane
