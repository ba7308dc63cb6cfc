#include "shared/bvh/wide_bvh.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "shared/bvh/lane_box.h"

namespace terrane {

WideNode empty_wide_node(std::uint32_t parent, std::uint32_t parent_slot) {
    WideNode node;
    const Aabb empty;
    for (std::uint32_t slot = 0; slot < kWideSlots; ++slot) {
        set_slot_box(node, slot, empty);
        node.child[slot] = kNoBvhNode;
    }
    node.parent = parent;
    node.parent_slot = parent_slot;
    node.object_mask = 0;
    node.used_mask = 0;
    return node;
}

namespace {

float least_of(const std::array<float, kWideSlots>& plane) {
    const Lane4 least = low4(load4(plane.data()), load4(plane.data() + 4));
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

float most_of(const std::array<float, kWideSlots>& plane) {
    const Lane4 most = high4(load4(plane.data()), load4(plane.data() + 4));
    return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

}  // namespace

Aabb box_of(const WideNode& node) {
    // Empty slots are infinite the other way round.
    return {{least_of(node.planes[0]), least_of(node.planes[1]), least_of(node.planes[2])},
            {most_of(node.planes[3]), most_of(node.planes[4]), most_of(node.planes[5])}};
}

WideStat stat_of(const WideBvh& tree) {
    WideStat stat;
    stat.memory_bytes =
        tree.nodes.capacity() * sizeof(WideNode) + tree.places.capacity() * sizeof(std::uint32_t);
    stat.object_count = tree.object_count;
    if (tree.nodes.empty()) {
        return stat;
    }
    const double root_area = surface_area_m2(box_of(tree.nodes[0]));
    std::vector<std::uint32_t> depth(tree.nodes.size(), 1);
    std::uint32_t used = 0;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const WideNode& node = tree.nodes[i];
        if (node.used_mask == 0 && i != 0) {
            continue;  // emptied by removals
        }
        ++stat.node_count;
        used += static_cast<std::uint32_t>(std::popcount(node.used_mask));
        if (node.parent != kNoBvhNode) {
            depth[i] = depth[node.parent] + 1;
        }
        stat.depth = std::max(stat.depth, depth[i]);
        for (std::uint32_t slot = 0; slot < kWideSlots; ++slot) {
            const double area = surface_area_m2(slot_box(node, slot));
            stat.cost += root_area > 0.0 ? area / root_area : 0.0;
        }
    }
    stat.slots_used = static_cast<double>(used) / (8.0 * stat.node_count);
    return stat;
}

namespace {

std::string validate_slot(const WideBvh& tree, std::uint32_t index, std::uint32_t slot,
                          std::span<const Aabb> boxes) {
    const WideNode& node = tree.nodes[index];
    const Aabb box = slot_box(node, slot);
    const std::uint32_t child = node.child[slot];
    if ((node.used_mask >> slot & 1U) == 0) {
        return is_empty(box) ? "" : fmt::format("free slot {}.{} has a box", index, slot);
    }
    Aabb right;
    if ((node.object_mask >> slot & 1U) != 0) {
        if (child >= tree.places.size() || tree.places[child] != index * kWideSlots + slot) {
            return fmt::format("object {} is not noted at {}.{}", child, index, slot);
        }
        right = is_usable_box(boxes[child]) ? boxes[child] : Aabb{};
    } else {
        if (child <= index || child >= tree.nodes.size() || tree.nodes[child].parent != index ||
            tree.nodes[child].parent_slot != slot) {
            return fmt::format("slot {}.{} and its node do not agree", index, slot);
        }
        right = box_of(tree.nodes[child]);
    }
    return box.min == right.min && box.max == right.max
               ? ""
               : fmt::format("slot {}.{} has not its child's box", index, slot);
}

}  // namespace

std::string validate_wide(const WideBvh& tree, std::span<const Aabb> boxes) {
    std::uint32_t objects = 0;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        objects += static_cast<std::uint32_t>(std::popcount(tree.nodes[i].object_mask));
        for (std::uint32_t slot = 0; slot < kWideSlots; ++slot) {
            if (std::string wrong = validate_slot(tree, i, slot, boxes); !wrong.empty()) {
                return wrong;
            }
        }
    }
    if (objects != tree.object_count) {
        return fmt::format("{} objects in slots, {} counted", objects, tree.object_count);
    }
    for (std::uint32_t i = 0; i < tree.places.size(); ++i) {
        const std::uint32_t place = tree.places[i];
        if (place != kNoBvhNode && tree.nodes[place / kWideSlots].child[place % kWideSlots] != i) {
            return fmt::format("object {} is noted where it is not", i);
        }
    }
    return {};
}

}  // namespace terrane
