#include "client-stub/viewer/chunk_volume.h"

#include <algorithm>
#include <limits>

namespace terrane {

namespace {

constexpr std::int32_t kNoSkyFloor = std::numeric_limits<std::int32_t>::min();

/// Continues the chunk's border voxels into every neighbour that is in bounds but not loaded.
void fill_missing_neighbours(const VoxelGrid& grid, const ChunkCoord& chunk, ChunkVolume& volume) {
    const auto first = [](int side, int margin) { return side < 0 ? -margin : side * kChunkSize; };
    const auto last = [](int side, int margin) {
        return side > 0 ? kChunkSize + margin : (side + 1) * kChunkSize;
    };
    const auto inside = [](int v) { return std::clamp(v, 0, kChunkSize - 1); };
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dx = -1; dx <= 1; ++dx) {
                const ChunkCoord neighbour = chunk + ChunkCoord{dx, dy, dz};
                if (!contains(grid.bounds(), neighbour) || grid.is_loaded(neighbour)) {
                    continue;
                }
                for (int y = first(dy, kVolumeBelow); y < last(dy, kVolumeAbove); ++y) {
                    for (int z = first(dz, kVolumeSide); z < last(dz, kVolumeSide); ++z) {
                        for (int x = first(dx, kVolumeSide); x < last(dx, kVolumeSide); ++x) {
                            const std::size_t from = volume_index(inside(x), inside(y), inside(z));
                            const std::size_t to = volume_index(x, y, z);
                            volume.material[to] = volume.material[from];
                            volume.occupancy[to] = volume.occupancy[from];
                        }
                    }
                }
            }
        }
    }
}

void look_around(ChunkVolume& volume) {
    bool has_core = false;
    bool has_other = false;
    for (int y = -1; y <= kChunkSize; ++y) {
        for (int z = -1; z <= kChunkSize; ++z) {
            const std::size_t row = volume_index(-1, y, z);
            for (std::size_t i = row; i < row + kChunkSize + 2; ++i) {
                const Voxel voxel{volume.material[i], volume.occupancy[i]};
                (is_core(voxel) ? has_core : has_other) = true;
            }
        }
    }
    volume.has_surface = has_core && has_other;
    volume.has_water = std::ranges::find(volume.material, kWater) != volume.material.end();
}

/// out[i] = (in[i - stride] + 2 in[i] + in[i + stride]) / 4
void filter_along(const std::vector<std::uint8_t>& in, std::vector<std::uint8_t>& out,
                  std::size_t stride) {
    const std::size_t count = in.size();
    std::copy_n(in.begin(), stride, out.begin());
    for (std::size_t i = stride; i < count - stride; ++i) {
        out[i] =
            static_cast<std::uint8_t>((in[i - stride] + 2U * in[i] + in[i + stride] + 2U) / 4U);
    }
    std::copy_n(in.end() - static_cast<std::ptrdiff_t>(stride), stride,
                out.end() - static_cast<std::ptrdiff_t>(stride));
}

void smooth(ChunkVolume& volume) {
    thread_local std::vector<std::uint8_t> scratch;
    scratch.resize(kVolumeVoxelCount);
    volume.smooth_density.resize(kVolumeVoxelCount);
    for (std::size_t i = 0; i < kVolumeVoxelCount; ++i) {
        volume.smooth_density[i] = solid_density(Voxel{volume.material[i], volume.occupancy[i]});
    }
    filter_along(volume.smooth_density, scratch, 1);
    filter_along(scratch, volume.smooth_density, kVolumeWidth);
    filter_along(volume.smooth_density, scratch,
                 static_cast<std::size_t>(kVolumeWidth) * kVolumeWidth);
    std::swap(volume.smooth_density, scratch);
}

/// Heights within one chunk, for the columns of `area` that have none yet.
void find_tops(const Chunk& chunk, const ChunkCoord& at, const VoxelCoord& origin,
               const VoxelBox& area, std::vector<std::int32_t>& floor) {
    const VoxelCoord low = origin_of(at);
    for (int z = std::max(area.min.z, low.z); z <= std::min(area.max.z, low.z + kChunkSize - 1);
         ++z) {
        for (int x = std::max(area.min.x, low.x); x <= std::min(area.max.x, low.x + kChunkSize - 1);
             ++x) {
            std::int32_t& top =
                floor[static_cast<std::size_t>((z - area.min.z) * kVolumeWidth + (x - area.min.x))];
            for (int y = low.y + kChunkSize - 1; y >= low.y && top == kNoSkyFloor; --y) {
                if (is_core(chunk.voxel(index_in_chunk(VoxelCoord{x, y, z})))) {
                    top = y + 1 - origin.y;
                }
            }
        }
    }
}

void find_sky_floor(const VoxelGrid& grid, const ChunkCoord& chunk, ChunkVolume& volume) {
    volume.sky_floor.assign(static_cast<std::size_t>(kVolumeWidth) * kVolumeWidth, kNoSkyFloor);
    const VoxelBox area = volume_box(chunk);
    for (int y = grid.bounds().max.y - 1; y >= chunk.y - 1; --y) {
        for (int z = chunk.z - 1; z <= chunk.z + 1; ++z) {
            for (int x = chunk.x - 1; x <= chunk.x + 1; ++x) {
                const Chunk* at = grid.find({x, y, z});
                if (at != nullptr && !(at->is_uniform() && !is_core(at->voxel(0)))) {
                    find_tops(*at, {x, y, z}, origin_of(chunk), area, volume.sky_floor);
                }
            }
        }
    }
}

}  // namespace

VoxelBox volume_box(const ChunkCoord& chunk) {
    const VoxelCoord origin = origin_of(chunk);
    return {origin + VoxelCoord{-kVolumeSide, -kVolumeBelow, -kVolumeSide},
            origin + VoxelCoord{kChunkSize + kVolumeSide - 1, kChunkSize + kVolumeAbove - 1,
                                kChunkSize + kVolumeSide - 1}};
}

void copy_chunk_volume(const VoxelGrid& grid, const ChunkCoord& chunk, ChunkVolume& volume) {
    volume.material.resize(kVolumeVoxelCount);
    volume.occupancy.resize(kVolumeVoxelCount);
    grid.copy_box(volume_box(chunk), volume.material, volume.occupancy);
    fill_missing_neighbours(grid, chunk, volume);
    look_around(volume);
    if (volume.has_surface) {
        smooth(volume);
        find_sky_floor(grid, chunk, volume);
    }
}

}  // namespace terrane
