#include "shared/math/transform.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/math/trig.h"

namespace terrane {
namespace {

Vec3 random_point(Random& random, float low, float high) {
    const float x = random.range(low, high);
    const float y = random.range(low, high);
    return {x, y, random.range(low, high)};
}

Transform random_transform(Random& random) {
    const Vec3 position = random_point(random, -10.0F, 10.0F);
    const Vec3 axis = glm::normalize(random_point(random, 0.1F, 1.0F));
    const auto turn = static_cast<std::uint16_t>(random.below(65536));
    return {position, rotation_about(axis, turn), random_point(random, 0.2F, 3.0F)};
}

bool is_near(const Vec3& a, const Vec3& b, float by = 1e-3F) {
    return glm::length(a - b) < by;
}

TEST_CASE("C3 transform: scale first, then rotation, then translation") {
    const Transform t{{10, 0, 0}, rotation_about({0, 1, 0}, 16384), {2, 1, 1}};
    CHECK(is_near(transform_point(t, {1, 0, 0}), {10, 0, -2}));
    CHECK(is_near(Vec3{to_matrix(t) * Vec4{1, 0, 0, 1}}, {10, 0, -2}));
    CHECK(is_near(inverse_transform_point(t, {10, 0, -2}), {1, 0, 0}));
}

TEST_CASE("C3 transform: matrix, compose and inverses agree on random transforms") {
    const std::uint64_t seed = 51;
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 1000; ++round) {
        const Transform a = random_transform(random);
        const Transform b = random_transform(random);
        const Vec3 p = random_point(random, -5.0F, 5.0F);
        REQUIRE(is_near(transform_point(a, p), Vec3{to_matrix(a) * Vec4{p, 1.0F}}));
        REQUIRE(is_near(inverse_transform_point(a, transform_point(a, p)), p));
        const Transform world = compose(a, b);
        REQUIRE(is_near(world.position, transform_point(a, b.position)));
        const Transform again = compose(a, relative_to(a, world));
        REQUIRE(is_near(again.position, world.position));
        REQUIRE(is_near(again.scale, world.scale));
        REQUIRE(std::abs(glm::dot(again.rotation, world.rotation)) > 0.9999F);
        REQUIRE(is_near(transform_point(compose(a, inverse(a)), p), p));
        // With equal scales composing is multiplying matrices.
        Transform even = a;
        even.scale = Vec3{a.scale.x};
        REQUIRE(is_near(transform_point(compose(even, b), p),
                        transform_point(even, transform_point(b, p)), 2e-3F));
    }
}

TEST_CASE("C8 transform: world sphere takes the largest axis scale, world box |M| x half extents") {
    const std::uint64_t seed = 52;
    CAPTURE(seed);
    Random random(seed);
    CHECK(largest_scale({1, -4, 2}) == 4.0F);
    CHECK(is_empty(transform_sphere({}, Sphere{})));
    CHECK(is_empty(transform_box(to_affine({}), Aabb{})));
    const Transform point_like{{1, 2, 3}, kNoRotation, {0, 0, 0}};
    CHECK(transform_box(to_affine(point_like), {{-1, -1, -1}, {1, 1, 1}}).max == Vec3{1, 2, 3});
    CHECK(inverse_transform_point(point_like, {9, 9, 9}) == Vec3{0.0F});
    for (int round = 0; round < 500; ++round) {
        Transform t = random_transform(random);
        t.scale.y = -t.scale.y;
        const Vec3 half = random_point(random, 0.0F, 3.0F);
        const Vec3 middle = random_point(random, -3.0F, 3.0F);
        const Aabb box{middle - half, middle + half};
        const Aabb world = transform_box(to_affine(t), box);
        const Sphere sphere = transform_sphere(t, sphere_around(box));
        Aabb corners;
        for (int i = 0; i < 8; ++i) {
            const Vec3 corner{(i & 1) != 0 ? box.max.x : box.min.x,
                              (i & 2) != 0 ? box.max.y : box.min.y,
                              (i & 4) != 0 ? box.max.z : box.min.z};
            const Vec3 moved = transform_point(t, corner);
            corners = merge(corners, moved);
            REQUIRE(glm::length(moved - sphere.centre) <= sphere.radius + 1e-3F);
        }
        REQUIRE(is_near(world.min, corners.min));
        REQUIRE(is_near(world.max, corners.max));
    }
}

}  // namespace
}  // namespace terrane
