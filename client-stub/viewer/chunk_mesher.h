// A chunk's terrain as triangles for the screen: the brick meshes of surface_nets.h, the same that
// bodies stand on, put together and given what light needs. Everything about a vertex is a function
// of the voxels around its place alone, so the copies that two chunks make of one vertex agree and
// no seam shows.
//   normal     against the gradient of the smoothed density (chunk_volume.h)
//   open       how much of the sky is seen: 13 short rays through the smoothed density that end
//   above all ground wet     water is beside it
#pragma once

#include <cstdint>
#include <vector>

#include "client-stub/viewer/chunk_volume.h"
#include "shared/math/aabb.h"

namespace terrane {

inline constexpr float kMeshUnitsPerMetre = 256.0F;

/// Position in 1/256 m from the chunk's origin, -0.5 .. 32.5 m.
struct TerrainVertex {
    std::int16_t x = 0;
    std::int16_t y = 0;
    std::int16_t z = 0;
    MaterialId material = kFirstSolid;
    MaterialId second_material = kFirstSolid;
    std::uint8_t second_share = 0;  ///< 1/255
    std::uint8_t open = 255;
    std::uint8_t wet = 0;
    std::int8_t normal_x = 0;
    std::int8_t normal_y = 127;
    std::int8_t normal_z = 0;
    std::uint8_t unused[2] = {0, 0};  ///< to whole words
};
static_assert(sizeof(TerrainVertex) == 16);

struct TerrainMesh {
    std::vector<TerrainVertex> vertices;
    /// Three a triangle, counter-clockwise from outside. Triangles of caves come last: those whose
    /// vertices all see no sky (open <= kDarkOpen).
    std::vector<std::uint32_t> indices;
    std::size_t open_index_count = 0;  ///< before the dark ones
    Aabb bounds;                       ///< metres from the chunk's origin
};

inline constexpr std::uint8_t kDarkOpen = 2;

/// Clears `mesh` first. Thread: any. Cost: ~1 ms for a chunk of open hills.
void mesh_terrain(const ChunkVolume& volume, TerrainMesh& mesh);

}  // namespace terrane
