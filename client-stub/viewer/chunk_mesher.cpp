#include "client-stub/viewer/chunk_mesher.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "shared/voxel/surface_nets.h"

namespace terrane {

namespace {

/// Smoothed density at `p`, metres from the chunk's origin; samples sit at voxel centres.
float density_at(const ChunkVolume& volume, const Vec3& p) {
    const Vec3 q = p - 0.5F;
    const Vec3 low = glm::floor(q);
    const Vec3 w = q - low;
    const std::size_t index =
        volume_index(static_cast<int>(low.x), static_cast<int>(low.y), static_cast<int>(low.z));
    constexpr std::size_t kZ = kVolumeWidth;
    constexpr std::size_t kY = static_cast<std::size_t>(kVolumeWidth) * kVolumeWidth;
    const std::uint8_t* d = volume.smooth_density.data() + index;
    const auto mix = [](float a, float b, float t) { return a + (b - a) * t; };
    const float y0 = mix(mix(d[0], d[1], w.x), mix(d[kZ], d[kZ + 1], w.x), w.z);
    const float y1 = mix(mix(d[kY], d[kY + 1], w.x), mix(d[kY + kZ], d[kY + kZ + 1], w.x), w.z);
    return mix(y0, y1, w.y);
}

Vec3 normal_at(const ChunkVolume& volume, const Vec3& p) {
    const Vec3 x{0.75F, 0.0F, 0.0F};
    const Vec3 y{0.0F, 0.75F, 0.0F};
    const Vec3 z{0.0F, 0.0F, 0.75F};
    const Vec3 out{density_at(volume, p - x) - density_at(volume, p + x),
                   density_at(volume, p - y) - density_at(volume, p + y),
                   density_at(volume, p - z) - density_at(volume, p + z)};
    const float length = glm::length(out);
    return length > 1.0F ? out / length : Vec3{0.0F, 1.0F, 0.0F};
}

struct SkyRay {
    Vec3 step;
    int count;  ///< steps that surely stay inside the volume
    float weight;
};

/// Straight up, four and eight around; weights follow the cosine to the zenith.
std::array<SkyRay, 13> make_sky_rays() {
    std::array<SkyRay, 13> rays{};
    rays[0] = {{0.0F, 1.0F, 0.0F}, kVolumeAbove - 4, 1.0F};
    constexpr float kDiagonal = 0.70710678F;
    constexpr std::array<Vec2, 8> kAround{
        Vec2{1.0F, 0.0F}, {kDiagonal, kDiagonal},   {0.0F, 1.0F},  {-kDiagonal, kDiagonal},
        {-1.0F, 0.0F},    {-kDiagonal, -kDiagonal}, {0.0F, -1.0F}, {kDiagonal, -kDiagonal}};
    for (std::size_t i = 0; i < 8; ++i) {
        rays[1 + i] = {{0.88F * kAround[i].x, 0.47F, 0.88F * kAround[i].y}, 6, 0.5F};
    }
    for (std::size_t i = 0; i < 4; ++i) {
        rays[9 + i] = {{0.45F * kAround[2 * i].x, 0.89F, 0.45F * kAround[2 * i].y}, 13, 0.85F};
    }
    return rays;
}

float open_sky(const ChunkVolume& volume, const Vec3& p, const Vec3& normal) {
    static const std::array<SkyRay, 13> kRays = make_sky_rays();
    float open = 0.0F;
    float weight = 0.0F;
    const Vec3 start = p + 0.8F * normal;
    for (const SkyRay& ray : kRays) {
        float clear = 1.0F;
        Vec3 at = start;
        for (int i = 0; i < ray.count && clear > 0.05F; ++i) {
            at += ray.step;
            const std::uint8_t density = volume.smooth_density[volume_index(
                static_cast<int>(std::floor(at.x)), static_cast<int>(std::floor(at.y)),
                static_cast<int>(std::floor(at.z)))];
            clear *= 1.0F - std::clamp((static_cast<float>(density) - 64.0F) / 128.0F, 0.0F, 1.0F);
        }
        // A ray that got as far as the volume is free if nothing stands higher there; else it is
        // still in a cave.
        const std::int32_t floor = sky_floor_at(volume, static_cast<int>(std::floor(at.x)),
                                                static_cast<int>(std::floor(at.z)));
        clear *= std::clamp(at.y + 1.5F - static_cast<float>(floor), 0.0F, 1.0F);
        open += ray.weight * clear;
        weight += ray.weight;
    }
    return open / weight;
}

/// Share of the 3 x 3 x 3 voxels around `p` that are water, times four: the beach darkens softly.
float wetness(const ChunkVolume& volume, const Vec3& p) {
    const int x = static_cast<int>(std::floor(p.x));
    const int y = static_cast<int>(std::floor(p.y));
    const int z = static_cast<int>(std::floor(p.z));
    int water = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dx = -1; dx <= 1; ++dx) {
                water += volume.material[volume_index(x + dx, y + dy, z + dz)] == kWater ? 1 : 0;
            }
        }
    }
    return std::min(1.0F, static_cast<float>(water) * (4.0F / 27.0F));
}

struct SkinMaterials {
    MaterialId first = kFirstSolid;
    MaterialId second = kFirstSolid;
    float second_share = 0.0F;
};

