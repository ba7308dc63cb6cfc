#include "shared/shape/ray_triangle.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "shared/core/random.h"

namespace terrane {
namespace {

/// Points on the surface's lattice, many of them in one plane or in one place.
Vec3 lattice_point(Random& random, bool is_flat) {
    const auto part = [&] { return static_cast<float>(random.between(0, 512)) / 256.0F; };
    const float x = part();
    const float y = is_flat ? 1.0F : part();
    return {x, y, part()};
}

float or_none(const std::optional<float>& t) {
    return t.value_or(-1.0F);
}

}  // namespace

TEST_CASE("A16 ray_triangle: a quad is its two triangles, bit for bit") {
    Random random(16);
    int first_count = 0;
    int second_count = 0;
    int both_count = 0;
    for (int i = 0; i < 200000; ++i) {
        const bool is_flat = i % 3 == 0;
        std::array<Vec3, 4> p;
        for (Vec3& corner : p) {
            corner = lattice_point(random, is_flat);
        }
        if (i % 17 == 0) {
            p[3] = p[random.below(3)];
        }
        const Vec3 offset = i % 2 == 0 ? Vec3(0.0F) : Vec3(-4096.0F, 32.0F, 2048.0F);
        Ray ray;
        ray.origin = offset + Vec3{random.range(-3.0F, 5.0F), random.range(-3.0F, 5.0F), 4.0F};
        ray.direction = offset + lattice_point(random, false) - ray.origin;
        if (i % 5 == 0) {  // straight at a corner, or along the diagonal's plane
            ray.direction = offset + p[random.below(4)] - ray.origin;
        }
        if (i % 11 == 0) {
            ray.direction[static_cast<int>(random.below(3))] = 0.0F;
        }
        ray.t_max = i % 7 == 0 ? random.unit() : 3.0F;
        const Vec3 a = p[0] + offset;
        const Vec3 b = p[1] + offset;
        const Vec3 c = p[2] + offset;
        const Vec3 d = p[3] + offset;
        const QuadHit hit = intersect_quad(ray, a, b, c, d);
        const QuadHit expected{or_none(intersect_triangle(ray, a, b, c)),
                               or_none(intersect_triangle(ray, a, c, d))};
        CAPTURE(i);
        REQUIRE(hit == expected);
        first_count += hit.first >= 0.0F ? 1 : 0;
        second_count += hit.second >= 0.0F ? 1 : 0;
        both_count += hit.first >= 0.0F && hit.second >= 0.0F ? 1 : 0;
    }
    CHECK(first_count > 5000);
    CHECK(second_count > 5000);
    CHECK(both_count > 1000);
}

TEST_CASE("A16 ray_triangle: a quad's answer in numbers, and for rays that are none") {
    const Vec3 a{0, 1, 0};
    const Vec3 b{0, 1, 2};
    const Vec3 c{2, 1, 2};
    const Vec3 d{2, 1, 0};
    const auto hit = [&](const Ray& ray) { return intersect_quad(ray, a, b, c, d); };
    CHECK(hit({{0.5F, 3, 1.5F}, {0, -4, 0}, 1.0F}) == QuadHit{0.5F, -1.0F});
    CHECK(hit({{1.5F, 3, 0.5F}, {0, -4, 0}, 1.0F}) == QuadHit{-1.0F, 0.5F});
    CHECK(hit({{1.0F, 0, 1.0F}, {0, 1, 0}, 1.0F}) == QuadHit{1.0F, 1.0F});
    CHECK(hit({{1.0F, 0, 1.0F}, {0, 1, 0}, 0.99F}) == QuadHit{});
    CHECK(hit({{3.0F, 0, 1.0F}, {0, 1, 0}, 9.0F}) == QuadHit{});
    CHECK(hit({{-1, 1, 1}, {1, 0, 0}, 9.0F}) == QuadHit{});  // in its plane
    CHECK(hit({{1, 0, 1}, {0, 0, 0}, 9.0F}) == QuadHit{});
    CHECK(hit({{1, 0, 1}, {0, 1, 0}, NAN}) == QuadHit{});
    CHECK(hit({{1, NAN, 1}, {0, 1, 0}, 9.0F}) == QuadHit{});
    CHECK(hit({{1, 0, 1}, {0, std::numeric_limits<float>::infinity(), 0}, 9.0F}) == QuadHit{});
}

}  // namespace terrane
