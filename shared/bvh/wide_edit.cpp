#include <bit>

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

/// The used slot whose box grows least to take `box` in; of equal ones the smallest.
struct Growth {
    std::uint32_t slot = kWideSlots;
    float growth_m2 = 0.0F;
    float area_m2 = 0.0F;
};

Growth least_growth(const WideNode& node, const Aabb& box) {
    Growth best;
    for (std::uint32_t slot = 0; slot < kWideSlots; ++slot) {
        if ((node.used_mask >> slot & 1U) == 0) {
            continue;
        }
        const Aabb has = slot_box(node, slot);
        const float area = surface_area_m2(has);
        const float growth = surface_area_m2(merge(has, box)) - area;
        if (best.slot == kWideSlots || growth < best.growth_m2 ||
            (growth == best.growth_m2 && area < best.area_m2)) {
            best = {slot, growth, area};
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
            const auto made = static_cast<std::uint32_t>(tree.nodes.size());
            node.object_mask &= ~(1U << best.slot);
            node.child[best.slot] = made;
            set_slot_box(node, best.slot, grown);
            tree.nodes.push_back(empty_wide_node(index, best.slot));
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
        index = node.parent;
        if (!is_used) {
            // It stays behind, cut off, until the next build.
            node.parent = kNoBvhNode;
        }
    }
}

}  // namespace terrane
