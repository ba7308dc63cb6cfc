// What a node of the scene graph is to those who use it: a handle, and what it is made from.
#pragma once

#include <compare>
#include <cstdint>

#include "shared/math/transform.h"

namespace terrane {

/// Names a node for as long as it lives; a destroyed node's handle is never valid again. The index
/// is reused, the generation is not. Ordered by index. The default names no node.
struct NodeId {
    std::uint32_t index = ~0U;
    std::uint32_t generation = 0;

    friend auto operator<=>(const NodeId&, const NodeId&) = default;
};
inline constexpr NodeId kNoNode{};

struct NodeDef {
    NodeId parent;           ///< kNoNode: a root
    Transform local;         ///< relative to the parent
    Aabb local_box;          ///< in the node's own space; empty: nothing to see (a group, a seat)
    std::uint64_t user = 0;  ///< the owner's own number, e.g. an entity id
};

/// Why a node is recomputed (the first four), and what else its owner must know.
enum NodeFlag : std::uint8_t {
    kNodeScale = 1,
    kNodeRotation = 2,
    kNodeTranslation = 4,
    kNodeParentChanged = 8,
    kNodeNew = 16,      ///< not yet reported by update()
    kNodeBoxless = 32,  ///< its own box is empty
    kNodeDead = 64,     ///< a hole in the arrays
};
inline constexpr std::uint8_t kNodeDirtyFlags =
    kNodeScale | kNodeRotation | kNodeTranslation | kNodeParentChanged;

}  // namespace terrane
