// Fitting the wide tree to boxes that have moved. Four slots at a time: their four boxes, wherever
// they lie, are read as rows and turned into the columns that a node keeps.
//
//   row of a box    min x, min y, min z, max x | min z, max x, max y, max z     (two loads, 24
//   bytes) columns         planes 0, 1, 2 of four slots | planes 3, 4, 5
#include <array>
#include <bit>

#include "shared/bvh/lane_box.h"
#include "shared/bvh/wide_bvh.h"

namespace terrane {
namespace {

struct Columns {
    Lane4 first;
    Lane4 second;
    Lane4 third;
    Lane4 fourth;
};

Columns transpose(Lane4 a, Lane4 b, Lane4 c, Lane4 d) {
    const Lane4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Lane4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Lane4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Lane4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
            __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
            __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
            __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
}

/// Lanes min x, min y, min z, max x: all of a box but what `upper_row` has.
Lane4 lower_row(const Aabb& box) {
    return load4(&box.min.x);
}
/// Lanes min z, max x, max y, max z.
Lane4 upper_row(const Aabb& box) {
    static_assert(sizeof(Aabb) == 24);
    return load4(&box.min.z);
}

/// Where the boxes of a node's slots lie: its objects', its inner nodes', or an empty one.
struct SlotBoxes {
    const Aabb* objects;
    const Aabb* inner;

    const Aabb* of(const WideNode& node, std::uint32_t slot) const {
        static const Aabb kEmpty;
        const Aabb* from = (node.object_mask >> slot & 1U) != 0 ? objects : inner;
        return (node.used_mask >> slot & 1U) != 0 ? from + node.child[slot] : &kEmpty;
    }
};

/// Sets the planes of slots [slot, slot + 4); unusable boxes become empty ones.
void fit_four(WideNode& node, std::uint32_t slot, const SlotBoxes& boxes, LaneBox& x, LaneBox& y,
              LaneBox& z) {
    const Aabb& a = *boxes.of(node, slot);
    const Aabb& b = *boxes.of(node, slot + 1);
    const Aabb& c = *boxes.of(node, slot + 2);
    const Aabb& d = *boxes.of(node, slot + 3);
    const Columns lower = transpose(lower_row(a), lower_row(b), lower_row(c), lower_row(d));
    const Columns upper = transpose(upper_row(a), upper_row(b), upper_row(c), upper_row(d));
    const Lane4 most = spread4(kBvhCoordinateMax);
    // is_usable_box, of four.
    const auto fits = [&](Lane4 low, Lane4 high) -> Mask4 {
        return (low >= -most) & (low <= high) & (high <= most);
    };
    const Mask4 is_usable = fits(lower.first, upper.second) & fits(lower.second, upper.third) &
                            fits(lower.third, upper.fourth);
    const Lane4 far_away = spread4(LaneBox::kFar);
    const auto put = [&](LaneBox& axis, std::size_t plane, Lane4 low, Lane4 high) {
        low = is_usable ? low : far_away;
        high = is_usable ? high : -far_away;
        std::memcpy(node.planes[plane].data() + slot, &low, sizeof low);
        std::memcpy(node.planes[plane + 3].data() + slot, &high, sizeof high);
        axis.low = low4(axis.low, low);
        axis.high = high4(axis.high, high);
    };
    put(x, 0, lower.first, upper.second);
    put(y, 1, lower.second, upper.third);
    put(z, 2, lower.third, upper.fourth);
}

/// The union of eight boxes whose lanes were merged by fours.
LaneBox union_of(const LaneBox& x, const LaneBox& y, const LaneBox& z) {
    const Columns low = transpose(x.low, y.low, z.low, z.low);
    const Columns high = transpose(x.high, y.high, z.high, z.high);
    LaneBox all;
    all.low = low4(low4(low.first, low.second), low4(low.third, low.fourth));
    all.high = high4(high4(high.first, high.second), high4(high.third, high.fourth));
    return all;
}

}  // namespace

float refit(WideBvh& tree, std::span<const Aabb> boxes) {
    constexpr std::size_t kAhead = 4;  // boxes lie anywhere: ask for them early
    tree.node_boxes.resize(tree.nodes.size());
    const SlotBoxes slots{boxes.data(), tree.node_boxes.data()};
    float half_areas_m2 = 0.0F;
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        if (i >= kAhead) {
            const WideNode& later = tree.nodes[i - kAhead];
            for (std::uint32_t objects = later.object_mask; objects != 0; objects &= objects - 1) {
                const auto slot = static_cast<std::uint32_t>(std::countr_zero(objects));
                __builtin_prefetch(boxes.data() + later.child[slot]);
            }
        }
        WideNode& node = tree.nodes[i];
        LaneBox x;
        LaneBox y;
        LaneBox z;
        fit_four(node, 0, slots, x, y, z);
        fit_four(node, 4, slots, x, y, z);
        const LaneBox all = union_of(x, y, z);
        tree.node_boxes[i] = to_aabb(all);
        half_areas_m2 += half_area_m2(all);
    }
    return 2.0F * half_areas_m2;
}

void refit_object(WideBvh& tree, std::uint32_t object, const Aabb& box) {
    std::uint32_t index = tree.places[object] / kWideSlots;
    std::uint32_t slot = tree.places[object] % kWideSlots;
    Aabb now = is_usable_box(box) ? box : Aabb{};
    while (true) {
        WideNode& node = tree.nodes[index];
        const Aabb before = slot_box(node, slot);
        if (before.min == now.min && before.max == now.max) {
            return;
        }
        set_slot_box(node, slot, now);
        if (node.parent == kNoBvhNode) {
            return;
        }
        now = box_of(node);
        slot = node.parent_slot;
        index = node.parent;
    }
}

}  // namespace terrane
