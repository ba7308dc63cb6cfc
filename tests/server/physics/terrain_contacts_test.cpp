// Bodies that slide, rest and heap up on ground of all forms: what contacts are for.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/server/physics/drop_scene.h"

namespace terrane {
namespace {

/// Ground whose height above y = 0 is height(x, z), in part-filled voxels; 0 .. 30.
template <typename Fn>
VoxelGrid ground_of(const GridBounds& bounds, Fn&& height) {
    VoxelGrid grid = flat_ground(bounds);
    const VoxelBox all = voxel_box(bounds);
    for (std::int32_t z = all.min.z; z <= all.max.z; ++z) {
        for (std::int32_t x = all.min.x; x <= all.max.x; ++x) {
            const auto parts = static_cast<int>(255.0F * height(x, z) + 0.5F);
            for (std::int32_t y = 0; y * 255 < parts; ++y) {
                const int part = std::min(255, parts - y * 255);
                fill(grid, {{x, y, z}, {x, y, z}}, {kFirstSolid, static_cast<std::uint8_t>(part)});
            }
        }
    }
    return grid;
}

BodyKind slippery(BodyKind kind) {
    kind.friction = 0.0F;
    kind.restitution = 0.0F;
    return kind;
}

struct Slide {
    float low = 1e9F;
    float high = -1e9F;
    float fastest_up = 0.0F;
    float jolt = 0.0F;  ///< the largest change of vertical speed in a step
};

/// Half a second to settle, then along x for `seconds`.
Slide slide(PhysicsScene& scene, BodyHandle body, const Vec3& velocity, float seconds) {
    scene.run(0.5F);
    scene.world.set_velocity(body, velocity, Vec3(0.0F));
    Slide seen;
    float last = velocity.y;
    const int steps = static_cast<int>(seconds / kSubstep);
    for (int i = 0; i < steps; ++i) {
        scene.world.step(kSubstep);
        const BodyState state = scene.world.state(body);
        seen.low = std::min(seen.low, state.position.y);
        seen.high = std::max(seen.high, state.position.y);
        seen.fastest_up = std::max(seen.fastest_up, std::abs(state.linear_velocity.y));
        seen.jolt = std::max(seen.jolt, std::abs(state.linear_velocity.y - last));
        last = state.linear_velocity.y;
    }
    return seen;
}

/// The largest bend of the ground along z = 4.3, as a change of slope within one step at 6 m/s.
float largest_bend(PhysicsScene& scene) {
    float last_height = 0.0F;
    float last_slope = 0.0F;
    float largest = 0.0F;
    for (int i = 0; i < 500; ++i) {
        const float x = -28.0F + 0.1F * static_cast<float>(i);
        const auto hit = scene.terrain.raycast({{x, 20.0F, 4.3F}, {0.0F, -30.0F, 0.0F}, 1.0F});
        REQUIRE(hit.has_value());
        const float height = 20.0F - 30.0F * hit->t;
        const float slope = (height - last_height) / 0.1F;
        if (i > 1) {
            largest = std::max(largest, std::abs(slope - last_slope));
        }
        last_height = height;
        last_slope = slope;
    }
    return largest;
}

void check_64_m(const GridBounds& bounds, const Vec3& from, float error_m) {
    for (const BodyKind& kind : {kBall, kCrate}) {
        CAPTURE(kind.name);
        PhysicsScene scene(flat_ground(bounds));
        const float rest =
            kind.shape == BodyShape::sphere ? kind.half_extents.x : kind.half_extents.y;
        const Quat turned = rotation_about({0.0F, 1.0F, 0.0F}, 3000);
        const BodyHandle body = scene.add(slippery(kind), from + Vec3(0.0F, rest, 0.0F), turned);
        const Slide seen = slide(scene, body, {8.0F, 0.0F, 1.7F}, 8.2F);
        CHECK(seen.low > rest - error_m);
        CHECK(seen.high < rest + error_m);
        CHECK(seen.fastest_up <= 0.2F);
        const Vec3 way = scene.position(body) - from;
        CHECK(way.x > 64.0F);
        CHECK(scene.speed(body) ==
              doctest::Approx(std::sqrt(8.0F * 8.0F + 1.7F * 1.7F)).epsilon(0.01));
    }
}

}  // namespace

TEST_CASE("A17 terrain_contacts: a ball and a box slide 64 m over borders, level to 5 mm") {
    check_64_m({{-2, -1, -2}, {2, 1, 2}}, {-40.3F, 0.0F, -9.7F}, 0.005F);
}

TEST_CASE("A17 terrain_contacts: and so they do 4 km from the zone's middle") {
    check_64_m({{122, -1, 122}, {126, 1, 126}}, {3916.2F, 0.0F, 3950.3F}, 0.005F);
    check_64_m({{-126, -1, -126}, {-122, 1, -122}}, {-4020.7F, 0.0F, -3980.3F}, 0.005F);
}

TEST_CASE("A17 terrain_contacts: over smoothly bent ground nothing is kicked") {
    // A body at 6 m/s has to follow each bend; what it gets beyond that is a kick.
    const auto hollow = [](std::int32_t x, std::int32_t) {
        return 0.002F * static_cast<float>(x * x);
    };
    const auto hill = [](std::int32_t x, std::int32_t) {
        return 12.0F - 0.002F * static_cast<float>(x * x);
    };
    for (const BodyKind& kind : {kBall, kCrate}) {
        CAPTURE(kind.name);
        PhysicsScene low(ground_of(kSceneBounds, hollow));
        const BodyHandle in_hollow = low.add(slippery(kind), {-30.0F, 2.3F, 4.3F});
        const Slide down = slide(low, in_hollow, {6.0F, -0.7F, 0.0F}, 8.0F);
        CHECK(down.jolt < 7.5F * largest_bend(low) + 0.05F);
        PhysicsScene high(ground_of(kSceneBounds, hill));
        const BodyHandle on_hill = high.add(slippery(kind), {-20.0F, 11.6F, 4.3F});
        const Slide over = slide(high, on_hill, {6.0F, 0.45F, 0.0F}, 6.0F);
        CHECK(over.jolt < 7.5F * largest_bend(high) + 0.05F);
    }
}

TEST_CASE("A23 terrain_contacts: 1,000 boxes on rough ground, none is lost in 400 steps") {
    const std::uint64_t seed = 23;
    CAPTURE(seed);
    Random random(seed);
    PhysicsScene scene(ground_of(kSceneBounds, [&](std::int32_t x, std::int32_t z) {
        // Walls and pits of whole voxels among part-filled ones.
        const std::uint64_t bits = mix_bits(static_cast<std::uint64_t>(x * 7919 + z * 104729));
        const bool is_rim = std::abs(x) > 58 || std::abs(z) > 58;
        return is_rim
                   ? 12.0F
                   : static_cast<float>(bits & 3U) * static_cast<float>(bits >> 8 & 255U) / 255.0F;
    }));
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < 1000; ++i) {
        const Vec3 axis = glm::normalize(
            Vec3(random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F), random.range(0.1F, 1.0F)));
        const Vec3 at{static_cast<float>(i % 32) * 3.2F - 50.0F, random.range(4.0F, 12.0F),
                      static_cast<float>(i / 32) * 3.2F - 50.0F};
        bodies.push_back(scene.add(
            kCrate, at, rotation_about(axis, static_cast<std::uint16_t>(random.below(65536)))));
        scene.world.set_velocity(
            bodies.back(),
            {random.range(-5.0F, 5.0F), random.range(-25.0F, 0.0F), random.range(-5.0F, 5.0F)},
            Vec3(0.0F));
    }
    for (int i = 0; i < 400; ++i) {
        scene.world.step(kSubstep);
    }
    int lost = 0;
    for (const BodyHandle body : bodies) {
        lost += is_in_mesh(scene.terrain, scene.position(body)) ? 1 : 0;
    }
    CHECK(lost == 0);
    CHECK(scene.world.stats().lost == 0);
}

}  // namespace terrane
