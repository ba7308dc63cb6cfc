#include "client-stub/viewer/water_mesher.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "client-stub/viewer/chunk_mesher.h"

namespace terrane {

namespace {

constexpr std::array<std::array<int, 2>, 8> kAround{
    {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}}};

bool is_water_at(const ChunkVolume& volume, int x, int y, int z) {
    return is_water(volume_voxel(volume, x, y, z));
}

/// Height of an open water surface above the voxel's floor, 1/255 voxel; nothing if it has none.
std::optional<std::uint8_t> open_level(const ChunkVolume& volume, int x, int y, int z) {
    const Voxel voxel = volume_voxel(volume, x, y, z);
    if (!is_water(voxel) || is_water_at(volume, x, y + 1, z)) {
        return std::nullopt;
    }
    return voxel.occupancy;
}

/// The surface over any voxel: its own, or its highest neighbour's if it is solid and flooded.
std::optional<std::uint8_t> surface_level(const ChunkVolume& volume, int x, int y, int z) {
    const Voxel voxel = volume_voxel(volume, x, y, z);
    if (!is_solid(voxel)) {
        return open_level(volume, x, y, z);
    }
    const Voxel above = volume_voxel(volume, x, y + 1, z);
    if (is_core(above) || is_water(above)) {
        return std::nullopt;
    }
    std::optional<std::uint8_t> level;
    for (const auto& [dx, dz] : kAround) {
        level = std::max(level, open_level(volume, x + dx, y, z + dz));
    }
    return level;
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

class WaterBuilder {
  public:
    WaterBuilder(const ChunkVolume& volume, WaterMesh& mesh) : volume_(volume), mesh_(mesh) {}

    void add_voxel(int x, int y, int z) {
        if (const auto level = surface_level(volume_, x, y, z)) {
            add_top(x, y, z, static_cast<float>(*level) / 255.0F);
        }
        const Voxel voxel = volume_voxel(volume_, x, y, z);
        if (!is_water(voxel)) {
            return;
        }
        const bool is_open = !is_water_at(volume_, x, y + 1, z);
        const float height = is_open ? static_cast<float>(voxel.occupancy) / 255.0F : 1.0F;
        add_sides(x, y, z, height);
    }

  private:
    void add_top(int x, int y, int z, float level) {
        const float top = static_cast<float>(y) + level;
        const auto corner = [&](int cx, int cz) {
            float depth = 0.0F;
            for (int dz = -1; dz <= 0; ++dz) {
                for (int dx = -1; dx <= 0; ++dx) {
                    depth += 0.25F * depth_at(volume_, cx + dx, y, cz + dz, top);
                }
            }
            return vertex(static_cast<float>(cx), top, static_cast<float>(cz), depth,
                          WaterFace::top);
        };
        add_quad(corner(x, z), corner(x, z + 1), corner(x + 1, z + 1), corner(x + 1, z));
    }

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
        for (int z = 0; z < kChunkSize; ++z) {
            for (int x = 0; x < kChunkSize; ++x) {
                builder.add_voxel(x, y, z);
            }
        }
    }
}

}  // namespace terrane
