// The terrain inside Bullet: one static object whose shape says "concave" and whose collisions with
// convex bodies are ours. For every (body, terrain) pair, or (child of a body, terrain), Bullet
// calls TerrainContacts::collide:
//
//   no solid pair (terrain_pairs.h), or no active cell near (contact_filter.h)
//         -> contacts dropped, nothing built
//   else  triangles near the body from the colliders -> those whose plane it cannot reach are left
//         out -> points and normals, each normal fitted to the surface (surface_edges.h):
//            sphere, capsule, box    found directly (direct_contacts.h), the best four of them all
//                                    (contact_set.h) replace those of the step before
//            cylinder, hull          Bullet's GJK and EPA (gjk_contacts.h)
//         -> the manifold, at most 4 points; a body wider than a brick has a manifold for each
//            brick it touches, a body of several shapes at least one for each of them
//
// A body that has moved by less than a millimetre since its contacts were found keeps them: only
// their depths are brought up to date (Jolt's body pair cache does the same). At rest that is most
// steps of most bodies. It ends with an edit near it, and where the reach grows.
//
// What is near grows with the body's speed: a contact that is not reached yet lets the solver stop
// the body at the surface, so that a fast one does not first sink in.
//
// Traps: CUSTOM_CONCAVE_SHAPE_TYPE has the number of Bullet's distance-field shapes and yields no
// contact at all; Bullet's pool of algorithms has elements of a fixed size and does not check it in
// release builds. Private to server/physics.
#pragma once

#include <array>
#include <vector>

#include "server/physics/contact_set.h"
#include "server/physics/gjk_contacts.h"

namespace terrane {

class TerrainShape final : public btConcaveShape {
  public:
    explicit TerrainShape(Terrain& terrain);

    void getAabb(const btTransform& pose, btVector3& low, btVector3& high) const override;
    /// Bullet's own queries only; contacts do not come through here.
    void processAllTriangles(btTriangleCallback* callback, const btVector3& low,
                             const btVector3& high) const override;
    void setLocalScaling(const btVector3&) override {}
    const btVector3& getLocalScaling() const override { return scaling_; }
    void calculateLocalInertia(btScalar, btVector3& inertia) const override {
        inertia.setValue(0.0F, 0.0F, 0.0F);
    }
    const char* getName() const override { return "terrain"; }

  private:
    Terrain* terrain_;
    btVector3 scaling_{1.0F, 1.0F, 1.0F};
};

/// One manifold of a body with the terrain, and Bullet's algorithm that fills it, if one does.
struct TerrainManifold {
    BrickCoord brick;  ///< of a body wider than a brick; else not used
    btPersistentManifold* manifold = nullptr;
    btCollisionAlgorithm* algorithm = nullptr;
    std::array<float, MANIFOLD_CACHE_SIZE> depth_m{};  ///< of its points, when they were found
    bool is_touched = false;
};

/// All of a part, and for which pose they were found.
struct TerrainManifolds {
    std::vector<TerrainManifold> entries;
    btTransform pose;
    float reach_m = 0.0F;
    std::uint32_t pairs_revision = 0;
    bool is_lasting = false;  ///< good for more than the step in which they were found
};

class TerrainContacts {
  public:
    TerrainContacts(Terrain& terrain, BodyTable& bodies, const PhysicsConfig& config);
    TerrainContacts(const TerrainContacts&) = delete;
    TerrainContacts& operator=(const TerrainContacts&) = delete;

    /// Bullet's dispatcher sends every pair of a convex shape and the terrain here from now on.
    void register_with(btCollisionDispatcher& dispatcher);
    void begin_step(float dt) {
        dt_ = dt;
        step_ = (step_ + 1) & 0xffff;
    }

    void collide(const btCollisionObjectWrapper& convex, const btCollisionObjectWrapper& terrain,
                 const btDispatcherInfo& info, btDispatcher& dispatcher,
                 TerrainManifolds& manifolds);

  private:
    struct CreateFunc final : btCollisionAlgorithmCreateFunc {
        TerrainContacts* contacts = nullptr;
        btCollisionAlgorithm* CreateCollisionAlgorithm(
            btCollisionAlgorithmConstructionInfo& info, const btCollisionObjectWrapper* first,
            const btCollisionObjectWrapper* second) override;
    };

    /// Are the manifolds good for this pose? Then their depths are of it.
    bool refresh(const btCollisionObjectWrapper& convex, const BodySlot& body, float reach_m,
                 TerrainManifolds& manifolds) const;
    void find_manifolds(const GjkPair& pair, const GroundPart& part, float reach_m,
                        std::vector<TerrainManifold>& entries);
    /// The triangles near the part, in its frame, and their normals.
    void gather_near(const GroundPart& part);
    /// Which of triangles_[begin .. end) the part can touch within `reach_m`.
    void find_reachable(const GroundPart& part, std::size_t begin, std::size_t end, float reach_m);
    void collide_directly(const GroundPart& part, const NearGround& ground,
                          btPersistentManifold& manifold);
    void add_direct(const GroundPart& part, const NearGround& ground, std::uint32_t index,
                    TurnRound& turn_round);

    Terrain* terrain_;
    BodyTable* bodies_;
    std::vector<float> friction_;
    std::vector<TerrainTriangle> triangles_;
    std::vector<Vec3> normals_;             ///< of triangles_
    std::vector<std::uint32_t> reachable_;  ///< indices of triangles_, ascending
    std::vector<GroundContact> found_;
    CreateFunc create_;
    CreateFunc create_swapped_;
    float gravity_mps2_;
    bool is_filter_on_;
    float dt_ = 0.0F;
    int step_ = 0;  ///< tells this step's points from older ones
};

}  // namespace terrane
