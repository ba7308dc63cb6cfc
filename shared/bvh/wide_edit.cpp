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
};

Lane4 half_areas(Lane4 x, Lane4 y, Lane4 z) {
    return x * y + y * z + z * x;
}

/// What a box beside four slots makes them grow; kFar where there is none.
struct FourGrowths {
    Lane4 area;
    Lane4 growth;
};

FourGrowths growths_of(const WideNode& node, std::size_t slot, const Aabb& box) {
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
    return {area, low_x <= high_x ? all - area : spread4(LaneBox::kFar)};
}

Growth least_growth(const WideNode& node, const Aabb& box) {
    const FourGrowths first = growths_of(node, 0, box);
    const FourGrowths second = growths_of(node, 4, box);
    Lane4 least = low4(first.growth, second.growth);
    least = low4(least, __builtin_shufflevector(least, least, 2, 3, 0, 1));
    least = low4(least, __builtin_shufflevector(least, least, 1, 0, 3, 2));
    // Who has it: nearly always one.
    std::uint32_t slots =
        (bits4(first.growth == least) | bits4(second.growth == least) << 4) & node.used_mask;
    if (slots == 0) {
        slots = node.used_mask;  // all are empty boxes: one is as good as another
    }
    if (slots == 0) {
        return {};
    }
    const auto area_of = [&](std::uint32_t slot) {
        return slot < 4 ? first.area[slot] : second.area[slot - 4];
    };
    auto best = static_cast<std::uint32_t>(std::countr_zero(slots));
    for (slots &= slots - 1; slots != 0; slots &= slots - 1) {
        const auto slot = static_cast<std::uint32_t>(std::countr_zero(slots));
        best = area_of(slot) < area_of(best) ? slot : best;
    }
    return {best, 2.0F * least[0]};
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
