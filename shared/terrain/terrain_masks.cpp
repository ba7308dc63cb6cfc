#include "shared/terrain/terrain_masks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "shared/core/assert.h"

namespace terrane {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
constexpr std::uint64_t kLowBits = 0x0101010101010101ULL;

constexpr BrickWords repeat(std::uint64_t word) {
    return {word, word, word, word, word, word, word, word};
}
constexpr BrickBits kAirBrick{};
constexpr BrickBits kSolidBrick{repeat(kAll), repeat(kAll), {}};
constexpr BrickBits kWaterBrick{{}, {}, repeat(kAll)};

bool is_all(const BrickWords& words, std::uint64_t word) {
    return std::ranges::all_of(words, [word](std::uint64_t w) { return w == word; });
}

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

template <typename T>
std::uint8_t take_slot(std::vector<T>& slots, std::uint64_t& used) {
    const int slot = std::countr_one(used);
    used |= std::uint64_t{1} << slot;
    if (static_cast<std::size_t>(slot) == slots.size()) {
        slots.emplace_back();
    }
    return static_cast<std::uint8_t>(slot);
}

/// Is every voxel of the 10^3 box of the kind? Only asked when the brick itself is full of it.
bool is_box_full(const std::array<const BrickBits*, 27>& around, BrickWords BrickBits::* kind) {
    std::array<BrickWords, 27> missing;
    BrickNeighbours pointers;
    for (std::size_t i = 0; i < 27; ++i) {
        std::ranges::transform((around[i]->*kind), missing[i].begin(),
                               [](std::uint64_t word) { return ~word; });
        pointers[i] = &missing[i];
    }
    return is_all(dilate_words(pointers), 0);
}

/// Splits a brick range's axis at the side of its chunk: 0 own chunk, 1 the other one.
struct AxisParts {
    std::int32_t other = 0;
    std::array<std::size_t, 3> chunk{};  ///< for the bricks at -1, 0, +1
};

AxisParts parts_of(std::int32_t brick) {
    const std::int32_t in_chunk = brick & (kBricksPerChunkSide - 1);
    if (in_chunk == 0) {
        return {-1, {1, 0, 0}};
    }
    if (in_chunk == kBricksPerChunkSide - 1) {
        return {1, {0, 0, 1}};
    }
    return {0, {0, 0, 0}};
}

/// floor(value), cut to [low, high]; not for NaN. Without SSE4.1 std::floor is a call.
std::int32_t floor_within(float value, std::int32_t low, std::int32_t high) {
    const float cut = std::min(std::max(value, static_cast<float>(low)), static_cast<float>(high));
    const auto whole = static_cast<std::int32_t>(cut);
    return whole - (static_cast<float>(whole) > cut ? 1 : 0);
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
}

void TerrainMasks::chunk_arrived(const ChunkCoord& chunk) {
    const Chunk* voxels = grid_->find(chunk);
    TERRANE_ASSERT_MSG(voxels != nullptr, "chunk_arrived: the chunk is not in the grid");
    std::unique_ptr<ChunkMasks>& kept = chunks_.at(place_of(chunk));
    kept = std::make_unique<ChunkMasks>();
    ChunkMasks& masks = *kept;
    masks.bits_slot.fill(kNoBits);
    masks.mask_slot.fill(kNoMask);
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
}

void TerrainMasks::voxels_changed(const VoxelBox& box, std::vector<BrickCoord>& changed) {
    if (is_empty(box)) {
        return;
    }
    const BrickCoord first = brick_of(box.min);
    const BrickCoord last = brick_of(box.max);
    for (std::int32_t y = first.y; y <= last.y; ++y) {
        for (std::int32_t z = first.z; z <= last.z; ++z) {
            for (std::int32_t x = first.x; x <= last.x; ++x) {
                const BrickCoord brick{x, y, z};
                ChunkMasks* masks = find(chunk_of(brick));
                const Chunk* voxels = grid_->find(chunk_of(brick));
                if (masks != nullptr && voxels != nullptr) {
                    keep_bits(*masks, *voxels, brick);
                }
            }
        }
    }
    const VoxelBox reach = grow(box, 1);
    const BrickCoord reach_first = brick_of(reach.min);
    const BrickCoord reach_last = brick_of(reach.max);
    for (std::int32_t y = reach_first.y; y <= reach_last.y; ++y) {
        for (std::int32_t z = reach_first.z; z <= reach_last.z; ++z) {
            for (std::int32_t x = reach_first.x; x <= reach_last.x; ++x) {
                const BrickCoord brick{x, y, z};
                changed.push_back(brick);
                if (ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
                    keep_mask(*masks, brick);
                }
            }
        }
    }
}

void TerrainMasks::keep_bits(ChunkMasks& masks, const Chunk& chunk, const BrickCoord& brick) {
    const BrickBits bits = read_bits(chunk, brick);
    std::uint8_t& slot = masks.bits_slot[index_in_chunk(brick)];
    std::uint8_t uniform = 0;
    if (bits == kAirBrick) {
        uniform = kNoBits;
    } else if (bits == kSolidBrick) {
        uniform = kSolidBits;
    } else if (bits == kWaterBrick) {
        uniform = kWaterBits;
    }
    const bool has_slot = slot < kBricksPerChunk;
    if (uniform != 0) {
        if (has_slot) {
            masks.bits_used &= ~(std::uint64_t{1} << slot);
        }
        slot = uniform;
        return;
    }
    if (!has_slot) {
        slot = take_slot(masks.bits, masks.bits_used);
    }
    masks.bits[slot] = bits;
}

void TerrainMasks::keep_mask(ChunkMasks& masks, const BrickCoord& brick) {
    const Derived derived = derive(brick);
    const std::size_t index = index_in_chunk(brick);
    std::uint8_t& slot = masks.mask_slot[index];
    masks.fills[index] = derived.fill;
    if (derived.fill != BrickFill::mixed) {
        if (slot != kNoMask) {
            masks.masks_used &= ~(std::uint64_t{1} << slot);
            slot = kNoMask;
        }
        return;
    }
    if (slot == kNoMask) {
        slot = take_slot(masks.masks, masks.masks_used);
    }
    masks.masks[slot] = derived.mask;
}

const BrickBits& TerrainMasks::bits_of(const ChunkMasks& masks, std::size_t index) {
    const std::uint8_t slot = masks.bits_slot[index];
    switch (slot) {
        case kNoBits:
            return kAirBrick;
        case kSolidBits:
            return kSolidBrick;
        case kWaterBits:
            return kWaterBrick;
        default:
            return masks.bits[slot];
    }
}

const BrickBits& TerrainMasks::bits_outside(const BrickCoord& brick) const {
    return brick.y < bounds_.min.y ? kSolidBrick : kAirBrick;
}

const BrickBits& TerrainMasks::bits(const BrickCoord& brick) const {
    const ChunkMasks* masks = find(chunk_of(brick));
    return masks == nullptr ? bits_outside(brick) : bits_of(*masks, index_in_chunk(brick));
}

TerrainMasks::Derived TerrainMasks::derive(const BrickCoord& brick) const {
    const ChunkCoord own = chunk_of(brick);
    const AxisParts x = parts_of(brick.x);
    const AxisParts y = parts_of(brick.y);
    const AxisParts z = parts_of(brick.z);
    std::array<const ChunkMasks*, 8> chunks{};
    for (std::int32_t i = 0; i < 8; ++i) {
        const bool is_used = ((i & 1) == 0 || x.other != 0) && ((i & 2) == 0 || z.other != 0) &&
                             ((i & 4) == 0 || y.other != 0);
        if (is_used) {
            chunks[static_cast<std::size_t>(i)] =
                find({own.x + (i & 1) * x.other, own.y + ((i >> 2) & 1) * y.other,
                      own.z + ((i >> 1) & 1) * z.other});
        }
    }
    std::array<const BrickBits*, 27> around;
    std::size_t i = 0;
    for (std::int32_t dy = -1; dy <= 1; ++dy) {
        for (std::int32_t dz = -1; dz <= 1; ++dz) {
            for (std::int32_t dx = -1; dx <= 1; ++dx, ++i) {
                const BrickCoord next = brick + BrickCoord{dx, dy, dz};
                const ChunkMasks* masks = chunks[4 * y.chunk[static_cast<std::size_t>(dy + 1)] +
                                                 2 * z.chunk[static_cast<std::size_t>(dz + 1)] +
                                                 x.chunk[static_cast<std::size_t>(dx + 1)]];
                around[i] =
                    masks == nullptr ? &bits_outside(next) : &bits_of(*masks, index_in_chunk(next));
            }
        }
    }
    return derive_from(around);
}

TerrainMasks::Derived TerrainMasks::derive_from(const std::array<const BrickBits*, 27>& around) {
    const BrickBits* own = around[13];
    const bool is_uniform =
        std::ranges::all_of(around, [own](const BrickBits* bits) { return bits == own; });
    if (is_uniform && own == &kAirBrick) {
        return {};
    }
    if (is_uniform && own == &kSolidBrick) {
        return {BrickFill::solid, {}};
    }
    if (is_uniform && own == &kWaterBrick) {
        return {BrickFill::water, {}};
    }
    BrickNeighbours solid;
    BrickNeighbours water;
    for (std::size_t i = 0; i < 27; ++i) {
        solid[i] = &around[i]->solid;
        water[i] = &around[i]->water;
    }
    const BrickMask mask{dilate_words(solid), dilate_words(water)};
    if (is_all(mask.solid, 0) && is_all(mask.water, 0)) {
        return {};
    }
    if (is_all(own->solid, kAll) && is_box_full(around, &BrickBits::solid)) {
        return {BrickFill::solid, {}};
    }
    if (is_all(own->water, kAll) && is_box_full(around, &BrickBits::water)) {
        return {BrickFill::water, {}};
    }
    return {BrickFill::mixed, mask};
}

bool TerrainMasks::is_border(const BrickCoord& brick) const {
    const auto within = [&brick](const BrickRange& range) {
        return brick.x >= range.min.x && brick.x <= range.max.x && brick.y >= range.min.y &&
               brick.y <= range.max.y && brick.z >= range.min.z && brick.z <= range.max.z;
    };
    return within(surface_range_) && !within(bounds_);
}

BrickFill TerrainMasks::fill(const BrickCoord& brick) const {
    if (const ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
        return masks->fills[index_in_chunk(brick)];
    }
    return is_border(brick) ? derive(brick).fill : BrickFill::empty;
}

BrickMask TerrainMasks::mask(const BrickCoord& brick) const {
    Derived derived;
    if (const ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
        const std::size_t index = index_in_chunk(brick);
        derived.fill = masks->fills[index];
        if (derived.fill == BrickFill::mixed) {
            derived.mask = masks->masks[masks->mask_slot[index]];
        }
    } else if (is_border(brick)) {
        derived = derive(brick);
    }
    return whole_mask(derived);
}

BrickMask TerrainMasks::derive_mask(const BrickCoord& brick) const {
    return whole_mask(derive(brick));
}

BrickMask TerrainMasks::whole_mask(const Derived& derived) {
    switch (derived.fill) {
        case BrickFill::empty:
            return {};
        case BrickFill::solid:
            return {repeat(kAll), {}};
        case BrickFill::water:
            return {{}, repeat(kAll)};
        case BrickFill::mixed:
            return derived.mask;
    }
    return {};
}

TerrainMasks::TouchRange TerrainMasks::touch_range(const Aabb& box) const {
    TouchRange range;
    // Also turns away NaN.
    if (!(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z)) {
        return range;
    }
    const VoxelCoord low = origin_of(surface_range_.min);
    const VoxelCoord high = origin_of(surface_range_.max + BrickCoord{1, 1, 1});
    // One voxel beyond on either side, so that a box out there stays out there and is empty.
    const auto first = [](float value, std::int32_t min, std::int32_t max) {
        return std::max(floor_within(value - 1.0F, min - 1, max), min);
    };
    const auto last = [](float value, std::int32_t min, std::int32_t max) {
        return std::min(floor_within(value + 1.0F, min - 1, max), max - 1);
    };
    range.voxels = {{first(box.min.x, low.x, high.x), first(box.min.y, low.y, high.y),
                     first(box.min.z, low.z, high.z)},
                    {last(box.max.x, low.x, high.x), last(box.max.y, low.y, high.y),
                     last(box.max.z, low.z, high.z)}};
    if (!is_empty(range.voxels)) {
        range.bricks = {brick_of(range.voxels.min), brick_of(range.voxels.max)};
    }
    return range;
}

TerrainOverlap TerrainMasks::overlap(const Aabb& box) const {
    const TouchRange range = touch_range(box);
    TerrainOverlap met;
    for (std::int32_t y = range.bricks.min.y; y <= range.bricks.max.y; ++y) {
        for (std::int32_t z = range.bricks.min.z; z <= range.bricks.max.z; ++z) {
            for (std::int32_t x = range.bricks.min.x; x <= range.bricks.max.x; ++x) {
                const TerrainOverlap here = overlap_brick({x, y, z}, range.voxels);
                met.solid = met.solid || here.solid;
                met.water = met.water || here.water;
                if (met.solid && met.water) {
                    return met;
                }
            }
        }
    }
    return met;
}

TerrainOverlap TerrainMasks::overlap_mask(const BrickMask& mask, const BrickCoord& brick,
                                          const VoxelBox& voxels) {
    const VoxelCoord origin = origin_of(brick);
    const auto low = [](std::int32_t min, std::int32_t from) { return std::max(min - from, 0); };
    const auto high = [](std::int32_t max, std::int32_t from) {
        return std::min(max - from, kBrickSize - 1);
    };
    const std::int32_t min_x = low(voxels.min.x, origin.x);
    const std::int32_t max_x = high(voxels.max.x, origin.x);
    const std::int32_t min_z = low(voxels.min.z, origin.z);
    const std::int32_t max_z = high(voxels.max.z, origin.z);
    if (min_x > max_x || min_z > max_z) {
        return {};
    }
    const std::uint64_t rectangle = rectangle_mask(min_x, max_x, min_z, max_z);
    const std::int32_t max_y = high(voxels.max.y, origin.y);
    std::uint64_t solid = 0;
    std::uint64_t water = 0;
    for (std::int32_t y = low(voxels.min.y, origin.y); y <= max_y; ++y) {
        solid |= mask.solid[static_cast<std::size_t>(y)];
        water |= mask.water[static_cast<std::size_t>(y)];
    }
    return {(solid & rectangle) != 0, (water & rectangle) != 0};
}

TerrainOverlap TerrainMasks::overlap_brick(const BrickCoord& brick, const VoxelBox& voxels) const {
    const ChunkMasks* masks = find(chunk_of(brick));
    if (masks == nullptr) {
        return is_border(brick) ? overlap_mask(mask(brick), brick, voxels) : TerrainOverlap{};
    }
    const std::size_t index = index_in_chunk(brick);
    if (masks->fills[index] == BrickFill::empty) {
        return {};
    }
    if (masks->fills[index] == BrickFill::mixed) {
        return overlap_mask(masks->masks[masks->mask_slot[index]], brick, voxels);
    }
    // Full of one kind: all of it meets, if the voxels reach the brick at all.
    return overlap_mask(mask(brick), brick, voxels);
}

std::size_t TerrainMasks::memory_bytes() const {
    std::size_t bytes = chunks_.size() * sizeof(chunks_[0]);
    for (const std::unique_ptr<ChunkMasks>& masks : chunks_) {
        if (masks != nullptr) {
            bytes += sizeof(ChunkMasks) + masks->bits.capacity() * sizeof(BrickBits) +
                     masks->masks.capacity() * sizeof(BrickMask);
        }
    }
    return bytes;
}

}  // namespace terrane
