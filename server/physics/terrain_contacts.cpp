#include "server/physics/terrain_contacts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <optional>
#include <span>

#include <BulletCollision/CollisionDispatch/btConvexConvexAlgorithm.h>
#include <BulletCollision/CollisionShapes/btTriangleShape.h>

#include "server/physics/ground_probe.h"
#include "shared/core/assert.h"

namespace terrane {

namespace {

constexpr float kWorldHalfM = 20000.0F;
/// Contacts are looked for at least this far from the body.
constexpr float kReachM = 0.04F;
constexpr float kReachMaxM = 1.0F;
/// Nearer than this a point touches.
constexpr float kTouchM = 0.002F;
/// A body that sank deeper is lifted in several steps.
constexpr float kDepthMaxM = 0.5F;
/// Marks, in btManifoldPoint::m_partId0, a point whose normal is not as Bullet found it.
constexpr int kFitted = 1;

void release(TerrainManifold& entry, btDispatcher& dispatcher) {
    if (entry.algorithm != nullptr) {
        entry.algorithm->~btCollisionAlgorithm();
        dispatcher.freeCollisionAlgorithm(entry.algorithm);
    }
    dispatcher.releaseManifold(entry.manifold);
}

/// The algorithm Bullet owns for a (body, terrain) pair: a handful of pointers, since the pool that
/// it lives in has elements of a fixed size.
class TerrainAlgorithm final : public btCollisionAlgorithm {
  public:
    TerrainAlgorithm(const btCollisionAlgorithmConstructionInfo& info, TerrainContacts& contacts,
                     bool is_swapped)
        : btCollisionAlgorithm(info), contacts_(&contacts), is_swapped_(is_swapped) {}
    ~TerrainAlgorithm() override {
        for (TerrainManifold& entry : manifolds_) {
            release(entry, *m_dispatcher);
        }
    }

    void processCollision(const btCollisionObjectWrapper* first,
                          const btCollisionObjectWrapper* second, const btDispatcherInfo& info,
                          btManifoldResult*) override {
        contacts_->collide(is_swapped_ ? *second : *first, is_swapped_ ? *first : *second, info,
                           *m_dispatcher, manifolds_);
    }
    btScalar calculateTimeOfImpact(btCollisionObject*, btCollisionObject*, const btDispatcherInfo&,
                                   btManifoldResult*) override {
        return 1.0F;
    }
    void getAllContactManifolds(btManifoldArray& manifolds) override {
        for (const TerrainManifold& entry : manifolds_) {
            manifolds.push_back(entry.manifold);
        }
    }

  private:
    TerrainContacts* contacts_;
    bool is_swapped_;
    std::vector<TerrainManifold> manifolds_;
};
static_assert(sizeof(TerrainAlgorithm) <= sizeof(btConvexConvexAlgorithm));

/// Does `point`, in the triangle's plane, lie in it?
bool is_over(const TerrainTriangle& triangle, const Vec3& face, const Vec3& point) {
    const auto is_left = [&](const Vec3& from, const Vec3& to) {
        return glm::dot(glm::cross(to - from, point - from), face) >= 0.0F;
    };
    return is_left(triangle.a, triangle.b) && is_left(triangle.b, triangle.c) &&
           is_left(triangle.c, triangle.a);
}

/// The points on which a box or cylinder may stand: up to 8; none of a sphere.
struct Corners {
    std::array<Vec3, 8> points;
    std::size_t count = 0;
};

Corners corners_of(const BodyVolume& body) {
    Corners corners;
    if (body.shape == BodyShape::sphere) {
        return corners;
    }
    Vec3 half = body.half_extents;
    if (body.shape == BodyShape::cylinder) {
        half.z = half.x;
    }
    for (int i = 0; i < 8; ++i) {
        Vec3 sign{(i & 1) != 0 ? 1.0F : -1.0F, (i & 2) != 0 ? 1.0F : -1.0F,
                  (i & 4) != 0 ? 1.0F : -1.0F};
        if (body.shape == BodyShape::cylinder) {  // four points on each rim
            sign = {(i & 4) == 0 ? sign.x : 0.0F, sign.y, (i & 4) != 0 ? sign.x : 0.0F};
        }
        corners.points[corners.count++] = body.position + body.rotation * (half * sign);
    }
    return corners;
}

/// Takes what Bullet finds for one triangle at a time and puts it, fitted, into the manifold.
class FittingResult final : public btManifoldResult {
  public:
    FittingResult(const btCollisionObjectWrapper& convex, const btCollisionObjectWrapper& terrain,
                  const BodySlot& body, Terrain& ground, const NearSurface& surface,
                  btPersistentManifold* manifold, float reach, int step)
        : btManifoldResult(&convex, &terrain),
          body_(body),
          ground_(ground),
          surface_(surface),
          reach_(reach),
          step_(step) {
        setPersistentManifold(manifold);
        m_closestPointDistanceThreshold = reach;
    }

