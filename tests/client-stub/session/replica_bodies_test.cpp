#include "client-stub/session/replica_bodies.h"

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/client-stub/session/replica_feed.h"

namespace terrane::test {
namespace {

constexpr std::uint8_t kCrateKind = 1;

struct Scene {
    Feed feed;
    ReplicaBodies bodies{feed.replica};

    Scene() {
        StateMessage state = state_at(10);
        state.enters = {{.slot = 1, .generation = 0, .kind = 0, .id = 41, .name = "ann"},
                        {.slot = 2, .generation = 0, .kind = kCrateKind, .id = 60, .name = ""},
                        {.slot = 3, .generation = 0, .kind = kCrateKind, .id = 50, .name = ""},
                        {.slot = 4, .generation = 0, .kind = kCrateKind, .id = 70, .name = ""}};
        state.nodes = {node_at({1, 0, 0}, 1, 0), node_at({2, 0, 0}, 2, 0), node_at({3, 0, 0}, 3, 0),
                       node_at({40, 0, 0}, 4, 0)};
        REQUIRE(feed.take(encode_state(state)));
        REQUIRE(feed.take(encode_chunk(
            kHome, encode_chunk(rock()),
            std::vector{PropPlacement{.index = 1, .kind = 3, .x = 64, .y = 0, .z = 0}})));
    }
    std::vector<MotionBody> gather(const Aabb& box) {
        std::vector<MotionBody> found;
        bodies.gather(box, found);
        return found;
    }
};

TEST_CASE("replica_bodies: props first, then bodies by id; no players, nothing far away") {
    Scene scene;
    scene.bodies.collect({0, 0, 0});
    CHECK(scene.bodies.has_bodies());
    const auto all = scene.gather({Vec3(-50), Vec3(50)});
    REQUIRE(all.size() == 3);
    CHECK(all[0].id == 0);
    CHECK(all[0].mass_kg == 0.0F);
    CHECK(all[0].shape == BodyShape::cylinder);
    CHECK(all[0].position == Vec3(4, 3, 0));
    CHECK(all[1].id == 50);
    CHECK(all[2].id == 60);
    CHECK(all[2].mass_kg > 1.0F);
    CHECK(scene.gather({Vec3(0, 20, 0), Vec3(9, 21, 9)}).empty());
    MotionBody found;
    CHECK(scene.bodies.find(60, found));
    CHECK(found.position == Vec3(2, 0, 0));
    CHECK_FALSE(scene.bodies.find(70, found));  // too far away
    CHECK_FALSE(scene.bodies.find(0, found));
    CHECK_FALSE(scene.bodies.find(99, found));
    scene.bodies.collect({45, 0, 0});
    CHECK(scene.bodies.find(70, found));
    CHECK_FALSE(scene.bodies.find(60, found));
}

TEST_CASE("replica_bodies: velocities are what two poses say, and bodies are moved on by them") {
    Scene scene;
    StateMessage state = state_at(11);
    const Quat turned = rotation_about({0, 1, 0}, 655);  // 3.6 degrees
    state.nodes = {
        to_wire(quantise_position({2.25F, 0, 0}), quantise_rotation(turned), 2, 0, std::uint8_t{0}),
        node_at({3, 0.5F, 0}, 3, 0, kNodeAsleep)};
    REQUIRE(scene.feed.take(encode_state(state)));
    scene.bodies.collect({0, 0, 0});
    MotionBody crate;
    REQUIRE(scene.bodies.find(60, crate));
    CHECK(crate.linear_velocity.x == doctest::Approx(5.0));  // 0.25 m in a tick of 50 ms
    CHECK(crate.angular_velocity.y == doctest::Approx(1.256).epsilon(0.05));
    MotionBody asleep;
    REQUIRE(scene.bodies.find(50, asleep));
    CHECK(asleep.linear_velocity == Vec3(0.0F));

    scene.bodies.set_seconds_ahead(0.1F);
    REQUIRE(scene.bodies.find(60, crate));
    CHECK(crate.position.x == doctest::Approx(2.75));
    CHECK(glm::length(crate.rotation) == doctest::Approx(1.0));
    scene.bodies.set_seconds_ahead(100.0F);  // nobody knows so far
    REQUIRE(scene.bodies.find(60, crate));
    CHECK(crate.position.x == doctest::Approx(2.25 + 5.0 * double{kBodiesAheadMaxS}));

    // It stands: no pose in the next state.
    REQUIRE(scene.feed.take(encode_state(state_at(12))));
    scene.bodies.collect({0, 0, 0});
    REQUIRE(scene.bodies.find(60, crate));
    CHECK(crate.linear_velocity == Vec3(0.0F));
}

TEST_CASE("replica_bodies: a carrier is put where the zone's exact word of its rider has it") {
    Scene scene;
    StateMessage state = state_at(11);
    state.nodes = {node_at({2.25F, 0, 0}, 2, 0)};  // 5 m/s
    REQUIRE(scene.feed.take(encode_state(state)));
    scene.bodies.collect({0, 0, 0});
    // A substep ago the rider's foot was 0.5 m above the body's middle, which was at 2.169.
    scene.bodies.align(60, {2.169F, 0.502F, 0}, {0, 0.5F, 0}, 1.0F / 60.0F);
    MotionBody crate;
    REQUIRE(scene.bodies.find(60, crate));
    CHECK(crate.position.x == doctest::Approx(2.169 + 5.0 / 60.0).epsilon(1e-4));
    CHECK(crate.position.y == doctest::Approx(0.002));
    // More than rounding is something else: the body stays.
    scene.bodies.align(60, {9.0F, 0, 0}, {0, 0.5F, 0}, 1.0F / 60.0F);
    scene.bodies.align(99, {9.0F, 0, 0}, {0, 0.5F, 0}, 1.0F / 60.0F);
    scene.bodies.align(0, {4.0F, 3.0F, 0}, {0, 0, 0}, 1.0F / 60.0F);
    MotionBody same;
    REQUIRE(scene.bodies.find(60, same));
    CHECK(same.position == crate.position);
}

TEST_CASE("replica_bodies: a jump is no velocity") {
    Scene scene;
    StateMessage state = state_at(11);
    state.nodes = {node_at({10, 0, 0}, 2, 0)};  // 160 m/s
    REQUIRE(scene.feed.take(encode_state(state)));
    scene.bodies.collect({0, 0, 0});
    MotionBody crate;
    REQUIRE(scene.bodies.find(60, crate));
    CHECK(crate.linear_velocity == Vec3(0.0F));
}

}  // namespace
}  // namespace terrane::test
