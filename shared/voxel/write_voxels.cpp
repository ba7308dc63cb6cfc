#include "shared/voxel/write_voxels.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace terrane {
namespace {

/// Does voxel number `index` of a chunk continue the run?
bool continues(const VoxelRun& run, std::size_t index, const Voxel& voxel) {
    return std::size_t{run.first} + run.count == index && run.voxel == voxel;
}

}  // namespace

std::vector<AppliedOp> write_voxels(VoxelGrid& grid, std::vector<PlacedVoxel> voxels) {
    std::ranges::sort(voxels, {}, [](const PlacedVoxel& placed) {
        return std::pair(chunk_of(placed.at), index_in_chunk(placed.at));
    });
    std::vector<AppliedOp> applied;
    std::vector<VoxelRun> runs;
    const auto flush = [&](const ChunkCoord& coord) {
        if (runs.empty()) {
            return;
        }
        Chunk& chunk = *grid.find(coord);
        const VoxelBox changed = apply_runs(chunk, coord, runs);
        if (!is_empty(changed)) {
            applied.push_back({coord, {}, chunk.revision, changed, std::move(runs)});
        }
        runs.clear();
    };
    for (std::size_t i = 0; i < voxels.size(); ++i) {
        const ChunkCoord coord = chunk_of(voxels[i].at);
        const std::size_t index = index_in_chunk(voxels[i].at);
        if (!runs.empty() && continues(runs.back(), index, voxels[i].voxel)) {
            ++runs.back().count;
        } else {
            if (runs.size() == kRunsPerOpMax) {
                flush(coord);
            }
            runs.push_back({static_cast<std::uint16_t>(index), 1, voxels[i].voxel});
        }
        if (i + 1 == voxels.size() || chunk_of(voxels[i + 1].at) != coord) {
            flush(coord);
        }
    }
    return applied;
}

}  // namespace terrane
