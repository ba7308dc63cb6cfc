#include "tests/shared/motion/motion_scene.h"

#include <algorithm>

namespace terrane {

MotionScene::MotionScene(const GridBounds& bounds) : grid(bounds), terrain(grid) {
    world.terrain = &terrain;
    fill([](float, float) { return 0.0F; });
}

void MotionScene::fill(const HeightFunction& height_m, float water_m, float soft_m) {
    const GridBounds& bounds = grid.bounds();
    for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
        for (std::int32_t z = bounds.min.z; z < bounds.max.z; ++z) {
            for (std::int32_t x = bounds.min.x; x < bounds.max.x; ++x) {
                const ChunkCoord c{x, y, z};
                Chunk& chunk = grid.insert(c, uniform_chunk(kAirVoxel));
                const VoxelBox box = box_of(c);
                for (VoxelCoord v = box.min; v.z <= box.max.z; ++v.z) {
                    for (v.x = box.min.x; v.x <= box.max.x; ++v.x) {
                        const Vec3 middle = corner_of(v) + 0.5F;
                        const float height = height_m(middle.x, middle.z);
                        for (v.y = box.min.y; v.y <= box.max.y; ++v.y) {
                            const auto share = [&v](float level, float soft) {
                                const float above = level - static_cast<float>(v.y) - 0.5F;
                                const float part = (above / soft + 0.5F) * 255.0F;
                                return static_cast<std::uint8_t>(std::clamp(part, 0.0F, 255.0F) +
                                                                 0.5F);
                            };
                            const std::uint8_t solid = share(height, soft_m);
                            const std::uint8_t water = share(water_m, 1.0F);
                            if (solid > 0) {
                                set_voxel(chunk, index_in_chunk(v), {kFirstSolid, solid});
                            } else if (water > 0) {
                                set_voxel(chunk, index_in_chunk(v), {kWater, water});
                            }
                        }
                    }
                }
            }
        }
    }
    for (const ChunkCoord& c : grid.sorted_coords()) {
        terrain.chunk_arrived(c);
    }
}

void MotionScene::set_box(const VoxelBox& box, Voxel voxel) {
    for (std::int32_t y = box.min.y; y <= box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z <= box.max.z; ++z) {
            for (std::int32_t x = box.min.x; x <= box.max.x; ++x) {
                const VoxelCoord v{x, y, z};
                set_voxel(*grid.find(chunk_of(v)), index_in_chunk(v), voxel);
            }
        }
    }
    terrain.voxels_changed(box);
}

void MotionScene::put(const Vec3& foot) {
    player = PlayerState{};
    player.position = foot;
}

void MotionScene::run(const PlayerControls& controls, float seconds) {
    const int steps = static_cast<int>(seconds * 60.0F + 0.5F);
    for (int i = 0; i < steps; ++i) {
        step_player(player, controls, config, world, kSubstepS);
    }
}

float MotionScene::gap_m() {
    CapsuleSweep near;
    near.gather(terrain, grow(player_box(player.position, config), 1.0F));
    CapsuleContact contact;
    const Capsule capsule{config.radius_m, config.height_m, config.radius_m + kPlayerGapM};
    return near.nearest(capsule, player.position, 1.0F, contact)
               ? contact.distance - config.radius_m
               : 1.0F;
}

PlayerControls walk_forward(std::uint16_t yaw, std::uint8_t buttons) {
    PlayerControls controls;
    controls.move_forward = 127;
    controls.yaw = yaw;
    controls.buttons = buttons;
    return controls;
}

}  // namespace terrane
