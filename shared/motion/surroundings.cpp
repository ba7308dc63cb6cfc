#include "shared/motion/surroundings.h"

#include <algorithm>
#include <array>

#include "shared/voxel/ground_density.h"

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

/// Between the zone's sides: the air beyond them is no place.
bool is_between_sides(const GridBounds& bounds, const Capsule& capsule, const Vec3& foot) {
    const Vec3 low = corner_of(origin_of(bounds.min)) + capsule.touch_m;
    const Vec3 high = corner_of(origin_of(bounds.max)) - capsule.touch_m;
    return foot.x >= low.x && foot.x <= high.x && foot.z >= low.z && foot.z <= high.z;
}

/// Points of the capsule that must be free: its axis, and four sides at three heights.
bool is_free(VoxelReader& reader, const Capsule& capsule, const Vec3& foot) {
    const float r = capsule.radius;
    const std::array<float, 3> heights{r, 0.5F * capsule.height, capsule.height - r};
    const std::array<Vec3, 5> sides{Vec3{0.0F}, Vec3{r, 0, 0}, Vec3{-r, 0, 0}, Vec3{0, 0, r},
                                    Vec3{0, 0, -r}};
    for (const float height : heights) {
        for (const Vec3& side : sides) {
            if (is_in_ground(reader, foot + side + Vec3{0.0F, height, 0.0F})) {
                return false;
            }
        }
    }
    return !is_in_ground(reader, foot + Vec3{0.0F, 0.05F, 0.0F}) &&
           !is_in_ground(reader, foot + Vec3{0.0F, capsule.height, 0.0F});
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

bool is_buried(const VoxelGrid& grid, const Capsule& capsule, const Vec3& foot) {
    VoxelReader reader(grid);
    const std::array<float, 3> heights{capsule.radius, 0.5F * capsule.height,
                                       capsule.height - capsule.radius};
    return std::ranges::any_of(heights, [&](float height) {
        const Vec3 point = foot + Vec3{0.0F, height, 0.0F};
        // One voxel read tells most of the time; the blend of eight decides.
        return is_core(reader.voxel(voxel_at(point))) && is_in_ground(reader, point);
    });
}

std::optional<Vec3> nearest_free_spot(const VoxelGrid& grid, const Capsule& capsule,
                                      const Vec3& foot) {
    VoxelReader reader(grid);
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
                if (is_between_sides(grid.bounds(), capsule, spot) &&
                    is_free(reader, capsule, spot)) {
                    best = spot;
                    best_steps = steps;
                }
            }
        }
    }
    return best;
}

}  // namespace terrane
