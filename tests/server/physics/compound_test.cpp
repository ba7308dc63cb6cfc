// Bodies of several convex parts on the ground: they lie as still as a crate does.
#include <algorithm>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/server/physics/drop_scene.h"

namespace terrane {
namespace {

/// 3 m long, 1 m wide, one arm 2 m high.
PieceShape ell() {
    return piece_of(
        {{Vec3(0.0F), Vec3(3.0F, 1.0F, 1.0F)}, {Vec3(0.0F, 1.0F, 0.0F), Vec3(1.0F, 2.0F, 1.0F)}});
}

/// Three steps of 1 m.
PieceShape staircase() {
    return piece_of({{Vec3(0.0F), Vec3(3.0F, 1.0F, 2.0F)},
                     {Vec3(1.0F, 1.0F, 0.0F), Vec3(3.0F, 2.0F, 2.0F)},
                     {Vec3(2.0F, 2.0F, 0.0F), Vec3(3.0F, 3.0F, 2.0F)}});
}

/// How far its lowest corner is below its middle as it stands.
float foot_m(const PieceShape& piece) {
    float lowest = 0.0F;
    for (const ShapePart& part : piece.parts) {
        lowest = std::max(lowest, part.half_extents.y - part.middle.y);
    }
    return lowest;
}

/// The ground rises by one in `run` along x, from y = 0 at `low.x`.
void add_slope(VoxelGrid& grid, const VoxelCoord& low, int run) {
    for (std::int32_t x = 0; x < 24; ++x) {
        const int steps = x * 255 / run;
        for (std::int32_t y = 0; y <= steps / 255; ++y) {
            const int part = std::min(255, steps - y * 255);
            if (part > 0) {
                const VoxelCoord at = low + VoxelCoord{x, y, 0};
                fill(grid, {at, at + VoxelCoord{0, 0, 23}},
                     {kFirstSolid, static_cast<std::uint8_t>(part)});
            }
        }
    }
}

/// Asleep within `seconds`; then it keeps its place to the bit.
void check_sleeps(PhysicsScene& scene, BodyHandle body, float seconds) {
    scene.run(seconds);
    CHECK(scene.is_asleep(body));
    const BodyState before = scene.world.state(body);
    scene.run(3.0F);
    CHECK(scene.world.state(body).position == before.position);
    CHECK(scene.world.state(body).rotation == before.rotation);
}

}  // namespace

TEST_CASE("A18 compound: L and staircase stand, sleep and do not sink, here and 4 km off") {
    for (const ChunkCoord& middle : {ChunkCoord{0, 0, 0}, ChunkCoord{124, 0, -124}}) {
        CAPTURE(middle.x);
        const GridBounds bounds{{middle.x - 2, -1, middle.z - 2}, {middle.x + 2, 1, middle.z + 2}};
        const Vec3 corner = corner_of(origin_of(middle));
        for (const PieceShape& piece : {ell(), staircase()}) {
            CAPTURE(piece.parts.size());
            PhysicsScene scene(flat_ground(bounds));
            const float foot = foot_m(piece);
            const BodyHandle body = scene.add_piece(piece, corner + Vec3(4.4F, foot + 0.3F, 4.4F),
                                                    rotation_about({0.0F, 1.0F, 0.0F}, 3000));
            check_sleeps(scene, body, 5.0F);
            CHECK(std::abs(scene.position(body).y - foot) < 0.01F);
            CHECK((scene.world.state(body).rotation * Vec3(0.0F, 1.0F, 0.0F)).y > 0.9999F);
        }
    }
}

TEST_CASE("A18 compound: however it was turned it comes to rest on the ground and sleeps") {
    const std::uint64_t seed = 18;
    CAPTURE(seed);
    Random random(seed);
    for (int i = 0; i < 12; ++i) {
        CAPTURE(i);
        PhysicsScene scene(flat_ground(kSceneBounds));
        const Vec3 axis = glm::normalize(
            Vec3(random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F), random.range(0.1F, 1.0F)));
        const BodyHandle body =
            scene.add_piece(i % 2 == 0 ? ell() : staircase(), {0.4F, 4.0F, 0.4F},
                            rotation_about(axis, static_cast<std::uint16_t>(random.below(65536))));
        check_sleeps(scene, body, 12.0F);
        CHECK(std::abs(scene.world.bounds(body).min.y) < 0.02F);
    }
}

TEST_CASE("A18 compound: on a slope of one in four it keeps its place and sleeps") {
    for (const PieceShape& piece : {ell(), staircase()}) {
        CAPTURE(piece.parts.size());
        VoxelGrid grid = flat_ground(kSceneBounds);
        add_slope(grid, {-8, 0, -12}, 4);
        PhysicsScene scene(std::move(grid));
        const BodyHandle body = scene.add_piece(piece, {4.0F, foot_m(piece) + 4.6F, 0.4F});
        scene.run(2.0F);
        const Vec3 landed = scene.position(body);
        check_sleeps(scene, body, 6.0F);
        CHECK(glm::length(scene.position(body) - landed) < 0.05F);
        CHECK_FALSE(is_in_mesh(scene.terrain, scene.position(body)));
    }
}

TEST_CASE("A18 compound: what it carries sleeps with it, and it does not sink under it") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const PieceShape piece = staircase();
    const float foot = foot_m(piece);
    const BodyHandle body = scene.add_piece(piece, {4.4F, foot, 4.4F});
    scene.run(1.0F);
    const Aabb box = scene.world.bounds(body);
    BodyKind load = kCrate;
    load.density_kg_m3 = 3000.0F;
    std::vector<BodyHandle> loads;
    for (int step = 0; step < 3; ++step) {  // one on every step, 650 kg each
        const auto at = static_cast<float>(step);
        loads.push_back(
            scene.add(load, {box.min.x + 0.5F + at, 1.4F + at, 0.5F * (box.min.z + box.max.z)}));
    }
    check_sleeps(scene, body, 8.0F);
    CHECK(std::abs(scene.position(body).y - foot) < 0.01F);
    for (std::size_t step = 0; step < loads.size(); ++step) {
        CAPTURE(step);
        CHECK(scene.is_asleep(loads[step]));
        CHECK(scene.position(loads[step]).y ==
              doctest::Approx(1.3F + static_cast<float>(step)).epsilon(0.01));
    }
}

}  // namespace terrane
