// How the masks are kept up to date: chunks that come and go, voxels that change, and the slots in
// which a chunk keeps words. What is kept is derived in terrain_masks_derive.cpp.
#include "shared/terrain/terrain_masks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "shared/core/assert.h"
#include "shared/terrain/brick_kinds.h"

namespace terrane {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;

/// High bit of each byte that is not zero.
std::uint64_t nonzero_bytes(std::uint64_t word) {
    return (((word & ~kHighBits) + ~kHighBits) | word) & kHighBits;
}
/// The high bit of each of eight bytes, gathered into one byte.
std::uint64_t gather_high_bits(std::uint64_t word) {
    return ((word & kHighBits) * 0x0002040810204081ULL) >> 56;
}

/// Eight voxels of a plane in X.
std::uint64_t load_row(const Plane& plane, std::span<const std::uint8_t> bytes, std::size_t index) {
    if (bytes.empty()) {
        return kLowBits * plane.uniform_value();
    }
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[index], sizeof word);
    return word;
}

BrickBits read_bits(const Chunk& chunk, const BrickCoord& brick) {
    const std::span<const std::uint8_t> material = chunk.material.bytes();
    const std::span<const std::uint8_t> occupancy = chunk.occupancy.bytes();
    const std::size_t first = index_in_chunk(origin_of(brick));
    BrickBits bits;
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        for (std::size_t z = 0; z < kBrickSize; ++z) {
            const std::size_t index = first + (y * kChunkSize + z) * kChunkSize;
            const std::uint64_t m = load_row(chunk.material, material, index);
            const std::uint64_t o = load_row(chunk.occupancy, occupancy, index);
            // 0 is air, 1 water: whatever has a bit above the lowest is solid.
            const std::uint64_t solid = nonzero_bytes(m & ~kLowBits);
            const std::uint64_t some = nonzero_bytes(o);
            const std::uint64_t water = kHighBits & ~nonzero_bytes(m ^ kLowBits);
            bits.solid[y] |= gather_high_bits(solid & some) << (8 * z);
            bits.core[y] |= gather_high_bits(solid & o) << (8 * z);
            bits.water[y] |= gather_high_bits(water & some) << (8 * z);
        }
    }
    return bits;
}

void set_bit(std::uint64_t& word, std::size_t index, bool value) {
    word = (word & ~(std::uint64_t{1} << index)) | (std::uint64_t{value ? 1U : 0U} << index);
}

template <typename T>
std::uint8_t take_slot(std::vector<T>& slots, std::uint64_t& used) {
    const int slot = std::countr_one(used);
    used |= std::uint64_t{1} << slot;
    if (static_cast<std::size_t>(slot) == slots.size()) {
        slots.emplace_back();
    }
    return static_cast<std::uint8_t>(slot);
}

void free_slot(std::uint8_t& slot, std::uint64_t& used) {
    if (slot < kBricksPerChunk) {
        used &= ~(std::uint64_t{1} << slot);
        slot = kNoSlot;
    }
}

/// Keeps the words of brick `index` if any bit is set.
void keep_words(const BrickWords& words, std::size_t index, std::uint64_t& bricks,
                std::uint8_t& slot, std::vector<LinedWords>& kept, std::uint64_t& used) {
    const bool is_any = !is_all(words, 0);
    set_bit(bricks, index, is_any);
    if (!is_any) {
        free_slot(slot, used);
        return;
    }
    if (slot == kNoSlot) {
        slot = take_slot(kept, used);
    }
    kept[slot].words = words;
}

/// Appends the bricks that the boxes, grown by `reach` voxels, meet: ascending, each once.
void append_bricks(std::span<const VoxelBox> boxes, std::int32_t reach,
                   std::vector<BrickCoord>& bricks) {
    const auto before = static_cast<std::ptrdiff_t>(bricks.size());
    for (const VoxelBox& box : boxes) {
        if (is_empty(box)) {
            continue;
        }
        const VoxelBox grown = grow(box, reach);
        const BrickCoord first = brick_of(grown.min);
        const BrickCoord last = brick_of(grown.max);
        for (std::int32_t y = first.y; y <= last.y; ++y) {
            for (std::int32_t z = first.z; z <= last.z; ++z) {
                for (std::int32_t x = first.x; x <= last.x; ++x) {
                    bricks.push_back({x, y, z});
                }
            }
        }
    }
    if (boxes.size() > 1) {
        std::sort(bricks.begin() + before, bricks.end());
        bricks.erase(std::unique(bricks.begin() + before, bricks.end()), bricks.end());
    }
}

}  // namespace

