// A part of the wide tree made anew in place: the objects below one node get a new subtree from
// Morton codes, in the nodes that they have (and some more at the end, if need be). The order of
// the nodes stays: children behind their parents. Kept for its memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/bvh/wide_lbvh.h"

namespace terrane {

class SubtreeRebuilder {
  public:
    /// Every object below `node` must have the usable box that the tree knows. Returns how many
    /// there are.
    std::uint32_t rebuild(WideBvh& tree, std::span<const Aabb> boxes, std::uint32_t node,
                          WideLbvhBuilder& builder);

  private:
    void gather(const WideBvh& tree, std::uint32_t node);
    void put(WideBvh& tree, std::uint32_t node);

    std::vector<std::uint32_t> nodes_;    ///< below the node, ascending
    std::vector<std::uint32_t> objects_;  ///< below the node
    std::vector<std::uint32_t> open_;
    std::vector<Aabb> boxes_;  ///< of objects_
    WideBvh made_;
};

}  // namespace terrane
