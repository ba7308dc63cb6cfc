// Random worlds, dug at random, and the comparison of what is found in them with loose_oracle.h.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/shared/terrain/loose_oracle.h"

namespace terrane::test {

/// Two chunks a side around x = z = 0, the floor at y = 0.
inline constexpr GridBounds kLooseBounds{{-1, 0, -1}, {1, 2, 1}};

inline void put_box(VoxelGrid& grid, const VoxelBox& box, Voxel voxel) {
    for_each_voxel(box, [&](const VoxelCoord& v) { put(grid, v, voxel); });
}

inline std::vector<LoosePiece> find_at(const VoxelGrid& grid, const VoxelBox& box,
                                       const LooseLimits& limits = {}) {
    LoosePieces loose;
    loose.note_removed(box);
    std::vector<LoosePiece> pieces;
    loose.find({grid}, limits, pieces);
    CHECK(loose.pending().empty());
    return pieces;
}

inline VoxelBox at(const VoxelCoord& v) {
    return {v, v};
}

/// Compares with the oracle what is found around `box`; returns how many pieces there are.
inline std::size_t check_against_oracle(const VoxelGrid& grid, const VoxelBox& region,
                                        const VoxelBox& box, std::size_t voxels_max) {
    const std::vector<LoosePiece> pieces =
        find_at(grid, box, {voxels_max, std::size_t{1} << 30, 1000});
    SlowWorld slow(grid, region, voxels_max);
    std::vector<VoxelList> cores;
    for (const LoosePiece& piece : pieces) {
        cores.push_back(core_of(piece));
    }
    const std::set<VoxelList> found(cores.begin(), cores.end());
    REQUIRE(found.size() == pieces.size());
    REQUIRE(found == slow.loose_at(box));
    const auto skins = slow.skins(cores);
    std::size_t skin_count = 0;
    bool is_right = true;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        REQUIRE(is_valid(pieces[i].piece, 256));
        REQUIRE(solid_count(pieces[i].piece) <= voxels_max);
        VoxelBox tight;
        for_each_voxel(pieces[i].box, [&](const VoxelCoord& v) {
            const Voxel voxel = voxel_of(pieces[i].piece, v - pieces[i].box.min);
            if (voxel == kAirVoxel) {
                return;
            }
            tight = merge(tight, at(v));
            is_right = is_right && voxel == grid.voxel(v);
            if (!is_core(voxel)) {
                ++skin_count;
                is_right = is_right && skins.contains(v) && skins.at(v) == i;
            }
        });
        REQUIRE(tight == pieces[i].box);
    }
    REQUIRE(is_right);
    REQUIRE(skin_count == skins.size());
    return pieces.size();
}

/// A small random world at a chunk corner on the floor, written over the one before.
struct SmallWorld {
    VoxelGrid grid = uniform_grid(kAirVoxel, kLooseBounds);
    VoxelBox region{{-5, 0, -6}, {6, 9, 4}};

    void fill(Random& random) {
        const std::uint32_t solid_percent = 20 + random.below(60);
        const std::uint32_t skin_percent = random.below(2) * random.below(60);
        const std::int32_t lift = random.between(0, 3) == 0 ? 24 : 0;  // over the chunks' border
        put_box(grid, region, kAirVoxel);
        region.min.y = lift;
        region.max.y = lift + 9;
        for_each_voxel(region, [&](const VoxelCoord& v) {
            if (random.below(100) < solid_percent) {
                const bool is_skin = random.below(100) < skin_percent;
                const std::int32_t occupancy =
                    is_skin ? random.between(1, 127) : random.between(128, 255);
                put(grid, v, {kFirstSolid, static_cast<std::uint8_t>(occupancy)});
            }
        });
    }
    /// Digs a random box; returns it.
    VoxelBox dig(Random& random) {
        const auto place = [&](std::int32_t low, std::int32_t high) {
            return random.between(low, high);
        };
        const VoxelCoord min{place(region.min.x, region.max.x), place(region.min.y, region.max.y),
                             place(region.min.z, region.max.z)};
        const VoxelCoord size{random.between(0, 3), random.between(0, 3), random.between(0, 3)};
        const VoxelBox box = intersect({min, min + size}, region);
        put_box(grid, box, kAirVoxel);
        return box;
    }
};

inline std::size_t run_random_worlds(std::uint64_t first_seed, int worlds) {
    SmallWorld world;
    std::size_t pieces = 0;
    for (int i = 0; i < worlds; ++i) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
        CAPTURE(seed);
        Random random(seed);
        world.fill(random);
        const std::size_t voxels_max = random.below(3) == 0 ? random.below(12) + 1 : 4096;
        const VoxelBox dug = world.dig(random);
        pieces += check_against_oracle(world.grid, world.region, dug, voxels_max);
    }
    return pieces;
}

}  // namespace terrane::test
