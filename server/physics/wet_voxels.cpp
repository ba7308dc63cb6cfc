#include "server/physics/wet_voxels.h"

#include <algorithm>

namespace terrane {

namespace {

constexpr std::uint64_t kRows = 0x0101010101010101ULL;

/// The columns beside those of `word`; wrong at the window's rim.
constexpr std::uint64_t beside(std::uint64_t word) {
    return word << 1 | word >> 1 | word << 8 | word >> 8;
}

float height_of(const Voxel& voxel) {
    return static_cast<float>(voxel.occupancy) / static_cast<float>(kFullOccupancy);
}

}  // namespace

void WetVoxels::aim(const VoxelCoord& first) {
    const VoxelCoord low = first - VoxelCoord{1, 1, 1};
    if (is_aimed_ && low == low_) {
        return;
    }
    low_ = low;
    is_aimed_ = true;
    known_bricks_ = 0;
    known_raw_ = 0;
    known_ = 0;
}

void WetVoxels::find_bricks(std::size_t layer) {
    const BrickCoord first = brick_of(low_) + BrickCoord{0, static_cast<std::int32_t>(layer), 0};
    for (std::size_t i = 0; i < 4; ++i) {
        bricks_[layer][i] = &masks_->bits(first + BrickCoord{static_cast<std::int32_t>(i & 1), 0,
                                                             static_cast<std::int32_t>(i >> 1)});
    }
    known_bricks_ |= 1U << layer;
}

const WetVoxels::RawSlice& WetVoxels::raw(std::size_t index) {
    if ((known_raw_ >> index & 1U) != 0) {
        return raw_[index];
    }
    const auto y = static_cast<std::size_t>(low_.y & (kBrickSize - 1)) + index;
    const std::size_t layer = y >> kBrickShift;
    if ((known_bricks_ >> layer & 1U) == 0) {
        find_bricks(layer);
    }
    const auto x_shift = static_cast<unsigned>(low_.x & (kBrickSize - 1));
    const auto z_shift = static_cast<unsigned>(low_.z & (kBrickSize - 1)) * 8;
    const std::uint64_t from_first = kRows * (0xffU >> x_shift);
    const auto gather = [&](BrickWords BrickBits::* kind) {
        const auto along_z = [&](std::size_t x) {
            const std::uint64_t near = (bricks_[layer][x]->*kind)[y & (kBrickSize - 1)];
            const std::uint64_t far = (bricks_[layer][x + 2]->*kind)[y & (kBrickSize - 1)];
            return near >> z_shift | far << 1 << (63 - z_shift);
        };
        return (along_z(0) >> x_shift & from_first) | (along_z(1) << (8 - x_shift) & ~from_first);
    };
    raw_[index] = {gather(&BrickBits::water), gather(&BrickBits::solid), gather(&BrickBits::core)};
    known_raw_ |= 1U << index;
    return raw_[index];
}

const WetSlice& WetVoxels::slice(std::int32_t y) {
    const auto index = static_cast<std::size_t>(y - low_.y);
    WetSlice& slice = slices_[index];
    if ((known_ >> index & 1U) == 0) {
        const RawSlice& here = raw(index);
        const std::uint64_t under_water = raw(index + 1).water;
        const std::uint64_t deep = here.water & under_water;
        const std::uint64_t thin = here.solid & ~here.core;
        slice.surface = here.water & ~under_water;
        slice.full = deep | (thin & (under_water | beside(deep)));
        slice.flooded = thin & ~slice.full & beside(slice.surface);
        slice.dry = ~(here.water | here.solid);
        known_ |= 1U << index;
    }
    return slice;
}

std::uint64_t WetVoxels::columns(const VoxelCoord& min, const VoxelCoord& max) const {
    return rectangle_mask(min.x - low_.x, max.x - low_.x, min.z - low_.z, max.z - low_.z);
}

float WetVoxels::level_height(std::int32_t y, int bit) {
    const std::uint64_t surface = slice(y).surface;
    const VoxelCoord at{low_.x + (bit & 7), y, low_.z + (bit >> 3)};
    if ((surface >> bit & 1U) != 0) {
        return height_of(reader_.voxel(at));
    }
    float highest = 0.0F;
    for (const VoxelCoord& side :
         {VoxelCoord{-1, 0, 0}, VoxelCoord{1, 0, 0}, VoxelCoord{0, 0, -1}, VoxelCoord{0, 0, 1}}) {
        if ((surface >> (bit + side.x + 8 * side.z) & 1U) != 0) {
            highest = std::max(highest, height_of(reader_.voxel(at + side)));
        }
    }
    return highest;
}

float WetVoxels::height(const VoxelCoord& at) {
    const auto x = static_cast<std::uint32_t>(at.x - low_.x - 1);
    const auto y = static_cast<std::uint32_t>(at.y - low_.y);
    const auto z = static_cast<std::uint32_t>(at.z - low_.z - 1);
    if (!is_aimed_ || x >= kReach || y >= kSlices || z >= kReach) {
        aim(at);
    }
    const int bit = (at.z - low_.z) * 8 + (at.x - low_.x);
    const WetSlice& here = slice(at.y);
    if ((here.full >> bit & 1U) != 0) {
        return 1.0F;
    }
    return (here.level() >> bit & 1U) != 0 ? level_height(at.y, bit) : 0.0F;
}

}  // namespace terrane