/// Of the solid voxels around a vertex that are near the surface, thin ones too (a thin layer of
/// grass on the earth is what one sees), weighted by nearness and by how far out they lie.
SkinMaterials skin_materials(const ChunkVolume& volume, const Vec3& p, const Vec3& normal,
                             MaterialId core_material) {
    constexpr float kReach = 1.9F;
    std::array<float, 256> weights;  // only those of the materials seen are written
    std::array<MaterialId, 64> seen;
    std::size_t seen_count = 0;
    const VoxelCoord low = voxel_at(p - 1.5F);
    for (int i = 0; i < 64; ++i) {
        const VoxelCoord v = low + VoxelCoord{i & 3, (i >> 2) & 3, i >> 4};
        const Voxel voxel = volume_voxel(volume, v.x, v.y, v.z);
        const Vec3 away = corner_of(v) + 0.5F - p;
        const float out = glm::dot(away, normal);
        const float near = 1.0F - glm::dot(away, away) / (kReach * kReach);
        if (!is_solid(voxel) || near <= 0.0F || out < -0.9F) {
            continue;
        }
        if (std::find(seen.begin(), seen.begin() + seen_count, voxel.material) ==
            seen.begin() + seen_count) {
            weights[voxel.material] = 0.0F;
            seen[seen_count++] = voxel.material;
        }
        const float outward = out + 1.0F;
        weights[voxel.material] += near * outward * outward * outward;
    }
    SkinMaterials skin{core_material, core_material, 0.0F};
    float first = 0.0F;
    float second = 0.0F;
    for (std::size_t i = 0; i < seen_count; ++i) {
        const float weight = weights[seen[i]];
        if (weight > first) {
            second = first;
            skin.second = skin.first;
            first = weight;
            skin.first = seen[i];
        } else if (weight > second) {
            second = weight;
            skin.second = seen[i];
        }
    }
    skin.second_share = second > 0.0F ? second / (first + second) : 0.0F;
    return skin;
}

TerrainVertex make_vertex(const ChunkVolume& volume, const Vec3& p, MaterialId core_material) {
    const Vec3 normal = normal_at(volume, p);
    const auto fixed = [](float v) {
        return static_cast<std::int16_t>(std::lround(v * kMeshUnitsPerMetre));
    };
    const auto byte = [](float v) { return static_cast<std::uint8_t>(std::lround(v * 255.0F)); };
    const auto signed_byte = [](float v) {
        return static_cast<std::int8_t>(std::lround(v * 127.0F));
    };
    TerrainVertex vertex;
    vertex.x = fixed(p.x);
    vertex.y = fixed(p.y);
    vertex.z = fixed(p.z);
    const SkinMaterials skin = skin_materials(volume, p, normal, core_material);
    vertex.material = skin.first;
    vertex.second_material = skin.second;
    vertex.second_share = byte(skin.second_share);
    vertex.open = byte(open_sky(volume, p, normal));
    vertex.normal_x = signed_byte(normal.x);
    vertex.normal_y = signed_byte(normal.y);
    vertex.normal_z = signed_byte(normal.z);
    vertex.wet = byte(volume.has_water ? wetness(volume, p) : 0.0F);
    return vertex;
}

/// Moves the triangles that see no sky at all behind the others; returns how many indices come
/// first.
std::size_t put_dark_triangles_last(TerrainMesh& mesh) {
    std::vector<std::uint32_t> open;
    std::vector<std::uint32_t> dark;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        bool is_dark = true;
        for (std::size_t k = 0; k < 3; ++k) {
            is_dark = is_dark && mesh.vertices[mesh.indices[i + k]].open <= kDarkOpen;
        }
        auto& triangles = is_dark ? dark : open;
        triangles.insert(triangles.end(), mesh.indices.begin() + static_cast<std::ptrdiff_t>(i),
                         mesh.indices.begin() + static_cast<std::ptrdiff_t>(i + 3));
    }
    const std::size_t open_count = open.size();
    open.insert(open.end(), dark.begin(), dark.end());
    mesh.indices = std::move(open);
    return open_count;
}

/// Copies a brick's 10^3 voxels; false if its mesh would be empty.
bool copy_brick(const ChunkVolume& volume, int brick_x, int brick_y, int brick_z, BrickBox& box) {
    bool has_core = false;
    bool has_other = false;
    std::size_t to = 0;
    for (int y = -1; y <= kBrickSize; ++y) {
        for (int z = -1; z <= kBrickSize; ++z) {
            std::size_t from = volume_index(brick_x - 1, brick_y + y, brick_z + z);
            for (int x = -1; x <= kBrickSize; ++x, ++from, ++to) {
                const Voxel voxel{volume.material[from], volume.occupancy[from]};
                box.material[to] = voxel.material;
                box.occupancy[to] = voxel.occupancy;
                (is_core(voxel) ? has_core : has_other) = true;
            }
        }
    }
    return has_core && has_other;
}

}  // namespace

void mesh_terrain(const ChunkVolume& volume, TerrainMesh& mesh) {
    mesh.vertices.clear();
    mesh.indices.clear();
    mesh.open_index_count = 0;
    mesh.bounds = {};
    if (!volume.has_surface) {
        return;
    }
    BrickBox box;
    BrickMesh brick;
    for (int y = 0; y < kChunkSize; y += kBrickSize) {
        for (int z = 0; z < kChunkSize; z += kBrickSize) {
            for (int x = 0; x < kChunkSize; x += kBrickSize) {
                if (!copy_brick(volume, x, y, z, box)) {
                    continue;
                }
                mesh_brick(box, brick);
                const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
                const Vec3 origin{static_cast<float>(x), static_cast<float>(y),
                                  static_cast<float>(z)};
                for (std::size_t i = 0; i < brick.positions.size(); ++i) {
                    const Vec3 p = origin + brick.positions[i];
                    mesh.vertices.push_back(make_vertex(volume, p, brick.materials[i]));
                    mesh.bounds = merge(mesh.bounds, p);
                }
                for (const std::uint16_t index : brick.indices) {
                    mesh.indices.push_back(first + index);
                }
            }
        }
    }
    mesh.open_index_count = put_dark_triangles_last(mesh);
}

}  // namespace terrane
