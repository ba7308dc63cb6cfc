#include "shared/shape/body_kind.h"

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
    kind.shape = BodyShape::player;
    CHECK(volume_m3(kind) == 0.0F);
    CHECK(body_mass_kg(kind) == 0.0F);
}

}  // namespace terrane
