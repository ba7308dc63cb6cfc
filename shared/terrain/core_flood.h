// Floods through core voxels, a brick's slice of 64 voxels at a time: does what is 6-connected to a
// voxel stand on the ground? It does if it reaches the zone's floor (rock lies below), a chunk that
// is not loaded (nobody knows what is there), or is larger than a piece may be: more voxels than
// asked for, or longer than kLooseSizeMax on an axis.
//
//   start     forgets all: the grid may have changed
//   flood     brick by brick from a queue; in each the bits spread to a standstill, then what lies
//             on a face is left at the next brick; ends at the first sign of ground
//   decided   voxels of earlier floods: those that reach one stand on ground, since what is loose
//             has been flooded whole
//
// Words come from the terrain's kept bits, but for bricks that changed since those were made: these
// are read from the grid's bytes (128 cache lines a brick; reading all so takes 1.6 times as long).
// Owner: LoosePieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/terrain/terrain_masks.h"
#include "shared/voxel/voxel_grid.h"
#include "shared/voxel/voxel_piece.h"

namespace terrane {

/// Longest side of loose core voxels: a piece also has a skin of one voxel on each side.
inline constexpr std::int32_t kLooseSizeMax = kPieceSizeMax - 2;
/// What reading a brick costs, in voxels flooded.
inline constexpr std::size_t kBrickCostVoxels = 64;

/// Where core bits are read. Nothing of it may change while it is used.
struct CoreSource {
    const VoxelGrid& grid;
    const TerrainMasks* masks = nullptr;  ///< may be null: all is read from the grid
    /// Every voxel that the masks do not know of yet lies in one of these.
    std::span<const VoxelBox> changed{};
};

class CoreFlood {
  public:
    void start(const CoreSource& source);

    /// Core voxels of the brick that no flood has decided on since the start.
    BrickWords undecided(const BrickCoord& brick);
    /// Floods what is connected to the core voxel `seed`, which must be undecided. True if it does
    /// not stand on ground: then its voxels are in `voxels`, ascending.
    bool is_loose(const VoxelCoord& seed, std::size_t voxels_max, std::vector<VoxelCoord>& voxels);

    /// Is `v` core and not loose as far as is known, below the floor, or not loaded?
    bool is_ground(const VoxelCoord& v);
    /// Any voxel, core or not, can be taken once: true if it was not.
    bool take(const VoxelCoord& v);
    /// Voxels flooded and bricks read since the start, in voxels.
    std::size_t cost_voxels() const { return cost_voxels_; }

  private:
    struct Brick {
        BrickCoord at;
        const Chunk* chunk = nullptr;
        bool is_read = false;     ///< `core` is known
        bool is_changed = false;  ///< the masks do not know it
        bool is_queued = false;
        bool is_flooded = false;  ///< by the flood that runs
        BrickWords core{};
        BrickWords decided{};
        BrickWords taken{};  ///< decided and loose, or taken
        BrickWords flood{};  ///< reached by the flood that runs
        BrickWords todo{};   ///< left here by neighbours, core or not
    };
    struct Slot {
        std::uint32_t start = 0;  ///< the slot is free unless it is of this start
        std::uint32_t brick = 0;
        BrickCoord at;
    };

    /// Index of the brick, kNoBrick (air) or kGroundBrick.
    std::uint32_t find_brick(const BrickCoord& at);
    std::uint32_t add_brick(const BrickCoord& at);
    void read(Brick& brick);
    void grow_table();
    void mark_changed(const VoxelBox& changed);
    bool spread(std::uint32_t index, std::size_t voxels_max);
    bool spread_to(const BrickCoord& at, const BrickWords& bits);
    bool reach(Brick& brick, std::uint32_t index);
    bool is_too_long() const;
    void decide(bool is_loose, std::vector<VoxelCoord>& voxels);

    const VoxelGrid* grid_ = nullptr;
    const TerrainMasks* masks_ = nullptr;
    std::vector<Brick> bricks_;
    std::vector<Slot> slots_;  ///< open addressing, a power of two
    std::uint32_t start_ = 0;
    std::vector<std::uint32_t> queue_;
    std::vector<std::uint32_t> flooded_;
    std::size_t flood_count_ = 0;  ///< voxels of the flood that runs
    BrickRange flood_range_;
    std::size_t cost_voxels_ = 0;
    ChunkCoord last_chunk_;
    const Chunk* last_found_ = nullptr;
    bool has_last_ = false;
};

}  // namespace terrane
