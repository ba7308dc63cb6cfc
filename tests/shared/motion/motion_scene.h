// A small world to move in: a grid filled from a height function, its terrain, one player.
#pragma once

#include <functional>
#include <memory>

#include "shared/motion/player_motion.h"

namespace terrane {

/// Height of the ground at a column's middle, metres.
using HeightFunction = std::function<float(float x, float z)>;

inline constexpr float kSubstepS = 1.0F / 60.0F;

struct MotionScene {
    explicit MotionScene(const GridBounds& bounds = {{-1, -1, -1}, {1, 1, 1}});
    MotionScene(const MotionScene&) = delete;

    /// Solid below the height (to a part of a voxel), air above, water where air lies below
    /// `water_m`. The boundary is `soft_m` thick: with the length of the gradient (slope, 1) a
    /// steep slope becomes a plane, where 1 makes steps. Replaces everything.
    void fill(const HeightFunction& height_m, float water_m = -1000.0F, float soft_m = 1.0F);
    /// Solid (full) or air in the voxels of `box`; the terrain is told.
    void set_box(const VoxelBox& box, Voxel voxel);
    /// Puts the player there, standing still in the air.
    void put(const Vec3& foot);
    /// Runs substeps with the same controls.
    void run(const PlayerControls& controls, float seconds);
    /// The smallest distance of the player's core segment to the ground, less the radius; large if
    /// there is none near.
    float gap_m();

    VoxelGrid grid;
    Terrain terrain;
    MotionWorld world;
    MotionConfig config;
    PlayerState player;
};

PlayerControls walk_forward(std::uint16_t yaw = 0, std::uint8_t buttons = 0);

}  // namespace terrane
