// Broadphase of the terrain: which bricks hold something to collide with, one bit a voxel
// ("Voxel Terrain: Physics", the Roblox engine's account). For every brick of a loaded chunk the
// undilated solid, core and water words are kept; the masks that queries test are dilated by one
// voxel in all 26 directions, derived from the kept words of the 27 bricks around (5-6x faster than
// from voxels). Bricks that are empty, all solid or all water have a tag and no masks.
//
//   BrickMask.solid[y]: one word a Y slice; in it a byte a Z row (row z = bits 8z..8z+7), a bit an
//   X
//
//   voxels --chunk_arrived, voxels_changed--> kept words (BrickBits) --27 bricks--> BrickMask
//
// Beside the masks stands the surface: a bit for every voxel that owns a quad of the brick's mesh,
// which is a voxel whose core bit differs from that of its next voxel in X, Y or Z. The masks say
// where something may be inside ground or water; the surface says, to the voxel, where triangles
// are. And the active cells: cell c lies between the centres of voxels c to c + 1 and is active if
// these eight are not of one kind. A quad lies in the four cells around its edge, so all triangles,
// whoever owns them, lie in active cells: what a ray looks for.
//
// Beyond the zone is air, below its floor solid rock; bricks out there are derived when asked for,
// up to kBorderBricks away, because the walls and the floor of the zone are surfaces that belong to
// them. Farther out, and in chunks that are not loaded, nothing is ever met.
//
// Owner: Terrain. Thread: tick (server), main (client).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shared/voxel/surface_nets.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane {

/// One kind of one brick, undilated or dilated.
using BrickWords = std::array<std::uint64_t, kBrickSize>;

/// The same where it is kept: in one line of the processor's cache.
struct alignas(64) LinedWords {
    BrickWords words{};
};

/// Dilated: what a body or ray may touch.
struct BrickMask {
    BrickWords solid{};
    BrickWords water{};

    friend bool operator==(const BrickMask&, const BrickMask&) = default;
};
static_assert(sizeof(BrickMask) == 128);

/// Undilated: what each voxel is.
struct BrickBits {
    BrickWords solid{};
    BrickWords core{};
    BrickWords water{};

    friend bool operator==(const BrickBits&, const BrickBits&) = default;
};

/// What a brick and its border of one voxel (10^3 voxels) hold.
enum class BrickFill : std::uint8_t { empty = 0, solid = 1, water = 2, mixed = 3 };

struct TerrainOverlap {
    bool solid = false;
    bool water = false;
};

/// How far beyond the zone's bounds surfaces exist.
inline constexpr std::int32_t kBorderBricks = 4;

/// Bricks min..max, both ends included. Empty if min > max on an axis.
struct BrickRange {
    BrickCoord min{0, 0, 0};
    BrickCoord max{-1, -1, -1};
};

inline VoxelBox voxels_of(const BrickRange& range) {
    return {origin_of(range.min),
            origin_of(range.max) + VoxelCoord{kBrickSize - 1, kBrickSize - 1, kBrickSize - 1}};
}

/// The 27 bricks around one, x fastest, then z, then y; [13] is the brick itself.
using BrickNeighbours = std::array<const BrickWords*, 27>;
/// Dilates the middle brick by one voxel in all 26 directions: 64-bit shifts on whole Y slices.
BrickWords dilate_words(const BrickNeighbours& neighbours);
/// The article's way, from a 10^3 box by shifts on 16-bit rows; the peer that dilate_words is
/// measured against, and its oracle.
BrickMask dilate_box(const BrickBox& box);

/// Bits of a brick's words inside the voxels [min, max] (0..7, both included) of a Y slice.
std::uint64_t rectangle_mask(int min_x, int max_x, int min_z, int max_z);

/// Is a bit of the brick's words set inside `voxels` (zone space)?
bool meets(const BrickWords& words, const BrickCoord& brick, const VoxelBox& voxels);
/// The voxels whose quads can reach `box` (metres): each reaches from half a voxel below its own
/// corner to half a voxel beyond the next one.
VoxelBox surface_voxels(const Aabb& box);

/// Where a brick of a chunk keeps something: a slot 0..63, or one of these.
inline constexpr std::uint8_t kNoSlot = 255;     ///< nothing kept; of a mask: nothing set
inline constexpr std::uint8_t kSolidSlot = 254;  ///< of a mask: all solid
inline constexpr std::uint8_t kWaterSlot = 253;  ///< of a mask: all water

class TerrainMasks {
  public:
    /// `grid` must outlive the masks.
    explicit TerrainMasks(const VoxelGrid& grid);

    /// Derives the chunk's words and masks and the border masks of its loaded neighbours.
    void chunk_arrived(const ChunkCoord& chunk);
    void chunk_left(const ChunkCoord& chunk);
    /// Voxels in `box` changed: appends every brick whose 10^3 box meets it, ascending (loaded or
    /// not), and remakes the masks of the loaded ones.
    void voxels_changed(const VoxelBox& box, std::vector<BrickCoord>& changed);
    /// The same for all that changed in one tick: every brick is appended and remade once.
    void voxels_changed(std::span<const VoxelBox> boxes, std::vector<BrickCoord>& changed);

