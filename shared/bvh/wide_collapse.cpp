// The collapse of a binary tree into a wide one. Which nodes become wide nodes is chosen by dynamic
// programming (after Ylitie and others, "Efficient Incoherent Ray Traversal on GPUs Through
// Compressed Wide BVHs", 2017): the sum of their surfaces, which is what a query pays, is least.
// Besides its surface a node costs as much as sixteen mean objects' surfaces, for large volumes
// meet it whatever its own: of ten thousand boxes' slots 76 % are used instead of 62, rays cost the
// same, boxes of 96 m a seventh less. (Taking in the largest child again and again used 43 %.)
#include <algorithm>
#include <array>

#include "shared/bvh/wide_bvh.h"

namespace terrane {
namespace {

/// The least sum of surfaces of wide nodes below (and with) a binary node, if what it holds may
/// take 1, 2 … 8 slots, and how to share them: split[k] = slots for the left child, 0: as with one
/// slot less, and with one slot it is a wide node itself.
struct CollapsePlan {
    std::array<float, kWideSlots> cost;  ///< [k - 1]
    std::array<std::uint8_t, kWideSlots + 1> split;
    std::uint32_t object_count;
};

/// What a node costs besides its surface, in surfaces of a mean object.
constexpr float kNodeObjects = 16.0F;

/// What a slot is to hold: a node of the binary tree, or a run of its objects.
struct Item {
    Aabb box;
    std::uint32_t node;  ///< kNoBvhNode: the run
    std::uint32_t first;
    std::uint32_t count;
};

class Collapser {
  public:
    explicit Collapser(const Bvh& tree) : tree_(tree), plans_(tree.nodes.size()) {}

    WideBvh run() {
        if (tree_.nodes.empty()) {
            return std::move(wide_);
        }
        for (const Aabb& box : tree_.boxes) {
            object_area_m2_ += surface_area_m2(box);
        }
        object_area_m2_ *= kNodeObjects / static_cast<float>(tree_.boxes.size());
        for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
            plan_node(tree_.nodes[i], plans_[i]);
        }
        wide_.object_count = static_cast<std::uint32_t>(tree_.objects.size());
        wide_.nodes.reserve(tree_.objects.size() / 4 + 1);
        wide_.places.resize(std::size_t{1} + *std::ranges::max_element(tree_.objects), kNoBvhNode);
        std::vector<Open> open{{item_of(0), kNoBvhNode, 0}};
        while (!open.empty()) {
            const Open next = open.back();
            open.pop_back();
            make_node(next, open);
        }
        return std::move(wide_);
    }

  private:
    struct Open {
        Item item;
        std::uint32_t parent;
        std::uint32_t parent_slot;
    };
    struct Slots {
        std::array<Item, kWideSlots> items;
        std::uint32_t count = 0;
    };

    float node_cost(const BvhNode& node) const {
        return surface_area_m2(node.box) + object_area_m2_;
    }

    void plan_node(const BvhNode& node, CollapsePlan& plan) const {
        plan.split.fill(0);
        if (node.count > 0) {
            plan.object_count = node.count;
            for (std::uint32_t k = 1; k <= kWideSlots; ++k) {
                plan.cost[k - 1] = node.count <= k ? 0.0F : node_cost(node);
            }
            return;
        }
        const CollapsePlan& left = plans_[node.first];
        const CollapsePlan& right = plans_[node.first + 1];
        plan.object_count = left.object_count + right.object_count;
        plan.cost[0] = 0.0F;
        for (std::uint32_t k = 2; k <= kWideSlots; ++k) {
            if (k >= plan.object_count) {  // a slot each
                plan.cost[k - 1] = 0.0F;
                plan.split[k] = static_cast<std::uint8_t>(left.object_count);
                continue;
            }
            float least = left.cost[0] + right.cost[k - 2];
            std::uint8_t split = 1;
            for (std::uint32_t j = 2; j < k; ++j) {
                const float cost = left.cost[j - 1] + right.cost[k - j - 1];
                if (cost < least) {
                    least = cost;
                    split = static_cast<std::uint8_t>(j);
                }
            }
            plan.cost[k - 1] = least;
            plan.split[k] = split;
        }
        // As a wide node of its own it has eight slots, and costs its surface.
        plan.cost[0] = node_cost(node) + plan.cost[kWideSlots - 1];
        for (std::uint32_t k = 2; k < std::min(kWideSlots, plan.object_count); ++k) {
            if (plan.cost[k - 2] <= plan.cost[k - 1]) {
                plan.cost[k - 1] = plan.cost[k - 2];
                plan.split[k] = 0;
            }
        }
    }

