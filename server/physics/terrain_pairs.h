// Which bricks a body may touch: (body, brick) pairs from the masks, at most one solid and one
// water contact each. They follow movement: the voxels that the body's box, grown by one, meets are
// compared with those of the last update, and only if they differ are the masks asked again. A pair
// that is no longer there lets go of its collider, a new solid one takes hold of it, so that an
// edit rebuilds at once what somebody stands on. Bullet sees nothing else of the terrain.
//
// Owner: one body's slot in PhysicsWorld. Thread: tick.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/terrain/terrain.h"

namespace terrane {

struct TerrainPair {
    BrickCoord brick;
    bool solid = false;
    bool water = false;

    friend bool operator==(const TerrainPair&, const TerrainPair&) = default;
};

class TerrainPairs {
  public:
    /// Brings the pairs to `box` (metres). Returns whether the masks were asked.
    bool update(Terrain& terrain, const Aabb& box);
    /// The masks near changed: the next update asks them in any case.
    void mark_changed() { is_current_ = false; }
    /// Drops all pairs. Must be called before the body goes: colliders are held by them.
    void clear(Terrain& terrain);

    /// Ascending by brick.
    std::span<const TerrainPair> pairs() const { return pairs_; }
    std::uint32_t solid_count() const { return solid_count_; }
    std::uint32_t water_count() const { return water_count_; }
    /// Another number whenever the masks were asked: what was found before may not hold any more.
    std::uint32_t revision() const { return revision_; }

  private:
    void count();

    std::vector<TerrainPair> pairs_;
    std::vector<TerrainPair> next_;
    VoxelBox voxels_;
    std::uint32_t solid_count_ = 0;
    std::uint32_t water_count_ = 0;
    std::uint32_t revision_ = 0;
    bool is_current_ = false;
};

}  // namespace terrane
