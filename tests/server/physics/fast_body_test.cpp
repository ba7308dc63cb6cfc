// Bodies at the speed limit, 0.83 m a step, against ground of one voxel.
#include <algorithm>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

constexpr float kTopSpeed = 50.0F;

/// Air with one voxel of rock at x = 10, or at y = 10.
VoxelGrid one_voxel(bool is_wall) {
    VoxelGrid grid(kSceneBounds);
    for (std::int32_t y = kSceneBounds.min.y; y < kSceneBounds.max.y; ++y) {
        for (std::int32_t z = kSceneBounds.min.z; z < kSceneBounds.max.z; ++z) {
            for (std::int32_t x = kSceneBounds.min.x; x < kSceneBounds.max.x; ++x) {
                grid.insert({x, y, z}, uniform_chunk(kAirVoxel));
            }
        }
    }
    fill(grid,
         is_wall ? VoxelBox{{10, -20, -20}, {10, 20, 20}} : VoxelBox{{-20, 10, -20}, {20, 10, 20}},
         kRock);
    return grid;
}

PhysicsConfig weightless() {
    PhysicsConfig config;
    config.gravity_mps2 = 0.0F;
    return config;
}

/// Of kinds 0 .. 5, `scale` times as large as usual.
BodyHandle add_one(PhysicsScene& scene, int which, float scale, const Vec3& position,
                   const Quat& rotation) {
    static const std::array<const BodyKind*, 4> kKinds{&kBall, &kCrate, &kLog, &kPill};
    if (which < 4) {
        BodyKind kind = *kKinds[static_cast<std::size_t>(which)];
        kind.half_extents *= scale;
        return scene.add(kind, position, rotation);
    }
    const float side = 0.6F * scale;
    std::vector<std::array<Vec3, 2>> boxes{{Vec3(0.0F), Vec3(side)}};
    if (which == 5) {
        boxes.push_back({Vec3(side, 0.0F, 0.0F), Vec3(2.0F * side, 2.0F * side, side)});
    }
    return scene.add_piece(piece_of(boxes), position, rotation);
}

}  // namespace

TEST_CASE("A19 fast_body: ball, crate, log, pill and pieces at full speed pass no voxel of rock") {
    const std::uint64_t seed = 19;
    CAPTURE(seed);
    for (const bool is_wall : {true, false}) {
        Random random(seed);
        const int axis = is_wall ? 0 : 1;
        for (int i = 0; i < 48; ++i) {
            PhysicsScene scene(one_voxel(is_wall), weightless());
            const float scale = i % 2 == 0 ? 1.0F : 0.2F;
            Vec3 start{random.range(-8.0F, 8.0F), random.range(-8.0F, 8.0F),
                       random.range(-8.0F, 8.0F)};
            start[axis] = random.range(4.0F, 8.0F);
            Vec3 way{random.range(-0.4F, 0.4F), random.range(-0.4F, 0.4F),
                     random.range(-0.4F, 0.4F)};
            way[axis] = 1.0F;
            const auto turn = static_cast<std::uint16_t>(random.below(65536));
            const BodyHandle body =
                add_one(scene, i % 6, scale, start, rotation_about({0.6F, 0.0F, 0.8F}, turn));
            scene.world.set_velocity(body, kTopSpeed * glm::normalize(way), {5.0F, -7.0F, 3.0F});
            float farthest_m = 0.0F;
            for (int step = 0; step < 40; ++step) {
                scene.world.step(kSubstep);
                farthest_m = std::max(farthest_m, scene.position(body)[axis]);
            }
            CAPTURE(i);
            CHECK(farthest_m < 10.5F);
            CHECK(farthest_m > 8.0F);
        }
    }
}

TEST_CASE("A19 fast_body: what a fast boulder strikes within a step does not pass the wall") {
    // The struck one was slow when its contacts were made: only the sweep stops it.
    for (int which = 0; which < 6; ++which) {
        CAPTURE(which);
        PhysicsScene scene(one_voxel(true), weightless());
        const float scale = 0.3F;
        const BodyHandle struck = add_one(scene, which, scale, {9.6F, 0.3F, 0.3F}, kNoRotation);
        BodyKind boulder = kStone;
        boulder.half_extents = Vec3(0.6F);
        const BodyHandle fast = scene.add(boulder, {6.9F, 0.32F, 0.31F});
        scene.world.set_velocity(fast, {kTopSpeed, 0.0F, 0.0F}, Vec3(0.0F));
        float farthest_m = 0.0F;
        for (int step = 0; step < 30; ++step) {
            scene.world.step(kSubstep);
            farthest_m = std::max(farthest_m, scene.position(struck).x);
            REQUIRE(scene.position(fast).x < 10.5F);
        }
        CHECK(farthest_m < 10.5F);
        CHECK(farthest_m > 9.61F);  // it was struck
    }
}

TEST_CASE("A19 fast_body: a body that is on its way out of the ground is not held in it") {
    PhysicsScene scene(flat_ground(kSceneBounds), weightless());
    const BodyHandle ball = scene.add(kBall, {0.4F, -0.6F, 0.3F});
    scene.world.set_velocity(ball, {0.0F, kTopSpeed, 0.0F}, Vec3(0.0F));
    scene.run(2.0F * kSubstep);
    CHECK(scene.position(ball).y > 0.2F);
}

}  // namespace terrane
