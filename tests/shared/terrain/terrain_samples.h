// Grids for the terrain room's tests, and the slow way to see their masks and surface.
#pragma once

#include <algorithm>
#include <vector>

#include "shared/core/random.h"
#include "shared/terrain/terrain.h"
#include "tests/shared/voxel/voxel_samples.h"

namespace terrane::test {

/// Two chunks a side, not centred: negative and positive coordinates, all borders near.
inline constexpr GridBounds kSmallBounds{{-1, -1, -1}, {1, 1, 1}};

/// Two chunks: enough for worlds that are all surface, whose triangles are many.
inline constexpr GridBounds kTinyBounds{{-1, -1, 0}, {1, 0, 1}};

inline void put(VoxelGrid& grid, const VoxelCoord& v, Voxel voxel) {
    set_voxel(*grid.find(chunk_of(v)), index_in_chunk(v), voxel);
}

template <typename Visit>
void for_each_chunk(const GridBounds& bounds, Visit visit) {
    for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
        for (std::int32_t z = bounds.min.z; z < bounds.max.z; ++z) {
            for (std::int32_t x = bounds.min.x; x < bounds.max.x; ++x) {
                visit(ChunkCoord{x, y, z});
            }
        }
    }
}

inline VoxelGrid uniform_grid(Voxel voxel, const GridBounds& bounds = kSmallBounds) {
    VoxelGrid grid(bounds);
    for_each_chunk(bounds, [&](const ChunkCoord& c) { grid.insert(c, uniform_chunk(voxel)); });
    return grid;
}

/// Every voxel from a function of its place.
template <typename Make>
VoxelGrid made_grid(Make make, const GridBounds& bounds = kSmallBounds) {
    VoxelGrid grid = uniform_grid(kAirVoxel, bounds);
    for_each_voxel(voxel_box(bounds), [&](const VoxelCoord& v) {
        if (const Voxel voxel = make(v); voxel != kAirVoxel) {
            put(grid, v, voxel);
        }
    });
    return grid;
}

/// Rolling ground with caves: a lattice of random densities every 6 voxels, blended between, that
/// grow downward; water in the hollows.
inline VoxelGrid rolling_grid(std::uint64_t seed, const GridBounds& bounds = kSmallBounds) {
    const auto lattice = [seed](std::int32_t x, std::int32_t y, std::int32_t z) {
        return static_cast<std::int32_t>(hash_value(VoxelCoord{x, y, z}) * (2 * seed + 1) >> 56);
    };
    return made_grid(
        [&](const VoxelCoord& v) {
            constexpr std::int32_t kStep = 6;
            const VoxelCoord low{(v.x + 6000) / kStep, (v.y + 6000) / kStep, (v.z + 6000) / kStep};
            const VoxelCoord part{(v.x + 6000) % kStep, (v.y + 6000) % kStep, (v.z + 6000) % kStep};
            std::int32_t sum = 0;
            for (std::int32_t i = 0; i < 8; ++i) {
                const std::int32_t weight = ((i & 1) != 0 ? part.x : kStep - part.x) *
                                            ((i & 2) != 0 ? part.y : kStep - part.y) *
                                            ((i & 4) != 0 ? part.z : kStep - part.z);
                sum += weight *
                       lattice(low.x + (i & 1), low.y + ((i >> 1) & 1), low.z + ((i >> 2) & 1));
            }
            const std::int32_t density =
                std::clamp(3 * (sum / (kStep * kStep * kStep) - 128) + 128 - 6 * v.y, 0, 255);
            if (density > 20) {
                return Voxel{static_cast<MaterialId>(2 + (v.x + v.z + 64) / 16 % 3),
                             static_cast<std::uint8_t>(density)};
            }
            return v.y < -2 ? Voxel{kWater, static_cast<std::uint8_t>(v.y == -3 ? 128 : 255)}
                            : kAirVoxel;
        },
        bounds);
}

/// Tells the terrain of every chunk that is in the grid.
inline void follow(const VoxelGrid& grid, Terrain& terrain) {
    for (const ChunkCoord& c : grid.sorted_coords()) {
        terrain.chunk_arrived(c);
    }
}

template <typename Visit>
void for_each_brick(const BrickRange& range, Visit visit) {
    for (std::int32_t y = range.min.y; y <= range.max.y; ++y) {
        for (std::int32_t z = range.min.z; z <= range.max.z; ++z) {
            for (std::int32_t x = range.min.x; x <= range.max.x; ++x) {
                visit(BrickCoord{x, y, z});
            }
        }
    }
}

/// Appends a mesh's triangles as the terrain names them.
inline void append_triangles(const BrickMesh& mesh, const BrickCoord& brick,
                             std::vector<TerrainTriangle>& out) {
    const Vec3 corner = corner_of(origin_of(brick));
    for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3) {
        const std::uint16_t a = mesh.indices[i];
        const std::uint16_t b = mesh.indices[i + 1];
        const std::uint16_t c = mesh.indices[i + 2];
        const bool is_outvoted = mesh.materials[b] == mesh.materials[c];
        out.push_back({mesh.positions[a] + corner, mesh.positions[b] + corner,
                       mesh.positions[c] + corner, brick, static_cast<std::uint32_t>(i / 3),
                       mesh.materials[is_outvoted ? b : a]});
    }
}

/// In the bounds but not loaded: no surface there.
inline bool is_absent(const VoxelGrid& grid, const BrickCoord& brick) {
    return contains(grid.bounds(), chunk_of(brick)) && !grid.is_loaded(chunk_of(brick));
}

/// Every triangle of every brick that may own a surface, ascending by (brick, index): straight from
/// the mesher, no collider has a say in it.
inline std::vector<TerrainTriangle> all_triangles(const VoxelGrid& grid, const BrickRange& range) {
    std::vector<TerrainTriangle> triangles;
    BrickMesh mesh;
    for_each_brick(range, [&](const BrickCoord& brick) {
        if (is_absent(grid, brick)) {
            return;
        }
        mesh_brick(copy_brick_box(grid, brick), mesh);
        append_triangles(mesh, brick, triangles);
    });
    return triangles;
}

inline Vec3 random_point(Random& random, const Aabb& box) {
    const float x = random.range(box.min.x, box.max.x);
    const float y = random.range(box.min.y, box.max.y);
    return {x, y, random.range(box.min.z, box.max.z)};
}

}  // namespace terrane::test
