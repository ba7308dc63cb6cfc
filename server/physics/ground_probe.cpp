#include "server/physics/ground_probe.h"

#include <algorithm>

namespace terrane {

namespace {

/// Where the density is lower no point is in the ground; at rest most bodies' middles are there.
constexpr float kDoubtDensity = 64.0F;
/// A point in the ground may be farther from what encloses it: then the density is right.
constexpr float kProbeM = 24.0F;
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

float distance_out(Terrain& terrain, const Vec3& point, const Vec3& way, float limit_m) {
    const auto hit = terrain.raycast({point, limit_m * way, 1.0F});
    return hit.has_value() && glm::dot(hit->normal, way) > 0.0F ? hit->t * limit_m : limit_m;
}

bool is_enclosed(Terrain& terrain, VoxelReader& reader, const Vec3& point) {
    const float density = ground_density(reader, point);
    if (density < kDoubtDensity) {
        return false;
    }
    // Down first: a body is near what it stands on. Not along an axis: those run along the edges.
    for (const Vec3& way : {Vec3(0.07F, -1.0F, 0.13F), Vec3(-0.13F, 1.0F, 0.07F)}) {
        if (const auto hit = terrain.raycast({point, kProbeM * way, 1.0F})) {
            return glm::dot(hit->normal, way) > 0.0F;
        }
    }
    return density >= kSurfaceDensity;
}

}  // namespace terrane
