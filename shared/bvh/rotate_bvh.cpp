#include "shared/bvh/rotate_bvh.h"

#include <utility>

namespace terrane {
namespace {

/// Swaps the best child and niece below `node`, if that makes a child smaller.
bool rotate_node(Bvh& tree, std::uint32_t index) {
    const std::uint32_t children = tree.nodes[index].first;
    float most = 0.0F;
    std::uint32_t best_child = 0;
    std::uint32_t best_niece = 0;
    for (std::uint32_t side = 0; side < 2; ++side) {
        const BvhNode& child = tree.nodes[children + side];
        const BvhNode& other = tree.nodes[children + 1 - side];
        if (other.count > 0) {
            continue;
        }
        for (std::uint32_t niece = 0; niece < 2; ++niece) {
            // `child` takes the niece's place beside the niece that stays.
            const Aabb made = merge(child.box, tree.nodes[other.first + 1 - niece].box);
            const float gain = surface_area_m2(other.box) - surface_area_m2(made);
            if (gain > most) {
                most = gain;
                best_child = children + side;
                best_niece = other.first + niece;
            }
        }
    }
    if (most <= 0.0F) {
        return false;
    }
    std::swap(tree.nodes[best_child], tree.nodes[best_niece]);
    BvhNode& other = tree.nodes[best_child == children ? children + 1 : children];
    other.box = merge(tree.nodes[other.first].box, tree.nodes[other.first + 1].box);
    return true;
}

}  // namespace

RotateStat rotate_bvh(Bvh& tree, std::uint32_t sweeps_max) {
    RotateStat stat;
    while (stat.sweeps < sweeps_max) {
        ++stat.sweeps;
        std::uint32_t rotations = 0;
        for (auto i = static_cast<std::uint32_t>(tree.nodes.size()); i-- > 0;) {
            if (tree.nodes[i].count == 0 && rotate_node(tree, i)) {
                ++rotations;
            }
        }
        order_depth_first(tree);
        stat.rotations += rotations;
        if (rotations == 0) {
            break;
        }
    }
    return stat;
}

}  // namespace terrane
