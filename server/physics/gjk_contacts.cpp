#include "server/physics/gjk_contacts.h"

#include <algorithm>

#include <BulletCollision/CollisionShapes/btTriangleShape.h>

namespace terrane {

namespace {

/// Marks, in btManifoldPoint::m_partId0, a point whose normal is not as Bullet found it.
constexpr int kFitted = 1;

/// Takes what Bullet finds for one triangle at a time and puts it, fitted, into the manifold.
class FittingResult final : public btManifoldResult {
  public:
    FittingResult(const GjkPair& pair, Terrain& terrain, const GroundPart& part,
                  const NearGround& ground, btPersistentManifold& manifold)
        : btManifoldResult(&pair.convex, &pair.terrain),
          part_(part),
          ground_(ground),
          turn_round_(terrain, part) {
        setPersistentManifold(&manifold);
        m_closestPointDistanceThreshold = ground.reach_m;
    }

    void set_triangle(std::size_t index) {
        index_ = index;
        friction_ = ground_.friction[ground_.surface.triangles[index].material];
    }

    void addContactPoint(const btVector3& normal, const btVector3& point, btScalar depth) override {
        SurfaceContact contact{from_bullet(normal), from_bullet(point) - part_.origin, depth};
        const SurfaceSide side = fit_to_surface(ground_.surface, index_, contact);
        if (side == SurfaceSide::back) {
            const auto turned = turn_round_.contact(ground_.surface.triangles[index_],
                                                    ground_.surface.normals[index_]);
            if (!turned.has_value()) {
                return;
            }
            contact = *turned;
        }
        // A point that is not touching yet and whose normal was not its own stands beside the
        // body's true points and would take one's place among the four that Bullet keeps.
        if (contact.depth_m > (side == SurfaceSide::fitted ? kTouchM : ground_.reach_m) ||
            held_.is_up_to(contact.depth_m)) {
            return;
        }
        contact.depth_m = std::max(contact.depth_m, -kDepthMaxM);
        insert(contact, side != SurfaceSide::front);
    }

    /// Bullet finds one point a triangle, anywhere on a face that lies flat, and keeps four: a box
    /// on level ground rocked on them for half a minute and more. Its own corners hold it still;
    /// once four of them touch, points that are no deeper are left out.
    void add_corners(const Corners& corners) {
        stand_on(part_, corners, ground_.surface.triangles[index_], ground_.surface.normals[index_],
                 held_, [&](const SurfaceContact& contact) { insert(contact, false); });
    }
    const HeldUp& held() const { return held_; }

  private:
    void insert(const SurfaceContact& contact, bool is_fitted) {
        btManifoldPoint point = manifold_point(part_, contact, friction_);
        point.m_partId0 = is_fitted ? kFitted : 0;
        point.m_index0 = ground_.step;
        const int place = m_manifoldPtr->getCacheEntry(point);
        if (place < 0) {
            m_manifoldPtr->addManifoldPoint(point);
            return;
        }
        // The same point from two triangles in one step: the normal that needed no fitting is the
        // better one.
        const btManifoldPoint& old = m_manifoldPtr->getContactPoint(place);
        if (is_fitted && old.m_index0 == ground_.step && old.m_partId0 != kFitted) {
            return;
        }
        m_manifoldPtr->replaceContactPoint(point, place);
    }

    const GroundPart& part_;
    const NearGround& ground_;
    TurnRound turn_round_;
    std::size_t index_ = 0;
    HeldUp held_;
    float friction_ = 0.0F;
};

}  // namespace

void collide_by_gjk(const GjkPair& pair, Terrain& terrain, const GroundPart& part,
                    const NearGround& ground, btPersistentManifold& manifold,
                    btCollisionAlgorithm*& algorithm) {
    manifold.refreshContactPoints(part.slot->rigid->getWorldTransform(),
                                  pair.terrain.getWorldTransform());
    FittingResult result(pair, terrain, part, ground, manifold);
    const Corners corners = corners_of(part);
    for (const std::uint32_t i : ground.reachable) {
        result.set_triangle(i);
        result.add_corners(corners);
    }
    const btTransform frame(btQuaternion::getIdentity(), to_bullet(part.origin));
    for (const std::uint32_t i : ground.reachable) {
        const TerrainTriangle& triangle = ground.surface.triangles[i];
        const Vec3 face = ground.surface.normals[i];
        // No point of the body is deeper below the triangle's plane than this.
        if (result.held().is_up_to(glm::dot(part.body.position - triangle.a, face) -
                                   extent_along(part.body, face))) {
            continue;
        }
        btTriangleShape shape(to_bullet(triangle.a), to_bullet(triangle.b), to_bullet(triangle.c));
        shape.setMargin(0.0F);
        const btCollisionObjectWrapper wrapper(&pair.terrain, &shape,
                                               pair.terrain.getCollisionObject(), frame, 0,
                                               static_cast<int>(i));
        if (algorithm == nullptr) {
            algorithm = pair.dispatcher.findAlgorithm(&pair.convex, &wrapper, &manifold,
                                                      BT_CONTACT_POINT_ALGORITHMS);
        }
        result.set_triangle(i);
        algorithm->processCollision(&pair.convex, &wrapper, pair.info, &result);
    }
}

}  // namespace terrane
