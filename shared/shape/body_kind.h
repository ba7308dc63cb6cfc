// What kinds of bodies there are: shape, density and look, from config/bodies.toml. A kind's index
// in the table is its number on the wire (kind 0 is the player) and in the store, by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/math/vec.h"

namespace terrane {

enum class BodyShape : std::uint8_t { player = 0, box = 1, sphere = 2, cylinder = 3 };

struct BodyKind {
    std::string name;
    BodyShape shape = BodyShape::box;
    Vec3 half_extents{
        0.3F};  ///< metres; sphere: x = radius; cylinder about y: x = radius, y = half length
    float density_kg_m3 = 350.0F;
    float friction = 0.6F;
    float restitution = 0.1F;
    float red = 0.6F;
    float green = 0.45F;
    float blue = 0.3F;
};

using BodyKindTable = std::vector<BodyKind>;

/// Cubic metres of a shape with `half_extents` as in BodyKind; 0 for the player, which is no body.
float volume_m3(BodyShape shape, const Vec3& half_extents);
inline float volume_m3(const BodyKind& kind) {
    return volume_m3(kind.shape, kind.half_extents);
}
inline float mass_kg(const BodyKind& kind) {
    return kind.density_kg_m3 * volume_m3(kind);
}

}  // namespace terrane
