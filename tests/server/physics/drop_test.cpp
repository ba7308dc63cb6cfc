#include "tests/server/physics/drop_scene.h"

#include <doctest/doctest.h>

namespace terrane {

TEST_CASE("A23 drop: 150 bodies of all shapes for 8 s: none lost or buried, energy only falls") {
    PhysicsConfig config;
    config.awake_max = 4096;
    for (const DropGround ground : {DropGround::generated, DropGround::adversarial}) {
        CAPTURE(static_cast<int>(ground));
        const DropResult result = drop(ground, {0, 0, 0}, 150, 8, config);
        CHECK(result.lost == 0);
        CHECK(result.in_ground == 0);
        CHECK(result.rise_j < 1e-4 * result.start_j);
        CHECK(result.restless < 60);  // balls still roll
        CHECK(result.start_j > 0.0);
    }
}

}  // namespace terrane
