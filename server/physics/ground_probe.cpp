#include "server/physics/ground_probe.h"

#include <algorithm>

namespace terrane {

namespace {

constexpr float kProbeStepM = 0.0625F;
/// A gradient below this, density a metre, has no direction.
constexpr float kLevelGradient = 1.0F;

/// Zero if every voxel within kPushReachVoxels is core.
Vec3 to_nearest_outside(VoxelReader& reader, const Vec3& point) {
    const VoxelCoord middle = voxel_at(point);
    float best2 = static_cast<float>(kPushReachVoxels * kPushReachVoxels);
    Vec3 best{0.0F};
    for (std::int32_t ring = 1; ring <= kPushReachVoxels; ++ring) {
        const auto inner = static_cast<float>(ring) - 0.5F;
        if (inner * inner > best2) {
            break;  // no voxel of this shell or beyond is nearer
        }
        for (std::int32_t y = -ring; y <= ring; ++y) {
            for (std::int32_t z = -ring; z <= ring; ++z) {
                const bool is_side = std::max(std::abs(y), std::abs(z)) == ring;
                for (std::int32_t x = -ring; x <= ring; x += is_side ? 1 : 2 * ring) {
                    const VoxelCoord at = middle + VoxelCoord{x, y, z};
                    if (is_core(reader.voxel(at))) {
                        continue;
                    }
                    const Vec3 away = corner_of(at) + 0.5F - point;
                    const float away2 = glm::dot(away, away);
                    if (away2 < best2) {
                        best2 = away2;
                        best = away;
                    }
                }
            }
        }
    }
    return best;
}

}  // namespace

Vec3 way_out(VoxelReader& reader, const Vec3& point) {
    constexpr float kReach = 0.5F;
    Vec3 falling{0.0F};
    for (int i = 0; i < 3; ++i) {
        Vec3 step{0.0F};
        step[i] = kReach;
        falling[i] = ground_density(reader, point - step) - ground_density(reader, point + step);
    }
    if (glm::dot(falling, falling) < kLevelGradient * kLevelGradient) {
        falling = to_nearest_outside(reader, point);
    }
    const float length2 = glm::dot(falling, falling);
    return length2 > 0.0F ? falling / std::sqrt(length2) : Vec3(0.0F, 1.0F, 0.0F);
}

float distance_out(VoxelReader& reader, const Vec3& point, const Vec3& way, float limit_m) {
    float distance = 0.0F;
    while (distance < limit_m && is_in_ground(reader, point + distance * way)) {
        distance += kProbeStepM;
    }
    return std::min(distance, limit_m);
}

}  // namespace terrane
