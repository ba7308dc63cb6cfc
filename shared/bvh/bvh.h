// A binary tree of boxes: every builder of this room makes one. It knows boxes and indices and
// nothing of what they stand for: object i is box i of the span that was built from.
//
// Nodes lie in one array, the root first, the two children of a node side by side, children after
// their parent, so that one sweep from the end refits the tree. A leaf names a run of `objects`;
// `boxes` holds their boxes in the same order, for a leaf of several objects must ask each of them.
//
//   nodes    [ root | left right | left right | ... ]     inner: first = index of its left child
//   objects  [ 7 | 2 9 | 4 ... ]                          leaf: first, count = its run here
//   boxes    [ . | . . | . ... ]
//
// An object whose box is empty or not finite, or reaches beyond kBvhCoordinateMax, gets no leaf: no
// query finds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shared/bvh/lane_box.h"
#include "shared/math/aabb.h"

namespace terrane {

inline constexpr std::uint32_t kNoBvhNode = ~0U;
/// Farther than any world; areas and distances stay finite within.
inline constexpr float kBvhCoordinateMax = 1e18F;

struct BvhNode {
    Aabb box;
    std::uint32_t first = 0;
    std::uint32_t count = 0;  ///< objects of a leaf; 0: an inner node
};
static_assert(sizeof(BvhNode) == 32);

struct Bvh {
    std::vector<BvhNode> nodes;  ///< empty if there is no object
    std::vector<std::uint32_t> objects;
    std::vector<Aabb> boxes;
};

struct BvhStat {
    std::uint32_t object_count = 0;
    std::uint32_t node_count = 0;
    std::uint32_t leaf_count = 0;
    std::uint32_t depth = 0;  ///< 1 for a single leaf
    /// Expected work of a random ray: each node's share of the root's surface, times its objects if
    /// it is a leaf. Compares trees of one leaf size only.
    double cost = 0.0;
};

/// Can a tree hold it? NaN and infinities never. Without branches: refits ask it of every box.
inline bool is_usable_box(const Aabb& box) {
    static_assert(sizeof(Aabb) == 24);
    const Lane4 lower = load4(&box.min.x);  // min x, min y, min z, max x
    const Lane4 upper = load4(&box.min.z);  // min z, max x, max y, max z
    const Lane4 low = __builtin_shufflevector(lower, lower, 0, 1, 2, 2);
    const Lane4 high = __builtin_shufflevector(upper, upper, 1, 2, 3, 3);
    const Lane4 most = spread4(kBvhCoordinateMax);
    return bits4((low >= -most) & (low <= high) & (high <= most)) == 0xFU;
}

BvhStat stat_of(const Bvh& tree);

/// Gives every object its box of now and every node the union of what lies below. boxes[i] is
/// object i's; one that has become empty is found no more, one that was empty when the tree was
/// built stays out until a rebuild. Cost: one pass.
void refit(Bvh& tree, std::span<const Aabb> boxes);

/// Lays the nodes out depth first again, children after parents, after nodes have been swapped.
void order_depth_first(Bvh& tree);

/// What is wrong with the tree over `boxes`, in one line; "" if nothing is. Debug and tests.
std::string validate_bvh(const Bvh& tree, std::span<const Aabb> boxes);

}  // namespace terrane
