#include "shared/math/ray_box.h"

#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
const Aabb kUnit{{0, 0, 0}, {1, 1, 1}};

TEST_CASE("C1 ray: enters and leaves a box") {
    const auto span = intersect(Ray{{-1, 0.5F, 0.5F}, {2, 0, 0}, 10.0F}, kUnit);
    REQUIRE(span.has_value());
    CHECK(span->enter == 0.5F);
    CHECK(span->leave == 1.0F);
    const auto inside = intersect(Ray{{0.5F, 0.5F, 0.5F}, {0, 0, -1}, 10.0F}, kUnit);
    REQUIRE(inside.has_value());
    CHECK(inside->enter == 0.0F);
    CHECK(inside->leave == 0.5F);
    CHECK_FALSE(intersect(Ray{{-1, 0.5F, 0.5F}, {1, 0, 0}, 0.9F}, kUnit).has_value());
    CHECK(intersect(Ray{{-1, 0.5F, 0.5F}, {1, 0, 0}, 1.0F}, kUnit).has_value());
    CHECK_FALSE(intersect(Ray{{-1, 0.5F, 0.5F}, {-1, 0, 0}, 10.0F}, kUnit).has_value());
}

TEST_CASE("C1 ray: zero, -0 and denormal directions, along faces too") {
    for (const float tiny : {0.0F, -0.0F, kDenormal, -kDenormal, 1e-39F}) {
        CAPTURE(tiny);
        for (const float y : {0.0F, 0.5F, 1.0F}) {  // faces count
            CHECK(intersect(Ray{{-1, y, 0.5F}, {1, tiny, tiny}, 3.0F}, kUnit).has_value());
        }
        CHECK_FALSE(intersect(Ray{{-1, 1.01F, 0.5F}, {1, tiny, tiny}, 3.0F}, kUnit).has_value());
        CHECK_FALSE(intersect(Ray{{-1, -0.01F, 0.5F}, {1, tiny, tiny}, 3.0F}, kUnit).has_value());
        // A ray without length looks at its origin.
        CHECK(intersect(Ray{{1, 1, 1}, {tiny, tiny, tiny}, 1.0F}, kUnit).has_value());
        CHECK_FALSE(intersect(Ray{{1, 1.5F, 1}, {tiny, tiny, tiny}, 1.0F}, kUnit).has_value());
    }
}

TEST_CASE("C1 ray: empty box, point box and flat box") {
    const Ray along_x{{-1, 0, 0}, {1, 0, 0}, 5.0F};
    CHECK_FALSE(intersect(along_x, Aabb{}).has_value());
    CHECK_FALSE(intersect(Ray{{0, 0, 0}, {0, 0, 0}, 1.0F}, Aabb{}).has_value());
    CHECK(intersect(along_x, Aabb{{0, 0, 0}, {0, 0, 0}}).has_value());
    CHECK(intersect(along_x, Aabb{{0, -1, -1}, {0, 1, 1}})->enter == 1.0F);
    CHECK_FALSE(intersect(Ray{{0.5F, 0.5F, 0.5F}, {1, 0, 0}, -1.0F}, kUnit).has_value());
}

TEST_CASE("C1 ray: equals marching along random rays") {
    const std::uint64_t seed = 21;
    CAPTURE(seed);
    Random random(seed);
    int hits = 0;
    for (int round = 0; round < 3000; ++round) {
        const auto part = [&] { return random.below(4) == 0 ? 0.0F : random.range(-2.0F, 2.0F); };
        const float ox = part();
        const float oy = part();
        const float oz = part();
        const float dx = part();
        const float dy = part();
        const Ray ray{{ox, oy, oz}, {dx, dy, part()}, 1.0F};
        const auto span = intersect(ray, kUnit);
        hits += span.has_value() ? 1 : 0;
        constexpr int kSteps = 64;
        for (int i = 0; i <= kSteps; ++i) {
            const float t = static_cast<float>(i) / kSteps;
            const Vec3 point = point_at(ray, t);
            if (contains(grow(kUnit, -1e-4F), point)) {
                REQUIRE(span.has_value());
                REQUIRE(t >= span->enter - 1e-4F);
                REQUIRE(t <= span->leave + 1e-4F);
            }
            if (!contains(grow(kUnit, 1e-4F), point) && span.has_value()) {
                REQUIRE((t <= span->enter + 1e-3F || t >= span->leave - 1e-3F));
            }
        }
    }
    CHECK(hits > 150);  // 377 with this seed: both answers are met often
    CHECK(hits < 2700);
}

}  // namespace
}  // namespace terrane
