// What the kept bits of the 27 bricks around one give: its dilated masks, the voxels that own
// quads, and the active cells.
#include <algorithm>

#include "shared/terrain/brick_kinds.h"

namespace terrane {
namespace {

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

}  // namespace

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
    if (is_all(own->solid, kAllBits) && is_box_full(around.bits, &BrickBits::solid)) {
        return {BrickFill::solid, {}};
    }
    if (is_all(own->water, kAllBits) && is_box_full(around.bits, &BrickBits::water)) {
        return {BrickFill::water, {}};
    }
    return {BrickFill::mixed, mask};
}

}  // namespace terrane
