// Whether a contact with the ground is worth making: does the body's box meet an active cell, one
// between eight voxel centres that are not all of one kind? All triangles lie in active cells, so
// none is ever missed, and the dilated masks, which mark the inside of the ground as well, let
// twice as many boxes pass.
#pragma once

#include "shared/math/aabb.h"
#include "shared/terrain/terrain_masks.h"

namespace terrane {

/// False only if no triangle's own box meets `box` (metres), touching included.
bool may_touch_surface(const TerrainMasks& masks, const Aabb& box);

}  // namespace terrane
