#include "shared/motion/capsule_sweep.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/motion/slide_planes.h"

namespace terrane {
namespace {

const Capsule kCapsule{0.35F, 1.8F, 0.37F};

Vec3 random_point(Random& random, float reach) {
    const float x = random.range(-reach, reach);
    const float y = random.range(-reach, reach);
    return {x, y, random.range(-reach, reach)};
}

TerrainTriangle triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {a, b, c, {}, 0, kFirstSolid};
}

TEST_CASE("motion: a sweep onto a face is exact") {
    CapsuleSweep near;
    near.assign({triangle({-9, 0, -9}, {-9, 0, 9}, {9, 0, 0})});
    const auto down = near.sweep(kCapsule, {0, 5, 0}, {0, -1, 0}, 10.0F);
    REQUIRE(down.has_hit);
    CHECK(down.travelled_m == doctest::Approx(4.98F));
    CHECK(down.hit.normal.y == doctest::Approx(1.0F));
    CHECK(down.hit.face_up == doctest::Approx(1.0F));
    CHECK_FALSE(near.sweep(kCapsule, {0, 5, 0}, {0, -1, 0}, 4.9F).has_hit);
    CHECK_FALSE(near.sweep(kCapsule, {0, 0.02F, 0}, {1, 0, 0}, 3.0F).has_hit);  // along
    CHECK_FALSE(near.sweep(kCapsule, {0, 0.02F, 0}, {0, 1, 0}, 3.0F).has_hit);  // away
    CHECK(near.sweep(kCapsule, {0, -5, 0}, {0, 1, 0}, 9.0F).has_hit);           // from below
}

TEST_CASE("motion: no sweep of any length ends in or behind a triangle") {
    const std::uint64_t seed = 71;
    CAPTURE(seed);
    Random random(seed);
    int hits = 0;
    for (int round = 0; round < 3000; ++round) {
        CAPTURE(round);
        std::vector<TerrainTriangle> soup;
        for (int i = 0; i < 4; ++i) {
            const Vec3 at = random_point(random, 3.0F);
            soup.push_back(
                triangle(at, at + random_point(random, 2.0F), at + random_point(random, 2.0F)));
        }
        CapsuleSweep near;
        near.assign(soup);
        const Vec3 foot = random_point(random, 4.0F);
        CapsuleContact contact;
        if (near.nearest(kCapsule, foot, kCapsule.touch_m, contact)) {
            continue;
        }
        const Vec3 direction = glm::normalize(random_point(random, 1.0F) + Vec3{1e-3F});
        const float length = random.range(0.0F, 8.0F);
        const SweepResult found = near.sweep(kCapsule, foot, direction, length);
        hits += found.has_hit ? 1 : 0;
        REQUIRE(found.travelled_m <= length + 1e-4F);
        REQUIRE((found.has_hit || found.travelled_m == doctest::Approx(length)));
        constexpr int kLooks = 40;
        for (int i = 0; i <= kLooks; ++i) {
            const float t = found.travelled_m * static_cast<float>(i) / kLooks;
            REQUIRE_FALSE(
                near.nearest(kCapsule, foot + direction * t, kCapsule.touch_m - 1e-3F, contact));
        }
        if (found.has_hit) {  // it stopped because it touches
            REQUIRE(near.nearest(kCapsule, foot + direction * found.travelled_m,
                                 kCapsule.touch_m + 0.02F, contact));
        }
    }
    CHECK(hits > 100);
}

TEST_CASE("motion: push_out leaves a floor straight up and a wall sideways") {
    CapsuleSweep near;
    near.assign({triangle({-9, 0, -9}, {-9, 0, 9}, {9, 0, 0}),
                 triangle({1, -5, -9}, {1, 9, 0}, {1, -5, 9})});
    Vec3 foot{0.75F, -0.1F, 0};
    CHECK(near.push_out(kCapsule, foot, 0.64F));
    CHECK(foot.y == doctest::Approx(0.02F).epsilon(0.01));
    CHECK(foot.x == doctest::Approx(0.63F).epsilon(0.01));
    const Vec3 free = foot;
    CHECK(near.push_out(kCapsule, foot, 0.64F));
    CHECK(foot == free);
}

TEST_CASE("motion: slide planes keep a vector out of every plane") {
    const std::uint64_t seed = 72;
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 5000; ++round) {
        CAPTURE(round);
        SlidePlanes planes(0.64F, false);
        std::vector<Vec3> normals;
        const int count = random.between(1, 3);
        for (int i = 0; i < count; ++i) {
            normals.push_back(glm::normalize(random_point(random, 1.0F) + Vec3{1e-3F}));
            REQUIRE(planes.add(normals.back()));
        }
        const Vec3 v = random_point(random, 5.0F);
        const Vec3 along = planes.clip(v);
        for (const Vec3& normal : normals) {
            REQUIRE(glm::dot(along, normal) >= -1e-3F);
        }
        REQUIRE(is_finite(along));
    }
    // A walker keeps the speed over the map uphill, and a steep face is a wall.
    SlidePlanes hill(0.64F, true);
    hill.add(glm::normalize(Vec3{-0.5F, 1, 0}));
    CHECK(hill.clip({2, 0, 0}).x == 2.0F);
    CHECK(hill.clip({2, 0, 0}).y == doctest::Approx(1.0F));
    SlidePlanes cliff(0.64F, true);
    cliff.add(glm::normalize(Vec3{-2, 1, 0}));
    CHECK(cliff.clip({2, 0, 3}) == Vec3{0, 0, 3});
    // So is one that leans over: it does not press a walker into the ground.
    SlidePlanes overhang(0.64F, true);
    overhang.add(glm::normalize(Vec3{-2, -1, 0}));
    CHECK(overhang.clip({2, 0, 3}) == Vec3{0, 0, 3});
    // In the air a steep face turns a fall aside, but never into height.
    SlidePlanes steep(0.64F, false);
    steep.add(glm::normalize(Vec3{-2, 1, 0}));
    CHECK(steep.clip({5, 0, 3}) == Vec3{0, 0, 3});
    const Vec3 aside = steep.clip({1, -3, 0});
    CHECK(aside.y < 0.0F);
    CHECK(aside.x < 0.0F);
}

}  // namespace
}  // namespace terrane
