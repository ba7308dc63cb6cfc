#include "shared/scene/solid.h"

#include <limits>

#include <doctest/doctest.h>

#include "shared/shape/body_distance.h"
#include "tests/shared/scene/solid_scenes.h"

namespace terrane {
namespace {

ConvexCore random_core(Random& random) {
    static const std::vector<Vec3> kCorners{{0.0F, 0.0F, 0.0F},
                                            {1.0F, 0.1F, 0.0F},
                                            {0.2F, 1.2F, 0.3F},
                                            {-0.3F, 0.2F, 0.9F},
                                            {0.7F, 0.8F, 0.7F}};
    ConvexCore core;
    core.form = static_cast<CoreForm>(random.below(5));
    core.centre = random_vec(2.0F, random);
    core.half = random_vec(0.6F, random) + Vec3(0.7F);
    core.corners = kCorners;
    turn_core(core, random_rotation(random));
    return core;
}

/// How far apart the cores are along a unit vector.
double apart_along(const ConvexCore& first, const ConvexCore& second, const glm::dvec3& normal) {
    return glm::dot(support(first, -normal), normal) - glm::dot(support(second, normal), normal);
}

TEST_CASE("B1 convex_distance: every distance comes with its proof, from above and from below") {
    Random random(201);
    int met = 0;
    for (int i = 0; i < 20'000; ++i) {
        CAPTURE(i);
        const ConvexCore first = random_core(random);
        const ConvexCore second = random_core(random);
        const CoreGap gap = gap_between(first, second);
        if (gap.distance_m > 0.0) {
            // From below: a plane between them. From above: two points, one of each.
            REQUIRE(apart_along(first, second, gap.normal) >= gap.proven_m - 1e-12);
            REQUIRE(gap.proven_m >= gap.distance_m - 1e-5);
            ConvexCore point;
            point.centre = gap.on_second;
            REQUIRE(gap_between(point, second).distance_m < 1e-6);
            point.centre = gap.on_second + gap.normal * gap.distance_m;
            REQUIRE(gap_between(point, first).distance_m < 1e-6);
            continue;
        }
        ++met;
        for (int k = 0; k < 40; ++k) {
            const glm::dvec3 way = random_vec(1.0F, random);
            REQUIRE(apart_along(first, second, glm::normalize(way)) < 1e-6);
        }
    }
    CHECK(met > 1000);
    CHECK(met < 19'000);
}

TEST_CASE("B1 solid: exact places of rays") {
    const Ray along_x{{-10.0F, 0.2F, 0.0F}, {2.0F, 0.0F, 0.0F}, 100.0F};
    Solid solid{BodyShape::box, {1.0F, 2.0F, 3.0F}};
    std::optional<SolidHit> hit = raycast(solid, along_x);
    REQUIRE(hit);
    CHECK(hit->t == 4.5F);
    CHECK(hit->normal == Vec3(-1.0F, 0.0F, 0.0F));
    CHECK(hit->point == Vec3(-1.0F, 0.2F, 0.0F));
    solid = {BodyShape::sphere, Vec3(0.5F), {0.0F, 0.2F, 0.0F}};
    CHECK(raycast(solid, along_x)->t == 4.75F);
    solid = {BodyShape::cylinder, {2.0F, 0.1F, 2.0F}};
    CHECK(!raycast(solid, along_x));  // over its cap
    solid.half_extents.y = 0.2F;
    CHECK(raycast(solid, along_x)->t == 4.0F);  // along its cap: touching counts
    const Ray down{{1.0F, 5.0F, 0.5F}, {0.0F, -1.0F, 0.0F}, 10.0F};
    CHECK(raycast(solid, down)->t == doctest::Approx(4.8));
    CHECK(raycast(solid, down)->normal == Vec3(0.0F, 1.0F, 0.0F));
    solid = {BodyShape::capsule, {0.5F, 2.0F, 0.5F}};
    const Ray on_end{{0.0F, 5.0F, 0.0F}, {0.0F, -1.0F, 0.0F}, 10.0F};
    CHECK(raycast(solid, on_end)->t == 3.0F);
    CHECK(raycast({BodyShape::player, {0.5F, 2.0F, 0.5F}}, on_end)->t == 3.0F);
    const Ray short_one{{0.0F, 5.0F, 0.0F}, {0.0F, -1.0F, 0.0F}, 2.9F};
    CHECK(!raycast(solid, short_one));
    // Inside: at once, and the normal points back.
    const Ray inside{{0.1F, 0.0F, 0.0F}, {0.0F, 0.0F, 3.0F}, 1.0F};
    CHECK(raycast(solid, inside)->t == 0.0F);
    CHECK(raycast(solid, inside)->normal == Vec3(0.0F, 0.0F, -1.0F));
    CHECK(!raycast(solid, {{0.0F, 9.0F, 0.0F}, {0.0F, 1.0F, 0.0F}, 50.0F}));  // behind it
    CHECK(!raycast(solid, {Vec3(0.0F), Vec3(0.0F), 1.0F}));
    CHECK(!raycast(solid, {Vec3(NAN), Vec3(1.0F), 1.0F}));
}

TEST_CASE("B1 solid: a ray meets what a moving point meets") {
    Random random(202);
    int hits = 0;
    for (int i = 0; i < 20'000; ++i) {
        CAPTURE(i);
        const Solid solid = random_solid(Vec3(0.0F), 0.5F, random);
        const Vec3 from = random_vec(5.0F, random);
        const Ray ray{from, 0.5F * (random_vec(2.0F, random) - from), random.range(0.5F, 6.0F)};
        const std::optional<SolidHit> hit = raycast(solid, ray);
        const Vec3 way = ray.direction * ray.t_max;
        const std::optional<SolidHit> by_steps =
            sweep(solid, SolidSweep(make_sphere(ray.origin, 0.0F), way));
        const float depth_m = nearest_to(solid, ray.origin).distance_m;
        if (depth_m < 1e-3F) {
            continue;  // starting at the surface, a step is a matter of rounding
        }
        if (hit.has_value() != by_steps.has_value()) {
            // Only in passing: then a ball of a hundredth of a millimetre decides nothing else.
            const Solid& near = solid;
            const SolidSweep thick(make_sphere(ray.origin, 1e-5F), way);
            CHECK(sweep(near, thick).has_value());
            continue;
        }
        if (hit) {
            ++hits;
            // In passing, a micrometre is some way along the ray.
            const Vec3 stopped = ray.origin + way * by_steps->t;
            REQUIRE(nearest_to(solid, stopped).distance_m < 3e-6F);
            REQUIRE(by_steps->t * ray.t_max <= hit->t + 1e-5F);
            REQUIRE(by_steps->t * ray.t_max >= hit->t - 2e-2F);
            REQUIRE(nearest_to(solid, hit->point).distance_m < 1e-5F);
            REQUIRE(glm::length(hit->normal) == doctest::Approx(1.0));
            REQUIRE(glm::dot(hit->normal, ray.direction) <= 1e-4F);
        }
    }
    CHECK(hits > 3000);
}

/// Of a sphere or capsule, by shared/shape's own formulas.
float distance_by_segments(const Solid& solid, const QueryShape& shape, const Vec3& moved) {
    const auto local = [&](const Vec3& v) {
        return glm::conjugate(solid.rotation) * (v - solid.position);
    };
    const Vec3 arm = shape.rotation * Vec3(0.0F, shape.half_extents.y, 0.0F);
    const Vec3 middle = shape.centre + moved;
    const BodyShape body = solid.shape == BodyShape::player ? BodyShape::capsule : solid.shape;
    return distance_to_body(body, solid.half_extents, {local(middle - arm), local(middle + arm)})
               .distance_m -
           shape.radius_m;
}

TEST_CASE("B1 solid: sweeps of spheres and capsules stop where shared/shape's distances say") {
    Random random(203);
    int hits = 0;
    int misses = 0;
    for (int i = 0; i < 6'000; ++i) {
        CAPTURE(i);
        const Solid solid = random_solid(Vec3(0.0F), 0.5F, random);
        const QueryShape shape = random_shape(random_vec(5.0F, random), random);
        const Vec3 way = random_vec(2.0F, random) - shape.centre;
        if (solid.shape == BodyShape::piece || shape.form == QueryForm::box ||
            distance_by_segments(solid, shape, Vec3(0.0F)) < 2e-3F) {
            continue;
        }
        const std::optional<SolidHit> hit = sweep(solid, SolidSweep(shape, way));
        const float end = hit ? hit->t : 1.0F;
        for (int k = 0; k < 50; ++k) {  // free until then
            const float t = end * static_cast<float>(k) / 50.0F;
            REQUIRE(distance_by_segments(solid, shape, way * t) > -2e-5F);
        }
        if (hit) {
            ++hits;
            REQUIRE(std::abs(distance_by_segments(solid, shape, way * hit->t)) < 2e-5F);
            REQUIRE(nearest_to(solid, hit->point).distance_m < 2e-5F);
            REQUIRE(glm::dot(hit->normal, way) <= 0.0F);
        } else {
            ++misses;
            REQUIRE(distance_by_segments(solid, shape, way) > 0.0F);
        }
    }
    CHECK(hits > 500);
    CHECK(misses > 500);
}

TEST_CASE("B1 solid: any shape's sweep stops at the touch, and overlaps agree with it") {
    Random random(204);
    int hits = 0;
    for (int i = 0; i < 6'000; ++i) {
        CAPTURE(i);
        const Solid solid = random_solid(Vec3(0.0F), 0.5F, random);
        QueryShape shape = random_shape(random_vec(5.0F, random), random);
        const Vec3 way = random_vec(2.0F, random) - shape.centre;
        const SolidSweep moving(shape, way);
        const std::optional<SolidHit> hit = sweep(solid, moving);
        if (overlaps(solid, core_of(shape))) {
            CHECK((!hit || hit->t == 0.0F));
            continue;
        }
        const Vec3 start = shape.centre;
        const float end = hit ? hit->t : 1.0F;
        for (int k = 0; k < 20; ++k) {
            shape.centre = start + way * (end * (static_cast<float>(k) / 20.0F) * 0.9999F);
            REQUIRE(!overlaps(solid, core_of(shape)));
        }
        if (hit) {
            ++hits;
            // A little on, against the normal: now they do overlap.
            shape.centre = start + way * hit->t - hit->normal * 2e-4F;
            REQUIRE(overlaps(solid, core_of(shape)));
            CHECK(!sweep(solid, moving, hit->t * 0.999F - 1e-4F));
        }
    }
    CHECK(hits > 800);
}

TEST_CASE("B1 solid: who touches may leave and slide; who is deep inside is hit at once") {
    const Solid crate{BodyShape::box, Vec3(1.0F)};
    for (const QueryShape& shape :
         {make_box(Vec3(0.0F, 1.5F, 0.0F), Vec3(0.5F)), make_sphere(Vec3(0.0F, 1.5F, 0.0F), 0.5F),
          make_capsule(Vec3(0.0F, 2.0F, 0.0F), 0.5F, 0.5F)}) {
        CAPTURE(static_cast<int>(shape.form));
        CHECK(!sweep(crate, SolidSweep(shape, {3.0F, 0.0F, 0.0F})));
        CHECK(!sweep(crate, SolidSweep(shape, {0.0F, 1.0F, 0.0F})));
        const std::optional<SolidHit> down = sweep(crate, SolidSweep(shape, {0.5F, -1.0F, 0.0F}));
        REQUIRE(down);
        CHECK(down->t == 0.0F);
        CHECK(down->normal.y == doctest::Approx(1.0));
        QueryShape deep = shape;
        deep.centre.y -= 0.3F;
        const std::optional<SolidHit> up = sweep(crate, SolidSweep(deep, {0.0F, 2.0F, 0.0F}));
        REQUIRE(up);
        CHECK(up->t == 0.0F);
        CHECK(up->normal == Vec3(0.0F, -1.0F, 0.0F));
    }
    // Exact numbers: a box falls on a box, a ball on an edge turned up.
    const SolidSweep falls(make_box(Vec3(0.0F, 5.0F, 0.0F), Vec3(0.5F)), {0.0F, -10.0F, 0.0F});
    CHECK(sweep(crate, falls)->t == doctest::Approx(0.35).epsilon(1e-5));
    Solid turned = crate;
    turned.rotation = glm::angleAxis(0.78539816F, Vec3(0.0F, 0.0F, 1.0F));
    const SolidSweep ball(make_sphere(Vec3(0.0F, 5.0F, 0.0F), 0.5F), {0.0F, -10.0F, 0.0F});
    CHECK(sweep(turned, ball)->t == doctest::Approx((4.5 - 1.41421356) / 10.0).epsilon(1e-5));
    CHECK(sweep(turned, ball)->point.y == doctest::Approx(1.41421356).epsilon(1e-5));
}

TEST_CASE("B1 solid: its box holds all of it, and is empty for one that is not finite") {
    Random random(205);
    for (int i = 0; i < 3'000; ++i) {
        const Vec3 middle = random_vec(i % 2 == 0 ? 5.0F : 90'000.0F, random);
        const Solid solid = random_solid(middle, 0.0F, random);
        const Aabb box = bounds_of(solid);
        for (int k = 0; k < 20; ++k) {
            const Vec3 away = middle + glm::normalize(random_vec(1.0F, random)) * 9.0F;
            const Vec3 point = nearest_to(solid, away).point;
            REQUIRE(contains(box, point));
        }
        const Vec3 side = box.max - box.min;
        CHECK(std::max(side.x, std::max(side.y, side.z)) < 7.0F);
    }
    CHECK(is_empty(bounds_of({BodyShape::box, Vec3(NAN)})));
    CHECK(is_empty(bounds_of({BodyShape::sphere, Vec3(1.0F), Vec3(INFINITY)})));
    const SolidParts none;
    CHECK(is_empty(bounds_of({.shape = BodyShape::piece, .parts = &none})));
    CHECK(!raycast({.shape = BodyShape::piece, .parts = &none},
                   {Vec3(-5.0F, 0.0F, 0.0F), Vec3(1.0F, 0.0F, 0.0F), 10.0F}));
}

TEST_CASE("B1 solid: a frustum meets what is not behind one of its planes") {
    // The box [-1, 1]^3 as a frustum.
    Frustum cube;
    for (std::size_t i = 0; i < 6; ++i) {
        Vec3 normal(0.0F);
        normal[static_cast<int>(i / 2)] = i % 2 == 0 ? 1.0F : -1.0F;
        cube.planes[i] = {normal, 1.0F};
    }
    const auto meets_ball = [&](float x) {
        return overlaps(Solid{BodyShape::sphere, Vec3(0.5F), {x, 0.0F, 0.0F}}, cube);
    };
    CHECK(meets_ball(0.0F));
    CHECK(meets_ball(1.5F));
    CHECK(!meets_ball(1.501F));
    Solid crate{BodyShape::box, Vec3(0.5F), {1.7F, 0.0F, 0.0F}};
    CHECK(!overlaps(crate, cube));
    crate.rotation = glm::angleAxis(0.78539816F, Vec3(0.0F, 0.0F, 1.0F));  // its edge reaches in
    CHECK(overlaps(crate, cube));
    CHECK(overlaps(
        {.shape = BodyShape::piece, .position = {1.9F, 0.0F, 0.0F}, .parts = &piece_of_three()},
        cube));
    CHECK(!overlaps(
        {.shape = BodyShape::piece, .position = {2.1F, 0.0F, 0.0F}, .parts = &piece_of_three()},
        cube));
}

}  // namespace
}  // namespace terrane
