#include "client-stub/viewer/chunk_meshes.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "client-stub/viewer/ground_shading.h"

namespace terrane {

namespace {

/// Frames without an arrival after which chunks with missing neighbours are meshed as they are.
constexpr int kPauseFrames = 6;

constexpr std::array<VertexAttribute, 2> kWaterAttributes{
    VertexAttribute{0, 3, VertexType::int16, offsetof(WaterVertex, x)},
    VertexAttribute{1, 2, VertexType::uint8, offsetof(WaterVertex, depth)}};

template <typename Visit>
void for_each_around(const ChunkCoord& chunk, Visit visit) {
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dx = -1; dx <= 1; ++dx) {
                visit(chunk + ChunkCoord{dx, dy, dz});
            }
        }
    }
}

bool has_all_neighbours(const VoxelGrid& grid, const ChunkCoord& chunk) {
    bool has_all = true;
    for_each_around(chunk, [&](const ChunkCoord& c) {
        has_all = has_all && (grid.is_loaded(c) || !contains(grid.bounds(), c));
    });
    return has_all;
}

Vec3 centre_of(const ChunkCoord& chunk) {
    return corner_of(origin_of(chunk)) + 0.5F * static_cast<float>(kChunkSize);
}

Aabb moved(const Aabb& box, const Vec3& by) {
    return is_empty(box) ? box : Aabb{box.min + by, box.max + by};
}

}  // namespace

void ChunkMeshes::chunk_arrived(const VoxelGrid& grid, const ChunkCoord& chunk) {
    for_each_around(chunk, [&](const ChunkCoord& c) { waiting_.insert(c); });
    const Chunk* arrived = grid.find(chunk);
    if (arrived != nullptr && !(arrived->is_uniform() && !is_core(arrived->voxel(0)))) {
        // What was meshed below took it for sky.
        for (auto& [below, parts] : parts_) {
            if (below.y < chunk.y - 1 && std::abs(below.x - chunk.x) <= 1 &&
                std::abs(below.z - chunk.z) <= 1) {
                waiting_.insert(below);
            }
        }
    }
    frames_since_arrival_ = 0;
}

void ChunkMeshes::chunk_left(const ChunkCoord& chunk) {
    waiting_.erase(chunk);
    version_ += parts_.erase(chunk);
}

void ChunkMeshes::voxels_changed(const VoxelBox& box) {
    if (is_empty(box)) {
        return;
    }
    // Every chunk whose volume box meets the changed box.
    const ChunkCoord low = chunk_of(box.min - VoxelCoord{kVolumeSide, kVolumeAbove, kVolumeSide});
    const ChunkCoord high = chunk_of(box.max + VoxelCoord{kVolumeSide, kVolumeBelow, kVolumeSide});
    for (int y = low.y; y <= high.y; ++y) {
        for (int z = low.z; z <= high.z; ++z) {
            for (int x = low.x; x <= high.x; ++x) {
                waiting_.insert({x, y, z});
            }
        }
    }
}

void ChunkMeshes::update(const VoxelGrid& grid, const Vec3& eye, std::size_t count_max) {
    ++frames_since_arrival_;
    std::erase_if(waiting_, [&](const ChunkCoord& chunk) { return !grid.is_loaded(chunk); });
    for (const ChunkCoord& chunk : choose(grid, eye, count_max)) {
        waiting_.erase(chunk);
        mesh(grid, chunk);
    }
}

std::vector<ChunkCoord> ChunkMeshes::choose(const VoxelGrid& grid, const Vec3& eye,
                                            std::size_t count_max) const {
    std::vector<std::pair<float, ChunkCoord>> found;
    for (const ChunkCoord& chunk : waiting_) {
        if (frames_since_arrival_ > kPauseFrames || has_all_neighbours(grid, chunk)) {
            const Vec3 away = centre_of(chunk) - eye;
            found.emplace_back(glm::dot(away, away), chunk);
        }
    }
    const auto count = static_cast<std::ptrdiff_t>(std::min(count_max, found.size()));
    std::partial_sort(found.begin(), found.begin() + count, found.end());
    std::vector<ChunkCoord> chosen;
    for (auto it = found.begin(); it != found.begin() + count; ++it) {
        chosen.push_back(it->second);
    }
    return chosen;
}

void ChunkMeshes::mesh(const VoxelGrid& grid, const ChunkCoord& chunk) {
    copy_chunk_volume(grid, chunk, volume_);
    mesh_terrain(volume_, terrain_);
    mesh_water(volume_, water_);
    ++version_;
    if (terrain_.indices.empty() && water_.indices.empty()) {
        parts_.erase(chunk);
        return;
    }
    ChunkParts& parts = parts_[chunk];
    parts.origin = corner_of(origin_of(chunk));
    parts.terrain_box = moved(terrain_.bounds, parts.origin);
    parts.water_box = moved(water_.bounds, parts.origin);
    parts.terrain = GlMesh(std::as_bytes(std::span(terrain_.vertices)), sizeof(TerrainVertex),
                           kGroundAttributes, terrain_.indices);
    parts.open_index_count = terrain_.open_index_count;
    parts.water = GlMesh(std::as_bytes(std::span(water_.vertices)), sizeof(WaterVertex),
                         kWaterAttributes, water_.indices);
}

}  // namespace terrane
