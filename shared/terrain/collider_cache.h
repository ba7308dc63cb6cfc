// Colliders of bricks, made when first asked for and kept up to a budget of bytes: the least
// recently used goes first, never one that is pinned (held by a contact). Dropping a brick forgets
// its collider; a pinned one is rebuilt at once, in place, so that its address and its users stay
// good in the same tick as the edit.
//
//   get ──miss──> built, newest ──budget──> oldest unpinned is evicted
//   pin / unpin   counts; a pinned collider is on no eviction list
//   drop          unpinned: forgotten; pinned: rebuilt from the voxels
//
// Owner: Terrain. Thread: that of Terrain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

#include "shared/terrain/brick_collider.h"

namespace terrane {

/// Counts since the start, except `bytes`, `kept` and `pinned`, which are now.
struct ColliderCacheStats {
    std::uint64_t built = 0;
    std::uint64_t dropped = 0;
    std::uint64_t evicted = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::size_t bytes = 0;
    std::size_t kept = 0;
    std::size_t pinned = 0;
};

class ColliderCache {
  public:
    /// `grid` must outlive the cache.
    ColliderCache(const VoxelGrid& grid, std::size_t budget_bytes,
                  ColliderKind kind = ColliderKind::flat);
    ColliderCache(const ColliderCache&) = delete;
    ColliderCache& operator=(const ColliderCache&) = delete;

    /// Builds it if it is not here. Valid until the next get, pin or drop; while pinned, until the
    /// last unpin. A brick without surface gives an empty mesh.
    const BrickCollider& get(const BrickCoord& brick);
    /// get, and hold it. Each pin needs one unpin.
    const BrickCollider& pin(const BrickCoord& brick);
    void unpin(const BrickCoord& brick);
    void drop(const BrickCoord& brick);

    bool has(const BrickCoord& brick) const { return entries_.contains(brick); }
    bool is_pinned(const BrickCoord& brick) const;
    std::size_t budget_bytes() const { return budget_bytes_; }
    const ColliderCacheStats& stats() const { return stats_; }

  private:
    struct Entry {
        BrickCoord brick;
        BrickCollider collider;
        std::size_t bytes = 0;
        std::uint32_t pin_count = 0;
    };
    using EntryList = std::list<Entry>;

    EntryList::iterator find_or_build(const BrickCoord& brick);
    void build(Entry& entry);
    void evict_over_budget();

    const VoxelGrid* grid_;
    std::size_t budget_bytes_;
    ColliderCacheStats stats_;
    BrickColliderBuilder builder_;
    EntryList unpinned_;  ///< newest first
    EntryList pinned_;
    std::unordered_map<BrickCoord, EntryList::iterator> entries_;
};

}  // namespace terrane
