// An operation that names its voxels one by one, as runs in the order of index_in_chunk: for what
// no brush can say, like the water that runs into a dug hole. Like a brush's operation it raises
// its chunk's revision by one and makes the same voxels everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/voxel/chunk.h"

namespace terrane {

/// `count` voxels from index `first` on become `voxel`.
struct VoxelRun {
    std::uint16_t first = 0;
    std::uint16_t count = 0;
    Voxel voxel;

    friend bool operator==(const VoxelRun&, const VoxelRun&) = default;
};
static_assert(sizeof(VoxelRun) == 6);

/// More are several operations.
inline constexpr std::size_t kRunsPerOpMax = 4096;

/// Not empty, ascending, apart, inside a chunk; materials known, air with occupancy 0, others with
/// at least 1.
bool is_valid(std::span<const VoxelRun> runs, std::size_t material_count);

/// Applies valid runs to `chunk` (at coordinate `c`), raises its revision by one, and returns the
/// box around the voxels that changed, zone space; if none did the revision stays and the box is
/// empty.
VoxelBox apply_runs(Chunk& chunk, const ChunkCoord& c, std::span<const VoxelRun> runs);

}  // namespace terrane
