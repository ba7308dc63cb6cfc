// Covers the core voxels of a piece with boxes: the largest cube of voxels not yet covered first
// (ties: the lowest), grown a layer at a time on each side in turn as long as a whole layer is core
// and some of it is not yet covered. Cubes by the recurrence of the largest square: one more than
// the least of the seven neighbours above. Cost: a pass over the core voxels for each box, and what
// lies around the box anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/voxel/voxel_piece.h"

namespace terrane {

class BoxCover {
  public:
    explicit BoxCover(const VoxelPiece& piece);

    /// The next box, largest cube first; empty if all is covered.
    VoxelBox take_box();
    /// The core voxels that none of `boxes` holds, ascending.
    std::vector<VoxelCoord> left_by(std::span<const VoxelBox> boxes) const;

  private:
    enum class CoreState : std::uint8_t { none, open, covered };

    std::size_t index(const VoxelCoord& v) const {
        return static_cast<std::size_t>((v.y * size_.z + v.z) * size_.x + v.x);
    }
    void measure_cubes(const VoxelBox& region);
    void grow_box(VoxelBox& box) const;
    bool can_add(const VoxelBox& layer) const;

    VoxelCoord size_;
    std::vector<VoxelCoord> core_;  ///< ascending
    std::vector<CoreState> state_;
    /// Side of the largest cube of open voxels whose low corner this voxel is.
    std::vector<std::uint8_t> cube_;
};

}  // namespace terrane
