// Reads voxels one at a time and remembers the last chunk: what physics and motion ask of the grid
// is a few neighbouring voxels, and a look into the chunk table for each would cost more than the
// answer.
// Short-lived: nothing may be inserted into or erased from the grid while one is in use.
#pragma once

#include "shared/voxel/voxel_grid.h"

namespace terrane {

class VoxelReader {
  public:
    explicit VoxelReader(const VoxelGrid& grid) : grid_(grid) {}

    /// By the rule of VoxelGrid::voxel: air where nothing is loaded, rock below the floor.
    Voxel voxel(const VoxelCoord& at) {
        const ChunkCoord chunk = chunk_of(at);
        if (!has_chunk_ || !(chunk == coord_)) {
            coord_ = chunk;
            chunk_ = grid_.find(chunk);
            has_chunk_ = true;
        }
        return chunk_ != nullptr ? chunk_->voxel(index_in_chunk(at)) : grid_.voxel(at);
    }

  private:
    const VoxelGrid& grid_;
    ChunkCoord coord_;
    const Chunk* chunk_ = nullptr;
    bool has_chunk_ = false;
};

}  // namespace terrane
