// A small zone with ground and bodies: the scene of the physics tests and of the benchmarks.
#pragma once

#include <array>
#include <vector>

#include "server/physics/ground_probe.h"
#include "server/physics/physics_world.h"

namespace terrane {

inline constexpr float kSubstep = 1.0F / 60.0F;
inline constexpr Voxel kRock{kFirstSolid, kFullOccupancy};
inline constexpr Voxel kFullWater{kWater, kFullOccupancy};

inline const BodyKind kCrate{"crate", BodyShape::box, Vec3(0.3F), 350.0F};
inline const BodyKind kBall{"ball", BodyShape::sphere, Vec3(0.25F), 300.0F};
inline const BodyKind kLog{"log", BodyShape::cylinder, Vec3(0.3F, 1.0F, 0.3F), 600.0F};
inline const BodyKind kPill{"pill", BodyShape::capsule, Vec3(0.2F, 0.5F, 0.2F), 500.0F};
/// A hollow boat of 260 kg, 1.5 x 0.7 x 3.6 m: draws 4.8 cm empty.
BodyKind boat_kind();

inline const BodyKind kStone{"stone", BodyShape::sphere, Vec3(0.2F), 2600.0F};

inline constexpr float kPieceDensity = 600.0F;
/// Boxes of one density, low and high corners, that do not overlap; the origin is moved to the
/// centre of mass. The moments are those of the tensor's diagonal, which the caller may replace.
PieceShape piece_of(const std::vector<std::array<Vec3, 2>>& boxes, float density = kPieceDensity);

/// Writes `voxel` into every voxel of `box`; all of its chunks must be loaded.
void fill(VoxelGrid& grid, const VoxelBox& box, Voxel voxel);
/// Rock below y = 0, air above; its surface is the plane y = 0.
VoxelGrid flat_ground(const GridBounds& bounds);
/// flat_ground with water in x and z -16..15, y -12..-1: the level is y = 0.
VoxelGrid pool(const GridBounds& bounds);

/// 128 x 64 x 128 m around the origin.
inline constexpr GridBounds kSceneBounds{{-2, -1, -2}, {2, 1, 2}};

struct PhysicsScene {
    explicit PhysicsScene(VoxelGrid ground, const PhysicsConfig& config = {});
    PhysicsScene(const PhysicsScene&) = delete;
    PhysicsScene& operator=(const PhysicsScene&) = delete;

    VoxelGrid grid;
    Terrain terrain;
    PhysicsWorld world;

    BodyHandle add(const BodyKind& kind, const Vec3& position, const Quat& rotation = kNoRotation);
    BodyHandle add_piece(const PieceShape& piece, const Vec3& position,
                         const Quat& rotation = kNoRotation);
    /// As the edit phase does it: voxels, masks, bodies.
    void edit(const VoxelBox& box, Voxel voxel);
    void load(const ChunkCoord& chunk, Chunk voxels);
    /// The chunk leaves; its voxels are given back.
    Chunk unload(const ChunkCoord& chunk);
    void run(float seconds);

    Vec3 position(BodyHandle body) const { return world.state(body).position; }
    float speed(BodyHandle body) const { return glm::length(world.state(body).linear_velocity); }
    bool is_asleep(BodyHandle body) const { return world.state(body).is_asleep; }
};

/// Bodies of all kinds above the ground in a loose heap, seeded.
std::vector<BodyHandle> drop_bodies(PhysicsScene& scene, std::uint64_t seed, int count);
/// Hash over the bits of every state.
std::uint64_t hash_states(const PhysicsScene& scene, const std::vector<BodyHandle>& bodies);

}  // namespace terrane
