// A session's short names for the nodes it sees: a 16-bit slot instead of a 64-bit id, with a
// generation that grows each time the slot is used again. Freed slots rest in a queue, so that a
// slot is reused as late as possible.
//
// Owner: NodeStream. Thread: tick.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "server/world/command.h"
#include "shared/protocol/limits.h"

namespace terrane {

struct NodeSlot {
    std::uint16_t slot = 0;
    std::uint8_t generation = 0;
    std::uint64_t sent_tick = 0;  ///< of the last State that holds the node's pose
};

class NodeSlots {
  public:
    static constexpr std::size_t kSlotsMax = kNodesPerStateMax;  ///< all may leave in one State

    /// nullptr if the node is not in view. Valid until it exits.
    NodeSlot* find(EntityId entity);
    /// The node must not be in view; false if all slots are in use.
    bool enter(EntityId entity);
    NodeSlot exit(EntityId entity);
    std::size_t count() const { return slots_.size(); }

  private:
    std::unordered_map<EntityId, NodeSlot> slots_;  ///< looked up, never iterated
    std::deque<NodeSlot> free_;
    std::uint16_t unused_ = 0;  ///< slots from here on were never used
};

}  // namespace terrane
