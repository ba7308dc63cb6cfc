#include "server/physics/terrain_pairs.h"

namespace terrane {

bool TerrainPairs::update(Terrain& terrain, const Aabb& box) {
    const VoxelBox voxels{voxel_at(box.min - 1.0F), voxel_at(box.max + 1.0F)};
    if (is_current_ && voxels == voxels_) {
        return false;
    }
    is_current_ = true;
    ++revision_;
    voxels_ = voxels;
    next_.clear();
    terrain.masks().for_each_touched_brick(box,
                                           [&](const BrickCoord& brick, bool solid, bool water) {
                                               next_.push_back({brick, solid, water});
                                           });
    if (next_ == pairs_) {
        return true;
    }
    // New ones are held before old ones are let go, so that a brick in both is never rebuilt.
    for (const TerrainPair& pair : next_) {
        if (pair.solid) {
            terrain.colliders().pin(pair.brick);
        }
    }
    for (const TerrainPair& pair : pairs_) {
        if (pair.solid) {
            terrain.colliders().unpin(pair.brick);
        }
    }
    pairs_.swap(next_);
    count();
    return true;
}

void TerrainPairs::clear(Terrain& terrain) {
    for (const TerrainPair& pair : pairs_) {
        if (pair.solid) {
            terrain.colliders().unpin(pair.brick);
        }
    }
    pairs_.clear();
    is_current_ = false;
    ++revision_;
    count();
}

void TerrainPairs::count() {
    solid_count_ = 0;
    water_count_ = 0;
    for (const TerrainPair& pair : pairs_) {
        solid_count_ += pair.solid ? 1U : 0U;
        water_count_ += pair.water ? 1U : 0U;
    }
}

}  // namespace terrane
