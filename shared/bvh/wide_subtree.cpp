#include "shared/bvh/wide_subtree.h"

#include <algorithm>
#include <bit>

namespace terrane {

std::uint32_t SubtreeRebuilder::rebuild(WideBvh& tree, std::span<const Aabb> boxes,
                                        std::uint32_t node, WideLbvhBuilder& builder) {
    gather(tree, node);
    boxes_.clear();
    for (const std::uint32_t object : objects_) {
        boxes_.push_back(boxes[object]);
    }
    builder.build(boxes_, made_);
    if (made_.object_count == objects_.size() && !objects_.empty()) {
        put(tree, node);
    }
    return static_cast<std::uint32_t>(objects_.size());
}

void SubtreeRebuilder::gather(const WideBvh& tree, std::uint32_t node) {
    nodes_.clear();
    objects_.clear();
    open_.assign(1, node);
    while (!open_.empty()) {
        const WideNode& next = tree.nodes[open_.back()];
        open_.pop_back();
        for (std::uint32_t used = next.used_mask; used != 0; used &= used - 1) {
            const auto slot = static_cast<std::uint32_t>(std::countr_zero(used));
            if ((next.object_mask >> slot & 1U) != 0) {
                objects_.push_back(next.child[slot]);
            } else {
                nodes_.push_back(next.child[slot]);
                open_.push_back(next.child[slot]);
            }
        }
    }
    std::ranges::sort(nodes_);
}

void SubtreeRebuilder::put(WideBvh& tree, std::uint32_t node) {
    // The i-th made node goes where the i-th was: a rising map, which keeps parents in front.
    const auto old_count = static_cast<std::uint32_t>(nodes_.size());
    const auto end = static_cast<std::uint32_t>(tree.nodes.size());
    const auto place_of = [&](std::uint32_t made) {
        return made == 0           ? node
               : made <= old_count ? nodes_[made - 1]
                                   : end + (made - old_count - 1);
    };
    const auto made_count = static_cast<std::uint32_t>(made_.nodes.size());
    if (made_count > old_count + 1) {
        tree.nodes.resize(end + (made_count - old_count - 1));
    }
    const std::uint32_t parent = tree.nodes[node].parent;
    const std::uint32_t parent_slot = tree.nodes[node].parent_slot;
    for (std::uint32_t i = 0; i < made_count; ++i) {
        const std::uint32_t place = place_of(i);
        WideNode& put = tree.nodes[place];
        put = made_.nodes[i];
        put.parent = i == 0 ? parent : place_of(put.parent);
        put.parent_slot = i == 0 ? parent_slot : put.parent_slot;
        for (std::uint32_t used = put.used_mask; used != 0; used &= used - 1) {
            const auto slot = static_cast<std::uint32_t>(std::countr_zero(used));
            if ((put.object_mask >> slot & 1U) != 0) {
                put.child[slot] = objects_[put.child[slot]];
                tree.places[put.child[slot]] = place * kWideSlots + slot;
            } else {
                put.child[slot] = place_of(put.child[slot]);
            }
        }
    }
    for (std::uint32_t i = made_count; i <= old_count; ++i) {
        tree.nodes[nodes_[i - 1]] = empty_wide_node(kNoBvhNode, 0);
        tree.free_nodes.push_back(nodes_[i - 1]);
    }
}

}  // namespace terrane
