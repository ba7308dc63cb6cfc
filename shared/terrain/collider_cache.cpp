#include "shared/terrain/collider_cache.h"

#include "shared/core/assert.h"

namespace terrane {

ColliderCache::ColliderCache(const VoxelGrid& grid, std::size_t budget_bytes, ColliderKind kind)
    : grid_(&grid), budget_bytes_(budget_bytes), builder_(kind) {}

const BrickCollider& ColliderCache::get(const BrickCoord& brick) {
    return find_or_build(brick)->collider;
}

const BrickCollider& ColliderCache::pin(const BrickCoord& brick) {
    const EntryList::iterator entry = find_or_build(brick);
    if (entry->pin_count++ == 0) {
        pinned_.splice(pinned_.begin(), unpinned_, entry);
        ++stats_.pinned;
    }
    return entry->collider;
}

void ColliderCache::unpin(const BrickCoord& brick) {
    const auto found = entries_.find(brick);
    TERRANE_ASSERT(found != entries_.end() && found->second->pin_count > 0);
    const EntryList::iterator entry = found->second;
    if (--entry->pin_count == 0) {
        unpinned_.splice(unpinned_.begin(), pinned_, entry);
        --stats_.pinned;
        evict_over_budget();
    }
}

void ColliderCache::drop(const BrickCoord& brick) {
    const auto found = entries_.find(brick);
    if (found == entries_.end()) {
        return;
    }
    ++stats_.dropped;
    const EntryList::iterator entry = found->second;
    if (entry->pin_count > 0) {
        build(*entry);
        evict_over_budget();
        return;
    }
    stats_.bytes -= entry->bytes;
    --stats_.kept;
    entries_.erase(found);
    unpinned_.erase(entry);
}

bool ColliderCache::is_pinned(const BrickCoord& brick) const {
    const auto found = entries_.find(brick);
    return found != entries_.end() && found->second->pin_count > 0;
}

ColliderCache::EntryList::iterator ColliderCache::find_or_build(const BrickCoord& brick) {
    const auto found = entries_.find(brick);
    if (found != entries_.end()) {
        ++stats_.hits;
        const EntryList::iterator entry = found->second;
        if (entry->pin_count == 0) {
            unpinned_.splice(unpinned_.begin(), unpinned_, entry);
        }
        return entry;
    }
    ++stats_.misses;
    unpinned_.emplace_front().brick = brick;
    const EntryList::iterator entry = unpinned_.begin();
    entries_.emplace(brick, entry);
    ++stats_.kept;
    build(*entry);
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

void ColliderCache::evict_over_budget() {
    // The newest stays whatever the budget: somebody is about to use it.
    while (stats_.bytes > budget_bytes_ && unpinned_.size() > 1) {
        const Entry& oldest = unpinned_.back();
        stats_.bytes -= oldest.bytes;
        --stats_.kept;
        ++stats_.evicted;
        entries_.erase(oldest.brick);
        unpinned_.pop_back();
    }
}

}  // namespace terrane
