// Pieces for tests: shapes made by a function of the place, and random ones.
#pragma once

#include <array>
#include <set>
#include <vector>

#include "shared/core/random.h"
#include "shared/voxel/voxel_piece.h"
#include "tests/shared/voxel/voxel_samples.h"

namespace terrane::test {

/// Every voxel from a function of its place in the piece.
template <typename Make>
VoxelPiece made_piece(const VoxelCoord& size, Make make) {
    VoxelPiece piece = empty_piece(size);
    for_each_voxel(voxel_box(piece),
                   [&](const VoxelCoord& v) { piece.voxels[index_in_piece(piece, v)] = make(v); });
    return piece;
}

/// All of one voxel.
inline VoxelPiece block_piece(const VoxelCoord& size, Voxel voxel = {kFirstSolid, 255}) {
    return made_piece(size, [voxel](const VoxelCoord&) { return voxel; });
}

/// A ball of rock with grass on top and a soft skin: like what a dig leaves.
inline VoxelPiece ball_piece(std::int32_t radius) {
    const std::int32_t side = 2 * radius;
    return made_piece({side, side, side}, [radius](const VoxelCoord& v) {
        const auto from_centre = [radius](std::int32_t at) {
            return 2 * (at - radius) + 1;  // half voxels
        };
        const std::int32_t squared = from_centre(v.x) * from_centre(v.x) +
                                     from_centre(v.y) * from_centre(v.y) +
                                     from_centre(v.z) * from_centre(v.z);
        const std::int32_t inner = 4 * (radius - 1) * (radius - 1);
        const std::int32_t outer = 4 * radius * radius;
        if (squared > outer) {
            return kAirVoxel;
        }
        const std::int32_t occupancy =
            squared <= inner ? 255 : 255 * (outer - squared) / (outer - inner);
        const auto material = static_cast<MaterialId>(v.y > radius ? 3 : 2);
        return occupancy == 0 ? kAirVoxel : Voxel{material, static_cast<std::uint8_t>(occupancy)};
    });
}

/// A craggy rock of `count` core voxels: grown from one by a random one of those beside it, with
/// holes and spurs. Its surface is soft at random.
inline VoxelPiece craggy_piece(std::size_t count, Random& random) {
    constexpr std::array<VoxelCoord, 6> kBeside{
        {{0, -1, 0}, {0, 0, -1}, {-1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}}};
    std::set<VoxelCoord> rock;
    std::vector<VoxelCoord> edge{{0, 0, 0}};
    VoxelBox box;
    while (rock.size() < count) {
        const std::size_t at = random.below(static_cast<std::uint32_t>(edge.size()));
        const VoxelCoord v = edge[at];
        edge[at] = edge.back();
        edge.pop_back();
        if (!rock.insert(v).second) {
            continue;
        }
        box = merge(box, {v, v});
        for (const VoxelCoord& step : kBeside) {
            edge.push_back(v + step);
        }
    }
    VoxelPiece piece = empty_piece(box.max - box.min + VoxelCoord{1, 1, 1});
    for (const VoxelCoord& v : rock) {
        piece.voxels[index_in_piece(piece, v - box.min)] = {
            kFirstSolid, static_cast<std::uint8_t>(random.between(128, 255))};
    }
    return piece;
}

/// Any size up to `side`, any solid voxels and air, at least one core voxel.
inline VoxelPiece random_piece(Random& random, std::int32_t side) {
    const VoxelCoord size{random.between(1, side), random.between(1, side),
                          random.between(1, side)};
    const std::uint32_t solid_percent = random.below(101);
    const std::uint32_t partial_percent = random.below(101);
    const std::uint32_t materials = 1 + random.below(4);
    VoxelPiece piece = made_piece(size, [&](const VoxelCoord&) {
        if (random.below(100) >= solid_percent) {
            return kAirVoxel;
        }
        const auto material = static_cast<MaterialId>(kFirstSolid + random.below(materials));
        const bool is_partial = random.below(100) < partial_percent;
        return Voxel{material, is_partial ? static_cast<std::uint8_t>(random.between(1, 254))
                                          : kFullOccupancy};
    });
    piece.voxels[random.below(static_cast<std::uint32_t>(piece.voxels.size()))] = {kFirstSolid,
                                                                                   200};
    return piece;
}

}  // namespace terrane::test
