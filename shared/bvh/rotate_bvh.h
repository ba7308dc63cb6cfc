// Tree rotations (Kensler, "Tree Rotations for Improving Bounding Volume Hierarchies", 2008): a
// node's child changes places with its niece when that makes the other child's box smaller. There
// are four a node; nothing has an order to keep. The sweep goes from the leaves up, again and
// again, until nothing improves; then the nodes are laid out depth first again, for a swapped tree
// no longer has its children after their parents, and refits rely on that.
#pragma once

#include "shared/bvh/bvh.h"

namespace terrane {

struct RotateStat {
    std::uint32_t rotations = 0;
    std::uint32_t sweeps = 0;
};

RotateStat rotate_bvh(Bvh& tree, std::uint32_t sweeps_max = 32);

}  // namespace terrane
