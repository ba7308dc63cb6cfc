#include "server/replication/node_slots.h"

#include "shared/core/assert.h"

namespace terrane {

NodeSlot* NodeSlots::find(EntityId entity) {
    const auto found = slots_.find(entity);
    return found == slots_.end() ? nullptr : &found->second;
}

bool NodeSlots::enter(EntityId entity) {
    TERRANE_ASSERT(!slots_.contains(entity));
    NodeSlot slot;
    if (unused_ < kSlotsMax) {
        slot.slot = unused_++;
    } else if (!free_.empty()) {
        slot = free_.front();
        free_.pop_front();
        ++slot.generation;
        slot.sent_tick = 0;
    } else {
        return false;
    }
    slots_.emplace(entity, slot);
    return true;
}

NodeSlot NodeSlots::exit(EntityId entity) {
    const auto found = slots_.find(entity);
    TERRANE_ASSERT(found != slots_.end());
    const NodeSlot slot = found->second;
    free_.push_back(slot);
    slots_.erase(found);
    return slot;
}

}  // namespace terrane
