#include "shared/math/segment.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

Vec3 random_point(Random& random) {
    const float x = random.range(-2.0F, 2.0F);
    const float y = random.range(-2.0F, 2.0F);
    return {x, y, random.range(-2.0F, 2.0F)};
}

float distance(const Vec3& a, const Vec3& b) {
    return glm::length(a - b);
}

/// Smallest distance between samples of a segment and of a triangle (or segment if b == c).
float sampled_distance(const Segment& s, const Vec3& a, const Vec3& b, const Vec3& c) {
    constexpr int kSteps = 24;
    float best = 1e9F;
    for (int i = 0; i <= kSteps; ++i) {
        const Vec3 p = glm::mix(s.a, s.b, static_cast<float>(i) / kSteps);
        for (int u = 0; u <= kSteps; ++u) {
            for (int v = 0; u + v <= kSteps; ++v) {
                const Vec3 q = a + (b - a) * (static_cast<float>(u) / kSteps) +
                               (c - a) * (static_cast<float>(v) / kSteps);
                best = std::min(best, distance(p, q));
            }
        }
    }
    return best;
}

TEST_CASE("C1 segment: closest points of points, lines and degenerate segments") {
    const Segment s{{0, 0, 0}, {2, 0, 0}};
    CHECK(closest_point(s, {1, 5, 0}) == Vec3{1, 0, 0});
    CHECK(closest_point(s, {-3, 1, 0}) == Vec3{0, 0, 0});
    CHECK(closest_point(s, {9, 1, 0}) == Vec3{2, 0, 0});
    CHECK(closest_point(Segment{{1, 1, 1}, {1, 1, 1}}, {0, 0, 0}) == Vec3{1, 1, 1});
    CHECK(closest_point(Line{{0, 0, 0}, {2, 0, 0}}, {9, 1, 0}) == Vec3{9, 0, 0});
    CHECK(closest_point(Line{{3, 0, 0}, {0, 0, 0}}, {9, 1, 0}) == Vec3{3, 0, 0});
    // Parallel, crossing and touching segments.
    CHECK(closest_points(s, Segment{{0, 1, 0}, {2, 1, 0}}).distance_squared == 1.0F);
    CHECK(closest_points(s, Segment{{1, -1, 0}, {1, 1, 0}}).distance_squared == 0.0F);
    CHECK(closest_points(s, Segment{{2, 0, 0}, {3, 3, 3}}).distance_squared == 0.0F);
    CHECK(closest_points(s, Segment{{4, 0, 0}, {4, 0, 0}}).distance_squared == 4.0F);
    CHECK(closest_points(Segment{{4, 0, 0}, {4, 0, 0}}, s).distance_squared == 4.0F);
}

TEST_CASE("C1 triangle: a segment through it has distance 0, a collinear triangle is a segment") {
    const Vec3 a{0, 0, 0};
    const Vec3 b{1, 0, 0};
    const Vec3 c{0, 0, 1};
    const auto through = closest_points(Segment{{0.2F, 1, 0.2F}, {0.2F, -1, 0.2F}}, a, b, c);
    CHECK(through.distance_squared == 0.0F);
    CHECK(distance(through.on_first, {0.2F, 0, 0.2F}) < 1e-6F);
    CHECK(closest_points(Segment{{2, 1, 2}, {2, -1, 2}}, a, b, c).distance_squared > 1.0F);
    const auto flat = closest_points(Segment{{0.5F, 1, 0}, {0.5F, 2, 0}}, a, b, Vec3{2, 0, 0});
    CHECK(flat.distance_squared == doctest::Approx(1.0F));
    CHECK(closest_point_on_triangle({0.5F, 3, 0}, a, b, {2, 0, 0}) == Vec3{0.5F, 0, 0});
    CHECK(closest_point_on_triangle({5, 3, 0}, a, a, a) == a);
}

TEST_CASE("C1 triangle: distances equal sampling on random segments and triangles") {
    const std::uint64_t seed = 31;
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 300; ++round) {
        CAPTURE(round);
        const Segment s{random_point(random), random_point(random)};
        const Vec3 a = random_point(random);
        const Vec3 b = random_point(random);
        const Vec3 c = random.below(8) == 0 ? b : random_point(random);
        const auto found = closest_points(s, a, b, c);
        const float exact = std::sqrt(found.distance_squared);
        const float sampled = sampled_distance(s, a, b, c);
        REQUIRE(exact <= sampled + 1e-4F);
        REQUIRE(exact >= sampled - 0.35F);  // half a sampling step
        REQUIRE(exact == doctest::Approx(distance(found.on_first, found.on_second)).epsilon(1e-3));
        REQUIRE(distance(closest_point(s, found.on_first), found.on_first) < 1e-4F);
        REQUIRE(distance(closest_point_on_triangle(found.on_second, a, b, c), found.on_second) <
                2e-3F);
        const auto sides = closest_points(s, Segment{a, b});
        REQUIRE(std::sqrt(sides.distance_squared) <= sampled_distance(s, a, b, b) + 1e-4F);
    }
}

}  // namespace
}  // namespace terrane
