#include "shared/voxel/coords.h"

#include <algorithm>

namespace terrane {

VoxelBox intersect(const VoxelBox& a, const VoxelBox& b) {
    const VoxelBox both{
        {std::max(a.min.x, b.min.x), std::max(a.min.y, b.min.y), std::max(a.min.z, b.min.z)},
        {std::min(a.max.x, b.max.x), std::min(a.max.y, b.max.y), std::min(a.max.z, b.max.z)}};
    return is_empty(both) ? VoxelBox{} : both;
}

VoxelBox merge(const VoxelBox& a, const VoxelBox& b) {
    if (is_empty(a)) {
        return is_empty(b) ? VoxelBox{} : b;
    }
    if (is_empty(b)) {
        return a;
    }
    return {{std::min(a.min.x, b.min.x), std::min(a.min.y, b.min.y), std::min(a.min.z, b.min.z)},
            {std::max(a.max.x, b.max.x), std::max(a.max.y, b.max.y), std::max(a.max.z, b.max.z)}};
}

VoxelBox grow(const VoxelBox& box, std::int32_t voxels) {
    if (is_empty(box)) {
        return {};
    }
    const VoxelBox grown{{box.min.x - voxels, box.min.y - voxels, box.min.z - voxels},
                         {box.max.x + voxels, box.max.y + voxels, box.max.z + voxels}};
    return is_empty(grown) ? VoxelBox{} : grown;
}

VoxelBox box_of(const ChunkCoord& c) {
    const VoxelCoord low = origin_of(c);
    return {low, low + VoxelCoord{kChunkSize - 1, kChunkSize - 1, kChunkSize - 1}};
}

Aabb to_aabb(const VoxelBox& box) {
    if (is_empty(box)) {
        return {};
    }
    return {corner_of(box.min), corner_of(box.max) + Vec3{1.0F}};
}

}  // namespace terrane
