#include "server/physics/direct_contacts.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <BulletCollision/CollisionShapes/btTriangleShape.h>
#include <btBulletCollisionCommon.h>
#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/math/trig.h"
#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

const Vec3 kUp{0.0F, 1.0F, 0.0F};

TerrainTriangle triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    TerrainTriangle made;
    made.a = a;
    made.b = b;
    made.c = c;
    return made;
}

/// Large and level, its middle at the origin.
TerrainTriangle level() {
    return triangle({-20.0F, 0.0F, 20.0F}, {20.0F, 0.0F, 20.0F}, {0.0F, 0.0F, -20.0F});
}

DirectContacts find(const DirectBody& body, const TerrainTriangle& triangle, float reach) {
    DirectContacts found;
    find_contacts(body, triangle, face_normal(triangle), reach, found);
    return found;
}

const SurfaceContact& deepest(DirectContacts& found) {
    return *std::ranges::min_element(found.all(), {}, &SurfaceContact::depth_m);
}

btVector3 to_bullet(const Vec3& v) {
    return {v.x, v.y, v.z};
}

/// Bullet's own answer for the same body and triangle: its deepest point.
class BulletPair final : public btCollisionWorld::ContactResultCallback {
  public:
    BulletPair()
        : dispatcher_(&configuration_), world_(&dispatcher_, &broadphase_, &configuration_) {}

    std::optional<SurfaceContact> deepest(const DirectBody& body, const TerrainTriangle& triangle) {
        btTriangleShape ground(to_bullet(triangle.a), to_bullet(triangle.b), to_bullet(triangle.c));
        ground.setMargin(0.0F);
        const std::unique_ptr<btConvexShape> shape = shape_of(body);
        btCollisionObject ground_object;
        ground_object.setCollisionShape(&ground);
        btCollisionObject object;
        object.setCollisionShape(shape.get());
        const Quat turn = glm::quat_cast(body.axes);
        object.setWorldTransform(
            btTransform(btQuaternion(turn.x, turn.y, turn.z, turn.w), to_bullet(body.position)));
        found_.reset();
        world_.contactPairTest(&object, &ground_object, *this);
        return found_;
    }

    btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper* first, int,
                             int, const btCollisionObjectWrapper*, int, int) override {
        const float sign =
            first->getCollisionShape()->getShapeType() == TRIANGLE_SHAPE_PROXYTYPE ? -1.0F : 1.0F;
        if (!found_ || point.getDistance() < found_->depth_m) {
            const btVector3& normal = point.m_normalWorldOnB;
            found_ = SurfaceContact{sign * Vec3(normal.x(), normal.y(), normal.z()), Vec3(0.0F),
                                    point.getDistance()};
        }
        return 0.0F;
    }

  private:
    static std::unique_ptr<btConvexShape> shape_of(const DirectBody& body) {
        const Vec3& half = body.half_extents;
        switch (body.shape) {
            case BodyShape::sphere:
                return std::make_unique<btSphereShape>(half.x);
            case BodyShape::capsule:
                return std::make_unique<btCapsuleShape>(half.x, 2.0F * capsule_arm_m(half));
            default: {
                // Bullet rounds a box by its margin: at 4 cm a corner is 3 cm short.
                auto box = std::make_unique<btBoxShape>(to_bullet(half));
                box->setMargin(0.001F);
                return box;
            }
        }
    }

    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    btCollisionWorld world_;
    std::optional<SurfaceContact> found_;
};

Vec3 random_point(Random& random, float reach) {
    return {random.range(-reach, reach), random.range(-reach, reach), random.range(-reach, reach)};
}

struct Pair {
    DirectBody body;
    TerrainTriangle triangle;
};

