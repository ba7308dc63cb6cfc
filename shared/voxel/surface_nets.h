// The mesher: naive surface nets (Gibson, "Constrained Elastic Surface Nets", 1998) over the solid
// density at voxel centres, surface at 127.5 (the core bit). Physics and the picture use this one
// mesh, so that what is seen is what is stood on.
//
// A cell lies between 8 voxel centres: cell (i, j, k) of a brick has its low corner at the centre
// of voxel (i, j, k), and i, j, k run -1..7. A cell with both inside and outside corners has one
// vertex, the mean of its edges' crossings, snapped to 1/256 voxel, strictly inside the cell. Every
// grid edge between an inside and an outside voxel gives one quad joining the vertices of its 4
// cells, split at its shorter diagonal that lies inside it, so that no triangle is without area or
// faces the ground. A brick owns the edges whose lower voxel is its own, which makes brick meshes
// tile the world: no crack, no overlap, no quad made twice. A vertex has the material of its
// fullest inside corner.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "shared/voxel/voxel_grid.h"

namespace terrane {

/// Voxels [-1, 8] of a brick on each axis, x fastest, then z, then y:
/// index ((y+1)*10 + z+1)*10 + x+1.
struct BrickBox {
    std::array<std::uint8_t, 1000> material;
    std::array<std::uint8_t, 1000> occupancy;
};

BrickBox copy_brick_box(const VoxelGrid& grid, const BrickCoord& brick);

/// Quads as two triangles each: triangles 2q and 2q+1 are quad q's; counter-clockwise seen from
/// outside (from the air). Positions are metres relative to the brick's origin, in [-0.5, 8.5].
struct BrickMesh {
    std::vector<Vec3> positions;
    std::vector<MaterialId> materials;   ///< one a vertex, a solid one
    std::vector<std::uint16_t> indices;  ///< three a triangle
};

void mesh_brick(const BrickBox& box, BrickMesh& mesh);  ///< clears `mesh`, keeps its capacity

}  // namespace terrane
