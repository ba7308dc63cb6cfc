#include "server/physics/contact_filter.h"

#include <doctest/doctest.h>

#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

/// Rock and air at random, with part-filled voxels and holes: many small surfaces, up to the zone's
/// sides.
VoxelGrid spongy_ground() {
    VoxelGrid grid = flat_ground({{-1, -1, -1}, {1, 1, 1}});
    Random random(21);
    for (int i = 0; i < 900; ++i) {
        const VoxelCoord at{random.between(-32, 30), random.between(-32, 8),
                            random.between(-32, 30)};
        const auto part = static_cast<std::uint8_t>(random.between(1, 255));
        const VoxelBox box{at, at + VoxelCoord{random.between(0, 1), random.between(0, 1), 0}};
        fill(grid, box, random.below(2) == 0 ? kAirVoxel : Voxel{kFirstSolid, part});
    }
    return grid;
}

}  // namespace

TEST_CASE("A21 contact_filter: no box that meets a triangle is left out, most others are") {
    const std::uint64_t seed = 21;
    CAPTURE(seed);
    Random random(seed);
    PhysicsScene scene(spongy_ground());
    int met = 0;
    int passed = 0;
    int masked = 0;
    std::vector<TerrainTriangle> found;
    for (int i = 0; i < 20000; ++i) {
        CAPTURE(i);
        Vec3 at{random.range(-34.0F, 34.0F), random.range(-34.0F, 10.0F),
                random.range(-34.0F, 34.0F)};
        Vec3 half{random.range(0.01F, 1.0F), random.range(0.01F, 1.0F), random.range(0.01F, 1.0F)};
        if (i % 4 == 0) {  // on the lattice: sides that touch
            at = glm::floor(at * 2.0F) * 0.5F;
            half = Vec3(0.5F);
        }
        const Aabb box{at - half, at + half};
        found.clear();
        scene.terrain.masks().for_each_touched_brick(
            box, [&](const BrickCoord& brick, bool is_solid, bool) {
                if (is_solid) {
                    gather(scene.terrain.colliders().get(brick), brick, box, found);
                }
            });
        const bool may_touch = may_touch_surface(scene.terrain.masks(), box);
        REQUIRE((may_touch || found.empty()));
        met += found.empty() ? 0 : 1;
        passed += may_touch ? 1 : 0;
        masked += scene.terrain.overlap(box).solid ? 1 : 0;
    }
    CHECK(met > 1000);
    CHECK(passed < 3 * met);
    CHECK(passed * 10 < masked * 9);
}

TEST_CASE("A21 physics_world: the same states every step with the filter on and off") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        CAPTURE(seed);
        PhysicsConfig without;
        without.is_contact_filter_on = false;
        PhysicsScene filtered(spongy_ground());
        PhysicsScene unfiltered(spongy_ground(), without);
        const std::vector<BodyHandle> bodies = drop_bodies(filtered, seed, 60);
        REQUIRE(drop_bodies(unfiltered, seed, 60) == bodies);
        for (int i = 0; i < 240; ++i) {
            CAPTURE(i);
            if (i == 120) {
                filtered.edit({{-6, -4, -6}, {6, 1, 6}}, kAirVoxel);
                unfiltered.edit({{-6, -4, -6}, {6, 1, 6}}, kAirVoxel);
            }
            filtered.world.step(kSubstep);
            unfiltered.world.step(kSubstep);
            REQUIRE(hash_states(filtered, bodies) == hash_states(unfiltered, bodies));
        }
    }
}

}  // namespace terrane
