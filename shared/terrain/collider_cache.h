// Colliders of bricks, made when first asked for and kept up to a budget of bytes: the least
// recently used goes first, never one that is pinned (held by a contact). Dropping a brick forgets
// its collider; a pinned one is rebuilt at once, in place, so that its address and its users stay
// good in the same tick as the edit.
//
//   get ──miss──> built ──budget──> the one used longest ago is evicted
//   pin / unpin   counts; a pinned collider is not evicted
//   drop          unpinned: forgotten; pinned: rebuilt from the voxels
//
// A hit is what rays and contacts do thousands of times a tick: it reads one slot of a table with
// open addressing and stamps the entry. Order is only found when something has to go: a heap holds
// each entry under a stamp that may be out of date; what comes out with an old stamp goes in again
// with its present one. (A list in order of use cost a hit three more cache lines.)
//
// Owner: Terrain. Thread: that of Terrain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

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

    bool has(const BrickCoord& brick) const { return find(brick) != kNoEntry; }
    bool is_pinned(const BrickCoord& brick) const;
    std::size_t budget_bytes() const { return budget_bytes_; }
    const ColliderCacheStats& stats() const { return stats_; }

  private:
    static constexpr std::uint32_t kNoEntry = 0xffffffff;

    /// What a hit reads fills one line of the processor's cache.
    struct alignas(64) Entry {
        std::uint64_t last_used = 0;
        BrickCollider collider;
        BrickCoord brick;
        std::uint32_t pin_count = 0;
        std::size_t bytes = 0;
        std::uint64_t waits_since = 0;  ///< its valid stamp in the heap; 0: not in there
    };
    struct Slot {
        BrickCoord brick;
        std::uint32_t entry = kNoEntry;
    };
    struct Waiting {
        std::uint64_t stamp;
        std::uint32_t entry;
    };

    static constexpr std::uint32_t kBlockShift = 8;
    static constexpr std::uint32_t kBlockSize = 1U << kBlockShift;

    Entry& entry_at(std::uint32_t index) const {
        return blocks_[index >> kBlockShift][index % kBlockSize];
    }
    std::uint32_t find(const BrickCoord& brick) const {
        const std::size_t mask = table_.size() - 1;
        for (std::size_t at = hash_value(brick) & mask;; at = (at + 1) & mask) {
            const Slot& slot = table_[at];
            if (slot.entry == kNoEntry || slot.brick == brick) {
                return slot.entry;
            }
        }
    }
    Entry& find_or_build(const BrickCoord& brick);
    void build(Entry& entry);
    void forget(std::uint32_t entry);
    void insert_slot(const BrickCoord& brick, std::uint32_t entry);
    void erase_slot(const BrickCoord& brick);
    void grow_table();
    void wait(std::uint32_t entry);
    void evict_over_budget();

    const VoxelGrid* grid_;
    std::size_t budget_bytes_;
    ColliderCacheStats stats_;
    BrickColliderBuilder builder_;
    std::uint64_t now_ = 0;                         ///< counts uses
    std::vector<std::unique_ptr<Entry[]>> blocks_;  ///< entries: their addresses stay
    std::uint32_t entry_count_ = 0;
    std::vector<std::uint32_t> free_;
    std::vector<Slot> table_;  ///< a power of two, at most half full; probed one after the other
    std::vector<Waiting> waiting_;  ///< heap, oldest stamp first
};

}  // namespace terrane
