#include "server/physics/terrain_contacts.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>

#include <BulletCollision/CollisionDispatch/btConvexConvexAlgorithm.h>

#include "server/physics/contact_filter.h"
#include "shared/core/assert.h"

namespace terrane {

namespace {

constexpr float kWorldHalfM = 20000.0F;
constexpr float kReachMaxM = 1.0F;
/// No point of a body that keeps its contacts has moved farther.
constexpr float kKeptM = 0.001F;
/// Nor has its reach grown by more.
constexpr float kKeptReachM = 0.005F;
/// A body that GJK found fewer points for may still be gathering them.
constexpr int kLastingPoints = 3;
/// A point of the last step this near to a new one, with a normal this near (cosine), was it: its
/// impulses are where the solver begins.
constexpr float kSamePointM = 0.02F;
constexpr float kSameNormal = 0.9F;

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
        for (TerrainManifold& entry : manifolds_->entries) {
            release(entry, *m_dispatcher);
        }
    }

    void processCollision(const btCollisionObjectWrapper* first,
                          const btCollisionObjectWrapper* second, const btDispatcherInfo& info,
                          btManifoldResult*) override {
        contacts_->collide(is_swapped_ ? *second : *first, is_swapped_ ? *first : *second, info,
                           *m_dispatcher, *manifolds_);
    }
    btScalar calculateTimeOfImpact(btCollisionObject*, btCollisionObject*, const btDispatcherInfo&,
                                   btManifoldResult*) override {
        return 1.0F;
    }
    void getAllContactManifolds(btManifoldArray& manifolds) override {
        for (const TerrainManifold& entry : manifolds_->entries) {
            manifolds.push_back(entry.manifold);
        }
    }

  private:
    TerrainContacts* contacts_;
    bool is_swapped_;
    std::unique_ptr<TerrainManifolds> manifolds_ = std::make_unique<TerrainManifolds>();
};
static_assert(sizeof(TerrainAlgorithm) <= sizeof(btConvexConvexAlgorithm));

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

std::size_t end_of_brick(std::span<const TerrainTriangle> triangles, std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < triangles.size() && triangles[end].brick == triangles[begin].brick) {
        ++end;
    }
    return end;
}