TerrainMasks::TerrainMasks(const VoxelGrid& grid) : grid_(&grid) {
    const GridBounds& bounds = grid.bounds();
    const auto scaled = [](const ChunkCoord& c) {
        return BrickCoord{c.x * kBricksPerChunkSide, c.y * kBricksPerChunkSide,
                          c.z * kBricksPerChunkSide};
    };
    const BrickCoord border{kBorderBricks, kBorderBricks, kBorderBricks};
    bounds_ = {scaled(bounds.min), scaled(bounds.max) - BrickCoord{1, 1, 1}};
    surface_range_ = {bounds_.min - border, bounds_.max + border};
    const ChunkCoord size = bounds.max - bounds.min;
    counts_ = {static_cast<std::uint32_t>(size.x), static_cast<std::uint32_t>(size.y),
               static_cast<std::uint32_t>(size.z)};
    chunks_.resize(static_cast<std::size_t>(counts_.x) * counts_.y * counts_.z);
    active_bricks_.resize(chunks_.size());
}

void TerrainMasks::chunk_arrived(const ChunkCoord& chunk) {
    const Chunk* voxels = grid_->find(chunk);
    TERRANE_ASSERT_MSG(voxels != nullptr, "chunk_arrived: the chunk is not in the grid");
    std::unique_ptr<ChunkMasks>& kept = chunks_.at(place_of(chunk));
    kept = std::make_unique<ChunkMasks>();
    active_bricks_[place_of(chunk)] = 0;
    ChunkMasks& masks = *kept;
    masks.bits_slot.fill(kNoSlot);
    masks.mask_slot.fill(kNoSlot);
    masks.surface_slot.fill(kNoSlot);
    masks.active_slot.fill(kNoSlot);
    const BrickCoord first{chunk.x * kBricksPerChunkSide, chunk.y * kBricksPerChunkSide,
                           chunk.z * kBricksPerChunkSide};
    for (std::int32_t y = 0; y < kBricksPerChunkSide; ++y) {
        for (std::int32_t z = 0; z < kBricksPerChunkSide; ++z) {
            for (std::int32_t x = 0; x < kBricksPerChunkSide; ++x) {
                keep_bits(masks, *voxels, first + BrickCoord{x, y, z});
            }
        }
    }
    remake_masks_around(chunk);
}

void TerrainMasks::chunk_left(const ChunkCoord& chunk) {
    if (is_loaded(chunk)) {
        chunks_[place_of(chunk)].reset();
        remake_masks_around(chunk);
    }
}

void TerrainMasks::remake_masks_around(const ChunkCoord& chunk) {
    const BrickCoord first{chunk.x * kBricksPerChunkSide, chunk.y * kBricksPerChunkSide,
                           chunk.z * kBricksPerChunkSide};
    for (std::int32_t y = -1; y <= kBricksPerChunkSide; ++y) {
        for (std::int32_t z = -1; z <= kBricksPerChunkSide; ++z) {
            for (std::int32_t x = -1; x <= kBricksPerChunkSide; ++x) {
                const BrickCoord brick = first + BrickCoord{x, y, z};
                if (ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
                    keep_mask(*masks, brick);
                }
            }
        }
    }
    // Chunks below that are not loaded: cells between them and this one are theirs.
    for (std::int32_t i = 0; i < 8; ++i) {
        const ChunkCoord below = chunk - ChunkCoord{i & 1, (i >> 2) & 1, (i >> 1) & 1};
        if (const std::size_t place = place_of(below);
            place < chunks_.size() && chunks_[place] == nullptr) {
            active_bricks_[place] = active_outside(below);
        }
    }
}

