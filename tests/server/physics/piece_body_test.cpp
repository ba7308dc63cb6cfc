// Bodies of convex parts: what an edit cut off.
#include <limits>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

constexpr float kDensity = kPieceDensity;

PieceShape cube() {
    return piece_of({{Vec3(0.0F), Vec3(0.6F)}});
}

/// An L: 3 m long, 1 m wide, one arm 2 m high.
PieceShape ell() {
    return piece_of(
        {{Vec3(0.0F), Vec3(3.0F, 1.0F, 1.0F)}, {Vec3(0.0F, 1.0F, 0.0F), Vec3(1.0F, 2.0F, 1.0F)}});
}

BodyHandle add(PhysicsScene& scene, const PieceShape& piece, const Vec3& position,
               const Quat& rotation = kNoRotation) {
    return scene.add_piece(piece, position, rotation);
}

}  // namespace

TEST_CASE("A18 piece_body: a cube of one part lies, sleeps and floats as a crate does") {
    PhysicsScene scene(pool(kSceneBounds));
    const BodyHandle dry = add(scene, cube(), {24.4F, 1.0F, 0.4F});
    const BodyHandle wet = add(scene, cube(), {0.4F, 0.2F, 0.4F});
    scene.run(25.0F);
    CHECK(scene.position(dry).y == doctest::Approx(0.3F).epsilon(0.02));
    CHECK(scene.is_asleep(dry));
    CHECK(scene.speed(wet) < 0.01F);
    CHECK(scene.world.submerged_share(wet) == doctest::Approx(0.6F).epsilon(0.03));
    CHECK(scene.world.submerged_share(dry) == 0.0F);
}

TEST_CASE("A18 piece_body: an L rests on its long side, sleeps, and falls when its ground goes") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const PieceShape piece = ell();
    const float low = piece.parts[0].middle.y - piece.parts[0].half_extents.y;
    const BodyHandle body = add(scene, piece, {4.4F, 1.0F - low, 4.4F});
    REQUIRE(piece.parts.size() == 2);
    scene.run(6.0F);
    const BodyState state = scene.world.state(body);
    CHECK(state.position.y == doctest::Approx(-low).epsilon(0.02));
    CHECK((state.rotation * Vec3(0.0F, 1.0F, 0.0F)).y > 0.999F);
    CHECK(scene.is_asleep(body));

    const Aabb box = scene.world.bounds(body);
    CHECK(box.max.y == doctest::Approx(2.0F).epsilon(0.02));
    CHECK(box.max.x - box.min.x == doctest::Approx(3.0F).epsilon(0.02));
    // In the notch of the L, in its arm, above it.
    const Vec3 notch{box.min.x + 2.0F, 1.5F, 4.4F};
    CHECK_FALSE(scene.world.overlaps_body({notch - 0.3F, notch + 0.3F}));
    const Vec3 arm{box.min.x + 0.5F, 1.5F, 4.4F};
    CHECK(scene.world.overlaps_body({arm - 0.3F, arm + 0.3F}));

    scene.edit({{0, -6, 0}, {8, -1, 8}}, kAirVoxel);
    scene.run(kSubstep);
    CHECK_FALSE(scene.is_asleep(body));
    CHECK(scene.world.state(body).linear_velocity.y < -0.1F);
    scene.run(3.0F);
    CHECK(scene.position(body).y == doctest::Approx(-6.0F - low).epsilon(0.02));
}

TEST_CASE("A18 piece_body: a crate lies in the notch of an L, not in the box around it") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const PieceShape piece = ell();
    const float low = piece.parts[0].middle.y - piece.parts[0].half_extents.y;
    const BodyHandle body = add(scene, piece, {4.4F, -low, 4.4F});
    scene.run(0.5F);
    const Aabb box = scene.world.bounds(body);
    const BodyHandle crate = scene.add(kCrate, {box.min.x + 2.0F, 2.0F, 4.4F});
    scene.run(5.0F);
    CHECK(scene.position(crate).y == doctest::Approx(1.3F).epsilon(0.02));
    CHECK(scene.is_asleep(crate));
    CHECK(scene.is_asleep(body));
}