    /// Does `box`, grown by one voxel, meet a set bit? Reads only the bricks that it touches.
    TerrainOverlap overlap(const Aabb& box) const;
    /// Calls fn(const BrickCoord&, bool solid, bool water) for every brick in which `box`, grown by
    /// one voxel, meets a set bit; ascending.
    template <typename Fn>
    void for_each_touched_brick(const Aabb& box, Fn&& fn) const {
        const TouchRange range = touch_range(box);
        for (std::int32_t y = range.bricks.min.y; y <= range.bricks.max.y; ++y) {
            for (std::int32_t z = range.bricks.min.z; z <= range.bricks.max.z; ++z) {
                for (std::int32_t x = range.bricks.min.x; x <= range.bricks.max.x; ++x) {
                    const BrickCoord brick{x, y, z};
                    const TerrainOverlap met = overlap_brick(brick, range.voxels);
                    if (met.solid || met.water) {
                        fn(brick, met.solid, met.water);
                    }
                }
            }
        }
    }
    /// Calls fn(const BrickCoord&) for every brick of which a triangle may meet `box`; ascending.
    /// Never leaves one out whose triangle does.
    template <typename Fn>
    void for_each_surface_brick(const Aabb& box, Fn&& fn) const {
        const VoxelBox voxels = intersect(surface_voxels(box), voxels_of(surface_range_));
        if (is_empty(voxels)) {
            return;
        }
        const BrickCoord first = brick_of(voxels.min);
        const BrickCoord last = brick_of(voxels.max);
        for (std::int32_t y = first.y; y <= last.y; ++y) {
            for (std::int32_t z = first.z; z <= last.z; ++z) {
                for (std::int32_t x = first.x; x <= last.x; ++x) {
                    const BrickCoord brick{x, y, z};
                    if (has_surface(brick) && meets(surface(brick), brick, voxels)) {
                        fn(brick);
                    }
                }
            }
        }
    }
    /// Set bits of one brick inside `voxels` (zone space, not grown).
    TerrainOverlap overlap_brick(const BrickCoord& brick, const VoxelBox& voxels) const;

    BrickFill fill(const BrickCoord& brick) const;
    /// Does the brick's mesh have triangles?
    bool has_surface(const BrickCoord& brick) const;
    /// The bricks of a chunk that have active cells, a bit each by index_in_chunk; of one that is
    /// not loaded those that may have some.
    std::uint64_t active_bricks(const ChunkCoord& chunk) const {
        const std::size_t place = place_of(chunk);
        return place < chunks_.size() ? active_bricks_[place] : active_outside(chunk);
    }
    /// The active cells of a loaded chunk's bricks, without a copy. Valid until the next change.
    struct ActiveCells {
        const std::uint8_t* slices = nullptr;  ///< of brick i, a bit for each slice that has some;
                                               ///< nullptr if not loaded: ask active_cells then
        const std::uint8_t* slot = nullptr;    ///< of brick i, in `cells`
        const LinedWords* cells = nullptr;
    };
    ActiveCells active_cells(const ChunkCoord& chunk) const {
        const ChunkMasks* masks = find(chunk);
        return masks != nullptr ? ActiveCells{masks->active_slices.data(),
                                              masks->active_slot.data(), masks->actives.data()}
                                : ActiveCells{};
    }
    /// Of any brick; those of chunks that are not loaded and beyond the zone are made when asked
    /// for.
    BrickWords active_cells(const BrickCoord& brick) const;
    /// The voxels of the brick that own a quad; all zero if none does.
    BrickWords surface(const BrickCoord& brick) const;
    /// The same without a copy: nullptr if none does. `made` holds those of a brick beyond the
    /// zone.
    const BrickWords* find_surface(const BrickCoord& brick, BrickWords& made) const;
    /// Dilated; made up from the fill where no mask is stored.
    BrickMask mask(const BrickCoord& brick) const;
    /// What mask() keeps, made anew from the kept bits of 27 bricks.
    BrickMask derive_mask(const BrickCoord& brick) const;
    /// Undilated. Valid until the next change.
    const BrickBits& bits(const BrickCoord& brick) const;
    /// A voxel of a chunk that is not loaded is none of these.
    bool is_solid_at(const VoxelCoord& v) const { return bit(bits(brick_of(v)).solid, v); }
    bool is_core_at(const VoxelCoord& v) const { return bit(bits(brick_of(v)).core, v); }
    bool is_water_at(const VoxelCoord& v) const { return bit(bits(brick_of(v)).water, v); }

    bool is_loaded(const ChunkCoord& chunk) const { return find(chunk) != nullptr; }
    const GridBounds& bounds() const { return grid_->bounds(); }
    /// Every brick that can hold a surface: the bounds and kBorderBricks around.
    const BrickRange& surface_range() const { return surface_range_; }
    std::size_t memory_bytes() const;
    /// How many bricks' masks were made or made anew since the start.
    std::uint64_t masks_made() const { return masks_made_; }

