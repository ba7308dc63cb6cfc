#include "shared/voxel/water_fill.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "shared/voxel/write_voxels.h"

namespace terrane {
namespace {

constexpr std::uint8_t kFull = 255;
constexpr std::array<VoxelCoord, 5> kFrom{
    // where water comes from: all sides but below
    VoxelCoord{0, 1, 0}, VoxelCoord{1, 0, 0}, VoxelCoord{-1, 0, 0}, VoxelCoord{0, 0, 1},
    VoxelCoord{0, 0, -1}};
constexpr std::array<VoxelCoord, 6> kBeside{VoxelCoord{0, 1, 0}, VoxelCoord{0, -1, 0},
                                            VoxelCoord{1, 0, 0}, VoxelCoord{-1, 0, 0},
                                            VoxelCoord{0, 0, 1}, VoxelCoord{0, 0, -1}};

/// How high water stands: the voxel layer of its surface and how full that is.
struct Level {
    std::int32_t y = 0;
    std::uint8_t occupancy = 0;

    friend auto operator<=>(const Level&, const Level&) = default;
};

bool is_air(const VoxelGrid& grid, const VoxelCoord& v) {
    const auto voxel = grid.find_voxel(v);
    return voxel && voxel->material == kAir;
}

std::set<VoxelCoord> list_opened(const VoxelGrid& grid, const VoxelBox& reach,
                                 std::span<const VoxelCoord> air_before) {
    std::set<VoxelCoord> opened;
    const VoxelBox bounds = voxel_box(grid.bounds());
    for_each_voxel(intersect(reach, bounds), [&](const VoxelCoord& v) {
        if (is_air(grid, v) && !std::binary_search(air_before.begin(), air_before.end(), v)) {
            opened.insert(v);
        }
    });
    return opened;
}

/// The surface of the water column that holds voxel `v`.
Level level_above(const VoxelGrid& grid, VoxelCoord v) {
    Voxel voxel = grid.voxel(v);
    for (;;) {
        const VoxelCoord above{v.x, v.y + 1, v.z};
        const Voxel next = grid.voxel(above);
        if (!is_water(next)) {
            return {v.y, voxel.occupancy};
        }
        v = above;
        voxel = next;
    }
}

/// What `level` of water puts into a voxel at height `y`; 0 above it.
std::uint8_t occupancy_at(const Level& level, std::int32_t y) {
    return y < level.y ? kFull : y == level.y ? level.occupancy : std::uint8_t{0};
}

/// Every opened voxel that water reaches, and with `is_hollow_too` all air behind, with the highest
/// level that reaches it; nullopt if that is more than kHollowMax voxels of older air.
std::optional<std::map<VoxelCoord, Level>> flood(const VoxelGrid& grid,
                                                 const std::set<VoxelCoord>& opened,
                                                 bool is_hollow_too) {
    std::map<VoxelCoord, Level> reached;
    std::vector<VoxelCoord> edge;
    const auto reach = [&](const VoxelCoord& v, const Level& level) {
        if (occupancy_at(level, v.y) == 0 ||
            !(opened.contains(v) || (is_hollow_too && is_air(grid, v)))) {
            return;
        }
        const auto [at, is_new] = reached.try_emplace(v, level);
        if (is_new || at->second < level) {
            at->second = level;
            edge.push_back(v);
        }
    };
    for (const VoxelCoord& v : opened) {
        for (const VoxelCoord& from : kFrom) {
            if (is_water(grid.voxel(v + from))) {
                reach(v, level_above(grid, v + from));
            }
        }
    }
    while (!edge.empty()) {
        if (reached.size() > opened.size() + kHollowMax) {
            return std::nullopt;
        }
        const VoxelCoord v = edge.back();
        edge.pop_back();
        for (const VoxelCoord& step : kBeside) {
            reach(v + step, reached.at(v));
        }
    }
    return reached;
}

}  // namespace

std::vector<VoxelCoord> list_air(const VoxelGrid& grid, const VoxelBox& reach) {
    std::vector<VoxelCoord> air;  // ascending: the walk is in the order of coordinates
    for_each_voxel(reach, [&](const VoxelCoord& v) {
        if (is_air(grid, v)) {
            air.push_back(v);
        }
    });
    return air;
}

std::vector<AppliedOp> fill_dug_water(VoxelGrid& grid, const VoxelBox& reach,
                                      std::span<const VoxelCoord> air_before,
                                      std::size_t voxels_max) {
    const std::set<VoxelCoord> opened = list_opened(grid, reach, air_before);
    auto reached = flood(grid, opened, true);
    if (!reached) {
        reached = flood(grid, opened, false);
    }
    // Ascending by y first: the lowest are filled if not all may be.
    std::vector<PlacedVoxel> filled;
    for (const auto& [v, level] : *reached) {
        if (filled.size() == voxels_max) {
            break;
        }
        filled.push_back({v, {kWater, occupancy_at(level, v.y)}});
    }
    return write_voxels(grid, std::move(filled));
}

}  // namespace terrane
