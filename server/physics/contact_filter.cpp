#include "server/physics/contact_filter.h"

namespace terrane {

bool may_touch_surface(const TerrainMasks& masks, const Aabb& box) {
    // Cell c reaches from half a voxel above corner c to half a voxel above the next. A little more
    // than the box is asked for: a triangle may lie in the side of a cell.
    constexpr float kSideM = 1.0F / 512.0F;
    const VoxelBox range =
        intersect({voxel_at(box.min - (0.5F + kSideM)), voxel_at(box.max - (0.5F - kSideM))},
                  voxels_of(masks.surface_range()));
    if (is_empty(range)) {
        return false;
    }
    const BrickCoord first = brick_of(range.min);
    const BrickCoord last = brick_of(range.max);
    for (std::int32_t y = first.y; y <= last.y; ++y) {
        for (std::int32_t z = first.z; z <= last.z; ++z) {
            for (std::int32_t x = first.x; x <= last.x; ++x) {
                const BrickCoord brick{x, y, z};
                if (meets(masks.active_cells(brick), brick, range)) {
                    return true;
                }
            }
        }
    }
    return false;
}

}  // namespace terrane