  private:
    /// Index 0..63 is index_in_chunk(brick). What a box asks for comes first, close together.
    struct ChunkMasks {
        std::array<std::uint8_t, kBricksPerChunk> mask_slot{};
        std::vector<BrickMask> masks;
        std::uint64_t surface_bricks = 0;  ///< bit i: brick i has triangles
        std::array<std::uint8_t, kBricksPerChunk> surface_slot{};
        std::vector<LinedWords> surfaces;
        std::array<std::uint8_t, kBricksPerChunk> active_slices{};
        std::array<std::uint8_t, kBricksPerChunk> active_slot{};
        std::vector<LinedWords> actives;
        std::uint64_t solid_bricks = 0;  ///< bit i: brick i has a solid bit
        std::uint64_t water_bricks = 0;  ///< … a water bit
        std::uint64_t masks_used = 0;    ///< bit i: slot i is taken
        std::uint64_t surfaces_used = 0;
        std::uint64_t actives_used = 0;
        std::uint64_t bits_used = 0;
        std::array<std::uint8_t, kBricksPerChunk> bits_slot{};
        std::vector<BrickBits> bits;
        /// Into `bits`, or to one of the bricks that are all alike: dilation reads 27 of these.
        std::array<const BrickBits*, kBricksPerChunk> bits_at{};
    };
    /// The kept bits of the 27 bricks around one, in the order of BrickNeighbours.
    struct Around {
        std::array<const BrickBits*, 27> bits;
        bool has_solid = false;
        bool has_water = false;
    };
    struct Derived {
        BrickFill fill = BrickFill::empty;
        BrickMask mask;
    };
    struct TouchRange {
        BrickRange bricks;
        VoxelBox voxels;
    };

    static bool bit(const BrickWords& words, const VoxelCoord& v) {
        const auto shift = static_cast<unsigned>(((v.z & 7) << 3) | (v.x & 7));
        return ((words[static_cast<std::size_t>(v.y & 7)] >> shift) & 1U) != 0;
    }
    /// Index into chunks_; chunks_.size() outside the bounds.
    std::size_t place_of(const ChunkCoord& chunk) const {
        const GridBounds& bounds = grid_->bounds();
        const auto x = static_cast<std::uint32_t>(chunk.x - bounds.min.x);
        const auto y = static_cast<std::uint32_t>(chunk.y - bounds.min.y);
        const auto z = static_cast<std::uint32_t>(chunk.z - bounds.min.z);
        if (x >= counts_.x || y >= counts_.y || z >= counts_.z) {
            return chunks_.size();
        }
        return (static_cast<std::size_t>(y) * counts_.z + z) * counts_.x + x;
    }
    ChunkMasks* find(const ChunkCoord& chunk) const {
        const std::size_t place = place_of(chunk);
        return place < chunks_.size() ? chunks_[place].get() : nullptr;
    }
    TouchRange touch_range(const Aabb& box) const;
    static BrickMask whole_mask(const Derived& derived);
    static Derived derive(const Around& around);
    static BrickWords surface_in(const Around& around);
    static BrickWords active_in(const Around& around);
    /// Of a chunk that is not loaded: the bricks that may have active cells.
    std::uint64_t active_outside(const ChunkCoord& chunk) const;
    static TerrainOverlap overlap_mask(const BrickMask& mask, const BrickCoord& brick,
                                       const VoxelBox& voxels);
    /// Beyond the bounds, but near enough to own a surface.
    bool is_border(const BrickCoord& brick) const;
    const BrickBits& bits_outside(const BrickCoord& brick) const;
    void keep_bits(ChunkMasks& masks, const Chunk& chunk, const BrickCoord& brick);
    void keep_mask(ChunkMasks& masks, const BrickCoord& brick);
    void keep_active(ChunkMasks& masks, const BrickCoord& brick, const BrickWords& active);
    void remake_masks_around(const ChunkCoord& chunk);
    Around look_around(const BrickCoord& brick) const;

    const VoxelGrid* grid_;
    BrickRange bounds_;  ///< bricks of the zone
    BrickRange surface_range_;
    /// One place for each chunk of the bounds, x fastest, then z, then y; null if not loaded.
    /// A hash table here made overlap five times as slow: a box asks of two bricks and little else.
    std::vector<std::unique_ptr<ChunkMasks>> chunks_;
    /// In the same places, close together: most of what a ray asks for is here.
    std::vector<std::uint64_t> active_bricks_;
    struct {
        std::uint32_t x;
        std::uint32_t y;
        std::uint32_t z;
    } counts_{};  ///< of chunks along each axis
    std::uint64_t masks_made_ = 0;
    std::vector<BrickCoord> changed_bits_;  ///< working memory of voxels_changed
};

}  // namespace terrane
