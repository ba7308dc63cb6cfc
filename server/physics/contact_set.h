// The contacts of one body (or part of one) with the terrain in one step, and which four of them
// the solver is given: Bullet's manifolds hold no more. Touching ones come before those that are
// only near; among them first the deepest, then the farthest from it, then the one that spans the
// largest triangle with the two, then the one that adds most to its area. That is the base on which
// the body stands, whatever the order in which triangles came.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "server/physics/surface_edges.h"

namespace terrane {

/// Nearer than this a point touches.
inline constexpr float kTouchM = 0.002F;

struct GroundContact {
    SurfaceContact contact;
    float friction = 0.0F;   ///< of the ground
    bool is_fitted = false;  ///< its normal was not its own (surface_edges.h)
};

/// Adds `made`, unless the same point of the body with the same normal is there: then the better
/// one stays, which is the one that was not fitted, else the deeper.
void add_contact(std::vector<GroundContact>& contacts, const GroundContact& made);

struct FourContacts {
    std::array<std::size_t, 4> index{};
    std::size_t count = 0;
};
FourContacts pick_four(std::span<const GroundContact> contacts);

}  // namespace terrane
