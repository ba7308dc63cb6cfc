#include "tests/bench/bullet_peer.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>

namespace terrane::bench {
namespace {

btVector3 to_bullet(const Vec3& v) {
    return {v.x, v.y, v.z};
}

/// Points into the scene's arrays; they must not move.
std::unique_ptr<btTriangleIndexVertexArray> make_arrays(const SurfaceBrick& surface) {
    auto arrays = std::make_unique<btTriangleIndexVertexArray>();
    btIndexedMesh mesh;
    mesh.m_numTriangles = static_cast<int>(surface.mesh.indices.size() / 3);
    mesh.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(surface.mesh.indices.data());
    mesh.m_triangleIndexStride = 3 * sizeof(std::uint16_t);
    mesh.m_numVertices = static_cast<int>(surface.mesh.positions.size());
    mesh.m_vertexBase = reinterpret_cast<const unsigned char*>(surface.mesh.positions.data());
    mesh.m_vertexStride = sizeof(Vec3);
    mesh.m_vertexType = PHY_FLOAT;
    arrays->addIndexedMesh(mesh, PHY_SHORT);
    return arrays;
}

struct CollectBox final : btTriangleCallback {
    Aabb box;
    std::vector<Vec3>* corners = nullptr;
    std::vector<std::uint32_t>* triangles = nullptr;

    void processTriangle(btVector3* triangle, int, int index) override {
        const Vec3 a{triangle[0].x(), triangle[0].y(), triangle[0].z()};
        const Vec3 b{triangle[1].x(), triangle[1].y(), triangle[1].z()};
        const Vec3 c{triangle[2].x(), triangle[2].y(), triangle[2].z()};
        // The tree's boxes are rounded outward; the question is about the triangle's own.
        if (overlaps({glm::min(a, glm::min(b, c)), glm::max(a, glm::max(b, c))}, box)) {
            corners->insert(corners->end(), {a, b, c});
            triangles->push_back(static_cast<std::uint32_t>(index));
        }
    }
};

struct ClosestHit final : btTriangleRaycastCallback {
    bool is_hit = false;
    using btTriangleRaycastCallback::btTriangleRaycastCallback;
    btScalar reportHit(const btVector3&, btScalar fraction, int, int) override {
        is_hit = true;
        return fraction;  // becomes m_hitFraction
    }
};

struct CountHits final : btTriangleRaycastCallback {
    std::size_t count = 0;
    using btTriangleRaycastCallback::btTriangleRaycastCallback;
    btScalar reportHit(const btVector3&, btScalar, int, int) override {
        ++count;
        return m_hitFraction;
    }
};

class BulletTrees final : public BulletPeer {
  public:
    BulletTrees(const TerrainScene& scene, bool is_quantized)
        : scene_(&scene), is_quantized_(is_quantized) {
        for (const SurfaceBrick& surface : scene.surfaces) {
            arrays_.push_back(make_arrays(surface));
            shapes_.push_back(
                std::make_unique<btBvhTriangleMeshShape>(arrays_.back().get(), is_quantized));
        }
    }

    std::size_t build_all() override {
        std::size_t triangles = 0;
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            const btBvhTriangleMeshShape shape(arrays_[i].get(), is_quantized_);
            triangles += scene_->surfaces[i].mesh.indices.size() / 3;
        }
        return triangles;
    }

    std::size_t tree_bytes() const override {
        std::size_t bytes = 0;
        for (const auto& shape : shapes_) {
            bytes += shape->getOptimizedBvh()->calculateSerializeBufferSize();
        }
        return bytes;
    }

    void query_box(std::size_t surface, const Aabb& box, std::vector<Vec3>& corners,
                   std::vector<std::uint32_t>& triangles) override {
        CollectBox collect;
        collect.box = box;
        collect.corners = &corners;
        collect.triangles = &triangles;
        shapes_[surface]->processAllTriangles(&collect, to_bullet(box.min), to_bullet(box.max));
    }

    std::optional<float> closest_hit(std::size_t surface, const Vec3& a, const Vec3& b) override {
        ClosestHit hit(to_bullet(a), to_bullet(b), 0);
        shapes_[surface]->performRaycast(&hit, to_bullet(a), to_bullet(b));
        return hit.is_hit ? std::optional<float>(hit.m_hitFraction) : std::nullopt;
    }

    std::size_t count_hits(std::size_t surface, const Vec3& a, const Vec3& b) override {
        CountHits hits(to_bullet(a), to_bullet(b), 0);
        shapes_[surface]->performRaycast(&hits, to_bullet(a), to_bullet(b));
        return hits.count;
    }

    std::optional<float> world_hit(const Vec3& a, const Vec3& b) override {
        if (world_ == nullptr) {
            make_world();
        }
        btCollisionWorld::ClosestRayResultCallback hit(to_bullet(a), to_bullet(b));
        world_->rayTest(to_bullet(a), to_bullet(b), hit);
        return hit.hasHit() ? std::optional<float>(hit.m_closestHitFraction) : std::nullopt;
    }

  private:
    void make_world() {
        configuration_ = std::make_unique<btDefaultCollisionConfiguration>();
        dispatcher_ = std::make_unique<btCollisionDispatcher>(configuration_.get());
        broadphase_ = std::make_unique<btDbvtBroadphase>();
        world_ = std::make_unique<btCollisionWorld>(dispatcher_.get(), broadphase_.get(),
                                                    configuration_.get());
        for (std::size_t i = 0; i < shapes_.size(); ++i) {
            auto object = std::make_unique<btCollisionObject>();
            object->setCollisionShape(shapes_[i].get());
            btTransform place = btTransform::getIdentity();
            place.setOrigin(to_bullet(corner_of(origin_of(scene_->surfaces[i].brick))));
            object->setWorldTransform(place);
            object->setCollisionFlags(btCollisionObject::CF_STATIC_OBJECT);
            world_->addCollisionObject(object.get(), btBroadphaseProxy::StaticFilter,
                                       btBroadphaseProxy::AllFilter);
            objects_.push_back(std::move(object));
        }
        broadphase_->optimize();
    }

    const TerrainScene* scene_;
    bool is_quantized_;
    std::vector<std::unique_ptr<btTriangleIndexVertexArray>> arrays_;
    std::vector<std::unique_ptr<btBvhTriangleMeshShape>> shapes_;
    std::unique_ptr<btDefaultCollisionConfiguration> configuration_;
    std::unique_ptr<btCollisionDispatcher> dispatcher_;
    std::unique_ptr<btDbvtBroadphase> broadphase_;
    std::vector<std::unique_ptr<btCollisionObject>> objects_;
    std::unique_ptr<btCollisionWorld> world_;  ///< last: it lets go of the objects first
};

}  // namespace

std::unique_ptr<BulletPeer> make_bullet_peer(const TerrainScene& scene, bool is_quantized) {
    return std::make_unique<BulletTrees>(scene, is_quantized);
}

}  // namespace terrane::bench