/// The best four, with the impulses that the points they were had in the step before.
void write_points(const GroundPart& part, std::span<const GroundContact> found,
                  btPersistentManifold& manifold) {
    std::array<btManifoldPoint, MANIFOLD_CACHE_SIZE> old;
    const int old_count = manifold.getNumContacts();
    for (int i = 0; i < old_count; ++i) {
        old[static_cast<std::size_t>(i)] = manifold.getContactPoint(i);
    }
    manifold.clearManifold();
    const FourContacts picked = pick_four(found);
    for (std::size_t k = 0; k < picked.count; ++k) {
        const GroundContact& contact = found[picked.index[k]];
        btManifoldPoint point = manifold_point(part, contact.contact, contact.friction);
        float nearest2 = kSamePointM * kSamePointM;
        for (int i = 0; i < old_count; ++i) {
            const btManifoldPoint& was = old[static_cast<std::size_t>(i)];
            const float distance2 = (was.m_localPointA - point.m_localPointA).length2();
            if (distance2 < nearest2 &&
                was.m_normalWorldOnB.dot(point.m_normalWorldOnB) > kSameNormal) {
                nearest2 = distance2;
                point.m_appliedImpulse = was.m_appliedImpulse;
                point.m_appliedImpulseLateral1 = was.m_appliedImpulseLateral1;
                point.m_appliedImpulseLateral2 = was.m_appliedImpulseLateral2;
                point.m_lifeTime = was.m_lifeTime + 1;
            }
        }
        manifold.addManifoldPoint(point);
    }
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
      gravity_mps2_(config.gravity_mps2),
      is_filter_on_(config.is_contact_filter_on) {
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
                              btDispatcher& dispatcher, TerrainManifolds& manifolds) {
    const int index = convex.getCollisionObject()->getUserIndex();
    TERRANE_ASSERT(index >= 0);
    const BodySlot& body = bodies_->at(static_cast<std::uint32_t>(index));
    const float speed = glm::length(from_bullet(body.rigid->getLinearVelocity()));
    const float reach_m =
        std::clamp((speed + gravity_mps2_ * dt_) * dt_ + kReachM, kReachM, kReachMaxM);
    if (refresh(convex, body, reach_m, manifolds)) {
        return;
    }
    for (TerrainManifold& entry : manifolds.entries) {
        entry.is_touched = false;
    }
    if (body.pairs.solid_count() > 0) {
        const GroundPart part = ground_part(convex, body, dt_);
        find_manifolds({convex, terrain, info, dispatcher}, part, reach_m, manifolds.entries);
    }
    std::erase_if(manifolds.entries, [&](TerrainManifold& entry) {
        if (!entry.is_touched) {
            release(entry, dispatcher);
        }
        return !entry.is_touched;
    });
    manifolds.pose = convex.getCollisionObject()->getWorldTransform();
    manifolds.reach_m = reach_m;
    manifolds.pairs_revision = body.pairs.revision();
    manifolds.is_lasting = true;
    for (TerrainManifold& entry : manifolds.entries) {
        const int count = entry.manifold->getNumContacts();
        for (int i = 0; i < count; ++i) {
            entry.depth_m[static_cast<std::size_t>(i)] =
                entry.manifold->getContactPoint(i).getDistance();
        }
        manifolds.is_lasting =
            manifolds.is_lasting && (entry.algorithm == nullptr || count >= kLastingPoints);
    }
}

bool TerrainContacts::refresh(const btCollisionObjectWrapper& convex, const BodySlot& body,
                              float reach_m, TerrainManifolds& manifolds) const {
    const btTransform& pose = convex.getCollisionObject()->getWorldTransform();
    if (!manifolds.is_lasting || manifolds.pairs_revision != body.pairs.revision() ||
        reach_m > manifolds.reach_m + kKeptReachM) {
        return false;
    }
    const btVector3 way = pose.getOrigin() - manifolds.pose.getOrigin();
    const btMatrix3x3& basis = pose.getBasis();
    const btMatrix3x3& old_basis = manifolds.pose.getBasis();
    const btMatrix3x3 turn(basis[0] - old_basis[0], basis[1] - old_basis[1],
                           basis[2] - old_basis[2]);
    // A point at p moves by way + turn * p; no row of turn moves one farther than its length by
    // p's.
    const float turned = std::sqrt(turn[0].length2() + turn[1].length2() + turn[2].length2());
    const float size = glm::length(half_extents(box_of(body.volume))) + body.ballast_m;
    if (way.length() + turned * size > kKeptM) {
        return false;
    }
    for (TerrainManifold& entry : manifolds.entries) {
        for (int i = 0; i < entry.manifold->getNumContacts(); ++i) {
            btManifoldPoint& point = entry.manifold->getContactPoint(i);
            point.m_positionWorldOnA = pose(point.m_localPointA);
            // By the difference: far from the zone's middle positions themselves are rounded.
            point.m_distance1 = entry.depth_m[static_cast<std::size_t>(i)] +
                                point.m_normalWorldOnB.dot(way + turn * point.m_localPointA);
            ++point.m_lifeTime;
        }
    }
    return true;
}

void TerrainContacts::find_manifolds(const GjkPair& pair, const GroundPart& part, float reach_m,
                                     std::vector<TerrainManifold>& entries) {
    gather_near(part);
    const bool is_per_brick = is_wider_than_brick(part.bounds);
    for (std::size_t begin = 0; begin < triangles_.size();) {
        const std::size_t end = is_per_brick ? end_of_brick(triangles_, begin) : triangles_.size();
        TerrainManifold& entry = find_or_make(entries, triangles_[begin].brick, is_per_brick,
                                              pair.convex, pair.terrain, pair.dispatcher);
        entry.is_touched = true;
        find_reachable(part, begin, end, reach_m);
        const NearGround ground{{triangles_, normals_}, reachable_, friction_, reach_m, step_};
        if (has_direct_contacts(part.body.shape)) {
            collide_directly(part, ground, *entry.manifold);
        } else {
            collide_by_gjk(pair, *terrain_, part, ground, *entry.manifold, entry.algorithm);
        }
        begin = end;
    }
}

void TerrainContacts::gather_near(const GroundPart& part) {
    triangles_.clear();
    const Aabb box = grow(part.bounds, kReachM);
    if (!is_filter_on_) {
        terrain_->masks().for_each_touched_brick(
            box, [&](const BrickCoord& brick, bool is_solid, bool) {
                if (is_solid) {
                    gather(terrain_->colliders().get(brick), brick, box, triangles_);
                }
            });
    } else if (may_touch_surface(terrain_->masks(), box)) {
        terrain_->gather_triangles(box, triangles_);
    }
    normals_.clear();
    for (TerrainTriangle& triangle : triangles_) {
        triangle.a -= part.origin;
        triangle.b -= part.origin;
        triangle.c -= part.origin;
        normals_.push_back(face_normal(triangle));
    }
}

void TerrainContacts::find_reachable(const GroundPart& part, std::size_t begin, std::size_t end,
                                     float reach_m) {
    reachable_.clear();
    for (std::size_t i = begin; i < end; ++i) {
        const float height = glm::dot(part.body.position - triangles_[i].a, normals_[i]);
        if (std::abs(height) <= extent_along(part.body, normals_[i]) + reach_m &&
            !is_beside(part.body, triangles_[i], reach_m)) {
            reachable_.push_back(static_cast<std::uint32_t>(i));
        }
    }
}

void TerrainContacts::collide_directly(const GroundPart& part, const NearGround& ground,
                                       btPersistentManifold& manifold) {
    found_.clear();
    TurnRound turn_round(*terrain_, part);
    // A box that lies flat lies on its corners: found by themselves they cost a few dot products,
    // and where four of them touch little else is looked at.
    HeldUp held;
    const Corners corners = corners_of(part);
    for (const std::uint32_t i : ground.reachable) {
        const float friction = friction_[triangles_[i].material];
        stand_on(part, corners, triangles_[i], normals_[i], held,
                 [&](const SurfaceContact& contact) { add_contact(found_, {contact, friction}); });
    }
    for (const std::uint32_t i : ground.reachable) {
        const Vec3 face = normals_[i];
        const float height = glm::dot(part.body.position - triangles_[i].a, face);
        // No point of the body is deeper below the triangle's plane than this.
        const float lowest = height - extent_along(part.body, face);
        if (height <= 0.0F || !held.is_up_to(lowest)) {
            add_direct(part, ground, i, turn_round);
        }
    }
    write_points(part, found_, manifold);
}

void TerrainContacts::add_direct(const GroundPart& part, const NearGround& ground,
                                 std::uint32_t index, TurnRound& turn_round) {
    const TerrainTriangle& triangle = triangles_[index];
    const Vec3 face = normals_[index];
    if (face == Vec3(0.0F)) {
        return;
    }
    const float friction = friction_[triangle.material];
    const auto add = [&](SurfaceContact contact, bool is_fitted) {
        contact.depth_m = std::max(contact.depth_m, -kDepthMaxM);
        add_contact(found_, {contact, friction, is_fitted});
    };
    if (glm::dot(part.body.position - triangle.a, face) <= 0.0F) {
        // Seen from behind. Where it is an edge that the body meets, the triangle on the edge's
        // other side is seen from the front.
        if (is_near(part.body, triangle, face, 0.0F)) {
            if (const auto turned = turn_round.contact(triangle, face)) {
                add(*turned, true);
            }
        }
        return;
    }
    DirectContacts found;
    find_contacts(part.body, triangle, face, ground.reach_m, found);
    for (SurfaceContact& contact : found.all()) {
        const SurfaceSide side = fit_to_surface(ground.surface, index, contact);
        if (side == SurfaceSide::back) {
            if (const auto turned = turn_round.contact(triangle, face)) {
                add(*turned, true);
            }
            continue;
        }
        // Not touching yet, and the normal was not its own: it stands beside the true points.
        if (contact.depth_m <= (side == SurfaceSide::fitted ? kTouchM : ground.reach_m)) {
            add(contact, side == SurfaceSide::fitted);
        }
    }
}

}  // namespace terrane
