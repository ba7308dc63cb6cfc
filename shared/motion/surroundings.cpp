#include "shared/motion/surroundings.h"

#include <algorithm>
#include <array>

namespace terrane {

namespace {

/// Water deeper than this above a player's chest need not be measured exactly.
constexpr int kWaterVoxelsUp = 4;

std::optional<float> surface_of_column(const VoxelGrid& grid, VoxelCoord v) {
    Voxel voxel = grid.voxel(v);
    if (!is_water(voxel)) {
        return std::nullopt;
    }
    for (int up = 0; up < kWaterVoxelsUp; ++up) {
        const Voxel above = grid.voxel({v.x, v.y + 1, v.z});
        if (!is_water(above)) {
            break;
        }
        voxel = above;
        ++v.y;
    }
    return static_cast<float>(v.y) + static_cast<float>(voxel.occupancy) / 255.0F;
}

/// Points of the capsule that must be free: its axis, and four sides at three heights.
bool is_free(const VoxelGrid& grid, const Capsule& capsule, const Vec3& foot) {
    const float r = capsule.radius;
    const std::array<float, 3> heights{r, 0.5F * capsule.height, capsule.height - r};
    const std::array<Vec3, 5> sides{Vec3{0.0F}, Vec3{r, 0, 0}, Vec3{-r, 0, 0}, Vec3{0, 0, r},
                                    Vec3{0, 0, -r}};
    for (const float height : heights) {
        for (const Vec3& side : sides) {
            if (is_in_rock(grid, foot + side + Vec3{0.0F, height, 0.0F})) {
                return false;
            }
        }
    }
    return !is_in_rock(grid, foot + Vec3{0.0F, 0.05F, 0.0F}) &&
           !is_in_rock(grid, foot + Vec3{0.0F, capsule.height, 0.0F});
}

}  // namespace

std::optional<float> water_surface_m(const VoxelGrid& grid, const Vec3& point) {
    const VoxelCoord v = voxel_at(point);
    const Voxel voxel = grid.voxel(v);
    std::optional<float> surface;
    if (is_water(voxel)) {
        surface = surface_of_column(grid, v);
    } else if (is_solid(voxel) && !is_core(voxel)) {
        constexpr std::array<VoxelCoord, 4> kBeside{VoxelCoord{1, 0, 0}, VoxelCoord{-1, 0, 0},
                                                    VoxelCoord{0, 0, 1}, VoxelCoord{0, 0, -1}};
        for (const VoxelCoord& beside : kBeside) {
            const auto found = surface_of_column(grid, v + beside);
            if (found.has_value() && (!surface.has_value() || *found > *surface)) {
                surface = found;
            }
        }
    }
    return surface.has_value() && *surface > point.y ? surface : std::nullopt;
}

bool is_in_rock(const VoxelGrid& grid, const Vec3& point) {
    const Vec3 from_centre = point - 0.5F;
    const VoxelCoord low = voxel_at(from_centre);
    const Vec3 part = from_centre - corner_of(low);
    float density = 0.0F;
    for (int corner = 0; corner < 8; ++corner) {
        const int x = corner & 1;
        const int y = (corner >> 1) & 1;
        const int z = corner >> 2;
        const float weight = (x != 0 ? part.x : 1.0F - part.x) * (y != 0 ? part.y : 1.0F - part.y) *
                             (z != 0 ? part.z : 1.0F - part.z);
        density += weight *
                   static_cast<float>(solid_density(grid.voxel({low.x + x, low.y + y, low.z + z})));
    }
    return density >= 127.5F;
}

bool is_buried(const VoxelGrid& grid, const Capsule& capsule, const Vec3& foot) {
    const std::array<float, 3> heights{capsule.radius, 0.5F * capsule.height,
                                       capsule.height - capsule.radius};
    return std::ranges::any_of(heights, [&](float height) {
        const Vec3 point = foot + Vec3{0.0F, height, 0.0F};
        // One voxel read tells most of the time; the blend of eight decides.
        return is_core(grid.voxel(voxel_at(point))) && is_in_rock(grid, point);
    });
}

std::optional<Vec3> nearest_free_spot(const VoxelGrid& grid, const Capsule& capsule,
                                      const Vec3& foot) {
    std::optional<Vec3> best;
    int best_steps = 1 << 20;
    for (int y = 0; y <= 6; ++y) {
        for (int z = -4; z <= 4; ++z) {
            for (int x = -4; x <= 4; ++x) {
                const int steps = x * x + y * y + z * z;
                if (steps >= best_steps) {
                    continue;
                }
                const Vec3 spot = foot + 0.5F * Vec3{static_cast<float>(x), static_cast<float>(y),
                                                     static_cast<float>(z)};
                if (is_free(grid, capsule, spot)) {
                    best = spot;
                    best_steps = steps;
                }
            }
        }
    }
    return best;
}

bool is_loaded(const Terrain& terrain, const Aabb& box) {
    const ChunkCoord low = chunk_of(voxel_at(box.min));
    const ChunkCoord high = chunk_of(voxel_at(box.max));
    const GridBounds& bounds = terrain.grid().bounds();
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                const ChunkCoord chunk{x, y, z};
                if (contains(bounds, chunk) && !terrain.masks().is_loaded(chunk)) {
                    return false;
                }
            }
        }
    }
    return true;
}

}  // namespace terrane
