#include "shared/shape/body_kind.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

namespace terrane {

TEST_CASE("body_kind: volume and mass follow shape and density") {
    BodyKind kind;
    kind.half_extents = Vec3(0.5F, 1.0F, 2.0F);
    kind.density_kg_m3 = 500.0F;
    kind.shape = BodyShape::box;
    CHECK(volume_m3(kind) == doctest::Approx(8.0));
    CHECK(body_mass_kg(kind) == doctest::Approx(4000.0));
    kind.shape = BodyShape::sphere;
    CHECK(volume_m3(kind) == doctest::Approx(0.5235988));
    kind.shape = BodyShape::cylinder;
    CHECK(volume_m3(kind) == doctest::Approx(1.5707963));
    kind.shape = BodyShape::capsule;  // a metre of cylinder and a ball, both 0.5 m in radius
    CHECK(volume_m3(kind) == doctest::Approx(0.7853982 + 0.5235988));
    kind.shape = BodyShape::piece;
    CHECK(volume_m3(kind) == 0.0F);
    kind.shape = BodyShape::player;
    CHECK(volume_m3(kind) == 0.0F);
    CHECK(body_mass_kg(kind) == 0.0F);
}

TEST_CASE("body_kind: moments of inertia are those of counted points") {
    const Vec3 half{0.4F, 0.9F, 0.3F};
    const auto is_in = [&](BodyShape shape, const Vec3& p) {
        const float across = p.x * p.x + p.z * p.z;
        const float beyond = std::max(0.0F, std::abs(p.y) - (half.y - half.x));
        switch (shape) {
            case BodyShape::sphere:
                return glm::dot(p, p) < half.x * half.x;
            case BodyShape::cylinder:
                return across < half.x * half.x;
            case BodyShape::capsule:
                return across + beyond * beyond < half.x * half.x;
            default:
                return true;
        }
    };
    for (const BodyShape shape :
         {BodyShape::box, BodyShape::sphere, BodyShape::cylinder, BodyShape::capsule}) {
        CAPTURE(static_cast<int>(shape));
        const Vec3 reach = box_half_extents(shape, half);
        constexpr int kSide = 80;
        int count = 0;
        glm::dvec3 sum{0.0};
        for (int i = 0; i < kSide * kSide * kSide; ++i) {
            const Vec3 unit =
                (Vec3(i % kSide, i / kSide % kSide, i / kSide / kSide) + 0.5F) * (2.0F / kSide) -
                1.0F;
            const Vec3 p = reach * unit;
            if (is_in(shape, p)) {
                ++count;
                sum +=
                    glm::dvec3(p.y * p.y + p.z * p.z, p.x * p.x + p.z * p.z, p.x * p.x + p.y * p.y);
            }
        }
        const Vec3 counted{sum / static_cast<double>(count)};
        CHECK(glm::length(inertia_per_kg(shape, half) - counted) < 0.003F * glm::length(counted));
    }
}

}  // namespace terrane