    void set_triangle(std::size_t index, float friction) {
        index_ = index;
        friction_ = friction;
    }

    void addContactPoint(const btVector3& normal, const btVector3& point, btScalar depth) override {
        SurfaceContact contact{from_bullet(normal), from_bullet(point), depth};
        const SurfaceSide side = fit_to_surface(surface_, index_, contact);
        if (side == SurfaceSide::back && !turn_round(contact)) {
            return;
        }
        // A point that is not touching yet and whose normal was not its own stands beside the
        // body's true points and would take one's place among the four that Bullet keeps.
        if (contact.depth_m > (side == SurfaceSide::fitted ? kTouchM : reach_)) {
            return;
        }
        if (std::popcount(touching_) >= 4 && contact.depth_m > deepest_m_ - kTouchM) {
            return;
        }
        contact.depth_m = std::max(contact.depth_m, -kDepthMaxM);
        insert(contact, side != SurfaceSide::front);
    }

    /// Bullet finds one point a triangle, anywhere on a face that lies flat, and keeps four: a box
    /// on level ground rocked on them for half a minute and more. Its own corners hold it still;
    /// once four of them touch, points that are no deeper are left out.
    void add_corners(std::span<const Vec3> corners) {
        const TerrainTriangle& triangle = surface_.triangles[index_];
        const Vec3 face = surface_.normals[index_];
        if (glm::dot(body_.volume.position - triangle.a, face) <= 0.0F) {
            return;
        }
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Vec3& corner = corners[i];
            const float depth = glm::dot(corner - triangle.a, face);
            const Vec3 foot = corner - depth * face;
            if (std::abs(depth) <= kReachM && is_over(triangle, face, foot)) {
                insert({face, foot, depth}, false);
                touching_ |= depth <= kTouchM ? 1U << i : 0U;
                deepest_m_ = std::min(deepest_m_, depth);
            }
        }
    }

  private:
    /// A contact that would push the body into the ground. If its centre is in there, the triangle
    /// pushes it out by its deepest point; if not, the triangle is the far side of a thin wall or
    /// an edge that another triangle answers for.
    bool turn_round(SurfaceContact& contact) {
        if (!is_buried_.has_value()) {
            VoxelReader reader(ground_.grid());
            is_buried_ = is_in_ground(reader, body_.volume.position);
        }
        if (!*is_buried_) {
            return false;
        }
        const TerrainTriangle& triangle = surface_.triangles[index_];
        const Vec3 face = surface_.normals[index_];
        const btTransform& pose = body_.rigid->getWorldTransform();
        const btVector3 local = pose.getBasis().transpose() * to_bullet(-face);
        const Vec3 deepest = from_bullet(pose(body_.shape->localGetSupportingVertex(local)));
        const float depth = glm::dot(deepest - triangle.a, face);
        if (depth >= 0.0F || face == Vec3(0.0F)) {
            return false;
        }
        contact = {face, deepest - depth * face, depth};
        return true;
    }

