#include "shared/protocol/transform_codec.h"

#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

Quat random_rotation(Random& random) {
    for (;;) {
        const Quat q{random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F),
                     random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F)};
        const float length2 = glm::dot(q, q);
        if (length2 > 0.01F && length2 <= 1.0F) {
            return q / std::sqrt(length2);
        }
    }
}

/// Of the rotation between a and b. By the sine: the cosine is blind to small angles.
double angle_between(const Quat& a, const Quat& b) {
    const Quat d = glm::conjugate(a) * b;
    return 2.0 * std::asin(std::min(1.0, std::sqrt(static_cast<double>(d.x) * d.x +
                                                   static_cast<double>(d.y) * d.y +
                                                   static_cast<double>(d.z) * d.z)));
}

TEST_CASE("transform_codec: positions are off by at most 1/512 m and exact on the lattice") {
    Random random(11);
    for (int i = 0; i < 100000; ++i) {
        const Vec3 p{random.range(-4096.0F, 4096.0F), random.range(-4096.0F, 4096.0F),
                     random.range(-4096.0F, 4096.0F)};
        const QuantisedPosition q = quantise_position(p);
        const Vec3 back = restore_position(q);
        REQUIRE(std::fabs(back.x - p.x) <= 1.0F / 512.0F);
        REQUIRE(std::fabs(back.y - p.y) <= 1.0F / 512.0F);
        REQUIRE(std::fabs(back.z - p.z) <= 1.0F / 512.0F);
        REQUIRE(quantise_position(back) == q);
    }
    CHECK(quantise_position({1.0F, -1.0F, 0.0F}) == QuantisedPosition{256, -256, 0});
}

TEST_CASE("T19 transform_codec: positions that are not finite or far out are clamped") {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    constexpr std::int32_t kMost = 16384 * 256;
    CHECK(quantise_position({kInf, -kInf, kNaN}) == QuantisedPosition{kMost, -kMost, -kMost});
    CHECK(quantise_position({1e38F, -1e38F, 1e-40F}) == QuantisedPosition{kMost, -kMost, 0});
}

TEST_CASE("transform_codec: rotations are off by less than 0.25 degrees and stable") {
    Random random(12);
    double worst = 0.0;
    for (int i = 0; i < 200000; ++i) {
        const Quat rotation = random_rotation(random);
        const std::uint32_t bits = quantise_rotation(rotation);
        const Quat back = restore_rotation(bits);
        REQUIRE(std::fabs(glm::dot(back, back) - 1.0F) < 1e-5F);
        REQUIRE(quantise_rotation(-rotation) == bits);
        worst = std::max(worst, angle_between(rotation, back));
    }
    CHECK(worst < 0.25 * 3.14159265 / 180.0);
    CHECK(worst > 0.2 * 3.14159265 / 180.0);  // a bound that says something
}

TEST_CASE("transform_codec: no rotation, half turns and axes are exact") {
    for (const Quat& q : {Quat{1, 0, 0, 0}, Quat{0, 1, 0, 0}, Quat{0, 0, 1, 0}, Quat{0, 0, 0, 1}}) {
        const Quat back = restore_rotation(quantise_rotation(q));
        CHECK(back.w == q.w);
        CHECK(back.x == q.x);
        CHECK(back.y == q.y);
        CHECK(back.z == q.z);
    }
    CHECK(quantise_rotation(kNoRotation) == 0xdff7fdffU);  // 3, then 511 three times
}

TEST_CASE("T19 transform_codec: rotations of length zero or not finite are no rotation") {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    const std::uint32_t none = quantise_rotation(kNoRotation);
    CHECK(quantise_rotation({0, 0, 0, 0}) == none);
    CHECK(quantise_rotation({kNaN, 0, 0, 1}) == none);
    CHECK(quantise_rotation({std::numeric_limits<float>::infinity(), 0, 0, 0}) == none);
    CHECK(quantise_rotation({4, 0, 0, 0}) == none);
}

TEST_CASE("transform_codec: any bits restore to a unit quaternion") {
    Random random(13);
    for (int i = 0; i < 200000; ++i) {
        const auto bits = static_cast<std::uint32_t>(random.next());
        const Quat q = restore_rotation(bits);
        REQUIRE(std::fabs(glm::dot(q, q) - 1.0F) < 1e-5F);
    }
    for (const std::uint32_t bits : {0U, 0xFFFFFFFFU, 0x3FFFFFFFU, 0xC0000000U}) {
        const Quat q = restore_rotation(bits);
        CHECK(std::fabs(glm::dot(q, q) - 1.0F) < 1e-5F);
    }
}

}  // namespace
}  // namespace terrane
