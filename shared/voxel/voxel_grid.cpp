#include "shared/voxel/voxel_grid.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "shared/core/assert.h"

namespace terrane {
namespace {

/// What stands for a chunk that the grid does not hold.
Voxel voxel_without_chunk(const GridBounds& bounds, const ChunkCoord& c) {
    return c.y < bounds.min.y ? kBedrockVoxel : kAirVoxel;
}

std::size_t count_between(std::int32_t first, std::int32_t last) {
    return static_cast<std::size_t>(std::int64_t{last} - first + 1);
}

/// A box-shaped array and where each voxel of the box lies in it.
struct BoxTarget {
    VoxelBox box;
    std::size_t row;    ///< bytes from one z to the next
    std::size_t slice;  ///< bytes from one y to the next

    std::size_t offset(const VoxelCoord& v) const {
        return static_cast<std::size_t>(v.y - box.min.y) * slice +
               static_cast<std::size_t>(v.z - box.min.z) * row +
               static_cast<std::size_t>(v.x - box.min.x);
    }
};

/// Copies the voxels of `part`, which lies inside the plane's chunk.
void copy_plane(const Plane& plane, const VoxelBox& part, const BoxTarget& target,
                std::uint8_t* out) {
    const auto length = count_between(part.min.x, part.max.x);
    const std::uint8_t* const in = plane.bytes().data();
    for (std::int32_t y = part.min.y; y <= part.max.y; ++y) {
        for (std::int32_t z = part.min.z; z <= part.max.z; ++z) {
            const VoxelCoord first{part.min.x, y, z};
            std::uint8_t* const to = out + target.offset(first);
            if (in == nullptr) {
                std::memset(to, plane.uniform_value(), length);
            } else {
                std::memcpy(to, in + index_in_chunk(first), length);
            }
        }
    }
}

}  // namespace

bool contains(const GridBounds& bounds, const ChunkCoord& c) {
    return c.x >= bounds.min.x && c.x < bounds.max.x && c.y >= bounds.min.y && c.y < bounds.max.y &&
           c.z >= bounds.min.z && c.z < bounds.max.z;
}

VoxelBox voxel_box(const GridBounds& bounds) {
    return {origin_of(bounds.min), origin_of(bounds.max) - VoxelCoord{1, 1, 1}};
}

const Chunk* VoxelGrid::find(const ChunkCoord& c) const {
    const auto found = chunks_.find(c);
    return found == chunks_.end() ? nullptr : &found->second;
}

Chunk* VoxelGrid::find(const ChunkCoord& c) {
    const auto found = chunks_.find(c);
    return found == chunks_.end() ? nullptr : &found->second;
}

Chunk& VoxelGrid::insert(const ChunkCoord& c, Chunk chunk) {
    TERRANE_ASSERT(contains(bounds_, c));
    return chunks_.insert_or_assign(c, std::move(chunk)).first->second;
}

void VoxelGrid::erase(const ChunkCoord& c) {
    chunks_.erase(c);
}

std::vector<ChunkCoord> VoxelGrid::sorted_coords() const {
    std::vector<ChunkCoord> coords;
    coords.reserve(chunks_.size());
    for (const auto& [coord, chunk] : chunks_) {
        coords.push_back(coord);
    }
    std::ranges::sort(coords);
    return coords;
}

Voxel VoxelGrid::voxel(const VoxelCoord& v) const {
    const ChunkCoord c = chunk_of(v);
    const Chunk* const chunk = find(c);
    return chunk == nullptr ? voxel_without_chunk(bounds_, c) : chunk->voxel(index_in_chunk(v));
}

std::optional<Voxel> VoxelGrid::find_voxel(const VoxelCoord& v) const {
    const ChunkCoord c = chunk_of(v);
    if (const Chunk* const chunk = find(c); chunk != nullptr) {
        return chunk->voxel(index_in_chunk(v));
    }
    if (contains(bounds_, c)) {
        return std::nullopt;
    }
    return voxel_without_chunk(bounds_, c);
}

void VoxelGrid::copy_box(const VoxelBox& box, std::span<std::uint8_t> material,
                         std::span<std::uint8_t> occupancy) const {
    if (is_empty(box)) {
        return;
    }
    const auto row = count_between(box.min.x, box.max.x);
    const BoxTarget target{box, row, row * count_between(box.min.z, box.max.z)};
    const std::size_t volume = target.slice * count_between(box.min.y, box.max.y);
    TERRANE_ASSERT(material.size() >= volume && occupancy.size() >= volume);
    const ChunkCoord low = chunk_of(box.min);
    const ChunkCoord high = chunk_of(box.max);
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                const ChunkCoord c{x, y, z};
                const VoxelBox part = intersect(box, box_of(c));
                if (const Chunk* const chunk = find(c); chunk != nullptr) {
                    copy_plane(chunk->material, part, target, material.data());
                    copy_plane(chunk->occupancy, part, target, occupancy.data());
                } else {
                    const Voxel v = voxel_without_chunk(bounds_, c);
                    copy_plane(Plane{v.material}, part, target, material.data());
                    copy_plane(Plane{v.occupancy}, part, target, occupancy.data());
                }
            }
        }
    }
}

bool is_loaded(const VoxelGrid& grid, const VoxelBox& box) {
    if (is_empty(box)) {
        return true;
    }
    const ChunkCoord low = chunk_of(box.min);
    const ChunkCoord high = chunk_of(box.max);
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                const ChunkCoord chunk{x, y, z};
                if (contains(grid.bounds(), chunk) && !grid.is_loaded(chunk)) {
                    return false;
                }
            }
        }
    }
    return true;
}

}  // namespace terrane
