#include "shared/bvh/probe.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

TEST_CASE("B13 probe: agrees with the exact slab test of shared/math, odd directions included") {
    Random random(31);
    const auto coordinate = [&] { return static_cast<float>(random.between(-6, 6)); };
    int hits = 0;
    for (int i = 0; i < 200'000; ++i) {
        const Vec3 corner(coordinate(), coordinate(), coordinate());
        const Aabb box{corner, corner + Vec3(static_cast<float>(random.below(4)),
                                             static_cast<float>(random.below(4)),
                                             static_cast<float>(random.below(4)))};
        Ray ray;
        ray.origin = {coordinate(), coordinate(), coordinate()};
        // Powers of two and zeroes: both tests are exact, touching included.
        const float parts[] = {0.0F, -0.0F, 1e-42F, 1.0F, -1.0F, 2.0F, -0.5F, 4.0F};
        ray.direction = {parts[random.below(8)], parts[random.below(8)], parts[random.below(8)]};
        ray.t_max = static_cast<float>(random.below(12));
        const auto span = intersect(ray, box);
        const float enter = enter_box(probe_along(ray), box, ray.t_max);
        REQUIRE((enter != kNoHit) == span.has_value());
        if (span) {
            ++hits;
            REQUIRE(enter == span->enter);
        }
    }
    CHECK(hits > 2'000);
}

TEST_CASE("B13 probe: an empty box is never met, a sweep is the ray against the grown box") {
    const RayProbe probe = probe_along({{0, 0, 0}, {1, 1, 0}, 100});
    CHECK(enter_box(probe, Aabb{}, 100) == kNoHit);
    Random random(32);
    for (int i = 0; i < 20'000; ++i) {
        const auto coordinate = [&] { return static_cast<float>(random.between(-40, 40)) * 0.25F; };
        const Vec3 corner(coordinate(), coordinate(), coordinate());
        const Aabb box{corner, corner + 1.0F};
        const Ray ray{{coordinate(), coordinate(), coordinate()},
                      {coordinate(), coordinate(), coordinate()},
                      1.0F};
        const Vec3 half(0.25F, 0.5F, 1.0F);
        const Aabb grown{box.min - half, box.max + half};
        REQUIRE(enter_box(probe_along(ray, half), box, 1.0F) ==
                enter_box(probe_along(ray), grown, 1.0F));
    }
}

}  // namespace
}  // namespace terrane