/// A triangle of about a voxel and a body near it, its middle on the front side.
Pair random_pair(Random& random, BodyShape shape) {
    Pair pair;
    Vec3 face{0.0F};
    do {
        pair.triangle = triangle(random_point(random, 1.0F), random_point(random, 1.0F),
                                 random_point(random, 1.0F));
        face = face_normal(pair.triangle);
    } while (glm::length(glm::cross(pair.triangle.b - pair.triangle.a,
                                    pair.triangle.c - pair.triangle.a)) < 0.3F);
    const Vec3 axis = glm::normalize(random_point(random, 1.0F) + Vec3(0.0F, 0.0F, 1.1F));
    pair.body.shape = shape;
    pair.body.axes =
        glm::mat3_cast(rotation_about(axis, static_cast<std::uint16_t>(random.below(65536))));
    pair.body.half_extents = {random.range(0.2F, 0.5F), random.range(0.5F, 0.8F),
                              random.range(0.2F, 0.8F)};
    const Vec3 middle = (pair.triangle.a + pair.triangle.b + pair.triangle.c) / 3.0F;
    pair.body.position = middle + random_point(random, 1.0F);
    const float height = glm::dot(pair.body.position - pair.triangle.a, face);
    if (height < 0.0F) {
        pair.body.position -= 2.0F * height * face;
    }
    return pair;
}

}  // namespace

TEST_CASE("A26 direct_contacts: ball, capsule and box on level ground touch where they stand") {
    DirectBody ball{BodyShape::sphere, Vec3(0.5F), {1.0F, 0.49F, 2.0F}, Mat3(1.0F)};
    DirectContacts found = find(ball, level(), 0.04F);
    REQUIRE(found.count == 1);
    CHECK(glm::dot(found.points[0].normal, kUp) > 0.99999F);
    CHECK(glm::length(found.points[0].point - Vec3(1.0F, 0.0F, 2.0F)) < 1e-5F);
    CHECK(found.points[0].depth_m == doctest::Approx(-0.01F));

    DirectBody capsule{BodyShape::capsule, {0.3F, 1.0F, 0.3F}, {0.0F, 0.31F, 0.0F}, Mat3(1.0F)};
    capsule.axes = glm::mat3_cast(rotation_about({0.0F, 0.0F, 1.0F}, 16384));  // it lies along x
    found = find(capsule, level(), 0.04F);
    REQUIRE(found.count == 2);
    for (const SurfaceContact& contact : found.all()) {
        CHECK(glm::dot(contact.normal, kUp) > 0.99999F);
        CHECK(std::abs(contact.point.x) == doctest::Approx(0.7F));
        CHECK(contact.depth_m == doctest::Approx(0.01F));
    }

    DirectBody box{BodyShape::box, {0.5F, 0.25F, 1.0F}, {3.0F, 0.24F, 1.0F}, Mat3(1.0F)};
    found = find(box, level(), 0.04F);
    REQUIRE(found.count == 4);
    for (const SurfaceContact& contact : found.all()) {
        CHECK(contact.normal == kUp);
        CHECK(contact.depth_m == doctest::Approx(-0.01F));
        CHECK(std::abs(contact.point.x - 3.0F) == doctest::Approx(0.5F));
        CHECK(std::abs(contact.point.z - 1.0F) == doctest::Approx(1.0F));
        CHECK(contact.point.y == doctest::Approx(0.0F));
    }
}

TEST_CASE("A26 direct_contacts: what is farther than the reach has none") {
    for (const BodyShape shape : {BodyShape::sphere, BodyShape::capsule, BodyShape::box}) {
        DirectBody body{shape, {0.5F, 0.5F, 0.5F}, {0.0F, 0.545F, 0.0F}, Mat3(1.0F)};
        CHECK(find(body, level(), 0.04F).count == 0);
        CHECK(find(body, level(), 0.05F).count > 0);
        body.position = {0.0F, 0.4F, -20.6F};  // beside its corner
        CHECK(find(body, level(), 0.05F).count == 0);
    }
}

