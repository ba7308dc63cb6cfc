// How a material is drawn: its colour from the zone's table, and by its name how rough and how
// patterned its surface looks. A name that is not known here looks like plain earth.
#pragma once

#include <vector>

#include "shared/math/vec.h"
#include "shared/voxel/material.h"

namespace terrane {

struct MaterialLook {
    Vec3 colour{0.5F};
    float contrast = 0.35F;  ///< of the grain, 0..1
    float strata = 0.0F;     ///< of horizontal layers, as in rock
    float grain_m = 0.5F;    ///< size of the grain
    float bump = 0.5F;       ///< how far the grain turns the normal
    float meadow = 0.0F;     ///< drift between two tones of green, as grass has
};

MaterialLook look_of(const Material& material);

/// Two texels a material, as the terrain's shader reads them.
std::vector<Vec4> look_table(const MaterialTable& materials);

}  // namespace terrane
