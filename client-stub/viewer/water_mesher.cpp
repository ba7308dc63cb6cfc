#include "client-stub/viewer/water_mesher.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "client-stub/viewer/chunk_mesher.h"

namespace terrane {

namespace {

/// Voxels that a level spreads from water over lower ground.
constexpr int kSpread = 6;
/// Cells of a layer: the chunk's columns, one more for the corners' depth, and the spread.
constexpr int kLayerMargin = kSpread + 1;
constexpr int kLayerWidth = kChunkSize + 2 * kLayerMargin;
static_assert(kLayerMargin < kVolumeSide);
constexpr std::int16_t kNoLevel = -1;

bool is_water_at(const ChunkVolume& volume, int x, int y, int z) {
    return is_water(volume_voxel(volume, x, y, z));
}

/// From `level` (metres above the chunk's origin, in voxel y) down to the ground's surface as the
/// mesher finds it in this column; negative where the ground is higher, by a metre at most.
float depth_at(const ChunkVolume& volume, int x, int y, int z, float level) {
    const auto density = [&](int at) { return solid_density(volume_voxel(volume, x, at, z)); };
    if (density(y + 1) >= kCoreOccupancy) {
        return -1.0F;
    }
    int ground = y;
    while (density(ground) < kCoreOccupancy) {
        if (--ground < 1 - kVolumeBelow) {
            return static_cast<float>(kVolumeBelow);
        }
    }
    const auto inside = static_cast<float>(density(ground));
    const auto outside = static_cast<float>(density(ground + 1));
    const float crossing = (inside - 127.5F) / (inside - outside);
    return level - (static_cast<float>(ground) + 0.5F + crossing);
}

/// The water levels of one layer of voxels, 0..255 above its floor.
class WaterLayer {
  public:
    WaterLayer(const ChunkVolume& volume, int y) : volume_(volume), y_(y) {
        levels_.fill(kNoLevel);
        for (int z = -kLayerMargin; z < kChunkSize + kLayerMargin; ++z) {
            for (int x = -kLayerMargin; x < kChunkSize + kLayerMargin; ++x) {
                if (is_water_at(volume, x, y, z) && !is_water_at(volume, x, y + 1, z)) {
                    levels_[index(x, z)] = volume_voxel(volume, x, y, z).occupancy;
                    has_water_ = true;
                }
            }
        }
        for (int step = 0; has_water_ && step < kSpread; ++step) {
            spread();
        }
    }

    std::int16_t level(int x, int z) const { return levels_[index(x, z)]; }

  private:
    static std::size_t index(int x, int z) {
        return static_cast<std::size_t>((z + kLayerMargin) * kLayerWidth + x + kLayerMargin);
    }

    /// One voxel further. Ground above the level ends it, but is covered itself: the shore lies
    /// there.
    void spread() {
        const auto before = levels_;
        for (int z = 1 - kLayerMargin; z < kChunkSize + kLayerMargin - 1; ++z) {
            for (int x = 1 - kLayerMargin; x < kChunkSize + kLayerMargin - 1; ++x) {
                if (before[index(x, z)] != kNoLevel || !can_cover(x, z)) {
                    continue;
                }
                std::int16_t level = kNoLevel;
                for (int dz = -1; dz <= 1; ++dz) {
                    for (int dx = -1; dx <= 1; ++dx) {
                        const std::int16_t beside = before[index(x + dx, z + dz)];
                        if (beside != kNoLevel && is_passing(x + dx, z + dz, beside)) {
                            level = std::max(level, beside);
                        }
                    }
                }
                levels_[index(x, z)] = level;
            }
        }
    }

    bool can_cover(int x, int z) const {
        const Voxel above = volume_voxel(volume_, x, y_ + 1, z);
        return is_solid(volume_voxel(volume_, x, y_, z)) && !is_core(above) && !is_water(above);
    }
    bool is_passing(int x, int z, std::int16_t level) const {
        return is_water_at(volume_, x, y_, z) ||
               depth_at(volume_, x, y_, z,
                        static_cast<float>(y_) + static_cast<float>(level) / 255.0F) > 0.0F;
    }

    const ChunkVolume& volume_;
    int y_;
    bool has_water_ = false;
    std::array<std::int16_t, static_cast<std::size_t>(kLayerWidth) * kLayerWidth> levels_;
};

class WaterBuilder {
  public:
    WaterBuilder(const ChunkVolume& volume, WaterMesh& mesh) : volume_(volume), mesh_(mesh) {}

