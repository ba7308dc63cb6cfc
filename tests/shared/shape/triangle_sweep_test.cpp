#include "shared/shape/triangle_sweep.h"

#include <doctest/doctest.h>

#include <vector>

#include "shared/core/random.h"
#include "shared/math/segment.h"

namespace terrane {
namespace {

using Corners = std::array<Vec3, 3>;

Vec3 random_vec(Random& random, float reach) {
    const float x = random.range(-reach, reach);
    const float y = random.range(-reach, reach);
    return {x, y, random.range(-reach, reach)};
}

Quat random_turn(Random& random) {
    const Vec3 part = random_vec(random, 1.0F);
    return glm::normalize(Quat{random.range(-1.0F, 1.0F) + 1e-3F, part.x, part.y, part.z});
}

QueryShape random_shape(Random& random, const Vec3& centre) {
    const float size = random.range(0.05F, 1.5F);
    switch (random.below(3)) {
        case 0:
            return make_sphere(centre, size);
        case 1:
            return make_capsule(centre, random.range(0.05F, 1.5F), size, random_turn(random));
        default:
            return make_box(centre, {size, random.range(0.05F, 1.5F), random.range(0.05F, 1.5F)},
                            random_turn(random));
    }
}

QueryShape moved(QueryShape shape, const Vec3& by) {
    shape.centre += by;
    return shape;
}

/// Is anything of the triangle left when it is cut by the box's six planes?
bool is_cut_by_box(const QueryShape& box, const Corners& triangle) {
    std::vector<Vec3> left(triangle.begin(), triangle.end());
    const Quat back = glm::conjugate(box.rotation);
    for (Vec3& corner : left) {
        corner = back * (corner - box.centre);
    }
    for (int side = 0; side < 6; ++side) {
        const float sign = side % 2 == 0 ? 1.0F : -1.0F;
        const int axis = side / 2;
        std::vector<Vec3> kept;
        for (std::size_t i = 0; i < left.size(); ++i) {
            const Vec3& from = left[i];
            const Vec3& to = left[(i + 1) % left.size()];
            const float from_m = sign * from[axis] - box.half_extents[axis];
            const float to_m = sign * to[axis] - box.half_extents[axis];
            if (from_m <= 0.0F) {
                kept.push_back(from);
            }
            if ((from_m < 0.0F) != (to_m < 0.0F)) {
                kept.push_back(from + (to - from) * (from_m / (from_m - to_m)));
            }
        }
        left = kept;
    }
    return !left.empty();
}

/// Decided by other code: shared/math/segment.h, and cutting.
bool slow_overlap(const QueryShape& shape, const Corners& t) {
    if (shape.form == QueryForm::box) {
        return is_cut_by_box(shape, t);
    }
    const Vec3 core = shape.rotation * shape.half_extents;
    const float squared =
        shape.form == QueryForm::sphere
            ? glm::dot(shape.centre - closest_point_on_triangle(shape.centre, t[0], t[1], t[2]),
                       shape.centre - closest_point_on_triangle(shape.centre, t[0], t[1], t[2]))
            : closest_points(Segment{shape.centre - core, shape.centre + core}, t[0], t[1], t[2])
                  .distance_squared;
    return squared <= shape.radius_m * shape.radius_m;
}

QueryShape grown(QueryShape shape, float by) {
    if (shape.form == QueryForm::box) {
        shape.half_extents = glm::max(shape.half_extents + by, Vec3(0.0F));
    } else {
        shape.radius_m = std::max(shape.radius_m + by, 0.0F);
    }
    return shape;
}

}  // namespace

TEST_CASE("A25 triangle_sweep: overlap is what distances and cutting say") {
    Random random(5);
    int met = 0;
    for (int i = 0; i < 20000; ++i) {
        const Corners t{random_vec(random, 2.0F), random_vec(random, 2.0F),
                        random_vec(random, 2.0F)};
        const QueryShape shape = random_shape(random, random_vec(random, 2.0F));
        const bool is_met = ShapeSweep(shape, Vec3{0.0F}).overlap(t[0], t[1], t[2]).has_value();
        CAPTURE(i);
        if (slow_overlap(grown(shape, -1e-4F), t)) {
            REQUIRE(is_met);
        } else if (!slow_overlap(grown(shape, 1e-4F), t)) {
            REQUIRE_FALSE(is_met);
        }
        met += is_met ? 1 : 0;
    }
    CHECK(met > 5000);
    CHECK(met < 15000);
}

TEST_CASE("A25 triangle_sweep: free before the touch, in touch at it, and never later") {
    Random random(6);
    int touched = 0;
    int missed = 0;
    for (int i = 0; i < 20000; ++i) {
        const Corners t{random_vec(random, 2.0F), random_vec(random, 2.0F),
                        random_vec(random, 2.0F)};
        const QueryShape shape = random_shape(random, random_vec(random, 3.0F));
        const Vec3 way = random_vec(random, 5.0F);
        const ShapeSweep sweep(shape, way);
        const auto touch = sweep.touch(t[0], t[1], t[2]);
        CAPTURE(i);
        if (!touch) {
            for (int step = 0; step <= 32; ++step) {
                const Vec3 by = way * (static_cast<float>(step) / 32.0F);
                REQUIRE_FALSE(slow_overlap(grown(moved(shape, by), -1e-3F), t));
            }
            ++missed;
            continue;
        }
        const auto at = static_cast<float>(touch->t);
        REQUIRE(slow_overlap(grown(moved(shape, at * way), 1e-3F), t));
        REQUIRE(std::abs(glm::length(touch->normal) - 1.0F) < 1e-5F);
        for (int step = 0; step <= 16 && touch->depth_m == 0.0; ++step) {
            const Vec3 by = way * (at * static_cast<float>(step) / 16.0F);
            REQUIRE_FALSE(slow_overlap(grown(moved(shape, by), -1e-3F), t));
        }
        if (touch->depth_m > 0.0) {
            // Out of it, that far along the normal.
            REQUIRE(touch->t == 0.0);
            const Vec3 out = touch->normal * static_cast<float>(touch->depth_m);
            REQUIRE_FALSE(slow_overlap(grown(moved(shape, out), -1e-3F), t));
        } else {
            // It would move in, seen along the normal.
            REQUIRE(glm::dot(touch->normal, way) < 0.0F);
            // A point that is named is there.
            const Vec3 point = sweep.point(t[0], t[1], t[2], touch->t);
            REQUIRE(glm::length(point - closest_point_on_triangle(point, t[0], t[1], t[2])) <
                    1e-3F);
            REQUIRE(slow_overlap(grown(moved(shape, at * way), 2e-3F), {point, point, point}));
        }
        // A limit only cuts off.
        REQUIRE(sweep.touch(t[0], t[1], t[2], touch->t));
        if (touch->t > 0.0) {
            REQUIRE_FALSE(sweep.touch(t[0], t[1], t[2], 0.999 * touch->t));
        }
        ++touched;
    }
    CHECK(touched > 4000);
    CHECK(missed > 4000);
}

TEST_CASE("A25 triangle_sweep: faces, edges and corners are met at the exact moment") {
    const Corners t{Vec3(0, 0, 0), Vec3(0, 0, 4), Vec3(4, 0, 0)};  // faces up
    const auto at = [&t](const QueryShape& shape, const Vec3& way) {
        const auto touch = ShapeSweep(shape, way).touch(t[0], t[1], t[2]);
        return touch ? touch->t : -1.0;
    };
    CHECK(at(make_sphere({1, 3, 1}, 1.0F), {0, -4, 0}) == 0.5);
    CHECK(at(make_sphere({1, -3, 1}, 1.0F), {0, 4, 0}) == 0.5);
    CHECK(at(make_sphere({-3, 0, 2}, 1.0F), {4, 0, 0}) == doctest::Approx(0.5));  // an edge
    CHECK(at(make_sphere({8, 0, 0}, 1.0F), {-6, 0, 0}) == doctest::Approx(0.5));  // a corner
    CHECK(at(make_sphere({-0.98F, 3, 2}, 1.0F), {0, -6, 0}) ==
          doctest::Approx(0.467).epsilon(1e-3));
    CHECK(at(make_sphere({-0.9996F, 3, 2}, 1.0F), {0, -6, 0}) == -1.0);  // grazes an edge
    CHECK(at(make_capsule({1, 4, 1}, 1.0F, 1.0F), {0, -4, 0}) == 0.5);
    CHECK(at(make_box({1, 3, 1}, Vec3(1.0F)), {0, -4, 0}) == 0.5);
    CHECK(at(make_box({-3, 0.5F, 2}, Vec3(1.0F)), {4, 0, 0}) == 0.5);
    CHECK(at(make_box({-3, 1.5F, 2}, Vec3(1.0F)), {40, 0, 0}) == -1.0);
    // In the plane of the triangle, from the side; no way at all.
    CHECK(at(make_sphere({-3, 0, 2}, 0.0F), {6, 0, 0}) == doctest::Approx(0.5));
    CHECK(at(make_sphere({1, 3, 1}, 1.0F), {0, 0, 0}) == -1.0);
    CHECK(at(make_sphere({1, 0.5F, 1}, 1.0F), {0, 0, 0}) == 0.0);
    // Triangles that are a line or a point.
    const auto thin = [](const QueryShape& shape, const Vec3& way, const Corners& c) {
        const auto touch = ShapeSweep(shape, way).touch(c[0], c[1], c[2]);
        return touch ? touch->t : -1.0;
    };
    const Corners line{Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(4, 0, 0)};
    const Corners point{Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 0)};
    for (const Corners& c : {line, point}) {
        CHECK(thin(make_sphere({1, 3, 0}, 1.0F), {0, -4, 0}, c) == doctest::Approx(0.5));
        CHECK(thin(make_capsule({1, 4, 0}, 1.0F, 1.0F), {0, -4, 0}, c) == doctest::Approx(0.5));
        CHECK(thin(make_box({1, 3, 0}, Vec3(1.0F)), {0, -4, 0}, c) == doctest::Approx(0.5));
        CHECK(thin(make_box({1, 3, 9}, Vec3(1.0F)), {0, -4, 0}, c) == -1.0);
    }
}

