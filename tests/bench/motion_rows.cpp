// Rows about players' motion: walking over the default zone's hills, and among the pits and walls
// that players leave, where every other step runs into something.
#include <algorithm>
#include <memory>

#include "shared/core/random.h"
#include "shared/motion/player_motion.h"
#include "shared/voxel/brush.h"
#include "tests/bench/bench_row.h"
#include "tests/bench/terrain_scene.h"

namespace terrane::bench {
namespace {

constexpr int kPlayers = 64;
constexpr int kSubsteps = 60;
constexpr float kSubstepS = 1.0F / 60.0F;

struct MotionScene {
    TerrainScene terrain;
    MotionWorld world;
    std::vector<PlayerState> starts;

    explicit MotionScene(int pits) {
        world.terrain = &terrain.terrain;
        Random random(5);
        for (int i = 0; i < pits; ++i) {
            change(random, i % 3 == 2 ? BrushMode::place : BrushMode::dig);
        }
        while (starts.size() < kPlayers) {
            const Vec3 foot = surface_point(terrain, random) + Vec3(0.0F, 1.0F, 0.0F);
            if (is_inside(foot)) {
                PlayerState state;
                state.position = foot;
                starts.push_back(state);
            }
        }
        run(starts, 120);  // down to the ground
    }
    /// Far enough from the zone's sides for a walk.
    bool is_inside(const Vec3& point) const {
        constexpr float kBorderM = 16.0F;
        return contains(grow(to_aabb(voxel_box(terrain.grid.bounds())), -kBorderM), point);
    }
    void change(Random& random, BrushMode mode) {
        const VoxelCoord at = voxel_at(surface_point(terrain, random));
        Brush brush;
        brush.shape = BrushShape::sphere;
        brush.mode = mode;
        brush.material = mode == BrushMode::place ? kFirstSolid : kAir;
        brush.centre_x = at.x * kBrushUnitsPerVoxel;
        brush.centre_y = at.y * kBrushUnitsPerVoxel;
        brush.centre_z = at.z * kBrushUnitsPerVoxel;
        brush.size_x = static_cast<std::uint8_t>(random.between(12, 40));
        for (const AppliedOp& op : apply_brush(terrain.grid, brush)) {
            terrain.terrain.voxels_changed(op.changed);
        }
    }
    void run(std::vector<PlayerState>& players, int substeps) {
        const MotionConfig config;
        for (std::size_t i = 0; i < players.size(); ++i) {
            PlayerControls controls;
            controls.move_forward = 127;
            controls.yaw = static_cast<std::uint16_t>(i * 1021);
            for (int substep = 0; substep < substeps; ++substep) {
                step_player(players[i], controls, config, world, kSubstepS);
            }
        }
    }
};

/// One operation: a substep of a player.
std::optional<Work> walk(int pits) {
    auto scene = std::make_shared<MotionScene>(pits);
    Work work;
    work.operations = kPlayers * kSubsteps;
    work.ours = [scene] {
        std::vector<PlayerState> players = scene->starts;
        scene->run(players, kSubsteps);
        std::uint64_t hash = 0;
        for (const PlayerState& player : players) {
            hash = mix_bits(hash + static_cast<std::uint64_t>(player.position.x * 4096.0F));
        }
        return hash;
    };
    return work;
}

}  // namespace

void add_motion_rows(std::vector<BenchRow>& rows) {
    rows.push_back({"M2.motion.hills", "", "us", Goal::value, 3, 1.5, [] { return walk(0); }});
    rows.push_back({"M2.motion.pits", "", "us", Goal::value, 3, 1.5, [] { return walk(3000); }});
}

}  // namespace terrane::bench
