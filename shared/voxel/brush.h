// Brushes: how an edit changes voxels. A brush is integers only and its effect is a pure function
// of a voxel's position and old value, so the same edit gives the same voxels on every machine.
// An edit is accepted whole; it becomes one clipped operation (ChunkOp, 12 bytes) for each chunk
// that it changes, and each operation raises that chunk's revision by one.
//
//   fill   every voxel in the shape becomes `material`, full (air: empty)
//   dig    solid in the shape loses occupancy; what reaches 0 becomes air. Water stays.
//   place  air and water in the shape gain solid `material`; solid gains occupancy
//   paint  solid in the shape changes material, occupancy stays
//
// voxel and box shapes cover voxels whole. A sphere has a soft edge one voxel wide: a voxel whose
// centre is d from the sphere's centre is covered by clamp(radius - d + 1/2, 0, 1) * 255, rounded
// down in 1/16 voxels with an integer square root; dig removes that much, place fills up to it,
// fill and paint take the voxels whose centre lies in the sphere (covered by a half or more). New
// behaviour is a new mode or shape, never a change of these: stores and clients hold old ops.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "shared/voxel/voxel_grid.h"
#include "shared/voxel/voxel_run.h"

namespace terrane {

enum class BrushShape : std::uint8_t { voxel = 0, box = 1, sphere = 2 };
enum class BrushMode : std::uint8_t { fill = 0, dig = 1, place = 2, paint = 3 };

inline constexpr int kBrushUnitsPerVoxel = 16;
inline constexpr int kBrushRadiusMax = 4;  ///< voxels; also the half size of a box

/// `centre` in 1/16 voxel, zone space. voxel: centre names the voxel that holds it, size unused.
/// box: the voxels from floor((centre - size) / 16) to floor((centre + size - 1) / 16).
/// sphere: size.x is the radius. Sizes in 1/16 voxel, 1 .. kBrushRadiusMax voxels; those that the
/// shape does not use are ignored.
struct Brush {
    BrushShape shape = BrushShape::voxel;
    BrushMode mode = BrushMode::dig;
    MaterialId material = kAir;
    std::int32_t centre_x = 0;
    std::int32_t centre_y = 0;
    std::int32_t centre_z = 0;
    std::uint8_t size_x = 0;
    std::uint8_t size_y = 0;
    std::uint8_t size_z = 0;

    friend bool operator==(const Brush&, const Brush&) = default;
};

/// A brush clipped to one chunk: centre relative to the chunk's origin, 1/16 voxel.
struct ChunkOp {
    BrushShape shape = BrushShape::voxel;
    BrushMode mode = BrushMode::dig;
    MaterialId material = kAir;
    std::uint8_t size_x = 0;
    std::uint8_t size_y = 0;
    std::uint8_t size_z = 0;
    std::int16_t centre_x = 0;
    std::int16_t centre_y = 0;
    std::int16_t centre_z = 0;

    friend bool operator==(const ChunkOp&, const ChunkOp&) = default;
};
static_assert(sizeof(ChunkOp) == 12);

/// Brush on the one voxel `v`.
Brush voxel_brush(BrushMode mode, const VoxelCoord& v, MaterialId material = kAir);
/// Shape, mode, material and sizes are in range. Materials: fill any known, place and paint solid,
/// dig none. Centres within +-2^24.
bool is_valid(const Brush& brush, std::size_t material_count);
/// The same, and the brush reaches into the chunk.
bool is_valid(const ChunkOp& op, std::size_t material_count);

/// Every voxel the brush may touch.
VoxelBox reach_of(const Brush& brush);
/// What `brush` makes of voxel `v`. Pure.
Voxel apply_brush(const Brush& brush, const VoxelCoord& v, Voxel old);

/// The chunk must be in reach; the operation makes the same voxels of it as the brush.
ChunkOp clip_to_chunk(const Brush& brush, const ChunkCoord& c);
Brush to_brush(const ChunkOp& op, const ChunkCoord& c);

/// Applies a valid `op` to `chunk` (at coordinate `c`), raises its revision by one,
/// and returns the box of voxels that changed; if none did the revision stays and the box is empty.
VoxelBox apply_op(Chunk& chunk, const ChunkCoord& c, const ChunkOp& op);

struct AppliedOp {
    ChunkCoord chunk;
    ChunkOp op;                  ///< unless there are `runs`
    std::uint32_t revision = 0;  ///< after it
    VoxelBox changed;            ///< zone space
    std::vector<VoxelRun> runs;  ///< not empty: the operation is these instead
};

/// Applies `brush` to every chunk that it changes, ascending by coordinate. Empty if it would
/// change nothing (stale). Chunks in reach must be loaded or outside the bounds (ignored).
std::vector<AppliedOp> apply_brush(VoxelGrid& grid, const Brush& brush);

}  // namespace terrane
