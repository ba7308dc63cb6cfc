#include <doctest/doctest.h>

#include "tests/server/physics/drop_scene.h"

namespace terrane {

TEST_CASE(
    "A23 drop: 1,000 bodies of all shapes for 60 s: none lost, all at rest, energy only falls") {
    PhysicsConfig config;
    config.awake_max = 4096;
    for (const ChunkCoord& middle : {ChunkCoord{0, 0, 0}, ChunkCoord{124, 0, -124}}) {
        for (const DropGround ground : {DropGround::generated, DropGround::adversarial}) {
            CAPTURE(middle.x);
            CAPTURE(static_cast<int>(ground));
            const DropResult result = drop(ground, middle, 1000, 60, config);
            MESSAGE("awake " << result.awake << ", rise " << result.rise_j << " J of "
                             << result.start_j << ", fastest " << result.fastest_mps << " m/s");
            CHECK(result.lost == 0);
            CHECK(result.in_ground == 0);
            CHECK(result.restless == 0);
            CHECK(result.awake <= 3);  // logs roll down the mountain for most of the minute
            CHECK(result.rise_j < 1e-4 * result.start_j);
        }
    }
}

TEST_CASE("A23 drop: with at most 200 awake the same 1,000 come to rest, none lost") {
    PhysicsConfig config;
    config.awake_max = 200;
    const DropResult result = drop(DropGround::adversarial, {0, 0, 0}, 1000, 120, config);
    MESSAGE("awake " << result.awake << ", fastest " << result.fastest_mps << " m/s");
    CHECK(result.lost == 0);
    CHECK(result.in_ground == 0);
    CHECK(result.restless == 0);
}

}  // namespace terrane
