#include "server/world/blast.h"

#include <limits>

#include <doctest/doctest.h>

#include "tests/support/small_world.h"

namespace terrane {
namespace {

using test::SmallWorld;

const Body& add_crate(SmallWorld& small, const Vec3& at) {
    BodyState state;
    state.position = at;
    const Body* body = add_body(small.world, 0, 1, state);
    REQUIRE(body != nullptr);
    return *body;
}

TEST_CASE("B1 blast: digs a ball, throws bodies and players away from it") {
    SmallWorld small;
    const Body& near = add_crate(small, {3.0F, 0.3F, 0.0F});
    const Body& far = add_crate(small, {-12.0F, 0.3F, 0.0F});
    Player& player = small.join(1, {-3.0F, 0.0F, 0.0F});
    small.steps(2);
    const Vec3 far_before = small.world.physics.state(far.handle).position;
    small.step({BlastCommand{{0.0F, 0.5F, 0.0F}, 2.0F, 600.0F}});
    CHECK(!small.result.edits.empty());
    CHECK(small.world.grid.voxel({0, -1, 0}) == kAirVoxel);
    CHECK(is_core(small.world.grid.voxel({0, -4, 0})));
    CHECK(small.world.physics.state(near.handle).linear_velocity.x > 1.0F);
    CHECK(player.state.velocity.x < -1.0F);
    CHECK(glm::length(small.world.physics.state(far.handle).position - far_before) < 1e-3F);
}

TEST_CASE("B1 blast: ground between shields") {
    SmallWorld small;
    small.put({{4, 0, -3}, {5, 4, 3}}, {test::kRock, kFullOccupancy});
    const Body& behind = add_crate(small, {7.0F, 0.3F, 0.0F});
    small.steps(20);
    small.step({BlastCommand{{0.0F, 0.5F, 0.0F}, 3.0F, 600.0F}});
    CHECK(glm::length(small.world.physics.state(behind.handle).linear_velocity) < 0.1F);
}

TEST_CASE("B1 blast: nonsense does nothing") {
    SmallWorld small;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    small.step({BlastCommand{{nan, 0.0F, 0.0F}, 2.0F, 600.0F},
                BlastCommand{{0.0F, 0.0F, 0.0F}, nan, 600.0F},
                BlastCommand{{0.0F, 0.0F, 0.0F}, 2.0F, nan},
                BlastCommand{{0.0F, 0.0F, 0.0F}, 5.0F, 600.0F},
                BlastCommand{{1000.0F, 0.0F, 0.0F}, 2.0F, 600.0F}});
    CHECK(small.result.edits.empty());
}

}  // namespace
}  // namespace terrane
