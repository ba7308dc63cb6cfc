// Long random walks over rough ground, through caves and over chunk borders: nobody may end up in
// rock, and the same inputs give the same bits.
#include <bit>

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/motion/surroundings.h"
#include "shared/voxel/ground_density.h"
#include "shared/voxel/terrain_generator.h"
#include "tests/shared/motion/motion_scene.h"

namespace terrane {
namespace {

/// Hills of 8 m, sharp ridges, pillars, tunnels, a pond: everything within 64 x 64 m.
void make_rough(MotionScene& scene, std::uint64_t seed) {
    Random random(seed);
    float bump[17][17];
    for (auto& row : bump) {
        for (float& value : row) {
            value = random.range(-4.0F, 4.0F);
        }
    }
    scene.fill(
        [&](float x, float z) {
            const float gx = (x + 32.0F) / 4.0F;
            const float gz = (z + 32.0F) / 4.0F;
            const auto ix = static_cast<std::size_t>(gx);
            const auto iz = static_cast<std::size_t>(gz);
            const float fx = gx - static_cast<float>(ix);
            const float fz = gz - static_cast<float>(iz);
            return (bump[iz][ix] * (1.0F - fx) + bump[iz][ix + 1] * fx) * (1.0F - fz) +
                   (bump[iz + 1][ix] * (1.0F - fx) + bump[iz + 1][ix + 1] * fx) * fz;
        },
        -1.5F);
    for (int i = 0; i < 60; ++i) {
        const VoxelCoord at{random.between(-30, 28), random.between(-8, 3),
                            random.between(-30, 28)};
        const VoxelCoord size{random.between(0, 5), random.between(0, 3), random.between(0, 5)};
        const Voxel voxel =
            random.below(2) == 0
                ? kAirVoxel
                : Voxel{kFirstSolid, static_cast<std::uint8_t>(random.between(1, 255))};
        const VoxelCoord high = at + size;
        scene.set_box({at, {std::min(high.x, 31), high.y, std::min(high.z, 31)}}, voxel);
    }
}

PlayerControls random_controls(Random& random) {
    PlayerControls controls;
    controls.move_forward = static_cast<std::int8_t>(random.between(-60, 127));
    controls.move_right = static_cast<std::int8_t>(random.between(-127, 127));
    controls.buttons = static_cast<std::uint8_t>(random.below(8));
    controls.yaw = static_cast<std::uint16_t>(random.below(65536));
    return controls;
}

TEST_CASE("motion: 1,000 random walks over rough ground and through caves never end in rock") {
    constexpr int kWorlds = 10;
    constexpr int kWalks = 100;
    int grounded = 0;
    int swimming = 0;
    for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
        CAPTURE(seed);
        MotionScene scene;
        make_rough(scene, seed);
        Random random(seed * 77);
        for (int walk = 0; walk < kWalks; ++walk) {
            CAPTURE(walk);
            scene.put({random.range(-31.0F, 31.0F), 9.0F, random.range(-31.0F, 31.0F)});
            for (int turn = 0; turn < 14; ++turn) {
                const PlayerControls controls = random_controls(random);
                for (int i = 0; i < 15; ++i) {
                    const Vec3 before = scene.player.position;
                    step_player(scene.player, controls, scene.config, scene.world, kSubstepS);
                    const Vec3 core =
                        scene.player.position + Vec3{0.0F, scene.config.radius_m, 0.0F};
                    VoxelReader reader(scene.grid);
                    REQUIRE_FALSE(is_in_ground(reader, core + Vec3{0.0F, 0.35F, 0.0F}));
                    REQUIRE(glm::length(scene.player.position - before) < 1.5F);
                }
                // What is stood on is outside: the skin is whole to within a centimetre.
                REQUIRE(scene.gap_m() > kPlayerGapM - 0.01F);
            }
            grounded += scene.player.is_grounded ? 1 : 0;
            swimming += scene.player.is_swimming ? 1 : 0;
        }
    }
    CHECK(grounded > 200);
    CHECK(swimming > 20);
}

TEST_CASE("motion: the same inputs give the same bits, whoever asked the terrain before") {
    MotionScene first;
    MotionScene second;
    make_rough(first, 5);
    make_rough(second, 5);
    second.terrain.raycast(Ray{{-30, 20, -30}, {60, -30, 60}, 1.0F});
    Random random(9);
    first.put({3.0F, 9.0F, 3.0F});
    second.put({3.0F, 9.0F, 3.0F});
    for (int turn = 0; turn < 300; ++turn) {
        const PlayerControls controls = random_controls(random);
        first.run(controls, 0.1F);
        second.run(controls, 0.1F);
        for (int axis = 0; axis < 3; ++axis) {
            REQUIRE(std::bit_cast<std::uint32_t>(first.player.position[axis]) ==
                    std::bit_cast<std::uint32_t>(second.player.position[axis]));
            REQUIRE(std::bit_cast<std::uint32_t>(first.player.velocity[axis]) ==
                    std::bit_cast<std::uint32_t>(second.player.velocity[axis]));
        }
        REQUIRE(first.player.is_grounded == second.player.is_grounded);
        REQUIRE(first.player.is_swimming == second.player.is_swimming);
    }
}

TEST_CASE("motion: ten seconds of walking over generated hills get somewhere") {
    const GeneratorConfig generator{.seed = 3};
    const GridBounds bounds{{-4, -2, -4}, {4, 4, 4}};
    VoxelGrid grid(bounds);
    for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
        for (std::int32_t z = -3; z < 3; ++z) {
            for (std::int32_t x = -3; x < 3; ++x) {
                grid.insert({x, y, z}, generate_chunk(generator, bounds, {x, y, z}));
            }
        }
    }
    Terrain terrain(grid);
    for (const ChunkCoord& c : grid.sorted_coords()) {
        terrain.chunk_arrived(c);
    }
    MotionWorld world;
    world.terrain = &terrain;
    const MotionConfig config;
    int far_walks = 0;
    for (int walk = 0; walk < 8; ++walk) {
        PlayerState player;
        const std::int32_t ground = ground_height_m(generator, 5, 5);
        player.position = {5.5F, static_cast<float>(ground) + 1.0F, 5.5F};
        const auto controls = walk_forward(static_cast<std::uint16_t>(walk * 8192));
        const Vec3 from = player.position;
        for (int i = 0; i < 600; ++i) {
            step_player(player, controls, config, world, kSubstepS);
            VoxelReader reader(grid);
            REQUIRE_FALSE(is_in_ground(reader, player.position + Vec3{0.0F, 0.7F, 0.0F}));
        }
        const Vec3 way = player.position - from;
        far_walks += std::sqrt(way.x * way.x + way.z * way.z) > 20.0F ? 1 : 0;
    }
    CHECK(far_walks >= 5);
}

}  // namespace
}  // namespace terrane
