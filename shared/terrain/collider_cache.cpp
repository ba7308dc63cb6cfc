#include "shared/terrain/collider_cache.h"

#include <algorithm>

#include "shared/core/assert.h"

namespace terrane {
namespace {

constexpr std::size_t kFirstSlots = 64;
/// Stamps out of date in the heap before it is made anew.
constexpr std::size_t kStaleMax = 64;

}  // namespace

ColliderCache::ColliderCache(const VoxelGrid& grid, std::size_t budget_bytes, ColliderKind kind)
    : grid_(&grid), budget_bytes_(budget_bytes), builder_(kind), table_(kFirstSlots) {}

const BrickCollider& ColliderCache::get(const BrickCoord& brick) {
    return find_or_build(brick).collider;
}

const BrickCollider& ColliderCache::pin(const BrickCoord& brick) {
    Entry& entry = find_or_build(brick);
    if (entry.pin_count++ == 0) {
        ++stats_.pinned;
    }
    return entry.collider;
}

void ColliderCache::unpin(const BrickCoord& brick) {
    const std::uint32_t found = find(brick);
    TERRANE_ASSERT(found != kNoEntry && entry_at(found).pin_count > 0);
    Entry& entry = entry_at(found);
    if (--entry.pin_count == 0) {
        --stats_.pinned;
        entry.last_used = ++now_;
        if (entry.waits_since == 0) {
            wait(found);
        }
        evict_over_budget();
    }
}

void ColliderCache::drop(const BrickCoord& brick) {
    const std::uint32_t found = find(brick);
    if (found == kNoEntry) {
        return;
    }
    ++stats_.dropped;
    if (entry_at(found).pin_count > 0) {
        build(entry_at(found));
        evict_over_budget();
        return;
    }
    forget(found);
}

bool ColliderCache::is_pinned(const BrickCoord& brick) const {
    const std::uint32_t found = find(brick);
    return found != kNoEntry && entry_at(found).pin_count > 0;
}

ColliderCache::Entry& ColliderCache::find_or_build(const BrickCoord& brick) {
    const std::uint32_t found = find(brick);
    if (found != kNoEntry) {
        ++stats_.hits;
        entry_at(found).last_used = ++now_;
        return entry_at(found);
    }
    ++stats_.misses;
    std::uint32_t index = entry_count_;
    if (free_.empty()) {
        if (entry_count_++ % kBlockSize == 0) {
            blocks_.push_back(std::make_unique<Entry[]>(kBlockSize));
        }
    } else {
        index = free_.back();
        free_.pop_back();
    }
    Entry& entry = entry_at(index);
    entry.brick = brick;
    entry.last_used = ++now_;
    ++stats_.kept;
    insert_slot(brick, index);
    build(entry);
    wait(index);
    evict_over_budget();
    return entry;
}

void ColliderCache::build(Entry& entry) {
    ++stats_.built;
    stats_.bytes -= entry.bytes;
    builder_.build(*grid_, entry.brick, entry.collider);
    entry.bytes = memory_bytes(entry.collider) + sizeof(Entry) - sizeof(BrickCollider);
    stats_.bytes += entry.bytes;
}

void ColliderCache::forget(std::uint32_t index) {
    Entry& entry = entry_at(index);
    stats_.bytes -= entry.bytes;
    --stats_.kept;
    erase_slot(entry.brick);
    entry = {};
    free_.push_back(index);
}

// ---- order of use ----

void ColliderCache::wait(std::uint32_t index) {
    const auto is_newer = [](const Waiting& a, const Waiting& b) { return a.stamp > b.stamp; };
    if (waiting_.size() > 2 * stats_.kept + kStaleMax) {
        std::erase_if(waiting_, [this](const Waiting& waiting) {
            return entry_at(waiting.entry).waits_since != waiting.stamp;
        });
        std::ranges::make_heap(waiting_, is_newer);
    }
    entry_at(index).waits_since = entry_at(index).last_used;
    waiting_.push_back({entry_at(index).last_used, index});
    std::ranges::push_heap(waiting_, is_newer);
}

void ColliderCache::evict_over_budget() {
    // The newest stays whatever the budget: somebody is about to use it.
    while (stats_.bytes > budget_bytes_ && stats_.kept > stats_.pinned + 1) {
        TERRANE_ASSERT(!waiting_.empty());
        std::ranges::pop_heap(waiting_,
                              [](const Waiting& a, const Waiting& b) { return a.stamp > b.stamp; });
        const Waiting oldest = waiting_.back();
        waiting_.pop_back();
        Entry& entry = entry_at(oldest.entry);
        if (entry.waits_since != oldest.stamp) {
            continue;  // forgotten since
        }
        entry.waits_since = 0;
        if (entry.pin_count > 0) {
            continue;  // unpin sends it here again
        }
        if (entry.last_used != oldest.stamp) {
            wait(oldest.entry);
            continue;
        }
        ++stats_.evicted;
        forget(oldest.entry);
    }
}

// ---- table ----

void ColliderCache::insert_slot(const BrickCoord& brick, std::uint32_t entry) {
    if (2 * stats_.kept > table_.size()) {
        grow_table();
    }
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash_value(brick) & mask;
    while (table_[at].entry != kNoEntry) {
        at = (at + 1) & mask;
    }
    table_[at] = {brick, entry};
}

void ColliderCache::erase_slot(const BrickCoord& brick) {
    const std::size_t mask = table_.size() - 1;
    std::size_t hole = hash_value(brick) & mask;
    while (table_[hole].brick != brick || table_[hole].entry == kNoEntry) {
        hole = (hole + 1) & mask;
    }
    // What stands behind it and could stand in the hole moves up, so that a probe never stops
    // early.
    for (std::size_t at = (hole + 1) & mask; table_[at].entry != kNoEntry; at = (at + 1) & mask) {
        const std::size_t wanted = hash_value(table_[at].brick) & mask;
        if (((at - wanted) & mask) >= ((at - hole) & mask)) {
            table_[hole] = table_[at];
            hole = at;
        }
    }
    table_[hole] = {};
}

void ColliderCache::grow_table() {
    std::vector<Slot> old(2 * table_.size());
    old.swap(table_);
    const std::size_t mask = table_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.entry != kNoEntry) {
            std::size_t at = hash_value(slot.brick) & mask;
            while (table_[at].entry != kNoEntry) {
                at = (at + 1) & mask;
            }
            table_[at] = slot;
        }
    }
}

}  // namespace terrane
