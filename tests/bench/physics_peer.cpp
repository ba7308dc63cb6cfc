#include "tests/bench/physics_peer.h"

#include <btBulletDynamicsCommon.h>

namespace terrane::bench {
namespace {

/// As the zone's physics has them.
constexpr float kGravityMps2 = 9.81F;
constexpr float kGroundFriction = 0.8F;
constexpr float kRollingFriction = 0.3F;

btVector3 to_bullet(const Vec3& v) {
    return {v.x, v.y, v.z};
}
Vec3 from_bullet(const btVector3& v) {
    return {v.x(), v.y(), v.z()};
}

/// nullptr for what these rows do not drop.
std::unique_ptr<btConvexShape> make_shape(const BodyKind& kind) {
    const Vec3& half = kind.half_extents;
    switch (kind.shape) {
        case BodyShape::sphere:
            return std::make_unique<btSphereShape>(half.x);
        case BodyShape::cylinder:
            return std::make_unique<btCylinderShape>(btVector3(half.x, half.y, half.x));
        case BodyShape::box:
            return std::make_unique<btBoxShape>(to_bullet(half));
        default:
            return nullptr;
    }
}

class BulletScene final : public PhysicsPeer {
  public:
    explicit BulletScene(const TerrainScene& scene)
        : dispatcher_(&configuration_),
          world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
        world_.setGravity({0.0F, -kGravityMps2, 0.0F});
        world_.setForceUpdateAllAabbs(false);
        world_.getDispatchInfo().m_deterministicOverlappingPairs = true;
        for (const SurfaceBrick& surface : scene.surfaces) {
            add_ground(surface);
        }
        broadphase_.optimize();
    }
    ~BulletScene() override {
        for (const Ground& ground : grounds_) {
            world_.removeCollisionObject(ground.object.get());
        }
        for (const Body& body : bodies_) {
            world_.removeRigidBody(body.rigid.get());
        }
    }

    void add(const BodyKind& kind, const Vec3& position) override {
        Body body;
        body.shape = make_shape(kind);
        btVector3 inertia;
        const float mass_kg = body_mass_kg(kind);
        body.shape->calculateLocalInertia(mass_kg, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass_kg, nullptr, body.shape.get(), inertia);
        info.m_startWorldTransform.setOrigin(to_bullet(position));
        info.m_friction = kind.friction;
        info.m_restitution = kind.restitution;
        body.rigid = std::make_unique<btRigidBody>(info);
        if (kind.shape != BodyShape::box) {
            body.rigid->setRollingFriction(kRollingFriction * kind.half_extents.x);
            body.rigid->setSpinningFriction(kRollingFriction * kind.half_extents.x);
        }
        body.rigid->setActivationState(DISABLE_DEACTIVATION);
        world_.addRigidBody(body.rigid.get());
        bodies_.push_back(std::move(body));
    }
    void step(float dt) override { world_.stepSimulation(dt, 0); }
    std::size_t body_count() const override { return bodies_.size(); }
    Vec3 position(std::size_t body) const override {
        return from_bullet(bodies_[body].rigid->getWorldTransform().getOrigin());
    }
    Vec3 velocity(std::size_t body) const override {
        return from_bullet(bodies_[body].rigid->getLinearVelocity());
    }

  private:
    struct Ground {
        std::unique_ptr<btTriangleIndexVertexArray> arrays;
        std::unique_ptr<btBvhTriangleMeshShape> shape;
        std::unique_ptr<btCollisionObject> object;
    };
    struct Body {
        std::unique_ptr<btConvexShape> shape;
        std::unique_ptr<btRigidBody> rigid;
    };

    /// Points into the scene's arrays.
    void add_ground(const SurfaceBrick& surface) {
        btIndexedMesh mesh;
        mesh.m_numTriangles = static_cast<int>(surface.mesh.indices.size() / 3);
        mesh.m_triangleIndexBase =
            reinterpret_cast<const unsigned char*>(surface.mesh.indices.data());
        mesh.m_triangleIndexStride = 3 * sizeof(std::uint16_t);
        mesh.m_numVertices = static_cast<int>(surface.mesh.positions.size());
        mesh.m_vertexBase = reinterpret_cast<const unsigned char*>(surface.mesh.positions.data());
        mesh.m_vertexStride = sizeof(Vec3);
        mesh.m_vertexType = PHY_FLOAT;
        Ground ground;
        ground.arrays = std::make_unique<btTriangleIndexVertexArray>();
        ground.arrays->addIndexedMesh(mesh, PHY_SHORT);
        ground.shape = std::make_unique<btBvhTriangleMeshShape>(ground.arrays.get(), true);
        ground.object = std::make_unique<btCollisionObject>();
        ground.object->setCollisionShape(ground.shape.get());
        btTransform place = btTransform::getIdentity();
        place.setOrigin(to_bullet(corner_of(origin_of(surface.brick))));
        ground.object->setWorldTransform(place);
        ground.object->setFriction(kGroundFriction);
        ground.object->setRestitution(1.0F);  // a contact's is the product: the body's, as ours
        ground.object->setActivationState(ISLAND_SLEEPING);
        world_.addCollisionObject(ground.object.get(), btBroadphaseProxy::StaticFilter,
                                  btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter);
        grounds_.push_back(std::move(ground));
    }

    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_;
    std::vector<Ground> grounds_;
    std::vector<Body> bodies_;
};

}  // namespace

std::unique_ptr<PhysicsPeer> make_physics_peer(const TerrainScene& scene) {
    return std::make_unique<BulletScene>(scene);
}

}  // namespace terrane::bench
