// Where a ray meets a box, sphere, cylinder or capsule: closed forms in double precision, in the
// solid's own frame. What starts inside meets it at once.
#pragma once

#include <optional>

#include "shared/scene/solid.h"

namespace terrane {

/// Of any core but a hull; a segment's radius makes a capsule, a point's a sphere; boxes and
/// cylinders have none. The ray must be finite and its direction not zero; t_max counts.
std::optional<SolidHit> raycast_core(const ConvexCore& core, const Ray& ray);

}  // namespace terrane
