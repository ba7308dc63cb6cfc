#include "shared/motion/near_bodies.h"

#include <doctest/doctest.h>

#include "tests/shared/motion/body_scene.h"

namespace terrane {
namespace {

MotionBody cube(float mass_kg) {
    MotionBody body;
    body.id = 1;
    body.half_extents = Vec3{1.0F};
    body.mass_kg = mass_kg;
    return body;
}

TEST_CASE("motion: a body is as heavy at a point as its mass and inertia there") {
    const Vec3 east{1, 0, 0};
    // A cube of 2 m and 12 kg: 8 kg m2 about each axis, whichever way it is turned.
    CHECK(inverse_mass_at(cube(12.0F), {1, 0, 0}, east) == doctest::Approx(1.0F / 12.0F));
    CHECK(inverse_mass_at(cube(12.0F), {1, 1, 0}, east) ==
          doctest::Approx(1.0F / 12.0F + 1.0F / 8.0F));
    MotionBody turned_cube = cube(12.0F);
    turned_cube.rotation = glm::normalize(Quat{0.9F, 0.1F, 0.5F, -0.3F});
    turned_cube.position = {5, 5, 5};
    CHECK(inverse_mass_at(turned_cube, {6, 6, 5}, east) ==
          doctest::Approx(1.0F / 12.0F + 1.0F / 8.0F));
    // A ball of 0.4 m r2, a cylinder of 1/2 m r2 about its axis and m (r2 / 4 + l2 / 12) across.
    MotionBody ball = cube(10.0F);
    ball.shape = BodyShape::sphere;
    CHECK(inverse_mass_at(ball, {0, 1, 0}, east) == doctest::Approx(0.1F + 1.0F / 4.0F));
    MotionBody log = cube(12.0F);
    log.shape = BodyShape::cylinder;
    log.half_extents = {1.0F, 3.0F, 1.0F};
    CHECK(inverse_mass_at(log, {0, 0, 1}, east) == doctest::Approx(1.0F / 12.0F + 1.0F / 6.0F));
    CHECK(inverse_mass_at(log, {0, 2, 0}, east) == doctest::Approx(1.0F / 12.0F + 4.0F / 39.0F));
    CHECK(inverse_mass_at(cube(0.0F), {1, 1, 0}, east) == 0.0F);
}

TEST_CASE("motion: a point of a turning body moves with it") {
    MotionBody body = cube(1.0F);
    body.position = {10, 0, 0};
    body.linear_velocity = {1, 2, 3};
    body.angular_velocity = {0, 2, 0};
    CHECK(velocity_at(body, {10, 5, 0}) == Vec3{1, 2, 3});
    CHECK(velocity_at(body, {11, 0, 0}) == Vec3{1, 2, 1});
}

TEST_CASE("motion: a part of a piece stands beside the piece's middle and moves with it") {
    MotionBody part = cube(12.0F);  // 2 m a side
    part.position = {10, 5, 0};
    part.rotation = glm::normalize(Quat{1.0F, 0.0F, 0.0F, 1.0F});  // x turns to y
    part.offset = {4, 0, 0};                                       // so its middle is (10, 9, 0)
    SceneBodies bodies;
    bodies.all.push_back(part);
    std::vector<MotionBody> gathered;
    std::vector<NearBody> near;
    gather_bodies(bodies, {{0.0F, 0.0F, -9.0F}, {20.0F, 20.0F, 9.0F}}, gathered, near);
    REQUIRE(near.size() == 1);
    CHECK(near[0].box.min.y == doctest::Approx(8.0F));
    CHECK(near[0].box.max.x == doctest::Approx(11.0F));
    CHECK(near[0].position == part.position);
    const BodyContact above = contact_of(near[0], {10, 13, 0}, {10, 15, 0});
    CHECK(above.distance_m == doctest::Approx(3.0F));
    CHECK(above.point.y == doctest::Approx(10.0F));
    CHECK(face_up_at(near[0], above.point) == doctest::Approx(1.0F));
    part.offset.x = NAN;
    CHECK_FALSE(mend_body(part));
}

TEST_CASE("motion: of very many bodies the first 64 count, players and nonsense do not") {
    SceneBodies bodies;
    for (std::uint64_t id = 1; id <= 100; ++id) {
        MotionBody body = cube(1.0F);
        body.id = id;
        bodies.all.push_back(body);
    }
    bodies.all[0].shape = BodyShape::player;
    bodies.all[1].position.y = INFINITY;
    std::vector<MotionBody> gathered;
    std::vector<NearBody> near;
    for (int again = 0; again < 2; ++again) {
        gather_bodies(bodies, {Vec3{-2.0F}, Vec3{2.0F}}, gathered, near);
        REQUIRE(near.size() == kNearBodiesMax);
        CHECK(near.front().body.id >= 2);
        CHECK(near.back().body.id == near.front().body.id + 63);
    }
}

TEST_CASE("motion: the box around a turned body holds it") {
    SceneBodies bodies;
    bodies.all = {cube(1.0F), cube(1.0F), cube(1.0F)};
    bodies.all[0].rotation = {0.92387953F, 0.0F, 0.38268343F, 0.0F};  // 45 degrees about Y
    bodies.all[1].shape = BodyShape::sphere;
    bodies.all[2].shape = BodyShape::cylinder;
    bodies.all[2].half_extents = {0.5F, 2.0F, 77.0F};
    bodies.all[2].rotation = {0.70710678F, 0.0F, 0.0F, 0.70710678F};  // on its side, along X
    std::vector<MotionBody> gathered;
    std::vector<NearBody> near;
    gather_bodies(bodies, {Vec3{-9.0F}, Vec3{9.0F}}, gathered, near);
    REQUIRE(near.size() == 3);
    CHECK(near[0].box.max.x == doctest::Approx(1.41421F));
    CHECK(near[0].box.max.y == doctest::Approx(1.0F));
    CHECK(near[1].box.min.z == -1.0F);
    CHECK(near[2].box.max.x == doctest::Approx(2.0F));
    CHECK(near[2].box.max.z == doctest::Approx(0.5F));
}

}  // namespace
}  // namespace terrane