TEST_CASE(
    "A18 piece_body: it floats at its density and turns as its moments say, tilted axes too") {
    PhysicsScene scene(pool(kSceneBounds));
    const BodyHandle body = add(scene, ell(), {0.0F, 0.5F, 0.0F});
    scene.run(30.0F);
    CHECK(scene.speed(body) < 0.01F);
    CHECK(scene.world.submerged_share(body) == doctest::Approx(kDensity / 1000.0F).epsilon(0.03));

    // One newton metre second about x, with principal axes that stand at an angle to the piece's.
    PhysicsConfig config;
    config.gravity_mps2 = 0.0F;
    PhysicsScene space(flat_ground(kSceneBounds), config);
    PieceShape tilted = cube();
    tilted.moments = {10.0F, 40.0F, 20.0F};
    tilted.axes = rotation_about({0.0F, 0.0F, 1.0F}, 8192);  // 45 degrees
    const BodyHandle spun = add(space, tilted, {0.0F, 8.0F, 0.0F});
    space.world.apply_impulse(spun, {0.0F, 0.0F, -100.0F}, {0.0F, 9.0F, 0.0F});  // turn: -100 x
    const Vec3 spin = space.world.state(spun).angular_velocity;
    // Inverse tensor: half of 1/10 + 1/40 on the diagonal, half of their difference beside it.
    CHECK(spin.x == doctest::Approx(-100.0F * 0.0625F).epsilon(0.001));
    CHECK(spin.y == doctest::Approx(-100.0F * 0.0375F).epsilon(0.001));
    CHECK(std::abs(spin.z) < 1e-3F);
    CHECK(space.world.state(spun).rotation == kNoRotation);
    space.run(0.1F);
    CHECK(is_finite(space.position(spun)));
}

TEST_CASE(
    "A18 piece_body: a bridge over a ridge keeps its place though its centre is in the rock") {
    VoxelGrid grid = flat_ground(kSceneBounds);
    fill(grid, {{-1, 0, -4}, {0, 3, 3}}, kRock);
    PhysicsScene scene(std::move(grid));
    const PieceShape bridge = piece_of({{Vec3(-3.0F, 4.0F, -0.5F), Vec3(3.0F, 5.0F, 0.5F)},
                                        {Vec3(-3.0F, 0.0F, -0.5F), Vec3(-2.0F, 4.0F, 0.5F)},
                                        {Vec3(2.0F, 0.0F, -0.5F), Vec3(3.0F, 4.0F, 0.5F)}});
    const float low = bridge.parts[1].middle.y - bridge.parts[1].half_extents.y;
    const BodyHandle body = add(scene, bridge, {0.0F, 0.02F - low, 0.0F});
    for (int i = 0; i < 300; ++i) {
        scene.world.step(kSubstep);
        REQUIRE(scene.world.stats().pushed_out == 0);
    }
    CHECK(scene.position(body).y == doctest::Approx(-low).epsilon(0.02));
    CHECK(scene.is_asleep(body));
}

TEST_CASE("A18 piece_body: pieces that cannot be are refused") {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    PhysicsScene scene(flat_ground(kSceneBounds));
    const auto is_refused = [&](const PieceShape& piece) {
        return add(scene, piece, {0.0F, 2.0F, 0.0F}) == BodyHandle{};
    };
    PieceShape piece = cube();
    SUBCASE("no parts") {
        piece.parts.clear();
    }
    SUBCASE("too many parts") {
        piece.parts.resize(kShapePartsMax + 1, piece.parts[0]);
    }
    SUBCASE("a corner that is not finite") {
        piece.parts[0].corners[3].y = kNan;
    }
    SUBCASE("flat") {
        piece.parts[0].half_extents.y = 0.0F;
    }
    SUBCASE("three corners") {
        piece.parts[0].corners.resize(3);
    }
    SUBCASE("no mass") {
        piece.mass_kg = 0.0F;
    }
    SUBCASE("no volume") {
        piece.volume_m3 = -1.0F;
    }
    SUBCASE("moments") {
        piece.moments.z = kNan;
    }
    SUBCASE("axes") {
        piece.axes = Quat(0.0F, 0.0F, 0.0F, 0.0F);
    }
    CHECK(is_refused(piece));
    CHECK_FALSE(is_refused(cube()));
    CHECK(add(scene, cube(), {0.0F, kNan, 0.0F}) == BodyHandle{});
    BodyState good;
    good.position = {4.0F, 2.0F, 4.0F};
    CHECK(scene.world.add_piece(cube(), kNan, good) == BodyHandle{});
    CHECK(scene.world.stats().quarantined == 0);
}

}  // namespace terrane
