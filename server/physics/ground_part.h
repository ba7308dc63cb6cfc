// What collides with the terrain: a body, or one child of a body made of several shapes. Seen in
// the frame of the voxel corner under it, `origin`, as are the triangles that it meets: 4 km from
// the zone's middle a float has steps of 0.2 mm, too coarse for contacts, and the differences are
// exact. Private to server/physics.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "server/physics/body_table.h"
#include "server/physics/direct_contacts.h"

namespace terrane {

struct GroundPart {
    const BodySlot* slot = nullptr;
    const btConvexShape* shape = nullptr;
    btTransform pose;  ///< of the shape, zone space
    Vec3 origin{0.0F};
    DirectBody body;  ///< a hull's: the box around it, under the name of `piece`
    Aabb bounds;      ///< zone space, stretched along its way in this step
};

/// `convex` is the body's wrapper, or that of a child.
GroundPart ground_part(const btCollisionObjectWrapper& convex, const BodySlot& slot, float dt);

/// The point of the part that lies farthest along `direction`, in the frame of `origin`.
Vec3 farthest_point(const GroundPart& part, const Vec3& direction);

/// The points on which the part may stand, all of them, `margin_m` below each its surface: a box's
/// corners, four on either rim of a cylinder, a hull's corners; none of what is round or has more.
struct Corners {
    std::array<Vec3, 16> points;
    std::size_t count = 0;
    float margin_m = 0.0F;

    std::span<const Vec3> all() const { return {points.data(), count}; }
};
Corners corners_of(const GroundPart& part);

/// Are all three corners of the triangle beyond the same side of the part's box, farther than
/// `reach_m`? (Often: half of the triangles that the box of a turned body meets.)
bool is_beside(const DirectBody& body, const TerrainTriangle& triangle, float reach_m);

/// A contact as Bullet takes it, with the material's friction.
btManifoldPoint manifold_point(const GroundPart& part, const SurfaceContact& contact,
                               float friction);

/// The contact of a triangle that found the body on its wrong side and whose middle is in the
/// ground: out along the triangle's normal by the deepest point. nullopt if it is not in there: the
/// triangle is then the far side of a thin wall, or an edge that another triangle answers for.
class TurnRound {
  public:
    TurnRound(Terrain& terrain, const GroundPart& part) : terrain_(&terrain), part_(&part) {}
    std::optional<SurfaceContact> contact(const TerrainTriangle& triangle, const Vec3& face);

  private:
    Terrain* terrain_;
    const GroundPart* part_;
    std::optional<bool> is_buried_;
};

}  // namespace terrane
