// How high each voxel near a body is wet, by the rule in buoyancy.h, from the words that the masks
// keep: a window of 8 x 8 columns over up to four bricks, a word a Y slice, in which "water under
// water" or "thin ground beside water" is a shift and an and for 64 voxels at once. Only the
// occupancy of a surface's voxels is read one by one. (Reading voxels one by one cost a body twice
// as much; a table of voxels already read cost more than it saved.)
//
//   words of 1 to 8 bricks --gather--> raw slice (water, solid, core) --with the one above--> slice
//
// Slices are made when asked for. The window's rim only serves as neighbours: 6 x 6 columns and 8
// slices can be asked about, then it is aimed anew.
//
// Short-lived: the terrain may not change while one is in use. Private to server/physics.
#pragma once

#include <array>

#include "shared/terrain/terrain.h"
#include "shared/voxel/voxel_reader.h"

namespace terrane {

/// What 64 voxels of a Y slice are; ground that no water is beside is none of these.
struct WetSlice {
    std::uint64_t full = 0;     ///< wet to their top
    std::uint64_t surface = 0;  ///< water with none above: as high as their occupancy says
    std::uint64_t flooded = 0;  ///< thin ground, as high as the highest surface beside it
    std::uint64_t dry = 0;

    std::uint64_t level() const { return surface | flooded; }
};

class WetVoxels {
  public:
    static constexpr std::int32_t kReach = 6;  ///< columns a side that one aim covers

    explicit WetVoxels(const Terrain& terrain)
        : masks_(&terrain.masks()), reader_(terrain.grid()) {}

    /// Brings voxels first .. first + kReach - 1 into the window, those below and above included.
    void aim(const VoxelCoord& first);
    /// 0 .. 1; aims anew where the window does not reach.
    float height(const VoxelCoord& at);

    /// Of a voxel inside the window.
    const WetSlice& slice(std::int32_t y);
    /// Bits of the columns min .. max, which lie inside the window, in a slice's words.
    std::uint64_t columns(const VoxelCoord& min, const VoxelCoord& max) const;
    /// How high the voxel of a bit in slice(y).level() is wet.
    float level_height(std::int32_t y, int bit);

  private:
    static constexpr std::size_t kSlices = 8;
    struct RawSlice {
        std::uint64_t water;
        std::uint64_t solid;
        std::uint64_t core;
    };

    const RawSlice& raw(std::size_t index);
    void find_bricks(std::size_t layer);

    const TerrainMasks* masks_;
    VoxelReader reader_;
    VoxelCoord low_;  ///< the window's lowest corner
    bool is_aimed_ = false;
    unsigned known_bricks_ = 0;  ///< a bit a layer of bricks
    unsigned known_raw_ = 0;     ///< a bit a slice
    unsigned known_ = 0;
    std::array<std::array<const BrickBits*, 4>, 2> bricks_;  ///< by layer; x, then z
    std::array<RawSlice, kSlices + 1> raw_;                  ///< one more: what is above
    std::array<WetSlice, kSlices> slices_;
};

}  // namespace terrane