    void add_top(const WaterLayer& layer, int x, int y, int z) {
        const float top = static_cast<float>(y) + static_cast<float>(layer.level(x, z)) / 255.0F;
        const auto corner = [&](int cx, int cz) {
            float depth = 0.0F;
            bool is_border = false;
            for (int dz = -1; dz <= 0; ++dz) {
                for (int dx = -1; dx <= 0; ++dx) {
                    depth += 0.25F * depth_at(volume_, cx + dx, y, cz + dz, top);
                    is_border |= layer.level(cx + dx, cz + dz) == kNoLevel;
                }
            }
            return vertex(static_cast<float>(cx), top, static_cast<float>(cz),
                          is_border ? 0.0F : depth, WaterFace::top);
        };
        add_quad(corner(x, z), corner(x, z + 1), corner(x + 1, z + 1), corner(x + 1, z));
    }

    void add_walls(int x, int y, int z) {
        const Voxel voxel = volume_voxel(volume_, x, y, z);
        if (is_water(voxel)) {
            const bool is_open = !is_water_at(volume_, x, y + 1, z);
            add_sides(x, y, z, is_open ? static_cast<float>(voxel.occupancy) / 255.0F : 1.0F);
        }
    }

  private:
    void add_sides(int x, int y, int z, float height) {
        const auto left = static_cast<float>(x);
        const auto low = static_cast<float>(y);
        const auto back = static_cast<float>(z);
        const float right = left + 1.0F;
        const float high = low + height;
        const float front = back + 1.0F;
        const auto wall = [&](WaterFace face, float ax, float az, float bx, float bz) {
            constexpr float kDepth = 1.0F;
            add_quad(vertex(ax, low, az, kDepth, face), vertex(bx, low, bz, kDepth, face),
                     vertex(bx, high, bz, kDepth, face), vertex(ax, high, az, kDepth, face));
        };
        const auto is_air = [&](int dx, int dy, int dz) {
            return volume_voxel(volume_, x + dx, y + dy, z + dz).material == kAir;
        };
        if (is_air(1, 0, 0)) {
            wall(WaterFace::right, right, front, right, back);
        }
        if (is_air(-1, 0, 0)) {
            wall(WaterFace::left, left, back, left, front);
        }
        if (is_air(0, 0, 1)) {
            wall(WaterFace::front, left, front, right, front);
        }
        if (is_air(0, 0, -1)) {
            wall(WaterFace::back, right, back, left, back);
        }
        if (is_air(0, -1, 0)) {
            const WaterFace face = WaterFace::bottom;
            add_quad(vertex(left, low, back, 1.0F, face), vertex(right, low, back, 1.0F, face),
                     vertex(right, low, front, 1.0F, face), vertex(left, low, front, 1.0F, face));
        }
    }

    WaterVertex vertex(float x, float y, float z, float depth, WaterFace face) {
        mesh_.bounds = merge(mesh_.bounds, Vec3{x, y, z});
        const auto fixed = [](float v) {
            return static_cast<std::int16_t>(std::lround(v * kMeshUnitsPerMetre));
        };
        const float sixteenths = std::clamp(depth * 16.0F, 0.0F, 255.0F);
        return {fixed(x), fixed(y), fixed(z), static_cast<std::uint8_t>(std::lround(sixteenths)),
                face};
    }

    void add_quad(const WaterVertex& a, const WaterVertex& b, const WaterVertex& c,
                  const WaterVertex& d) {
        const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
        mesh_.vertices.insert(mesh_.vertices.end(), {a, b, c, d});
        mesh_.indices.insert(mesh_.indices.end(),
                             {first, first + 1, first + 2, first, first + 2, first + 3});
    }

    const ChunkVolume& volume_;
    WaterMesh& mesh_;
};

}  // namespace

void mesh_water(const ChunkVolume& volume, WaterMesh& mesh) {
    mesh.vertices.clear();
    mesh.indices.clear();
    mesh.bounds = {};
    if (!volume.has_water) {
        return;
    }
    WaterBuilder builder(volume, mesh);
    for (int y = 0; y < kChunkSize; ++y) {
        const WaterLayer layer(volume, y);
        for (int z = 0; z < kChunkSize; ++z) {
            for (int x = 0; x < kChunkSize; ++x) {
                if (layer.level(x, z) != kNoLevel) {
                    builder.add_top(layer, x, y, z);
                }
                builder.add_walls(x, y, z);
            }
        }
    }
}

}  // namespace terrane
