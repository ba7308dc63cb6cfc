// What of a piece is full, a bit a voxel, and where to cut it in two. Full is core, and what core
// encloses: air in a closed hollow, which nothing can touch.
//
// One word a row along x (kPieceSizeMax is 64), with a row of air around on y and z.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared/voxel/voxel_piece.h"

namespace terrane {

struct FilledRows {
    VoxelCoord size;  ///< of the piece
    std::vector<std::uint64_t> rows;

    /// Of y and z from -1 to the piece's size.
    std::uint64_t& row(std::int32_t y, std::int32_t z) { return rows[index(y, z)]; }
    std::uint64_t row(std::int32_t y, std::int32_t z) const { return rows[index(y, z)]; }
    std::size_t index(std::int32_t y, std::int32_t z) const {
        return static_cast<std::size_t>((y + 1) * (size.z + 2) + z + 1);
    }
};

/// The piece must be valid.
FilledRows filled_rows(const VoxelPiece& piece);
/// The voxels of the piece of low occupancy that have a full one beside (6) and are none.
std::vector<VoxelCoord> hollows_beside(const FilledRows& filled, const VoxelPiece& piece,
                                       std::uint8_t occupancy_below);

/// Which of the eight voxels around cell `cell` (its low corner is the centre of that voxel) are
/// full: bit dx + 2 dz + 4 dy.
std::uint8_t filled_corners(const FilledRows& filled, const VoxelCoord& cell);
/// Of such bits those whose voxel lies in `box`.
inline std::uint8_t corners_in(const VoxelBox& box, const VoxelCoord& cell) {
    const auto sides = [](std::int32_t at, std::int32_t min, std::int32_t max, unsigned low,
                          unsigned high) {
        return (at >= min && at <= max ? low : 0U) | (at + 1 >= min && at + 1 <= max ? high : 0U);
    };
    return static_cast<std::uint8_t>(sides(cell.x, box.min.x, box.max.x, 0x55U, 0xAAU) &
                                     sides(cell.z, box.min.z, box.max.z, 0x33U, 0xCCU) &
                                     sides(cell.y, box.min.y, box.max.y, 0x0FU, 0xF0U));
}

/// The box of what is full in `box`; empty if nothing is.
VoxelBox tight_box(const FilledRows& filled, const VoxelBox& box);

/// Low ends with `low.max`, high begins beyond it; both are tight.
struct BoxCut {
    VoxelBox low;
    VoxelBox high;
    std::int32_t VoxelCoord::* axis = nullptr;  ///< null: one voxel, nothing to cut
    std::int32_t last_low = 0;                  ///< the last layer of the lower side
};
/// The cut that leaves the two boxes of the least volume together (ties: the more even one, then
/// x before z before y). `box` must be tight.
BoxCut best_cut(const FilledRows& filled, const VoxelBox& box);

}  // namespace terrane
