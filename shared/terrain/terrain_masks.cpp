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

/// The bricks at -1, 0 and +1 along one axis: all in the own chunk (0), or one in another (1).
struct AxisParts {
    std::int32_t other = 0;  ///< offset of the other chunk, 0 if there is none
    std::array<std::size_t, 3> chunk{};
    std::array<std::size_t, 3> place{};   ///< in that chunk, 0..3
    std::array<std::uint64_t, 2> used{};  ///< by chunk, a bit for each place
};

AxisParts parts_of(std::int32_t brick) {
    const auto in_chunk = static_cast<std::size_t>(brick & (kBricksPerChunkSide - 1));
    AxisParts parts;
    parts.place = {(in_chunk + 3) & 3U, in_chunk, (in_chunk + 1) & 3U};
    if (in_chunk == 0) {
        parts.other = -1;
        parts.chunk[0] = 1;
    } else if (in_chunk == kBricksPerChunkSide - 1) {
        parts.other = 1;
        parts.chunk[2] = 1;
    }
    for (std::size_t i = 0; i < 3; ++i) {
        parts.used[parts.chunk[i]] |= std::uint64_t{1} << parts.place[i];
    }
    return parts;
}

/// Bits of the bricks of a chunk whose places along the axes are all set.
std::uint64_t brick_bits(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    const auto widen = [](std::uint64_t places, unsigned width) {
        std::uint64_t wide = 0;
        for (unsigned i = 0; i < 4; ++i) {
            wide |= ((places >> i) & 1U) << (i * width);
        }
        return wide;
    };
    return (x * 0x1111111111111111ULL) & (widen(z, 4) * 0x000f000f000f000fULL) &
           (widen(y, 16) * 0xffffULL);
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

TerrainMasks::Around TerrainMasks::look_around(const BrickCoord& brick) const {
    const ChunkCoord own = chunk_of(brick);
    const AxisParts x = parts_of(brick.x);
    const AxisParts y = parts_of(brick.y);
    const AxisParts z = parts_of(brick.z);
    std::array<const ChunkMasks*, 8> chunks{};
    Around around;
    for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t in_x = i & 1U;
        const std::size_t in_z = (i >> 1) & 1U;
        const std::size_t in_y = i >> 2;
        if (x.used[in_x] == 0 || y.used[in_y] == 0 || z.used[in_z] == 0) {
            continue;
        }
        const ChunkCoord chunk{own.x + (in_x != 0 ? x.other : 0), own.y + (in_y != 0 ? y.other : 0),
                               own.z + (in_z != 0 ? z.other : 0)};
        chunks[i] = find(chunk);
        if (chunks[i] != nullptr) {
            const std::uint64_t bricks = brick_bits(x.used[in_x], y.used[in_y], z.used[in_z]);
            around.has_solid = around.has_solid || (chunks[i]->solid_bricks & bricks) != 0;
            around.has_water = around.has_water || (chunks[i]->water_bricks & bricks) != 0;
        } else {
            around.has_solid = around.has_solid || chunk.y < grid_->bounds().min.y;
        }
    }
    for (std::size_t i = 0; i < 27; ++i) {
        const std::size_t dx = i % 3;
        const std::size_t dz = i / 3 % 3;
        const std::size_t dy = i / 9;
        const ChunkMasks* masks = chunks[4 * y.chunk[dy] + 2 * z.chunk[dz] + x.chunk[dx]];
        const std::size_t place = 16 * y.place[dy] + 4 * z.place[dz] + x.place[dx];
        around.bits[i] =
            masks != nullptr
                ? masks->bits_at[place]
                : &bits_outside({brick.x, brick.y + static_cast<std::int32_t>(dy) - 1, brick.z});
    }
    return around;
}

