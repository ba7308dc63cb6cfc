#include <algorithm>
#include <bit>
#include <cstring>

#include "shared/bvh/lane_box.h"
#include "shared/bvh/wide_bvh.h"
#include "shared/core/assert.h"

namespace terrane {
namespace {

void put_object(WideBvh& tree, std::uint32_t index, std::uint32_t slot, std::uint32_t object,
                const Aabb& box) {
    WideNode& node = tree.nodes[index];
    set_slot_box(node, slot, box);
    node.child[slot] = object;
    node.used_mask |= 1U << slot;
    node.object_mask |= 1U << slot;
    tree.places[object] = index * kWideSlots + slot;
}

/// An emptied node, or a new one: in either case it must lie behind its parent.
std::uint32_t take_node(WideBvh& tree, std::uint32_t parent, std::uint32_t parent_slot) {
    if (!tree.free_nodes.empty() && tree.free_nodes.back() > parent) {
        const std::uint32_t node = tree.free_nodes.back();
        tree.free_nodes.pop_back();
        tree.nodes[node] = empty_wide_node(parent, parent_slot);
        return node;
    }
    tree.nodes.push_back(empty_wide_node(parent, parent_slot));
    return static_cast<std::uint32_t>(tree.nodes.size() - 1);
}

/// The used slot whose box grows least to take `box` in; of equal ones the smallest.
struct Growth {
    std::uint32_t slot = kWideSlots;
    float growth_m2 = 0.0F;
    float area_m2 = 0.0F;
};

Lane4 half_areas(Lane4 x, Lane4 y, Lane4 z) {
    return x * y + y * z + z * x;
}

Growth least_growth(const WideNode& node, const Aabb& box) {
    std::array<float, kWideSlots> areas;
    std::array<float, kWideSlots> grown;
    for (std::size_t slot = 0; slot < kWideSlots; slot += 4) {
        const Lane4 low_x = load4(node.planes[0].data() + slot);
        const Lane4 low_y = load4(node.planes[1].data() + slot);
        const Lane4 low_z = load4(node.planes[2].data() + slot);
        const Lane4 high_x = load4(node.planes[3].data() + slot);
        const Lane4 high_y = load4(node.planes[4].data() + slot);
        const Lane4 high_z = load4(node.planes[5].data() + slot);
        const Lane4 area = half_areas(high_x - low_x, high_y - low_y, high_z - low_z);
        const Lane4 all =
            half_areas(high4(high_x, spread4(box.max.x)) - low4(low_x, spread4(box.min.x)),
                       high4(high_y, spread4(box.max.y)) - low4(low_y, spread4(box.min.y)),
                       high4(high_z, spread4(box.max.z)) - low4(low_z, spread4(box.min.z)));
        std::memcpy(areas.data() + slot, &area, sizeof area);
        std::memcpy(grown.data() + slot, &all, sizeof all);
    }
    // First the least growth, then who has it: nearly always one.
    float least = LaneBox::kFar;
#pragma GCC unroll 8
    for (std::uint32_t slot = 0; slot < kWideSlots; ++slot) {
        const bool is_used = (node.used_mask >> slot & 1U) != 0;
        grown[slot] = is_used ? grown[slot] - areas[slot] : LaneBox::kFar;
        least = std::min(least, grown[slot]);
    }
    Growth best;
#pragma GCC unroll 8
    for (std::uint32_t slot = 0; slot < kWideSlots; ++slot) {
        if (grown[slot] == least && (node.used_mask >> slot & 1U) != 0 &&
            (best.slot == kWideSlots || 2.0F * areas[slot] < best.area_m2)) {
            best = {slot, 2.0F * least, 2.0F * areas[slot]};
        }
    }
    return best;
}

}  // namespace

void insert(WideBvh& tree, std::uint32_t object, const Aabb& box) {
    if (object >= tree.places.size()) {
        tree.places.resize(std::size_t{object} + 1, kNoBvhNode);
    }
    TERRANE_ASSERT(tree.places[object] == kNoBvhNode);
    if (!is_usable_box(box)) {
        return;
    }
    ++tree.object_count;
    if (tree.nodes.empty()) {
        tree.nodes.push_back(empty_wide_node(kNoBvhNode, 0));
    }
    std::uint32_t index = 0;
    const float own_area = surface_area_m2(box);
    while (true) {
        WideNode& node = tree.nodes[index];
        const auto free_slot = static_cast<std::uint32_t>(std::countr_one(node.used_mask));
        const Growth best = least_growth(node, box);
        const bool is_inner = best.slot != kWideSlots && (node.object_mask >> best.slot & 1U) == 0;
        // A slot of its own costs its surface; a place farther down, what its way there grows.
        if (free_slot < kWideSlots && (!is_inner || own_area <= best.growth_m2)) {
            put_object(tree, index, free_slot, object, box);
            return;
        }
        const Aabb grown = merge(slot_box(node, best.slot), box);
        if (!is_inner) {
            const std::uint32_t other = node.child[best.slot];
            const Aabb other_box = slot_box(node, best.slot);
            node.object_mask &= ~(1U << best.slot);
            set_slot_box(node, best.slot, grown);
            const std::uint32_t made = take_node(tree, index, best.slot);
            tree.nodes[index].child[best.slot] = made;
            put_object(tree, made, 0, other, other_box);
            put_object(tree, made, 1, object, box);
            return;
        }
        set_slot_box(node, best.slot, grown);
        index = node.child[best.slot];
    }
}

bool remove(WideBvh& tree, std::uint32_t object) {
    if (object >= tree.places.size() || tree.places[object] == kNoBvhNode) {
        return false;
    }
    std::uint32_t index = tree.places[object] / kWideSlots;
    std::uint32_t slot = tree.places[object] % kWideSlots;
    tree.places[object] = kNoBvhNode;
    --tree.object_count;
    Aabb box;
    bool is_used = false;
    while (true) {
        WideNode& node = tree.nodes[index];
        const Aabb before = slot_box(node, slot);
        set_slot_box(node, slot, box);
        if (!is_used) {
            node.used_mask &= ~(1U << slot);
            node.object_mask &= ~(1U << slot);
            node.child[slot] = kNoBvhNode;
        }
        if (node.parent == kNoBvhNode ||
            (is_used && before.min == box.min && before.max == box.max)) {
            return true;
        }
        is_used = node.used_mask != 0;
        box = box_of(node);
        slot = node.parent_slot;
        const std::uint32_t node_index = index;
        index = node.parent;
        if (!is_used) {
            node.parent = kNoBvhNode;
            tree.free_nodes.push_back(node_index);
        }
    }
}

}  // namespace terrane
