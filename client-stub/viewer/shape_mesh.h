// Triangles of the shapes that bodies have, one metre in half size, to be scaled by a body's half
// extents; the player's capsule comes in its own size.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/math/vec.h"

namespace terrane {

struct ShapeVertex {
    Vec3 position{0.0F};
    Vec3 normal{0.0F, 1.0F, 0.0F};
};
static_assert(sizeof(ShapeVertex) == 24);

struct ShapeMesh {
    std::vector<ShapeVertex> vertices;
    std::vector<std::uint32_t> indices;  ///< counter-clockwise from outside
};

ShapeMesh make_box();
ShapeMesh make_sphere();
/// About Y, caps included.
ShapeMesh make_cylinder();
/// About Y, the lowest point at the origin; `height_m` from end to end.
ShapeMesh make_capsule(float radius_m, float height_m);

}  // namespace terrane
