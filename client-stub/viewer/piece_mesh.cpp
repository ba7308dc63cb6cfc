#include "client-stub/viewer/piece_mesh.h"

namespace terrane {

namespace {

/// Voxels of air before the piece, so that the surface around its first ones has an owner.
constexpr std::int32_t kAirBefore = 1;
/// Share of the sky that every point sees, 1/255; other bodies are drawn with about as much.
constexpr std::uint8_t kPieceOpen = 240;

std::int32_t chunks_for(std::int32_t voxels) {
    return (voxels + 2 * kAirBefore + kChunkSize - 1) / kChunkSize;
}

/// The piece, moved by kAirBefore, in loaded air.
VoxelGrid grid_around(const VoxelPiece& piece, const ChunkCoord& chunks) {
    VoxelGrid grid({{-1, -1, -1}, {chunks.x + 1, chunks.y + 1, chunks.z + 1}});
    for (std::int32_t y = -1; y <= chunks.y; ++y) {
        for (std::int32_t z = -1; z <= chunks.z; ++z) {
            for (std::int32_t x = -1; x <= chunks.x; ++x) {
                grid.insert({x, y, z}, uniform_chunk(kAirVoxel));
            }
        }
    }
    for (std::int32_t y = 0; y < piece.size.y; ++y) {
        for (std::int32_t z = 0; z < piece.size.z; ++z) {
            for (std::int32_t x = 0; x < piece.size.x; ++x) {
                const Voxel voxel = voxel_of(piece, {x, y, z});
                if (voxel != kAirVoxel) {
                    const VoxelCoord at{x + kAirBefore, y + kAirBefore, z + kAirBefore};
                    set_voxel(*grid.find(chunk_of(at)), index_in_chunk(at), voxel);
                }
            }
        }
    }
    return grid;
}

/// Adds a chunk's mesh, `by` metres away.
void append(const TerrainMesh& from, const Vec3& by, TerrainMesh& mesh) {
    const auto units = [](float metres) {
        return static_cast<std::int16_t>(metres * kMeshUnitsPerMetre);
    };
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    for (TerrainVertex vertex : from.vertices) {
        vertex.x = static_cast<std::int16_t>(vertex.x + units(by.x));
        vertex.y = static_cast<std::int16_t>(vertex.y + units(by.y));
        vertex.z = static_cast<std::int16_t>(vertex.z + units(by.z));
        vertex.open = kPieceOpen;
        mesh.vertices.push_back(vertex);
    }
    for (const std::uint32_t index : from.indices) {
        mesh.indices.push_back(first + index);
    }
    mesh.bounds = merge(mesh.bounds, Aabb{from.bounds.min + by, from.bounds.max + by});
}

}  // namespace

void mesh_piece_ground(const VoxelPiece& piece, TerrainMesh& mesh) {
    mesh = {};
    const ChunkCoord chunks{chunks_for(piece.size.x), chunks_for(piece.size.y),
                            chunks_for(piece.size.z)};
    const VoxelGrid grid = grid_around(piece, chunks);
    ChunkVolume volume;
    TerrainMesh part;
    for (std::int32_t y = 0; y < chunks.y; ++y) {
        for (std::int32_t z = 0; z < chunks.z; ++z) {
            for (std::int32_t x = 0; x < chunks.x; ++x) {
                copy_chunk_volume(grid, {x, y, z}, volume);
                mesh_terrain(volume, part);
                if (!part.indices.empty()) {
                    append(
                        part,
                        corner_of(origin_of(ChunkCoord{x, y, z})) - static_cast<float>(kAirBefore),
                        mesh);
                }
            }
        }
    }
    mesh.open_index_count = mesh.indices.size();
}

}  // namespace terrane
