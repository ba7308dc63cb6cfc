// What the masks answer; how they are kept up to date is in terrain_masks.cpp.
#include <algorithm>

#include "shared/terrain/terrain_masks.h"

namespace terrane {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr BrickWords kAllWords{kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll};

/// floor(value), cut to [low, high]; not for NaN. Without SSE4.1 std::floor is a call.
std::int32_t floor_within(float value, std::int32_t low, std::int32_t high) {
    const float cut = std::min(std::max(value, static_cast<float>(low)), static_cast<float>(high));
    const auto whole = static_cast<std::int32_t>(cut);
    return whole - (static_cast<float>(whole) > cut ? 1 : 0);
}

BrickFill fill_of(std::uint8_t mask_slot) {
    switch (mask_slot) {
        case kNoSlot:
            return BrickFill::empty;
        case kSolidSlot:
            return BrickFill::solid;
        case kWaterSlot:
            return BrickFill::water;
        default:
            return BrickFill::mixed;
    }
}

/// The part of a voxel box inside one brick: a rectangle on the slices [min_y, end_y).
struct LocalBox {
    std::uint64_t rectangle = 0;
    std::size_t min_y = 0;
    std::size_t end_y = 0;
};

LocalBox clip_to_brick(const BrickCoord& brick, const VoxelBox& voxels) {
    const VoxelCoord origin = origin_of(brick);
    const auto low = [](std::int32_t min, std::int32_t from) { return std::max(min - from, 0); };
    const auto high = [](std::int32_t max, std::int32_t from) {
        return std::min(max - from, kBrickSize - 1);
    };
    const std::int32_t min_x = low(voxels.min.x, origin.x);
    const std::int32_t max_x = high(voxels.max.x, origin.x);
    const std::int32_t min_y = low(voxels.min.y, origin.y);
    const std::int32_t max_y = high(voxels.max.y, origin.y);
    const std::int32_t min_z = low(voxels.min.z, origin.z);
    const std::int32_t max_z = high(voxels.max.z, origin.z);
    if (min_x > max_x || min_y > max_y || min_z > max_z) {
        return {};
    }
    return {rectangle_mask(min_x, max_x, min_z, max_z), static_cast<std::size_t>(min_y),
            static_cast<std::size_t>(max_y) + 1};
}

}  // namespace

bool TerrainMasks::is_border(const BrickCoord& brick) const {
    const auto within = [&brick](const BrickRange& range) {
        return brick.x >= range.min.x && brick.x <= range.max.x && brick.y >= range.min.y &&
               brick.y <= range.max.y && brick.z >= range.min.z && brick.z <= range.max.z;
    };
    return within(surface_range_) && !within(bounds_);
}

BrickFill TerrainMasks::fill(const BrickCoord& brick) const {
    if (const ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
        return fill_of(masks->mask_slot[index_in_chunk(brick)]);
    }
    return is_border(brick) ? derive(look_around(brick)).fill : BrickFill::empty;
}

BrickMask TerrainMasks::mask(const BrickCoord& brick) const {
    Derived derived;
    if (const ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
        const std::uint8_t slot = masks->mask_slot[index_in_chunk(brick)];
        derived.fill = fill_of(slot);
        if (derived.fill == BrickFill::mixed) {
            derived.mask = masks->masks[slot];
        }
    } else if (is_border(brick)) {
        derived = derive(look_around(brick));
    }
    return whole_mask(derived);
}

BrickMask TerrainMasks::derive_mask(const BrickCoord& brick) const {
    return whole_mask(derive(look_around(brick)));
}