BrickWords TerrainMasks::surface_in(const Around& around) {
    const BrickBits* own = around.bits[13];
    const BrickBits* next_x = around.bits[14];
    const BrickBits* next_z = around.bits[16];
    const BrickBits* next_y = around.bits[22];
    BrickWords surface{};
    if (!around.has_solid ||
        (own == &kSolidBrick && next_x == own && next_y == own && next_z == own)) {
        return surface;
    }
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        const std::uint64_t core = own->core[y];
        const std::uint64_t in_x = ((core & ~kLowBits) >> 1) | ((next_x->core[y] & kLowBits) << 7);
        const std::uint64_t in_z = (core >> 8) | (next_z->core[y] << 56);
        const std::uint64_t in_y = y + 1 < kBrickSize ? own->core[y + 1] : next_y->core[0];
        surface[y] = (core ^ in_x) | (core ^ in_y) | (core ^ in_z);
    }
    return surface;
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

BrickWords TerrainMasks::active_in(const Around& around) {
    constexpr std::size_t kOwn = 13;
    constexpr std::size_t kNextX = 1;
    constexpr std::size_t kNextZ = 3;
    constexpr std::size_t kNextY = 9;
    BrickWords active{};
    const BrickBits* own = around.bits[kOwn];
    if (!around.has_solid ||
        (own == &kSolidBrick && around.bits[kOwn + kNextX] == own &&
         around.bits[kOwn + kNextZ] == own && around.bits[kOwn + kNextY] == own &&
         around.bits[kOwn + kNextX + kNextZ] == own && around.bits[kOwn + kNextX + kNextY] == own &&
         around.bits[kOwn + kNextZ + kNextY] == own &&
         around.bits[kOwn + kNextX + kNextZ + kNextY] == own)) {
        return active;
    }
    // Of each slice: is any of the four voxels of a cell in it core, and are all?
    std::array<std::uint64_t, kBrickSize + 1> any;
    std::array<std::uint64_t, kBrickSize + 1> all;
    for (std::size_t y = 0; y <= kBrickSize; ++y) {
        const std::size_t up = y < kBrickSize ? 0 : kNextY;
        const auto core = [&](std::size_t next) {
            return around.bits[kOwn + up + next]->core[y % kBrickSize];
        };
        const auto with_x = [](std::uint64_t word, std::uint64_t next) {
            return ((word & ~kLowBits) >> 1) | ((next & kLowBits) << 7);
        };
        const std::uint64_t here = core(0);
        const std::uint64_t next_z = (here >> 8) | (core(kNextZ) << 56);
        const std::uint64_t next_x = with_x(here, core(kNextX));
        const std::uint64_t next_xz =
            (next_x >> 8) | (with_x(core(kNextZ), core(kNextX + kNextZ)) << 56);
        any[y] = here | next_x | next_z | next_xz;
        all[y] = here & next_x & next_z & next_xz;
    }
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        active[y] = (any[y] | any[y + 1]) & ~(all[y] & all[y + 1]);
    }
    return active;
}

TerrainMasks::Derived TerrainMasks::derive(const Around& around) {
    if (!around.has_solid && !around.has_water) {
        return {};
    }
    const BrickBits* own = around.bits[13];
    const bool is_uniform =
        std::ranges::all_of(around.bits, [own](const BrickBits* bits) { return bits == own; });
    if (is_uniform && own == &kSolidBrick) {
        return {BrickFill::solid, {}};
    }
    if (is_uniform && own == &kWaterBrick) {
        return {BrickFill::water, {}};
    }
    BrickMask mask;
    const auto dilate = [&around](BrickWords BrickBits::* kind) {
        BrickNeighbours words;
        std::ranges::transform(around.bits, words.begin(),
                               [kind](const BrickBits* bits) { return &(bits->*kind); });
        return dilate_words(words);
    };
    if (around.has_solid) {
        mask.solid = dilate(&BrickBits::solid);
    }
    if (around.has_water) {
        mask.water = dilate(&BrickBits::water);
    }
    if (is_all(mask.solid, 0) && is_all(mask.water, 0)) {
        return {};
    }
    if (is_all(own->solid, kAll) && is_box_full(around.bits, &BrickBits::solid)) {
        return {BrickFill::solid, {}};
    }
    if (is_all(own->water, kAll) && is_box_full(around.bits, &BrickBits::water)) {
        return {BrickFill::water, {}};
    }
    return {BrickFill::mixed, mask};
}

}  // namespace terrane