TEST_CASE("A26 direct_contacts: a box on a ridge lies on the ridge, a tilted one on its edge") {
    // Two roofs along z, the ridge at the origin; the box's bottom is 1 cm below it.
    const TerrainTriangle east =
        triangle({0.0F, 0.0F, -9.0F}, {0.0F, 0.0F, 9.0F}, {9.0F, -9.0F, 0});
    DirectBody box{BodyShape::box, Vec3(0.5F), {0.0F, 0.49F, 0.0F}, Mat3(1.0F)};
    DirectContacts found = find(box, east, 0.02F);
    REQUIRE(found.count >= 2);
    int on_ridge = 0;
    for (const SurfaceContact& contact : found.all()) {
        CHECK(contact.normal == kUp);
        on_ridge += std::abs(contact.point.x) < 1e-5F && std::abs(contact.point.z) > 0.49F ? 1 : 0;
        if (std::abs(contact.point.x) < 1e-5F) {
            CHECK(contact.depth_m == doctest::Approx(-0.01F));
        }
    }
    CHECK(on_ridge == 2);
    // Turned about x it crosses the ridge with an edge: one point, between the two edges.
    box.axes = glm::mat3_cast(rotation_about({1.0F, 0.0F, 0.0F}, 8192));
    box.position.y = 0.5F * std::sqrt(2.0F) - 0.01F;
    found = find(box, east, 0.02F);
    REQUIRE(found.count >= 1);
    CHECK(deepest(found).depth_m == doctest::Approx(-0.01F).epsilon(0.05));
    CHECK(glm::length(deepest(found).point) < 1e-3F);
}

TEST_CASE("A26 direct_contacts: 20,000 random pairs have Bullet's depth and normal") {
    for (const BodyShape shape : {BodyShape::sphere, BodyShape::capsule, BodyShape::box}) {
        const std::uint64_t seed = 26;
        CAPTURE(seed);
        CAPTURE(static_cast<int>(shape));
        Random random(seed);
        BulletPair bullet;
        int compared = 0;
        int none = 0;
        int other_depths = 0;
        int other_normals = 0;
        for (int i = 0; i < 20000; ++i) {
            CAPTURE(i);
            const Pair pair = random_pair(random, shape);
            const auto theirs = bullet.deepest(pair.body, pair.triangle);
            const Vec3 face = face_normal(pair.triangle);
            // EPA's figures for deep ones are its own; and from below only Bullet looks.
            if (!theirs || theirs->depth_m < -0.035F || theirs->depth_m > 0.01F ||
                glm::dot(theirs->normal, face) < 0.05F) {
                continue;
            }
            DirectContacts ours = find(pair.body, pair.triangle, 0.02F);
            if (ours.count == 0) {
                // Apart and corner to corner, the axes see less than the distance.
                none += theirs->depth_m > -0.002F ? 0 : 1;
                continue;
            }
            ++compared;
            const SurfaceContact& contact = deepest(ours);
            other_depths += std::abs(contact.depth_m - theirs->depth_m) < 0.003F ? 0 : 1;
            const Vec3 on_body = contact.point + contact.depth_m * contact.normal;
            REQUIRE(is_finite(on_body));
            other_normals += glm::dot(contact.normal, theirs->normal) < 0.98F ? 1 : 0;
        }
        CHECK(compared > 500);
        CHECK(none == 0);
        CHECK(other_depths * 100 <= compared);
        CHECK(other_normals * 50 <= compared);  // two axes alike: either may be taken
    }
}

TEST_CASE(
    "A26 direct_contacts: bodies and triangles without size give nothing that is not finite") {
    const TerrainTriangle line = triangle({0, 0, 0}, {1, 0, 0}, {2, 0, 0});
    for (const BodyShape shape : {BodyShape::sphere, BodyShape::capsule, BodyShape::box}) {
        for (const float size : {1e-6F, 0.5F}) {
            const DirectBody body{shape, Vec3(size), {0.5F, 0.0F, 0.0F}, Mat3(1.0F)};
            for (const TerrainTriangle& ground : {line, level()}) {
                DirectContacts found;
                find_contacts(body, ground, kUp, 0.04F, found);
                for (const SurfaceContact& contact : found.all()) {
                    CHECK(is_finite(contact.normal));
                    CHECK(is_finite(contact.point));
                    CHECK(std::isfinite(contact.depth_m));
                }
            }
        }
    }
}

}  // namespace terrane