    void insert(const SurfaceContact& contact, bool is_fitted) {
        const Vec3 on_body = contact.point + contact.depth_m * contact.normal;
        const btTransform& pose = body_.rigid->getWorldTransform();
        btManifoldPoint point(pose.invXform(to_bullet(on_body)), to_bullet(contact.point),
                              to_bullet(contact.normal), contact.depth_m);
        point.m_positionWorldOnA = to_bullet(on_body);
        point.m_positionWorldOnB = to_bullet(contact.point);
        point.m_combinedFriction = body_.rigid->getFriction() * friction_;
        point.m_combinedRollingFriction = body_.rigid->getRollingFriction() * friction_;
        point.m_combinedSpinningFriction = body_.rigid->getSpinningFriction() * friction_;
        point.m_combinedRestitution = body_.rigid->getRestitution();
        btPlaneSpace1(point.m_normalWorldOnB, point.m_lateralFrictionDir1,
                      point.m_lateralFrictionDir2);
        point.m_partId0 = is_fitted ? kFitted : 0;
        point.m_index0 = step_;
        const int place = m_manifoldPtr->getCacheEntry(point);
        if (place < 0) {
            m_manifoldPtr->addManifoldPoint(point);
            return;
        }
        // The same point from two triangles in one step: the normal that needed no fitting is the
        // better one.
        const btManifoldPoint& old = m_manifoldPtr->getContactPoint(place);
        if (is_fitted && old.m_index0 == step_ && old.m_partId0 != kFitted) {
            return;
        }
        m_manifoldPtr->replaceContactPoint(point, place);
    }

    const BodySlot& body_;
    Terrain& ground_;
    const NearSurface& surface_;
    std::optional<bool> is_buried_;
    std::size_t index_ = 0;
    unsigned touching_ = 0;  ///< a bit for each corner on the ground
    float deepest_m_ = 0.0F;
    float friction_ = kGroundFriction;
    float reach_;
    int step_;
};

TerrainManifold& find_or_make(std::vector<TerrainManifold>& manifolds, const BrickCoord& brick,
                              bool is_per_brick, const btCollisionObjectWrapper& convex,
                              const btCollisionObjectWrapper& terrain, btDispatcher& dispatcher) {
    for (TerrainManifold& entry : manifolds) {
        if (!is_per_brick || entry.brick == brick) {
            return entry;
        }
    }
    TerrainManifold entry;
    entry.brick = brick;
    entry.manifold =
        dispatcher.getNewManifold(convex.getCollisionObject(), terrain.getCollisionObject());
    return manifolds.emplace_back(entry);
}

/// How far a body reaches from its centre along the unit vector `direction`.
float extent_along(const BodyVolume& body, const Mat3& axes, const Vec3& direction) {
    const Vec3& half = body.half_extents;
    switch (body.shape) {
        case BodyShape::sphere:
            return half.x;
        case BodyShape::cylinder: {
            const float along = glm::dot(axes[1], direction);
            return std::abs(along) * half.y +
                   half.x * std::sqrt(std::max(0.0F, 1.0F - along * along));
        }
        default:
            return std::abs(glm::dot(axes[0], direction)) * half.x +
                   std::abs(glm::dot(axes[1], direction)) * half.y +
                   std::abs(glm::dot(axes[2], direction)) * half.z;
    }
}

/// Is the whole triangle farther than `reach` beyond one of the body's own sides?
bool is_beside(const BodyVolume& body, const Mat3& axes, const TerrainTriangle& triangle,
               float reach) {
    if (body.shape == BodyShape::sphere) {
        return false;
    }
    const Vec3 a = triangle.a - body.position;
    const Vec3 b = triangle.b - body.position;
    const Vec3 c = triangle.c - body.position;
    const bool is_box = body.shape == BodyShape::box;
    for (int i = 0; i < 3; ++i) {
        const float side = (is_box || i == 1 ? body.half_extents[i] : body.half_extents.x) + reach;
        const Vec3 along{glm::dot(axes[i], a), glm::dot(axes[i], b), glm::dot(axes[i], c)};
        if (std::min({along.x, along.y, along.z}) > side ||
            std::max({along.x, along.y, along.z}) < -side) {
            return true;
        }
    }
    return false;
}

bool is_wider_than_brick(const Aabb& box) {
    const Vec3 half = half_extents(box);
    return std::max({half.x, half.y, half.z}) * 2.0F > static_cast<float>(kBrickSize);
}

}  // namespace

