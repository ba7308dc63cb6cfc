// A session's short names for the nodes it sees: a 16-bit slot instead of a 64-bit id, with a
// generation that grows each time the slot is used again. Freed slots rest in a queue, so that a
// slot is reused as late as possible.
//
// Owner: Replicator. Thread: tick.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "server/world/command.h"
#include "shared/protocol/limits.h"

namespace terrane {

struct NodeSlot {
    std::uint16_t slot = 0;
    std::uint8_t generation = 0;
};

class NodeSlots {
  public:
    static constexpr std::size_t kSlotsMax = kNodesPerStateMax;  ///< all may leave in one State

    /// nullptr if the node is not in view.
    const NodeSlot* find(EntityId entity) const;
    /// The node must not be in view; false if all slots are in use.
    bool enter(EntityId entity);
    NodeSlot exit(EntityId entity);

  private:
    std::map<EntityId, NodeSlot> slots_;
    std::deque<NodeSlot> free_;
    std::uint16_t unused_ = 0;  ///< slots from here on were never used
};

}  // namespace terrane
