// What collides with the terrain: a body, or one child of a body made of several shapes. Seen in
// the frame of the voxel corner under it, `origin`, as are the triangles that it meets: 4 km from
// the zone's middle a float has steps of 0.2 mm, too coarse for contacts, and the differences are
// exact. Private to server/physics.
#pragma once

#include <array>
#include <bit>
#include <optional>
#include <span>

#include "server/physics/body_table.h"
#include "server/physics/contact_set.h"
#include "server/physics/direct_contacts.h"

namespace terrane {

/// Contacts are looked for at least this far from the body.
inline constexpr float kReachM = 0.04F;

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

/// Whether at least four of a part's corners stand on the ground, and how deep.
struct HeldUp {
    unsigned touching = 0;  ///< a bit for each corner
    float deepest_m = 0.0F;

    /// Points no deeper than this are not needed.
    bool is_up_to(float depth_m) const {
        return std::popcount(touching) >= 4 && depth_m > deepest_m - kTouchM;
    }
};

/// Calls add(const SurfaceContact&) for every corner on the triangle, whose normal is `face`.
template <typename Add>
void stand_on(const GroundPart& part, const Corners& corners, const TerrainTriangle& triangle,
              const Vec3& face, HeldUp& held, const Add& add) {
    if (glm::dot(part.body.position - triangle.a, face) <= 0.0F) {
        return;
    }
    for (std::size_t i = 0; i < corners.count; ++i) {
        const Vec3& corner = corners.points[i];
        const float height = glm::dot(corner - triangle.a, face);
        const float depth = height - corners.margin_m;
        const Vec3 foot = corner - height * face;
        if (std::abs(depth) <= kReachM && is_over(triangle, face, foot)) {
            add(SurfaceContact{face, foot, depth});
            held.touching |= depth <= kTouchM ? 1U << i : 0U;
            held.deepest_m = std::min(held.deepest_m, depth);
        }
    }
}

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