TEST_CASE("A25 query_shape: bounds hold it, and what is not a shape is told") {
    Random random(8);
    for (int i = 0; i < 1000; ++i) {
        const QueryShape shape = random_shape(random, random_vec(random, 100.0F));
        REQUIRE(is_valid(shape));
        const Aabb box = bounds_of(shape);
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3 sign{(corner & 1) != 0 ? 1.0F : -1.0F, (corner & 2) != 0 ? 1.0F : -1.0F,
                            (corner & 4) != 0 ? 1.0F : -1.0F};
            const Vec3 at = shape.centre + shape.rotation * (sign * shape.half_extents);
            REQUIRE(contains(grow(box, 1e-4F - shape.radius_m), at));
        }
    }
    const Vec3 nan{std::numeric_limits<float>::quiet_NaN(), 0.0F, 0.0F};
    CHECK_FALSE(is_valid(make_sphere(nan, 1.0F)));
    CHECK_FALSE(is_valid(make_sphere(Vec3(0.0F), -1.0F)));
    CHECK_FALSE(is_valid(make_box(Vec3(0.0F), {1, -1, 1})));
    CHECK_FALSE(is_valid(make_box(Vec3(0.0F), {1, 1, 1}, Quat{2, 0, 0, 0})));
    CHECK(is_valid(make_box(Aabb{Vec3(-1.0F), Vec3(2.0F)})));
    CHECK(make_box(Aabb{Vec3(-1.0F), Vec3(2.0F)}).centre == Vec3(0.5F));
}

}  // namespace terrane