BrickMask TerrainMasks::whole_mask(const Derived& derived) {
    switch (derived.fill) {
        case BrickFill::empty:
            return {};
        case BrickFill::solid:
            return {kAllWords, {}};
        case BrickFill::water:
            return {{}, kAllWords};
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
    const LocalBox local = clip_to_brick(brick, voxels);
    std::uint64_t solid = 0;
    std::uint64_t water = 0;
    for (std::size_t y = local.min_y; y < local.end_y; ++y) {
        solid |= mask.solid[y];
        water |= mask.water[y];
    }
    return {(solid & local.rectangle) != 0, (water & local.rectangle) != 0};
}

bool meets(const BrickWords& words, const BrickCoord& brick, const VoxelBox& voxels) {
    const LocalBox local = clip_to_brick(brick, voxels);
    std::uint64_t any = 0;
    for (std::size_t y = local.min_y; y < local.end_y; ++y) {
        any |= words[y];
    }
    return (any & local.rectangle) != 0;
}

VoxelBox surface_voxels(const Aabb& box) {
    VoxelBox voxels;
    if (is_empty(box)) {
        return voxels;
    }
    // Vertices stay 1/256 inside their cells, so a box that only touches the reach meets nothing.
    constexpr std::int32_t kFar = 1 << 24;
    const auto low = [](float value) { return floor_within(value - 0.5F, -kFar, kFar); };
    const auto high = [](float value) { return floor_within(value + 0.5F, -kFar, kFar); };
    return {{low(box.min.x), low(box.min.y), low(box.min.z)},
            {high(box.max.x), high(box.max.y), high(box.max.z)}};
}

bool TerrainMasks::has_surface(const BrickCoord& brick) const {
    if (const ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
        return ((masks->surface_bricks >> index_in_chunk(brick)) & 1U) != 0;
    }
    return surface(brick) != BrickWords{};
}

BrickWords TerrainMasks::surface(const BrickCoord& brick) const {
    if (const ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
        const std::uint8_t slot = masks->surface_slot[index_in_chunk(brick)];
        return slot == kNoSlot ? BrickWords{} : masks->surfaces[slot].words;
    }
    return is_border(brick) ? surface_in(look_around(brick)) : BrickWords{};
}

const BrickWords* TerrainMasks::find_surface(const BrickCoord& brick, BrickWords& made) const {
    if (const ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
        const std::uint8_t slot = masks->surface_slot[index_in_chunk(brick)];
        return slot == kNoSlot ? nullptr : &masks->surfaces[slot].words;
    }
    if (!is_border(brick)) {
        return nullptr;
    }
    made = surface_in(look_around(brick));
    return made == BrickWords{} ? nullptr : &made;
}

std::uint64_t TerrainMasks::active_outside(const ChunkCoord& chunk) const {
    // Cells between here and a loaded chunk above are of this one; so are those over the floor.
    constexpr std::uint64_t kHighX = 0x8888888888888888ULL;
    constexpr std::uint64_t kHighZ = 0xf000f000f000f000ULL;
    constexpr std::uint64_t kHighY = 0xffff000000000000ULL;
    bool has_loaded = chunk.y + 1 == grid_->bounds().min.y;
    for (std::int32_t i = 1; i < 8 && !has_loaded; ++i) {
        has_loaded = is_loaded(chunk + ChunkCoord{i & 1, (i >> 2) & 1, (i >> 1) & 1});
    }
    return has_loaded ? kHighX | kHighY | kHighZ : 0;
}

BrickWords TerrainMasks::active_cells(const BrickCoord& brick) const {
    if (const ChunkMasks* masks = find(chunk_of(brick)); masks != nullptr) {
        const std::uint8_t slot = masks->active_slot[index_in_chunk(brick)];
        return slot == kNoSlot ? BrickWords{} : masks->actives[slot].words;
    }
    return active_in(look_around(brick));
}

TerrainOverlap TerrainMasks::overlap_brick(const BrickCoord& brick, const VoxelBox& voxels) const {
    const ChunkMasks* masks = find(chunk_of(brick));
    if (masks == nullptr) {
        return is_border(brick) ? overlap_mask(mask(brick), brick, voxels) : TerrainOverlap{};
    }
    const std::uint8_t slot = masks->mask_slot[index_in_chunk(brick)];
    if (slot == kNoSlot) {
        return {};
    }
    if (slot < kBricksPerChunk) {
        return overlap_mask(masks->masks[slot], brick, voxels);
    }
    // Full of one kind: all of it meets, if the voxels reach the brick at all.
    return overlap_mask(mask(brick), brick, voxels);
}

std::size_t TerrainMasks::memory_bytes() const {
    std::size_t bytes = chunks_.size() * (sizeof(chunks_[0]) + sizeof(active_bricks_[0]));
    for (const std::unique_ptr<ChunkMasks>& masks : chunks_) {
        if (masks != nullptr) {
            bytes += sizeof(ChunkMasks) + masks->bits.capacity() * sizeof(BrickBits) +
                     masks->masks.capacity() * sizeof(BrickMask) +
                     (masks->surfaces.capacity() + masks->actives.capacity()) * sizeof(LinedWords);
        }
    }
    return bytes;
}

}  // namespace terrane