void TerrainMasks::voxels_changed(const VoxelBox& box, std::vector<BrickCoord>& changed) {
    voxels_changed(std::span(&box, 1), changed);
}

void TerrainMasks::voxels_changed(std::span<const VoxelBox> boxes,
                                  std::vector<BrickCoord>& changed) {
    // All bits before the first mask: a mask reads those of the bricks around.
    changed_bits_.clear();
    append_bricks(boxes, 0, changed_bits_);
    for (const BrickCoord& brick : changed_bits_) {
        ChunkMasks* masks = find(chunk_of(brick));
        const Chunk* voxels = grid_->find(chunk_of(brick));
        if (masks != nullptr && voxels != nullptr) {
            keep_bits(*masks, *voxels, brick);
        }
    }
    const std::size_t before = changed.size();
    append_bricks(boxes, 1, changed);
    for (const BrickCoord& brick : std::span(changed).subspan(before)) {
        if (ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
            keep_mask(*masks, brick);
        }
    }
}

void TerrainMasks::keep_bits(ChunkMasks& masks, const Chunk& chunk, const BrickCoord& brick) {
    const BrickBits bits = read_bits(chunk, brick);
    const std::size_t index = index_in_chunk(brick);
    set_bit(masks.solid_bricks, index, !is_all(bits.solid, 0));
    set_bit(masks.water_bricks, index, !is_all(bits.water, 0));
    std::uint8_t& slot = masks.bits_slot[index];
    for (const BrickBits* alike : {&kAirBrick, &kSolidBrick, &kWaterBrick}) {
        if (bits == *alike) {
            free_slot(slot, masks.bits_used);
            masks.bits_at[index] = alike;
            return;
        }
    }
    if (slot == kNoSlot) {
        const BrickBits* before = masks.bits.data();
        slot = take_slot(masks.bits, masks.bits_used);
        if (masks.bits.data() != before) {
            for (std::size_t i = 0; i < kBricksPerChunk; ++i) {
                if (masks.bits_slot[i] != kNoSlot) {
                    masks.bits_at[i] = &masks.bits[masks.bits_slot[i]];
                }
            }
        }
    }
    masks.bits[slot] = bits;
    masks.bits_at[index] = &masks.bits[slot];
}

void TerrainMasks::keep_mask(ChunkMasks& masks, const BrickCoord& brick) {
    ++masks_made_;
    const Around around = look_around(brick);
    const Derived derived = derive(around);
    const std::size_t index = index_in_chunk(brick);
    keep_words(surface_in(around), index, masks.surface_bricks, masks.surface_slot[index],
               masks.surfaces, masks.surfaces_used);
    keep_active(masks, brick, active_in(around));
    std::uint8_t& slot = masks.mask_slot[index];
    if (derived.fill != BrickFill::mixed) {
        free_slot(slot, masks.masks_used);
        slot = derived.fill == BrickFill::solid   ? kSolidSlot
               : derived.fill == BrickFill::water ? kWaterSlot
                                                  : kNoSlot;
        return;
    }
    if (slot >= kBricksPerChunk) {
        slot = take_slot(masks.masks, masks.masks_used);
    }
    masks.masks[slot] = derived.mask;
}

const BrickBits& TerrainMasks::bits_outside(const BrickCoord& brick) const {
    return brick.y < bounds_.min.y ? kSolidBrick : kAirBrick;
}

const BrickBits& TerrainMasks::bits(const BrickCoord& brick) const {
    const ChunkMasks* masks = find(chunk_of(brick));
    return masks == nullptr ? bits_outside(brick) : *masks->bits_at[index_in_chunk(brick)];
}

void TerrainMasks::keep_active(ChunkMasks& masks, const BrickCoord& brick,
                               const BrickWords& active) {
    const std::size_t index = index_in_chunk(brick);
    keep_words(active, index, active_bricks_[place_of(chunk_of(brick))], masks.active_slot[index],
               masks.actives, masks.actives_used);
    masks.active_slices[index] = 0;
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        masks.active_slices[index] |= static_cast<std::uint8_t>((active[y] != 0 ? 1U : 0U) << y);
    }
}

}  // namespace terrane
