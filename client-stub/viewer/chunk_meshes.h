// The meshes of all chunks in view, on the graphics card. Chunks that changed wait here and are
// meshed nearest first, a few a frame, so that a burst of arrivals never stops the picture. A chunk
// with a neighbour still on its way waits until arrivals pause: meshed at once it would be meshed
// again for every neighbour.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "client-stub/viewer/chunk_mesher.h"
#include "client-stub/viewer/gl.h"
#include "client-stub/viewer/water_mesher.h"

namespace terrane {

struct ChunkParts {
    Vec3 origin{0.0F};  ///< zone space
    GlMesh terrain;
    std::size_t open_index_count = 0;  ///< of terrain: what follows sees no sky
    GlMesh water;
    Aabb terrain_box;  ///< zone space; empty if there is no such mesh
    Aabb water_box;
};

class ChunkMeshes {
  public:
    /// A chunk is new or replaced whole: it, its neighbours and the caves below look different.
    void chunk_arrived(const VoxelGrid& grid, const ChunkCoord& chunk);
    void chunk_left(const ChunkCoord& chunk);
    void voxels_changed(const VoxelBox& box);

    /// Meshes at most `count_max` waiting chunks, those nearest to `eye` first.
    void update(const VoxelGrid& grid, const Vec3& eye, std::size_t count_max);

    std::size_t waiting_count() const { return waiting_.size(); }
    const std::map<ChunkCoord, ChunkParts>& parts() const { return parts_; }
    /// Grows whenever a mesh changes.
    std::uint64_t version() const { return version_; }

  private:
    std::vector<ChunkCoord> choose(const VoxelGrid& grid, const Vec3& eye,
                                   std::size_t count_max) const;
    void mesh(const VoxelGrid& grid, const ChunkCoord& chunk);

    std::map<ChunkCoord, ChunkParts> parts_;
    std::set<ChunkCoord> waiting_;
    int frames_since_arrival_ = 0;
    std::uint64_t version_ = 0;
    ChunkVolume volume_;  // kept for their memory
    TerrainMesh terrain_;
    WaterMesh water_;
};

}  // namespace terrane
