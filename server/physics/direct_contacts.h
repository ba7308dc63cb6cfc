// Contacts of a sphere, a capsule or a box with one triangle of the terrain, without GJK, which
// cost a box ten times as much. All in the triangle's frame, pure functions, + - * / and sqrt only.
//
//   sphere    the triangle's closest point (Ericson, "Real-Time Collision Detection", 5.1.5)
//   capsule   both ends as spheres; where its line passes a triangle's edge, that pair as well
//   box       separating axes: the face normal, the box's 3, the 9 of edges by edges; the one of
//             least overlap says which features meet (after the box-box test of Gottschalk et al.):
//
//               face normal   the box's face that looks at the triangle, clipped by its sides
//               box's axis    the triangle, clipped by the sides of the box's face
//               edge by edge  one point, where they come closest
//
// The face normal is taken unless another is better by kFaceBonusM: a box that lies flat lies on
// faces. Normals may point into the ground or be an inner edge's; surface_edges.h puts that right.
#pragma once

#include <array>
#include <span>

#include "server/physics/surface_edges.h"
#include "shared/shape/body_kind.h"

namespace terrane {

/// A body or a part of one, in the frame of the triangles.
struct DirectBody {
    BodyShape shape = BodyShape::box;
    Vec3 half_extents{0.5F};  ///< as in BodyKind
    Vec3 position{0.0F};
    Mat3 axes{1.0F};
};

/// What one triangle gives: a triangle cut by four planes has up to 7 corners, a face cut by three
/// as many.
struct DirectContacts {
    std::array<SurfaceContact, 8> points;
    std::size_t count = 0;

    void add(const SurfaceContact& contact) {
        if (count < points.size()) {
            points[count++] = contact;
        }
    }
    std::span<SurfaceContact> all() { return {points.data(), count}; }
};

/// Is the contact of this shape found here?
inline bool has_direct_contacts(BodyShape shape) {
    return shape == BodyShape::box || shape == BodyShape::sphere || shape == BodyShape::capsule;
}

/// How far the body reaches from its middle along the unit vector `direction`.
float extent_along(const DirectBody& body, const Vec3& direction);
/// Does `point`, in the triangle's plane, lie in it? `face` is its normal.
bool is_over(const TerrainTriangle& triangle, const Vec3& face, const Vec3& point);
/// Contacts nearer than `reach_m`; `face` is the triangle's normal, not zero. The body's middle
/// should be on its front side.
void find_contacts(const DirectBody& body, const TerrainTriangle& triangle, const Vec3& face,
                   float reach_m, DirectContacts& found);
/// Do the body and the triangle meet, or come nearer than `reach_m`? May say yes of a box or
/// capsule a little farther off.
bool is_near(const DirectBody& body, const TerrainTriangle& triangle, const Vec3& face,
             float reach_m);

}  // namespace terrane
