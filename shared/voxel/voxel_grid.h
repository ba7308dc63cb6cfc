// The voxel world: chunks by coordinate inside the zone's bounds. A chunk is here or is not loaded.
// Outside the bounds is air, except below the floor, which is rock: physics, meshes and rays read
// through voxel() and need no special case at the border.
//   Server: owner World, written by the tick thread only. Client: owner Replica.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "shared/voxel/chunk.h"
#include "shared/voxel/coords.h"

namespace terrane {

/// Whole chunks: min .. max, max excluded.
struct GridBounds {
    ChunkCoord min{-16, -2, -16};
    ChunkCoord max{16, 4, 16};

    friend bool operator==(const GridBounds&, const GridBounds&) = default;
};

bool contains(const GridBounds& bounds, const ChunkCoord& c);
VoxelBox voxel_box(const GridBounds& bounds);

class VoxelGrid {
  public:
    explicit VoxelGrid(const GridBounds& bounds = {}) : bounds_(bounds) {}

    const GridBounds& bounds() const { return bounds_; }
    bool is_loaded(const ChunkCoord& c) const { return chunks_.contains(c); }
    /// nullptr if the chunk is not loaded. Valid until the next insert or erase.
    const Chunk* find(const ChunkCoord& c) const;
    Chunk* find(const ChunkCoord& c);
    /// `c` must lie in the bounds; replaces what was there.
    Chunk& insert(const ChunkCoord& c, Chunk chunk);
    void erase(const ChunkCoord& c);
    std::size_t chunk_count() const { return chunks_.size(); }
    /// Ascending.
    std::vector<ChunkCoord> sorted_coords() const;

    /// Outside: see above. In bounds but not loaded: air.
    Voxel voxel(const VoxelCoord& v) const;
    /// nullopt in bounds but not loaded.
    std::optional<Voxel> find_voxel(const VoxelCoord& v) const;
    /// Copies the box's voxels, x fastest, then z, then y, by the rule of voxel().
    /// Each destination holds the box's volume in bytes.
    void copy_box(const VoxelBox& box, std::span<std::uint8_t> material,
                  std::span<std::uint8_t> occupancy) const;

  private:
    GridBounds bounds_;
    std::unordered_map<ChunkCoord, Chunk> chunks_;
};

/// Every chunk inside the bounds that `box` meets is loaded.
bool is_loaded(const VoxelGrid& grid, const VoxelBox& box);

}  // namespace terrane
