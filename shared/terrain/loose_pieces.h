// What an edit cut off from the ground. Whoever removes voxels notes the box; once a tick, after
// the edits and before the masks are remade, find() looks at the voxels that lie in a noted box or
// touch it, and floods what is connected to each (core_flood.h). What does not stand on ground is
// a loose piece: the caller takes it out of the grid with remove_pieces and makes a body of it.
//
//   loose     6-connected core voxels, at most voxels_max, at most kLooseSizeMax a side, that reach
//             neither the zone's floor nor a chunk that is not loaded
//   its skin  solid voxels that are no core (occupancy 1 .. 127) beside it (6), unless they are
//             beside core that stays, or below the zone, or not loaded; lowest first, as many as
//             voxels_max leaves room for. Between two pieces of one find the later one takes it.
//             What touches no core at all stays where it is.
//
// The answer is a function of the grid as it is when the box is searched, not of what was before:
// a thing that hung in the air falls when somebody digs beside it. Cost follows the flood. At most
// flood_voxels_max a find (a brick read counts 64, and the flood that goes over it is finished: at
// most 1,000 bricks), then the rest of the boxes waits in order, at the seed that is next. A flood
// is never interrupted, so edits in between cannot make an answer wrong: the seeds done were right
// when they were done, and what changes them notes a box of its own. A dig in open ground costs
// 2 us if pieces may have 512 voxels, 6 us if 4,096: its flood ends after so many, mostly below.
//
// Owner: World. Thread: tick. Deterministic; pending() is part of the world's state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/terrain/core_flood.h"
#include "shared/voxel/brush.h"
#include "shared/voxel/voxel_piece.h"

namespace terrane {

struct LooseLimits {
    std::size_t voxels_max = 4096;         ///< of a piece; what is larger stays
    std::size_t flood_voxels_max = 65536;  ///< a find
    std::size_t pieces_max = 64;           ///< a find
};

/// Boxes that may wait; what is noted beyond is dropped and counted (it hangs until the next edit).
inline constexpr std::size_t kLooseBoxesMax = 4096;

/// The voxel at zone place `box.min + local` is the piece's at `local`; the box is tight.
struct LoosePiece {
    VoxelBox box;
    VoxelPiece piece;
};

class LoosePieces {
  public:
    struct Pending {
        VoxelBox box;
        std::uint32_t next_seed = 0;  ///< where the search goes on

        friend bool operator==(const Pending&, const Pending&) = default;
    };

    /// Core voxels in `changed` are gone.
    void note_removed(const VoxelBox& changed);
    /// Appends what is loose, in the order found. The caller must remove it before the next find.
    void find(const CoreSource& source, const LooseLimits& limits, std::vector<LoosePiece>& pieces);

    /// Boxes that wait, oldest first.
    std::span<const Pending> pending() const { return pending_; }
    /// Of the last find that had something to search.
    std::size_t cost_voxels() const { return flood_.cost_voxels(); }
    /// Boxes ever dropped because too many waited.
    std::uint64_t dropped() const { return dropped_; }

  private:
    /// One find while it runs.
    struct Find {
        const VoxelGrid& grid;
        const LooseLimits& limits;
        std::vector<LoosePiece>& pieces;
        std::size_t piece_count_max;
        bool has_searched = false;  ///< a seed or a brick: every find gets on
    };
    bool search(Find& find, Pending& pending);
    bool search_slice(Find& find, Pending& pending, const BrickCoord& brick, std::size_t slice);
    bool is_spent(const Find& find) const;
    LoosePiece cut(const Find& find);

    std::vector<Pending> pending_;
    CoreFlood flood_;
    std::vector<VoxelCoord> voxels_;
    std::vector<VoxelCoord> skin_;
    std::uint64_t dropped_ = 0;
};

/// Takes the pieces' voxels out of the grid: one operation of air runs a chunk, ascending, whose
/// revision it raises by one. The chunks must be loaded.
std::vector<AppliedOp> remove_pieces(VoxelGrid& grid, std::span<const LoosePiece> pieces);

}  // namespace terrane
