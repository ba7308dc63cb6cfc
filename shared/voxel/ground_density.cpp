#include "shared/voxel/ground_density.h"

namespace terrane {
namespace {

float blend(float a, float b, float t) {
    return a + (b - a) * t;
}

}  // namespace

float ground_density(VoxelReader& reader, const Vec3& point) {
    const Vec3 shifted = point - 0.5F;
    const VoxelCoord low = voxel_at(shifted);
    const Vec3 t = shifted - corner_of(low);
    const auto density = [&](int x, int y, int z) {
        return static_cast<float>(solid_density(reader.voxel(low + VoxelCoord{x, y, z})));
    };
    const float bottom = blend(blend(density(0, 0, 0), density(1, 0, 0), t.x),
                               blend(density(0, 0, 1), density(1, 0, 1), t.x), t.z);
    const float top = blend(blend(density(0, 1, 0), density(1, 1, 0), t.x),
                            blend(density(0, 1, 1), density(1, 1, 1), t.x), t.z);
    return blend(bottom, top, t.y);
}

bool is_in_ground(VoxelReader& reader, const Vec3& point) {
    return ground_density(reader, point) >= kSurfaceDensity;
}

}  // namespace terrane
