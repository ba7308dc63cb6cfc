#include "shared/voxel/brush.h"

#include <algorithm>
#include <cmath>

#include "shared/core/assert.h"

namespace terrane {
namespace {

constexpr std::int32_t kUnit = kBrushUnitsPerVoxel;
constexpr std::int32_t kUnitShift = 4;
constexpr std::int32_t kHalfUnit = kUnit / 2;
constexpr std::int32_t kChunkUnits = kChunkSize * kUnit;
constexpr std::int32_t kSizeMax = kBrushRadiusMax * kUnit;
constexpr std::int32_t kCentreMax = 1 << 24;
static_assert(kUnit == 1 << kUnitShift);

/// How much of one voxel the brush's shape covers, 0 .. 16.
std::int32_t cover_of(const Brush& brush, const VoxelCoord& v) {
    if (brush.shape != BrushShape::sphere) {
        return contains(reach_of(brush), v) ? kUnit : 0;
    }
    const std::int64_t x = std::int64_t{v.x} * kUnit + kHalfUnit - brush.centre_x;
    const std::int64_t y = std::int64_t{v.y} * kUnit + kHalfUnit - brush.centre_y;
    const std::int64_t z = std::int64_t{v.z} * kUnit + kHalfUnit - brush.centre_z;
    const std::int64_t far = brush.size_x + kHalfUnit;
    if (x <= -far || x >= far || y <= -far || y >= far || z <= -far || z >= far) {
        return 0;
    }
    // The integer square root of a number this small: IEEE sqrt rounds correctly, so its floor is
    // exact on every machine.
    const auto distance =
        static_cast<std::int32_t>(std::sqrt(static_cast<double>(x * x + y * y + z * z)));
    return std::clamp(brush.size_x - distance + kHalfUnit, 0, kUnit);
}

bool is_known_shape(BrushShape shape) {
    return shape <= BrushShape::sphere;
}
bool is_known_mode(BrushMode mode) {
    return mode <= BrushMode::paint;
}

bool is_valid_size(std::uint8_t size) {
    return size >= 1 && size <= kSizeMax;
}

bool is_valid_centre(std::int32_t centre) {
    return centre >= -kCentreMax && centre <= kCentreMax;
}

bool has_valid_sizes(const Brush& brush) {
    switch (brush.shape) {
        case BrushShape::voxel:
            return true;
        case BrushShape::box:
            return is_valid_size(brush.size_x) && is_valid_size(brush.size_y) &&
                   is_valid_size(brush.size_z);
        case BrushShape::sphere:
            return is_valid_size(brush.size_x);
    }
    return false;
}

bool has_valid_material(const Brush& brush, std::size_t material_count) {
    switch (brush.mode) {
        case BrushMode::fill:
            return brush.material < material_count;
        case BrushMode::dig:
            return brush.material == kAir;
        case BrushMode::place:
        case BrushMode::paint:
            return brush.material >= kFirstSolid && brush.material < material_count;
    }
    return false;
}

/// A brush in the space of a chunk: voxels 0 .. 31.
Brush local_brush(const ChunkOp& op) {
    return {op.shape,    op.mode,   op.material, op.centre_x, op.centre_y,
            op.centre_z, op.size_x, op.size_y,   op.size_z};
}

VoxelBox local_box() {
    return box_of(ChunkCoord{0, 0, 0});
}

/// What a cover of 1 .. 16 sixteenths makes of a voxel.
Voxel apply_cover(const Brush& brush, std::int32_t cover, Voxel old) {
    const auto amount = static_cast<std::uint8_t>(cover * kFullOccupancy / kUnit);
    const bool is_centre_inside = cover >= kHalfUnit;
    switch (brush.mode) {
        case BrushMode::fill:
            if (!is_centre_inside) {
                return old;
            }
            return brush.material == kAir ? kAirVoxel : Voxel{brush.material, kFullOccupancy};
        case BrushMode::dig:
            if (!is_solid(old)) {
                return old;
            }
            if (old.occupancy <= amount) {
                return kAirVoxel;
            }
            return {old.material, static_cast<std::uint8_t>(old.occupancy - amount)};
        case BrushMode::place:
            if (!is_solid(old)) {
                return {brush.material, amount};
            }
            return {old.material, std::max(old.occupancy, amount)};
        case BrushMode::paint:
            return is_centre_inside && is_solid(old) ? Voxel{brush.material, old.occupancy} : old;
    }
    return old;
}

}  // namespace

Brush voxel_brush(BrushMode mode, const VoxelCoord& v, MaterialId material) {
    Brush brush;
    brush.mode = mode;
    brush.material = material;
    brush.centre_x = v.x * kUnit + kHalfUnit;
    brush.centre_y = v.y * kUnit + kHalfUnit;
    brush.centre_z = v.z * kUnit + kHalfUnit;
    return brush;
}

bool is_valid(const Brush& brush, std::size_t material_count) {
    return is_known_shape(brush.shape) && is_known_mode(brush.mode) && has_valid_sizes(brush) &&
           has_valid_material(brush, material_count) && is_valid_centre(brush.centre_x) &&
           is_valid_centre(brush.centre_y) && is_valid_centre(brush.centre_z);
}

bool is_valid(const ChunkOp& op, std::size_t material_count) {
    const Brush brush = local_brush(op);
    return is_valid(brush, material_count) && !is_empty(intersect(reach_of(brush), local_box()));
}

VoxelBox reach_of(const Brush& brush) {
    if (brush.shape == BrushShape::voxel) {
        const VoxelCoord v{brush.centre_x >> kUnitShift, brush.centre_y >> kUnitShift,
                           brush.centre_z >> kUnitShift};
        return {v, v};
    }
    const bool is_sphere = brush.shape == BrushShape::sphere;
    const std::int32_t size_x = brush.size_x;
    const std::int32_t size_y = is_sphere ? brush.size_x : brush.size_y;
    const std::int32_t size_z = is_sphere ? brush.size_x : brush.size_z;
    // For a sphere too: a centre `radius + 1/2` or more away on one axis is not covered.
    const VoxelBox reach{
        {(brush.centre_x - size_x) >> kUnitShift, (brush.centre_y - size_y) >> kUnitShift,
         (brush.centre_z - size_z) >> kUnitShift},
        {(brush.centre_x + size_x - 1) >> kUnitShift, (brush.centre_y + size_y - 1) >> kUnitShift,
         (brush.centre_z + size_z - 1) >> kUnitShift}};
    return is_empty(reach) ? VoxelBox{} : reach;
}

Voxel apply_brush(const Brush& brush, const VoxelCoord& v, Voxel old) {
    const std::int32_t cover = cover_of(brush, v);
    return cover == 0 ? old : apply_cover(brush, cover, old);
}

ChunkOp clip_to_chunk(const Brush& brush, const ChunkCoord& c) {
    TERRANE_ASSERT(!is_empty(intersect(reach_of(brush), box_of(c))));
    ChunkOp op;
    op.shape = brush.shape;
    op.mode = brush.mode;
    op.material = brush.material;
    op.size_x = brush.size_x;
    op.size_y = brush.size_y;
    op.size_z = brush.size_z;
    // In reach of the chunk, so within 16 voxels of it: far inside 16 bits.
    op.centre_x = static_cast<std::int16_t>(brush.centre_x - c.x * kChunkUnits);
    op.centre_y = static_cast<std::int16_t>(brush.centre_y - c.y * kChunkUnits);
    op.centre_z = static_cast<std::int16_t>(brush.centre_z - c.z * kChunkUnits);
    return op;
}

Brush to_brush(const ChunkOp& op, const ChunkCoord& c) {
    Brush brush = local_brush(op);
    brush.centre_x += c.x * kChunkUnits;
    brush.centre_y += c.y * kChunkUnits;
    brush.centre_z += c.z * kChunkUnits;
    return brush;
}

VoxelBox apply_op(Chunk& chunk, const ChunkCoord& c, const ChunkOp& op) {
    const Brush brush = local_brush(op);
    const VoxelBox walk = intersect(reach_of(brush), local_box());
    VoxelBox changed;
    for (std::int32_t y = walk.min.y; y <= walk.max.y; ++y) {
        for (std::int32_t z = walk.min.z; z <= walk.max.z; ++z) {
            for (std::int32_t x = walk.min.x; x <= walk.max.x; ++x) {
                const VoxelCoord v{x, y, z};
                const std::size_t index = index_in_chunk(v);
                const Voxel old = chunk.voxel(index);
                const Voxel now = apply_brush(brush, v, old);
                if (now != old) {
                    set_voxel(chunk, index, now);
                    changed = merge(changed, {v, v});
                }
            }
        }
    }
    if (is_empty(changed)) {
        return {};
    }
    ++chunk.revision;
    const VoxelCoord origin = origin_of(c);
    return {changed.min + origin, changed.max + origin};
}

std::vector<AppliedOp> apply_brush(VoxelGrid& grid, const Brush& brush) {
    std::vector<AppliedOp> applied;
    const VoxelBox reach = reach_of(brush);
    if (is_empty(reach)) {
        return applied;
    }
    const ChunkCoord low = chunk_of(reach.min);
    const ChunkCoord high = chunk_of(reach.max);
    // y, z, x: ascending by coordinate.
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                const ChunkCoord c{x, y, z};
                Chunk* const chunk = grid.find(c);
                if (chunk == nullptr) {
                    TERRANE_ASSERT_MSG(!contains(grid.bounds(), c), "edit of a chunk not loaded");
                    continue;
                }
                const ChunkOp op = clip_to_chunk(brush, c);
                const VoxelBox changed = apply_op(*chunk, c, op);
                if (!is_empty(changed)) {
                    applied.push_back({c, op, chunk->revision, changed, {}});
                }
            }
        }
    }
    return applied;
}

}  // namespace terrane
