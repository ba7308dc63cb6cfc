#include "client-stub/viewer/camera.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "shared/core/random.h"

using namespace terrane;

namespace {

constexpr float kHalfTurn = std::numbers::pi_v<float>;

/// Where a point of zone space falls in the picture, -1..1, and its depth.
Vec3 project(Camera& camera, const Vec3& point) {
    const Vec4 clip = camera.projection() * camera.view() * Vec4{point, 1.0F};
    return Vec3{clip} / clip.w;
}

}  // namespace

TEST_CASE("C6 camera: yaw 0 looks along -Z and grows to the left, positive pitch looks up") {
    CHECK(glm::length(direction_of(0.0F, 0.0F) - Vec3{0.0F, 0.0F, -1.0F}) < 1e-6F);
    CHECK(glm::length(direction_of(0.5F * kHalfTurn, 0.0F) - Vec3{-1.0F, 0.0F, 0.0F}) < 1e-6F);
    CHECK(glm::length(direction_of(0.0F, 0.5F * kHalfTurn) - Vec3{0.0F, 1.0F, 0.0F}) < 1e-6F);
}

TEST_CASE("C6 camera: what it looks at is in the middle, right is right and up is up") {
    Random random(71);
    Camera camera;
    camera.set_lens(lens_of(60.0F, 1.5F, 0.1F, 500.0F));
    for (int i = 0; i < 200; ++i) {
        const Vec3 eye{random.range(-900, 900), random.range(-50, 90), random.range(-900, 900)};
        camera.set_pose(eye, random.range(-3.0F, 3.0F), random.range(-1.3F, 1.3F));
        const Vec3 ahead = eye + 20.0F * camera.direction();
        const Vec3 middle = project(camera, ahead);
        CHECK(std::abs(middle.x) < 2e-3F);
        CHECK(std::abs(middle.y) < 2e-3F);
        const Vec3 right = glm::normalize(glm::cross(camera.direction(), Vec3{0, 1, 0}));
        CHECK(project(camera, ahead + right).x > 0.01F);
        CHECK(project(camera, ahead + Vec3{0, 1, 0}).y > 0.001F);
        // The same point through the matrix that knows no large numbers.
        const Vec4 relative =
            camera.relative_view_projection() * Vec4{20.0F * camera.direction() + right, 1.0F};
        CHECK(std::abs(relative.x / relative.w - project(camera, ahead + right).x) < 2e-3F);
    }
}

TEST_CASE(
    "C6 camera: the frustum's planes agree with the matrix on random points, off-centre too") {
    constexpr std::uint64_t kSeed = 5;
    Random random(kSeed);
    INFO("seed ", kSeed);
    Camera camera;
    for (const Lens& lens :
         {lens_of(60.0F, 1.78F, 0.5F, 80.0F), Lens{-0.2F, 1.4F, -0.9F, 0.1F, 0.5F, 80.0F},
          Lens{0.3F, 0.8F, 0.2F, 0.5F, 0.5F, 80.0F}}) {
        camera.set_lens(lens);
        int inside = 0;
        for (int i = 0; i < 3000; ++i) {
            if (i % 100 == 0) {
                camera.set_pose({random.range(-9, 9), random.range(-9, 9), random.range(-9, 9)},
                                random.range(-3, 3), random.range(-1.5F, 1.5F));
            }
            const Vec3 point =
                camera.position() + random.range(1.0F, 70.0F) * camera.direction() +
                Vec3{random.range(-30, 30), random.range(-30, 30), random.range(-30, 30)};
            const Vec4 clip = camera.projection() * camera.view() * Vec4{point, 1.0F};
            const float margin = 1e-3F * std::abs(clip.w);
            const float outermost =
                std::max({std::abs(clip.x), std::abs(clip.y), std::abs(clip.z)}) - clip.w;
            if (std::abs(outermost) < margin) {
                continue;  // on the border either answer is right
            }
            CHECK(contains(camera.frustum(), point) == (outermost < 0.0F));
            inside += outermost < 0.0F ? 1 : 0;
        }
        CHECK(inside > 50);
    }
}

TEST_CASE("C6 camera: moving it, turning it and another lens each reach the matrices") {
    Camera camera;
    camera.set_lens(lens_of(60.0F, 1.0F, 0.1F, 100.0F));
    camera.set_pose({0, 0, 0}, 0.0F, 0.0F);
    const Vec3 point{1.0F, 0.0F, -10.0F};
    const float x = project(camera, point).x;
    CHECK(contains(camera.frustum(), point));
    camera.set_pose({0.5F, 0, 0}, 0.0F, 0.0F);
    CHECK(project(camera, point).x < x);
    camera.set_pose({0.5F, 0, 0}, kHalfTurn, 0.0F);
    CHECK_FALSE(contains(camera.frustum(), point));
    camera.set_pose({0, 0, 0}, 0.0F, 0.0F);
    camera.set_lens(lens_of(30.0F, 1.0F, 0.1F, 100.0F));
    CHECK(project(camera, point).x > x);
    camera.set_pose({0, 0, 0}, 0.0F, 9.0F);
    CHECK(camera.pitch() == doctest::Approx(0.5F * kHalfTurn));
}