TerrainShape::TerrainShape(Terrain& terrain) : terrain_(&terrain) {
    m_shapeType = FAST_CONCAVE_MESH_PROXYTYPE;
    m_collisionMargin = 0.0F;
}

void TerrainShape::getAabb(const btTransform&, btVector3& low, btVector3& high) const {
    low.setValue(-kWorldHalfM, -kWorldHalfM, -kWorldHalfM);
    high.setValue(kWorldHalfM, kWorldHalfM, kWorldHalfM);
}

void TerrainShape::processAllTriangles(btTriangleCallback* callback, const btVector3& low,
                                       const btVector3& high) const {
    std::vector<TerrainTriangle> triangles;
    terrain_->gather_triangles({from_bullet(low), from_bullet(high)}, triangles);
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        btVector3 corners[3] = {to_bullet(triangles[i].a), to_bullet(triangles[i].b),
                                to_bullet(triangles[i].c)};
        callback->processTriangle(corners, 0, static_cast<int>(i));
    }
}

TerrainContacts::TerrainContacts(Terrain& terrain, BodyTable& bodies, const PhysicsConfig& config)
    : terrain_(&terrain),
      bodies_(&bodies),
      friction_(config.ground_friction),
      gravity_mps2_(config.gravity_mps2) {
    friction_.resize(256, kGroundFriction);
    create_.contacts = this;
    create_swapped_.contacts = this;
    create_swapped_.m_swapped = true;
}

void TerrainContacts::register_with(btCollisionDispatcher& dispatcher) {
    for (int convex = 0; convex < CONCAVE_SHAPES_START_HERE; ++convex) {
        dispatcher.registerCollisionCreateFunc(convex, FAST_CONCAVE_MESH_PROXYTYPE, &create_);
        dispatcher.registerCollisionCreateFunc(FAST_CONCAVE_MESH_PROXYTYPE, convex,
                                               &create_swapped_);
    }
}

btCollisionAlgorithm* TerrainContacts::CreateFunc::CreateCollisionAlgorithm(
    btCollisionAlgorithmConstructionInfo& info, const btCollisionObjectWrapper*,
    const btCollisionObjectWrapper*) {
    void* memory = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(TerrainAlgorithm));
    return new (memory) TerrainAlgorithm(info, *contacts, m_swapped);
}

