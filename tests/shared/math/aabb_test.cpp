// Boxes, spheres and planes: examples with the edge cases that hurt (empty, a point, touching) and
// random volumes against sampled points.
#include "shared/math/aabb.h"

#include <initializer_list>

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/math/plane.h"
#include "shared/math/sphere.h"

namespace terrane {
namespace {

Vec3 random_point(Random& random, float reach) {
    const float x = random.range(-reach, reach);
    const float y = random.range(-reach, reach);
    return {x, y, random.range(-reach, reach)};
}

Aabb random_box(Random& random) {
    const Vec3 corner = random_point(random, 5.0F);
    return merge(merge(Aabb{}, corner), corner + random_point(random, 4.0F));
}

TEST_CASE("C1 aabb: the empty box adds nothing and overlaps nothing") {
    const Aabb empty;
    const Aabb box{{-1, -2, -3}, {1, 2, 3}};
    const Aabb everything{Vec3{-1e30F}, Vec3{1e30F}};
    CHECK(is_empty(empty));
    CHECK_FALSE(is_empty(box));
    CHECK(merge(empty, box).min == box.min);
    CHECK(merge(box, empty).max == box.max);
    CHECK_FALSE(overlaps(empty, everything));
    CHECK_FALSE(overlaps(everything, empty));
    CHECK(is_empty(grow(empty, 10.0F)));
    CHECK(is_empty(intersect(empty, box)));
    CHECK(contains(box, empty));
    CHECK_FALSE(contains(empty, box));
    CHECK(surface_area_m2(empty) == 0.0F);
    CHECK(std::isinf(distance_squared(empty, Vec3{0.0F})));
    CHECK(is_empty(merge(empty, empty)));
}

TEST_CASE("C1 aabb: touching boxes overlap and a point is a box") {
    const Aabb box{{0, 0, 0}, {1, 1, 1}};
    CHECK(overlaps(box, Aabb{{1, 0, 0}, {2, 1, 1}}));
    CHECK(overlaps(box, Aabb{{1, 1, 1}, {2, 2, 2}}));
    CHECK_FALSE(overlaps(box, Aabb{{1.0001F, 0, 0}, {2, 1, 1}}));
    const Aabb corner = intersect(box, Aabb{{1, 1, 1}, {2, 2, 2}});
    CHECK_FALSE(is_empty(corner));
    CHECK(corner.min == corner.max);
    CHECK(surface_area_m2(corner) == 0.0F);
    CHECK(contains(box, corner));
    CHECK(surface_area_m2(box) == 6.0F);
    CHECK(distance_squared(box, {2, 2, 0.5F}) == 2.0F);
    CHECK(distance_squared(box, {0.5F, 0.5F, 0.5F}) == 0.0F);
    CHECK(sweep(box, {-1, 0, 2}).min == Vec3{-1, 0, 0});
    CHECK(sweep(box, {-1, 0, 2}).max == Vec3{1, 1, 3});
}

TEST_CASE("C1 aabb: intersect and overlaps agree with points on random boxes") {
    const std::uint64_t seed = 11;
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 2000; ++round) {
        const Aabb a = random_box(random);
        const Aabb b = random_box(random);
        REQUIRE(overlaps(a, b) == !is_empty(intersect(a, b)));
        const Vec3 point = random_point(random, 6.0F);
        REQUIRE((contains(a, point) && contains(b, point)) == contains(intersect(a, b), point));
        REQUIRE((!contains(a, point) || contains(merge(a, b), point)));
        const Vec3 nearest = closest_point(a, point);
        REQUIRE(contains(a, nearest));
        REQUIRE(distance_squared(a, point) <= glm::dot(point - a.min, point - a.min) + 1e-4F);
    }
}

TEST_CASE("C1 sphere: empty, point and touching spheres") {
    const Sphere empty;
    const Sphere point{{1, 0, 0}, 0.0F};
    const Sphere unit{{0, 0, 0}, 1.0F};
    CHECK(is_empty(empty));
    CHECK_FALSE(is_empty(point));
    CHECK(overlaps(unit, point));
    CHECK(contains(unit, point.centre));
    CHECK_FALSE(overlaps(unit, empty));
    CHECK_FALSE(contains(empty, empty.centre));
    CHECK(overlaps(unit, Sphere{{2, 0, 0}, 1.0F}));
    CHECK_FALSE(overlaps(unit, Sphere{{2.001F, 0, 0}, 1.0F}));
    CHECK(overlaps(unit, Aabb{{1, -1, -1}, {2, 1, 1}}));
    CHECK_FALSE(overlaps(unit, Aabb{{0.9F, 0.9F, 0.9F}, {2, 2, 2}}));
    CHECK_FALSE(overlaps(unit, Aabb{}));
    CHECK(merge(unit, empty).radius == 1.0F);
    CHECK(merge(empty, unit).radius == 1.0F);
    CHECK(merge(unit, point).radius == 1.0F);
    CHECK(merge(Sphere{{0, 0, 0}, 0.0F}, Sphere{{2, 0, 0}, 0.0F}).centre == Vec3{1, 0, 0});
    CHECK(is_empty(sphere_around(Aabb{})));
    CHECK(is_empty(box_around(empty)));
    CHECK(sphere_around(Aabb{{1, 1, 1}, {1, 1, 1}}).radius == 0.0F);
}

TEST_CASE("C1 sphere: a merged sphere holds both") {
    const std::uint64_t seed = 12;
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 2000; ++round) {
        const Sphere a{random_point(random, 5.0F), random.range(0.0F, 3.0F)};
        const Sphere b{random_point(random, 5.0F), random.range(0.0F, 3.0F)};
        const Sphere both = merge(a, b);
        for (const Sphere& part : {a, b}) {
            REQUIRE(glm::length(part.centre - both.centre) + part.radius <= both.radius + 1e-4F);
        }
        REQUIRE(both.radius <= a.radius + b.radius + glm::length(a.centre - b.centre));
        const Aabb box = random_box(random);
        const Sphere around = sphere_around(box);
        REQUIRE(glm::length(box.max - around.centre) <= around.radius + 1e-5F);
    }
}

TEST_CASE("C1 plane: distances are in metres, positive where the normal points") {
    const Plane3 floor = normalised({0, 2, 0, -4});  // y = 2
    CHECK(distance_to(floor, {7, 5, 9}) == doctest::Approx(3.0F));
    CHECK(distance_to(floor, {0, 0, 0}) == doctest::Approx(-2.0F));
    const Plane3 wall = plane_through({1, 0, 0}, {1, 1, 0}, {1, 0, 1});
    CHECK(wall.normal == Vec3{1, 0, 0});
    CHECK(distance_to(wall, {3, 8, 8}) == doctest::Approx(2.0F));
    // A zero normal excludes nothing: the far plane of an infinite projection.
    CHECK(distance_to(normalised({0, 0, 0, 5}), {1e20F, 0, 0}) > 0.0F);
    const Aabb box{{0, 0, 0}, {1, 2, 3}};
    const Plane3 skew = normalised({1, -1, 1, 0});
    CHECK(farthest_corner(skew, box) == Vec3{1, 0, 3});
    CHECK(nearest_corner(skew, box) == Vec3{0, 2, 0});
}

}  // namespace
}  // namespace terrane
