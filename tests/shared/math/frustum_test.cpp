// Culling volumes against a frustum: the slips that textbooks make are cases here.
#include "shared/math/frustum.h"

#include <array>
#include <initializer_list>

#include <doctest/doctest.h>
#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>

#include "shared/core/random.h"

namespace terrane {
namespace {

Mat4 camera(const Vec3& eye, const Vec3& at) {
    return glm::perspective(1.2F, 1.5F, 0.5F, 100.0F) * glm::lookAt(eye, at, Vec3{0, 1, 0});
}

bool is_in_clip_space(const Mat4& m, const Vec3& point) {
    const Vec4 p = m * Vec4{point, 1.0F};
    return p.x >= -p.w && p.x <= p.w && p.y >= -p.w && p.y <= p.w && p.z >= -p.w && p.z <= p.w;
}

Vec3 random_point(Random& random, float reach) {
    const float x = random.range(-reach, reach);
    const float y = random.range(-reach, reach);
    return {x, y, random.range(-reach, reach)};
}

TEST_CASE("C6 frustum: planes of any projection agree with clip space") {
    const std::uint64_t seed = 41;
    CAPTURE(seed);
    Random random(seed);
    const Mat4 view = glm::lookAt(Vec3{3, 4, 5}, Vec3{-1, 2, -9}, Vec3{0, 1, 0});
    const std::array<Mat4, 4> projections{
        glm::perspective(1.2F, 1.5F, 0.5F, 60.0F),
        glm::frustum(-0.1F, 0.9F, 0.05F, 0.6F, 0.5F, 60.0F),  // off-centre: one eye of two
        glm::ortho(-20.0F, 5.0F, -3.0F, 30.0F, -10.0F, 60.0F),
        glm::infinitePerspective(1.0F, 1.0F, 0.5F)};
    for (const Mat4& projection : projections) {
        const Mat4 m = projection * view;
        const Frustum frustum = frustum_of(m);
        int inside = 0;
        for (int i = 0; i < 4000; ++i) {
            const Vec3 point = random_point(random, 40.0F);
            bool is_near_plane = false;
            for (const Plane3& plane : frustum.planes) {
                is_near_plane = is_near_plane || std::abs(distance_to(plane, point)) < 1e-3F;
            }
            if (!is_near_plane) {
                REQUIRE(contains(frustum, point) == is_in_clip_space(m, point));
                inside += contains(frustum, point) ? 1 : 0;
            }
        }
        CHECK(inside > 50);
    }
}

TEST_CASE("C8 frustum: spheres outside, intersecting, inside and touching") {
    // A cube of side 20 about the origin.
    const Frustum cube = frustum_of(glm::ortho(-10.0F, 10.0F, -10.0F, 10.0F, -10.0F, 10.0F));
    CHECK(classify(cube, Sphere{{0, 0, 0}, 10.0F}) == Containment::inside);  // touches from inside
    CHECK(classify(cube, Sphere{{0, 0, 0}, 10.01F}) == Containment::intersecting);
    CHECK(classify(cube, Sphere{{12, 0, 0}, 2.0F}) == Containment::intersecting);  // from outside
    CHECK(classify(cube, Sphere{{12, 0, 0}, 1.99F}) == Containment::outside);
    CHECK(classify(cube, Sphere{{10, 0, 0}, 0.0F}) == Containment::inside);  // a point on a plane
    CHECK(classify(cube, Sphere{{10.1F, 0, 0}, 0.0F}) == Containment::outside);
    CHECK(classify(cube, Sphere{{0, 0, 0}, 0.0F}) == Containment::inside);
    CHECK(classify(cube, Sphere{}) == Containment::outside);
}

TEST_CASE("C8 frustum: a sphere that crosses one plane may be excluded by a later one") {
    const Frustum cube = frustum_of(glm::ortho(-10.0F, 10.0F, -10.0F, 10.0F, -10.0F, 10.0F));
    // Each pair of planes: crossing one of the first, wholly behind one of the last.
    for (const Vec3& centre : {Vec3{-10, 0, 15}, Vec3{10, 0, -15}, Vec3{0, 10, 15}}) {
        CHECK(classify(cube, Sphere{centre, 2.0F}) == Containment::outside);
    }
}

TEST_CASE("C8 frustum: a box with all corners outside, of different planes, is not outside") {
    const Frustum frustum = frustum_of(camera({0, 0, 0}, {0, 0, -1}));
    const Aabb wall{{-200, -200, -51}, {200, 200, -50}};  // across the whole view
    CHECK(classify(frustum, wall) == Containment::intersecting);
    const Aabb around{{-500, -500, -500}, {500, 500, 500}};
    CHECK(classify(frustum, around) == Containment::intersecting);
    CHECK(classify(frustum, Aabb{{-1, -1, -20}, {1, 1, -10}}) == Containment::inside);
    CHECK(classify(frustum, Aabb{{-1, -1, 1}, {1, 1, 2}}) == Containment::outside);
    CHECK(classify(frustum, Aabb{}) == Containment::outside);
}

TEST_CASE("C8 frustum: boxes touching a plane and boxes without volume") {
    const Frustum cube = frustum_of(glm::ortho(-10.0F, 10.0F, -10.0F, 10.0F, -10.0F, 10.0F));
    CHECK(classify(cube, Aabb{{-10, -10, -10}, {10, 10, 10}}) == Containment::inside);
    CHECK(classify(cube, Aabb{{10, 0, 0}, {11, 1, 1}}) == Containment::intersecting);
    CHECK(classify(cube, Aabb{{10.01F, 0, 0}, {11, 1, 1}}) == Containment::outside);
    CHECK(classify(cube, Aabb{{3, 3, 3}, {3, 3, 3}}) == Containment::inside);
}

TEST_CASE("C8 frustum: answers never contradict points, and masks change nothing") {
    const std::uint64_t seed = 42;
    CAPTURE(seed);
    Random random(seed);
    std::array<int, 3> seen{};
    for (int round = 0; round < 4000; ++round) {
        CAPTURE(round);
        const Vec3 eye = random_point(random, 20.0F);
        const Frustum frustum = frustum_of(camera(eye, eye + random_point(random, 5.0F)));
        const Vec3 middle = random_point(random, 40.0F);
        const Vec3 half = glm::abs(random_point(random, 6.0F));
        const Aabb box{middle - half, middle + half};
        const Sphere sphere{middle, half.x};
        const Containment of_box = classify(frustum, box);
        const Containment of_sphere = classify(frustum, sphere);
        ++seen[static_cast<std::size_t>(of_box)];
        for (int i = 0; i < 16; ++i) {
            const Vec3 unit = random_point(random, 1.0F);
            const Vec3 in_box = middle + half * unit;
            const Vec3 in_sphere = middle + half.x * 0.57F * unit;
            REQUIRE((of_box != Containment::outside || !contains(frustum, in_box)));
            REQUIRE((of_box != Containment::inside || contains(frustum, in_box)));
            REQUIRE((of_sphere != Containment::outside || !contains(frustum, in_sphere)));
            REQUIRE((of_sphere != Containment::inside || contains(frustum, in_sphere)));
        }
        // A part tested with its whole's mask gets the answer it would get by itself.
        PlaneMask mask = kAllPlanes;
        if (classify(frustum, box, mask) == Containment::intersecting) {
            const Aabb part{middle - 0.5F * half, middle};
            CHECK(classify(frustum, part, mask) == classify(frustum, part));
        }
    }
    for (const int count : seen) {
        CHECK(count > 100);
    }
}

}  // namespace
}  // namespace terrane
