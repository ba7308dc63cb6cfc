#include "shared/voxel/voxel_ray.h"

#include <array>
#include <cmath>
#include <limits>

namespace terrane {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// voxel_at() takes points within +-2^30 m.
constexpr float kOriginMax = 1073741824.0F;

/// The walk along one axis. Each crossing is computed from its own integer boundary, so that long
/// rays do not drift as they do when a step is added up.
struct AxisWalk {
    double origin = 0.0;
    double direction = 0.0;
    std::int32_t voxel = 0;
    std::int32_t step = 0;
    double t_next = kNever;

    AxisWalk(float from, float along, std::int32_t start)
        : origin(from), direction(along), voxel(start) {
        // Zero of either sign never crosses; the smallest denormal is an ordinary double.
        step = direction > 0.0 ? 1 : (direction < 0.0 ? -1 : 0);
        find_next();
    }

    void find_next() {
        if (step != 0) {
            const double boundary = step > 0 ? voxel + 1.0 : static_cast<double>(voxel);
            t_next = (boundary - origin) / direction;
        }
    }

    void advance() {
        voxel += step;
        find_next();
    }
};

/// Reads voxels along a walk; looks a chunk up once for all voxels in it.
class ChunkReader {
  public:
    explicit ChunkReader(const VoxelGrid& grid) : grid_(grid) {}

    bool is_core_at(const VoxelCoord& v) {
        if (const ChunkCoord c = chunk_of(v); !has_chunk_ || c != coord_) {
            coord_ = c;
            has_chunk_ = true;
            chunk_ = grid_.find(c);
        }
        return is_core(chunk_ != nullptr ? chunk_->voxel(index_in_chunk(v)) : grid_.voxel(v));
    }

  private:
    const VoxelGrid& grid_;
    const Chunk* chunk_ = nullptr;
    ChunkCoord coord_;
    bool has_chunk_ = false;
};

bool is_usable(const Ray& ray) {
    return is_finite(ray.origin) && is_finite(ray.direction) && ray.t_max >= 0.0F &&
           std::fabs(ray.origin.x) <= kOriginMax && std::fabs(ray.origin.y) <= kOriginMax &&
           std::fabs(ray.origin.z) <= kOriginMax;
}

}  // namespace

std::optional<VoxelHit> raycast_voxels(const VoxelGrid& grid, const Ray& ray) {
    if (!is_usable(ray)) {
        return std::nullopt;
    }
    ChunkReader reader(grid);
    VoxelCoord at = voxel_at(ray.origin);
    if (reader.is_core_at(at)) {
        return VoxelHit{at, at, 0.0F};
    }
    std::array<AxisWalk, 3> axes{AxisWalk{ray.origin.x, ray.direction.x, at.x},
                                 AxisWalk{ray.origin.y, ray.direction.y, at.y},
                                 AxisWalk{ray.origin.z, ray.direction.z, at.z}};
    for (int steps = 0; steps < kRayStepsMax; ++steps) {
        std::size_t nearest = 0;  // on a tie x goes before y before z
        for (std::size_t axis = 1; axis < axes.size(); ++axis) {
            if (axes[axis].t_next < axes[nearest].t_next) {
                nearest = axis;
            }
        }
        const double t = axes[nearest].t_next;
        if (!(t <= static_cast<double>(ray.t_max)) || t == kNever) {
            return std::nullopt;
        }
        axes[nearest].advance();
        const VoxelCoord before = at;
        at = {axes[0].voxel, axes[1].voxel, axes[2].voxel};
        if (reader.is_core_at(at)) {
            return VoxelHit{at, before, static_cast<float>(t)};
        }
    }
    return std::nullopt;
}

}  // namespace terrane
