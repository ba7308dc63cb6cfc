// Where a new object goes, and what happens on the way up from it.
#include <algorithm>
#include <cmath>

#include "shared/bvh/dynamic_bvh.h"

namespace terrane {
namespace {

float centre_distance(const Aabb& a, const Aabb& b) {
    const Vec3 away = (a.min + a.max) - (b.min + b.max);
    return glm::dot(away, away);
}

float volume_m3(const Aabb& box) {
    const Vec3 side = box.max - box.min;
    return side.x * side.y * side.z;
}

}  // namespace

Result<InsertRule> insert_rule_named(std::string_view name) {
    if (name == "nearest_centre") {
        return InsertRule::nearest_centre;
    }
    if (name == "least_surface") {
        return InsertRule::least_surface;
    }
    return fail("no insertion is called '{}'; there are nearest_centre, least_surface", name);
}

Result<RotateRule> rotate_rule_named(std::string_view name) {
    if (name == "off") {
        return RotateRule::off;
    }
    if (name == "sah") {
        return RotateRule::sah;
    }
    if (name == "volume_ratio") {
        return RotateRule::volume_ratio;
    }
    return fail("no rotation is called '{}'; there are off, sah, volume_ratio", name);
}

void DynamicBvh::place_by_centre(std::uint32_t object, const Aabb& fat) {
    std::uint32_t index = root_;
    while (nodes_[index].count == 0) {
        const auto& children = nodes_[index].items;
        const bool is_right = centre_distance(nodes_[children[1]].box, fat) <
                              centre_distance(nodes_[children[0]].box, fat);
        index = children[is_right ? 1 : 0];
    }
    DynamicNode& leaf = nodes_[index];
    if (leaf.count == config_.leaf_objects_max) {
        split_leaf(index, object);
        return;
    }
    leaf.items[leaf.count++] = object;
    leaf.box = merge(leaf.box, fat);
    leaves_[object] = index;
    refresh_upward(leaf.parent);
}

/// Halves along the longest axis of the centres; of equal centres the lower object is lower.
void DynamicBvh::split_leaf(std::uint32_t leaf, std::uint32_t object) {
    std::array<std::uint32_t, kDynamicLeafMax + 1> objects;
    const std::uint32_t count = nodes_[leaf].count + 1;
    std::copy_n(nodes_[leaf].items.begin(), count - 1, objects.begin());
    objects[count - 1] = object;
    Aabb centres;
    for (std::uint32_t i = 0; i < count; ++i) {
        centres = merge(centres, centre(boxes_[objects[i]]));
    }
    const Vec3 side = centres.max - centres.min;
    int axis = side.y > side.x ? 1 : 0;
    axis = side.z > side[axis] ? 2 : axis;
    std::sort(objects.begin(), objects.begin() + count, [&](std::uint32_t a, std::uint32_t b) {
        const float at_a = centre(boxes_[a])[axis];
        const float at_b = centre(boxes_[b])[axis];
        return at_a != at_b ? at_a < at_b : a < b;
    });
    const std::uint32_t half = count / 2;
    const std::uint32_t made = take_node();
    DynamicNode& left = nodes_[leaf];
    DynamicNode& right = nodes_[made];
    left.count = half;
    right = {{}, kNoBvhNode, count - half, {}};
    for (std::uint32_t i = 0; i < count; ++i) {
        DynamicNode& side_node = i < half ? left : right;
        side_node.items[i < half ? i : i - half] = objects[i];
        leaves_[objects[i]] = i < half ? leaf : made;
    }
    left.box = leaf_box(left);
    right.box = leaf_box(right);
    put_beside(leaf, made);
}

void DynamicBvh::place_by_surface(std::uint32_t object, const Aabb& fat) {
    const std::uint32_t sibling = cheapest_sibling(fat);
    const std::uint32_t leaf = take_node();
    nodes_[leaf] = {fat, kNoBvhNode, 1, {object}};
    leaves_[object] = leaf;
    put_beside(sibling, leaf);
}

/// The least cost of a place below a node is the new box's surface plus what its ancestors grow:
/// places are looked at in the order of that bound until none can beat the best.
std::uint32_t DynamicBvh::cheapest_sibling(const Aabb& fat) {
    const auto is_later = [](const Candidate& a, const Candidate& b) { return a.bound > b.bound; };
    const float own_area = surface_area_m2(fat);
    std::uint32_t best = root_;
    float best_cost = surface_area_m2(merge(nodes_[root_].box, fat));
    open_.clear();
    open_.push_back({own_area, root_, 0.0F});
    while (!open_.empty()) {
        std::pop_heap(open_.begin(), open_.end(), is_later);
        const Candidate next = open_.back();
        open_.pop_back();
        if (next.bound >= best_cost) {
            break;
        }
        const DynamicNode& node = nodes_[next.node];
        const float merged = surface_area_m2(merge(node.box, fat));
        const float cost = merged + next.inherited;
        if (cost < best_cost) {
            best_cost = cost;
            best = next.node;
        }
        const float inherited = next.inherited + (merged - surface_area_m2(node.box));
        if (node.count == 0 && own_area + inherited < best_cost) {
            for (std::uint32_t side = 0; side < 2; ++side) {
                open_.push_back({own_area + inherited, node.items[side], inherited});
                std::push_heap(open_.begin(), open_.end(), is_later);
            }
        }
    }
    return best;
}

void DynamicBvh::refresh_upward(std::uint32_t node) {
    while (node != kNoBvhNode) {
        if (config_.rotate != RotateRule::off) {
            rotate(node);
        }
        DynamicNode& here = nodes_[node];
        here.box = merge(nodes_[here.items[0]].box, nodes_[here.items[1]].box);
        node = here.parent;
    }
}

bool DynamicBvh::is_lopsided(const DynamicNode& node) const {
    constexpr float kRatio = 3.0F;
    const float left = volume_m3(nodes_[node.items[0]].box);
    const float right = volume_m3(nodes_[node.items[1]].box);
    return std::max(left, right) > kRatio * std::min(left, right);
}

/// A child of `index` changes places with its niece, if that makes its sibling smaller.
void DynamicBvh::rotate(std::uint32_t index) {
    const DynamicNode& node = nodes_[index];
    if (config_.rotate == RotateRule::volume_ratio && !is_lopsided(node)) {
        return;
    }
    float most = 0.0F;
    std::uint32_t best_side = 0;
    std::uint32_t best_niece = 0;
    for (std::uint32_t side = 0; side < 2; ++side) {
        const DynamicNode& child = nodes_[node.items[side]];
        const DynamicNode& other = nodes_[node.items[1 - side]];
        for (std::uint32_t niece = 0; other.count == 0 && niece < 2; ++niece) {
            const Aabb made = merge(child.box, nodes_[other.items[1 - niece]].box);
            const float gain = surface_area_m2(other.box) - surface_area_m2(made);
            if (gain > most) {
                most = gain;
                best_side = side;
                best_niece = niece;
            }
        }
    }
    if (most <= 0.0F) {
        return;
    }
    ++rotations_;
    const std::uint32_t child = node.items[best_side];
    const std::uint32_t other = node.items[1 - best_side];
    const std::uint32_t niece = nodes_[other].items[best_niece];
    nodes_[index].items[best_side] = niece;
    nodes_[niece].parent = index;
    nodes_[other].items[best_niece] = child;
    nodes_[child].parent = other;
    nodes_[other].box =
        merge(nodes_[nodes_[other].items[0]].box, nodes_[nodes_[other].items[1]].box);
}

}  // namespace terrane
