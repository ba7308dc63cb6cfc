// Hundreds of bodies of every shape dropped on ground that is hard to lie on, and what becomes of
// them: who is lost, who sticks in the ground, who cannot lie still, and their energy each second.
#pragma once

#include "tests/server/physics/physics_scene.h"

namespace terrane {

enum class DropGround : std::uint8_t {
    generated,   ///< hills, caves and the shore of the seed
    adversarial  ///< thin walls, single voxels, a checkerboard, pits, part-filled heights
};

struct DropResult {
    int lost = 0;
    int in_ground = 0;  ///< at the end, by is_in_mesh
    int restless = 0;   ///< at the end awake and at 1 cm/s or faster
    int awake = 0;
    double rise_j = 0.0;   ///< of the energy of all, the largest from one second to the next
    double start_j = 0.0;  ///< energy at the start over the lowest of the run
    float fastest_mps = 0.0F;
    std::uint64_t hash = 0;
};

/// Counts all triangles over the point, those seen from behind less those seen from the front:
/// above 0 in the ground, whatever a ray or the density may say.
bool is_in_mesh(Terrain& terrain, const Vec3& point);
/// Chunks 4 x 4 x 4 around `middle` (a corner of chunks).
VoxelGrid drop_ground(DropGround ground, const ChunkCoord& middle);
/// `count` bodies: crates, balls, pills, logs, stones and hulls, seeded.
DropResult drop(DropGround ground, const ChunkCoord& middle, int count, int seconds,
                const PhysicsConfig& config);

}  // namespace terrane