    Item item_of(std::uint32_t node) const {
        const BvhNode& from = tree_.nodes[node];
        return from.count > 0 ? Item{from.box, kNoBvhNode, from.first, from.count}
                              : Item{from.box, node, 0, 0};
    }
    Item run_of(std::uint32_t first, std::uint32_t count) const {
        Item item{{}, kNoBvhNode, first, count};
        for (std::uint32_t i = first; i < first + count; ++i) {
            item.box = merge(item.box, tree_.boxes[i]);
        }
        return item;
    }
    static bool is_object(const Item& item) { return item.node == kNoBvhNode && item.count == 1; }

    /// Fills slots with what `node` holds, at most `most` of them.
    void share_slots(std::uint32_t node, std::uint32_t most, Slots& slots) const {
        const BvhNode& from = tree_.nodes[node];
        if (from.count > 0 && from.count <= most) {
            for (std::uint32_t i = 0; i < from.count; ++i) {
                slots.items[slots.count++] = run_of(from.first + i, 1);
            }
            return;
        }
        while (most > 1 && plans_[node].split[most] == 0) {
            --most;
        }
        if (most == 1 || from.count > 0) {
            slots.items[slots.count++] = item_of(node);
            return;
        }
        const std::uint32_t left = plans_[node].split[most];
        share_slots(from.first, left, slots);
        share_slots(from.first + 1, most - left, slots);
    }

    Slots slots_of(const Item& item) const {
        Slots slots;
        if (item.node != kNoBvhNode) {
            const std::uint32_t left = plans_[item.node].split[kWideSlots];
            share_slots(tree_.nodes[item.node].first, left, slots);
            share_slots(tree_.nodes[item.node].first + 1, kWideSlots - left, slots);
            return slots;
        }
        const std::uint32_t parts = std::min(item.count, kWideSlots);
        for (std::uint32_t i = 0; i < parts; ++i) {
            const std::uint32_t from = item.count * i / parts;
            const std::uint32_t to = item.count * (i + 1) / parts;
            slots.items[slots.count++] = run_of(item.first + from, to - from);
        }
        return slots;
    }

    void make_node(const Open& open, std::vector<Open>& rest) {
        const Slots slots = slots_of(open.item);
        const auto index = static_cast<std::uint32_t>(wide_.nodes.size());
        if (open.parent != kNoBvhNode) {
            wide_.nodes[open.parent].child[open.parent_slot] = index;
        }
        wide_.nodes.push_back(empty_wide_node(open.parent, open.parent_slot));
        WideNode& node = wide_.nodes.back();
        for (std::uint32_t slot = 0; slot < slots.count; ++slot) {
            const Item& item = slots.items[slot];
            set_slot_box(node, slot, item.box);
            node.used_mask |= 1U << slot;
            if (is_object(item)) {
                node.child[slot] = tree_.objects[item.first];
                node.object_mask |= 1U << slot;
                wide_.places[node.child[slot]] = index * kWideSlots + slot;
            }
        }
        for (std::uint32_t slot = slots.count; slot-- > 0;) {
            if (!is_object(slots.items[slot])) {
                rest.push_back({slots.items[slot], index, slot});
            }
        }
    }

    const Bvh& tree_;
    std::vector<CollapsePlan> plans_;
    float object_area_m2_ = 0.0F;
    WideBvh wide_;
};

}  // namespace

WideBvh collapse(const Bvh& tree) {
    return Collapser(tree).run();
}

}  // namespace terrane
