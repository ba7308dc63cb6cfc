// A binary tree while a bottom-up builder makes it: inner nodes name two children each, an object
// by its place in the sorted order. Karras's rule ("Maximizing Parallelism in the Construction of
// BVHs, Octrees, and k-d Trees", 2012) finds every inner node of the tree over sorted codes by
// itself, without its parent: node i covers the keys from i to the side whose neighbour shares
// more leading bits, as far as they share more than with the other neighbour, and splits where the
// highest differing bit changes. Equal codes are told apart by place; outside the range nothing is
// shared (-1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/bvh/bvh.h"
#include "shared/bvh/sorted_keys.h"

namespace terrane {

inline constexpr std::uint32_t kLinkIsObject = 0x80000000U;

struct TreeLink {
    std::uint32_t left = 0;  ///< an inner node, or kLinkIsObject | a place in the order
    std::uint32_t right = 0;
    std::uint32_t count = 0;  ///< objects below
};

/// Inner nodes [first, first + count - 1) of the tree over keys [first, first + count), count >= 2;
/// the root is node `first`. Makes nodes `from` up to below `to` only: any thread.
void link_by_codes(std::span<const SortedKey> keys, std::size_t first, std::size_t count,
                   std::size_t from, std::size_t to, std::span<TreeLink> links);

/// The tree below `root`, with subtrees of at most `leaf_objects_max` objects made leaves.
/// `order[place]` is an object's index.
Bvh tree_of_links(std::span<const TreeLink> links, std::uint32_t root,
                  std::span<const std::uint32_t> order, std::span<const Aabb> boxes,
                  std::uint32_t leaf_objects_max);

}  // namespace terrane
