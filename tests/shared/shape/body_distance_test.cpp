// Segment against body: exact examples, and random ones against a dense sampling of the segment.
#include "shared/shape/body_distance.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <glm/common.hpp>

#include "shared/core/random.h"

namespace terrane {
namespace {

Vec3 random_point(Random& random, float reach) {
    const float x = random.range(-reach, reach);
    const float y = random.range(-reach, reach);
    return {x, y, random.range(-reach, reach)};
}

/// Signed distance of a point, by the plain formulas.
float point_distance(BodyShape shape, const Vec3& half, const Vec3& p) {
    if (shape == BodyShape::sphere) {
        return glm::length(p) - half.x;
    }
    if (shape == BodyShape::cylinder) {
        const Vec2 d{std::sqrt(p.x * p.x + p.z * p.z) - half.x, std::abs(p.y) - half.y};
        return glm::length(glm::max(d, Vec2{0.0F})) + std::min(std::max(d.x, d.y), 0.0F);
    }
    if (shape == BodyShape::capsule) {
        const float arm = std::max(0.0F, half.y - half.x);
        return glm::length(p - Vec3{0.0F, std::clamp(p.y, -arm, arm), 0.0F}) - half.x;
    }
    const Vec3 d = glm::abs(p) - half;
    return glm::length(glm::max(d, Vec3{0.0F})) + std::min(std::max({d.x, d.y, d.z}), 0.0F);
}

/// The least over many points of the segment.
float sampled(BodyShape shape, const Vec3& half, const Segment& segment) {
    constexpr int kSamples = 400;
    float best = INFINITY;
    for (int i = 0; i <= kSamples; ++i) {
        const float t = static_cast<float>(i) / kSamples;
        best = std::min(best, point_distance(shape, half, segment.a + (segment.b - segment.a) * t));
    }
    return best;
}

constexpr BodyShape kShapes[] = {BodyShape::box, BodyShape::sphere, BodyShape::cylinder,
                                 BodyShape::capsule};

TEST_CASE("shape: distances of an upright segment to a box are those of a drawing") {
    const Vec3 half{1.0F, 0.5F, 2.0F};
    const auto beside = distance_to_body(BodyShape::box, half, {{3, -0.2F, 0}, {3, 5, 0}});
    CHECK(beside.distance_m == 2.0F);
    CHECK(beside.normal == Vec3{1, 0, 0});
    CHECK(beside.on_body == Vec3{1, -0.2F, 0});
    const auto above = distance_to_body(BodyShape::box, half, {{0.5F, 2, 1}, {0.5F, 3, 1}});
    CHECK(above.distance_m == 1.5F);
    CHECK(above.normal == Vec3{0, 1, 0});
    const auto edge = distance_to_body(BodyShape::box, half, {{4, 4.5F, 0}, {4, 6, 0}});
    CHECK(edge.distance_m == doctest::Approx(5.0F));
    CHECK(edge.normal.x == doctest::Approx(0.6F));
    // Overlapping: out by the nearest side.
    const auto inside = distance_to_body(BodyShape::box, half, {{-0.8F, -3, 0}, {-0.8F, 3, 0}});
    CHECK(inside.distance_m == doctest::Approx(-0.2F));
    CHECK(inside.normal == Vec3{-1, 0, 0});
    const auto tip = distance_to_body(BodyShape::box, half, {{0, 0.4F, 0}, {0, 3, 0}});
    CHECK(tip.distance_m == doctest::Approx(-0.1F));
    CHECK(tip.normal == Vec3{0, 1, 0});
}

TEST_CASE("shape: the way out of a cylinder and a ball is that of a drawing") {
    const Vec3 half{1.0F, 2.0F, 99.0F};
    const auto side = distance_to_body(BodyShape::cylinder, half, {{0.6F, -1, 0}, {0.6F, 1, 0}});
    CHECK(side.distance_m == doctest::Approx(-0.4F));
    CHECK(side.normal == Vec3{1, 0, 0});
    const auto top = distance_to_body(BodyShape::cylinder, half, {{0.1F, 1.7F, 0}, {0.1F, 3, 0}});
    CHECK(top.distance_m == doctest::Approx(-0.3F));
    CHECK(top.normal == Vec3{0, 1, 0});
    const auto across = distance_to_body(BodyShape::cylinder, half, {{-2, 0, 0.7F}, {8, 0, 0.7F}});
    CHECK(across.distance_m == doctest::Approx(-0.3F));
    CHECK(across.normal == Vec3{0, 0, 1});
    const auto end = distance_to_body(BodyShape::cylinder, half, {{0.5F, 0, 0.6F}, {4, 0, 4.8F}});
    CHECK(end.distance_m == doctest::Approx(-0.2190F).epsilon(0.01));
    const auto ball = distance_to_body(BodyShape::sphere, half, {{0.25F, -3, 0}, {0.25F, 3, 0}});
    CHECK(ball.distance_m == doctest::Approx(-0.75F));
    CHECK(ball.normal == Vec3{1, 0, 0});
}

TEST_CASE("shape: distances of a capsule are those of its inner segment less the radius") {
    const Vec3 half{0.5F, 2.0F, 99.0F};  // inner segment: y -1.5 .. 1.5
    const auto side = distance_to_body(BodyShape::capsule, half, {{2, -9, 0}, {2, 9, 0}});
    CHECK(side.distance_m == doctest::Approx(1.5F));
    CHECK(side.normal == Vec3{1, 0, 0});
    const auto cap = distance_to_body(BodyShape::capsule, half, {{3, 5.5F, 0}, {9, 5.5F, 0}});
    CHECK(cap.distance_m == doctest::Approx(4.5F));
    CHECK(cap.normal.x == doctest::Approx(0.6F));
    CHECK(cap.on_body.y == doctest::Approx(1.5F + 0.4F));
    const auto crossing = distance_to_body(BodyShape::capsule, half, {{-4, 1, 0}, {4, 1, 0}});
    CHECK(crossing.distance_m == doctest::Approx(-0.5F));
    CHECK(std::abs(crossing.normal.z) == doctest::Approx(1.0F));
    CHECK(face_cosine(BodyShape::capsule, half, {0.3F, 1.9F, 0}, {0, 1, 0}) ==
          doctest::Approx(0.8F));
    CHECK(face_cosine(BodyShape::capsule, half, {0.5F, 1.0F, 0}, {0, 1, 0}) == 0.0F);
}

TEST_CASE("shape: the nearest point of a segment to a body is as near as any sample of it") {
    const std::uint64_t seed = 31;
    CAPTURE(seed);
    Random random(seed);
    int apart = 0;
    for (int round = 0; round < 8000; ++round) {
        CAPTURE(round);
        const BodyShape shape = kShapes[round % 4];
        const Vec3 half = glm::abs(random_point(random, 1.5F)) + 0.05F;
        const Segment segment{random_point(random, 3.0F), random_point(random, 3.0F)};
        const auto found = distance_to_body(shape, half, segment);
        const float oracle = sampled(shape, half, segment);
        REQUIRE(glm::length(found.normal) == doctest::Approx(1.0F).epsilon(1e-4));
        REQUIRE(std::abs(point_distance(shape, half, found.on_body)) <
                (found.distance_m > 0.0F ? 1e-4F : 10.0F));
        if (oracle <= 1e-3F) {
            REQUIRE(found.distance_m <= oracle + 1e-3F);
            continue;
        }
        ++apart;
        REQUIRE(found.distance_m <= oracle + 1e-4F);
        REQUIRE(found.distance_m >= oracle - 0.01F);  // the samples are a step apart
        // The plane through the nearest point holds the whole segment off.
        REQUIRE(glm::dot(segment.a - found.on_body, found.normal) > found.distance_m - 2e-3F);
        REQUIRE(glm::dot(segment.b - found.on_body, found.normal) > found.distance_m - 2e-3F);
    }
    CHECK(apart > 1500);
}

TEST_CASE("shape: moved out along the normal by the depth, a segment touches and no more") {
    const std::uint64_t seed = 32;
    CAPTURE(seed);
    Random random(seed);
    int deep = 0;
    for (int round = 0; round < 8000; ++round) {
        CAPTURE(round);
        const BodyShape shape = kShapes[round % 4];
        const Vec3 half = glm::abs(random_point(random, 1.5F)) + 0.05F;
        const Segment segment{random_point(random, 1.0F), random_point(random, 1.0F)};
        const auto found = distance_to_body(shape, half, segment);
        if (found.distance_m >= 0.0F) {
            continue;
        }
        ++deep;
        const Vec3 out = found.normal * (1e-3F - found.distance_m);
        REQUIRE(distance_to_body(shape, half, {segment.a + out, segment.b + out}).distance_m >=
                0.0F);
        if (shape != BodyShape::cylinder) {  // its way out is a good one, not always the shortest
            for (int i = 0; i < 8; ++i) {
                const Vec3 shorter = glm::normalize(random_point(random, 1.0F) + Vec3{1e-3F}) *
                                     (-found.distance_m * 0.98F);
                REQUIRE(sampled(shape, half, {segment.a + shorter, segment.b + shorter}) < 5e-3F);
            }
        }
    }
    CHECK(deep > 1500);
}

TEST_CASE("shape: degenerate segments and bodies give finite answers") {
    for (const BodyShape shape : kShapes) {
        for (const Vec3& half : {Vec3{0.0F}, Vec3{1.0F}}) {
            for (const Vec3& at : {Vec3{0.0F}, Vec3{1.0F, 1.0F, 1.0F}, Vec3{0.0F, 3.0F, 0.0F}}) {
                for (const Vec3& length : {Vec3{0.0F}, Vec3{0.0F, 1.0F, 0.0F}}) {
                    const auto found = distance_to_body(shape, half, {at, at + length});
                    CHECK(std::isfinite(found.distance_m));
                    CHECK(is_finite(found.on_body));
                    CHECK(glm::length(found.normal) == doctest::Approx(1.0F));
                }
            }
        }
    }
}

TEST_CASE("shape: the faces at an edge count both") {
    const Vec3 half{1.0F, 0.5F, 2.0F};
    const Vec3 up{0, 1, 0};
    CHECK(face_cosine(BodyShape::box, half, {1, 0.5F, 0}, up) == 1.0F);
    CHECK(face_cosine(BodyShape::box, half, {1, 0.2F, 0}, up) == 0.0F);
    CHECK(face_cosine(BodyShape::box, half, {0, -0.5F, 0}, up) == -1.0F);
    CHECK(face_cosine(BodyShape::box, half, {0, 0, 0}, up) == -1.0F);
    CHECK(face_cosine(BodyShape::cylinder, half, {0, 0.5F, 1}, up) == 1.0F);
    CHECK(face_cosine(BodyShape::cylinder, half, {0, 0.1F, 1}, {0, 0, 1}) == 1.0F);
    CHECK(face_cosine(BodyShape::sphere, half, {0.6F, 0.8F, 0}, up) == doctest::Approx(0.8F));
}

}  // namespace
}  // namespace terrane