void TerrainContacts::collide(const btCollisionObjectWrapper& convex,
                              const btCollisionObjectWrapper& terrain, const btDispatcherInfo& info,
                              btDispatcher& dispatcher, std::vector<TerrainManifold>& manifolds) {
    const int index = convex.getCollisionObject()->getUserIndex();
    TERRANE_ASSERT(index >= 0);
    const BodySlot& body = bodies_->at(static_cast<std::uint32_t>(index));
    for (TerrainManifold& entry : manifolds) {
        entry.is_touched = false;
    }
    triangles_.clear();
    const float speed = glm::length(from_bullet(body.rigid->getLinearVelocity()));
    const float reach =
        std::clamp((speed + gravity_mps2_ * dt_) * dt_ + kReachM, kReachM, kReachMaxM);
    const Aabb box = swept_box(body, dt_);
    if (body.pairs.solid_count() > 0) {
        terrain_->gather_triangles(grow(box, kReachM), triangles_);
    }
    find_reachable(body, reach);
    const bool is_per_brick = is_wider_than_brick(box_of(body.volume));
    for (std::size_t begin = 0; begin < triangles_.size();) {
        std::size_t end = triangles_.size();
        if (is_per_brick) {
            end = begin + 1;
            while (end < triangles_.size() && triangles_[end].brick == triangles_[begin].brick) {
                ++end;
            }
        }
        TerrainManifold& entry = find_or_make(manifolds, triangles_[begin].brick, is_per_brick,
                                              convex, terrain, dispatcher);
        entry.is_touched = true;
        collide_triangles(begin, end, reach, convex, terrain, info, dispatcher, entry);
        begin = end;
    }
    std::erase_if(manifolds, [&](TerrainManifold& entry) {
        if (!entry.is_touched) {
            release(entry, dispatcher);
        }
        return !entry.is_touched;
    });
}

void TerrainContacts::find_reachable(const BodySlot& body, float reach) {
    const Mat3 axes = glm::mat3_cast(body.volume.rotation);
    normals_.clear();
    is_reachable_.clear();
    for (const TerrainTriangle& triangle : triangles_) {
        const Vec3 normal = face_normal(triangle);
        const float height = glm::dot(body.volume.position - triangle.a, normal);
        const bool is_in_plane =
            std::abs(height) <= extent_along(body.volume, axes, normal) + reach;
        normals_.push_back(normal);
        is_reachable_.push_back(is_in_plane && !is_beside(body.volume, axes, triangle, reach));
    }
}

void TerrainContacts::collide_triangles(std::size_t begin, std::size_t end, float reach,
                                        const btCollisionObjectWrapper& convex,
                                        const btCollisionObjectWrapper& terrain,
                                        const btDispatcherInfo& info, btDispatcher& dispatcher,
                                        TerrainManifold& entry) {
    const BodySlot& body =
        bodies_->at(static_cast<std::uint32_t>(convex.getCollisionObject()->getUserIndex()));
    const btTransform& pose = convex.getWorldTransform();
    entry.manifold->refreshContactPoints(pose, terrain.getWorldTransform());
    const NearSurface surface{triangles_, normals_};
    FittingResult result(convex, terrain, body, *terrain_, surface, entry.manifold, reach, step_);
    // Triangles are given relative to the voxel under the body: 4 km from the origin a float has
    // steps of 0.2 mm, too coarse for GJK.
    const Corners corners = corners_of(body.volume);
    const Vec3 origin = corner_of(voxel_at(body.volume.position));
    const btTransform frame(btQuaternion::getIdentity(), to_bullet(origin));
    for (std::size_t i = begin; i < end; ++i) {
        if (is_reachable_[i]) {
            result.set_triangle(i, friction_[triangles_[i].material]);
            result.add_corners({corners.points.data(), corners.count});
        }
    }
    for (std::size_t i = begin; i < end; ++i) {
        if (!is_reachable_[i]) {
            continue;
        }
        const TerrainTriangle& triangle = triangles_[i];
        btTriangleShape shape(to_bullet(triangle.a - origin), to_bullet(triangle.b - origin),
                              to_bullet(triangle.c - origin));
        shape.setMargin(0.0F);
        const btCollisionObjectWrapper wrapper(&terrain, &shape, terrain.getCollisionObject(),
                                               frame, 0, static_cast<int>(i));
        if (entry.algorithm == nullptr) {
            entry.algorithm = dispatcher.findAlgorithm(&convex, &wrapper, entry.manifold,
                                                       BT_CONTACT_POINT_ALGORITHMS);
        }
        result.set_triangle(i, friction_[triangle.material]);
        entry.algorithm->processCollision(&convex, &wrapper, info, &result);
    }
}

}  // namespace terrane
