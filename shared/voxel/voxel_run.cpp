#include "shared/voxel/voxel_run.h"

namespace terrane {
namespace {

/// The inverse of index_in_chunk, local to the chunk.
VoxelCoord local_voxel(std::size_t index) {
    const auto i = static_cast<std::int32_t>(index);
    return {i & (kChunkSize - 1), i >> (2 * kChunkShift), (i >> kChunkShift) & (kChunkSize - 1)};
}

bool is_valid(Voxel voxel, std::size_t material_count) {
    return voxel.material < material_count && (voxel.material == kAir) == (voxel.occupancy == 0);
}

}  // namespace

bool is_valid(std::span<const VoxelRun> runs, std::size_t material_count) {
    std::size_t free_from = 0;
    for (const VoxelRun& run : runs) {
        const std::size_t end = std::size_t{run.first} + run.count;
        if (run.count == 0 || run.first < free_from || end > kChunkVoxelCount ||
            !is_valid(run.voxel, material_count)) {
            return false;
        }
        free_from = end;
    }
    return !runs.empty();
}

VoxelBox apply_runs(Chunk& chunk, const ChunkCoord& c, std::span<const VoxelRun> runs) {
    VoxelBox changed;
    for (const VoxelRun& run : runs) {
        for (std::size_t i = run.first; i < std::size_t{run.first} + run.count; ++i) {
            if (chunk.voxel(i) != run.voxel) {
                set_voxel(chunk, i, run.voxel);
                const VoxelCoord v = local_voxel(i);
                changed = merge(changed, {v, v});
            }
        }
    }
    if (is_empty(changed)) {
        return {};
    }
    ++chunk.revision;
    const VoxelCoord origin = origin_of(c);
    return {changed.min + origin, changed.max + origin};
}

}  // namespace terrane
