// The world that the terrain rows measure: generated like the default zone, 8 x 6 x 8 chunks of it,
// with its masks and the meshes of its surface bricks. Made once, at the first row that asks.
#pragma once

#include <vector>

#include "shared/core/random.h"
#include "shared/terrain/terrain.h"

namespace terrane::bench {

struct SurfaceBrick {
    BrickCoord brick;
    BrickMesh mesh;

    TriangleMeshView view() const { return {mesh.positions, mesh.indices, Vec3(0.0F)}; }
};

struct TerrainScene {
    VoxelGrid grid;
    Terrain terrain;
    std::vector<BrickCoord> mixed;       ///< bricks of the zone that have a mask, ascending
    std::vector<SurfaceBrick> surfaces;  ///< bricks of the zone with triangles, ascending
    std::size_t triangle_count = 0;

    TerrainScene();
};

TerrainScene& terrain_scene();

/// A point of a surface, zone space: where something happens.
Vec3 surface_point(const TerrainScene& scene, Random& random);

}  // namespace terrane::bench
