#include "shared/bvh/dynamic_bvh.h"

#include <algorithm>

#include <fmt/format.h>

#include "shared/core/assert.h"

namespace terrane {
namespace {

/// In `leaves_`: in the tree, but with a box that no query can meet.
constexpr std::uint32_t kUnseen = kNoBvhNode - 1;

}  // namespace

DynamicBvh::DynamicBvh(const DynamicBvhConfig& config) : config_(config) {
    TERRANE_ASSERT(config.fat_margin_m >= 0.0F);
    TERRANE_ASSERT(config.leaf_objects_max >= 1 && config.leaf_objects_max <= kDynamicLeafMax);
}

bool DynamicBvh::has(std::uint32_t object) const {
    return object < leaves_.size() && leaves_[object] != kNoBvhNode;
}

void DynamicBvh::insert(std::uint32_t object, const Aabb& box) {
    TERRANE_ASSERT(object < kUnseen && !has(object));
    if (object >= leaves_.size()) {
        leaves_.resize(std::size_t{object} + 1, kNoBvhNode);
        boxes_.resize(std::size_t{object} + 1);
    }
    ++object_count_;
    if (!is_usable_box(box)) {
        boxes_[object] = {};
        leaves_[object] = kUnseen;
        return;
    }
    boxes_[object] = box;
    ++insertions_;
    const Aabb fat = grow(box, config_.fat_margin_m);
    if (root_ == kNoBvhNode) {
        root_ = take_node();
        nodes_[root_] = {fat, kNoBvhNode, 1, {object}};
        leaves_[object] = root_;
    } else if (config_.insert == InsertRule::nearest_centre) {
        place_by_centre(object, fat);
    } else {
        place_by_surface(object, fat);
    }
}

bool DynamicBvh::remove(std::uint32_t object) {
    if (!has(object)) {
        return false;
    }
    if (leaves_[object] != kUnseen) {
        take_out(object);
    }
    leaves_[object] = kNoBvhNode;
    --object_count_;
    return true;
}

bool DynamicBvh::move(std::uint32_t object, const Aabb& box) {
    TERRANE_ASSERT(has(object));
    if (leaves_[object] != kUnseen && is_usable_box(box) &&
        contains(nodes_[leaves_[object]].box, box)) {
        boxes_[object] = box;
        return false;
    }
    remove(object);
    insert(object, box);
    return true;
}

std::uint32_t DynamicBvh::take_node() {
    if (!free_nodes_.empty()) {
        const std::uint32_t node = free_nodes_.back();
        free_nodes_.pop_back();
        return node;
    }
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

Aabb DynamicBvh::leaf_box(const DynamicNode& leaf) const {
    Aabb box;
    for (std::uint32_t i = 0; i < leaf.count; ++i) {
        box = merge(box, grow(boxes_[leaf.items[i]], config_.fat_margin_m));
    }
    return box;
}

void DynamicBvh::put_beside(std::uint32_t sibling, std::uint32_t leaf) {
    const std::uint32_t made = take_node();
    const std::uint32_t parent = nodes_[sibling].parent;
    nodes_[made] = {merge(nodes_[sibling].box, nodes_[leaf].box), parent, 0, {sibling, leaf}};
    nodes_[sibling].parent = made;
    nodes_[leaf].parent = made;
    if (parent == kNoBvhNode) {
        root_ = made;
    } else {
        DynamicNode& above = nodes_[parent];
        above.items[above.items[0] == sibling ? 0 : 1] = made;
    }
    refresh_upward(made);
}

void DynamicBvh::take_out(std::uint32_t object) {
    const std::uint32_t leaf = leaves_[object];
    DynamicNode& node = nodes_[leaf];
    if (node.count > 1) {
        std::uint32_t* last =
            std::remove(node.items.data(), node.items.data() + node.count, object);
        node.count = static_cast<std::uint32_t>(last - node.items.data());
        // The box only shrinks: what is left keeps its room.
        Aabb left;
        for (std::uint32_t i = 0; i < node.count; ++i) {
            left = merge(left, grow(boxes_[node.items[i]], config_.fat_margin_m));
        }
        node.box = intersect(node.box, left);
        refresh_upward(node.parent);
        return;
    }
    const std::uint32_t parent = node.parent;
    free_nodes_.push_back(leaf);
    if (parent == kNoBvhNode) {
        root_ = kNoBvhNode;
        return;
    }
    const DynamicNode above = nodes_[parent];
    const std::uint32_t sibling = above.items[above.items[0] == leaf ? 1 : 0];
    nodes_[sibling].parent = above.parent;
    free_nodes_.push_back(parent);
    if (above.parent == kNoBvhNode) {
        root_ = sibling;
        return;
    }
    DynamicNode& grandparent = nodes_[above.parent];
    grandparent.items[grandparent.items[0] == parent ? 0 : 1] = sibling;
    refresh_upward(above.parent);
}

DynamicBvhStat DynamicBvh::stat() const {
    DynamicBvhStat stat;
    stat.object_count = object_count_;
    stat.insertions = insertions_;
    stat.rotations = rotations_;
    if (root_ == kNoBvhNode) {
        return stat;
    }
    struct Place {
        std::uint32_t node;
        std::uint32_t depth;
    };
    const double root_area = surface_area_m2(nodes_[root_].box);
    std::vector<Place> waiting{{root_, 1}};
    while (!waiting.empty()) {
        const Place place = waiting.back();
        waiting.pop_back();
        const DynamicNode& node = nodes_[place.node];
        ++stat.node_count;
        stat.depth = std::max(stat.depth, place.depth);
        const double area = surface_area_m2(node.box);
        stat.cost += (root_area > 0.0 ? area / root_area : 1.0) * std::max(node.count, 1U);
        if (node.count == 0) {
            waiting.push_back({node.items[1], place.depth + 1});
            waiting.push_back({node.items[0], place.depth + 1});
        }
    }
    return stat;
}

std::string DynamicBvh::validate() const {
    std::vector<bool> seen(leaves_.size(), false);
    std::vector<std::uint32_t> waiting;
    if (root_ != kNoBvhNode) {
        if (nodes_[root_].parent != kNoBvhNode) {
            return "the root has a parent";
        }
        waiting.push_back(root_);
    }
    std::size_t node_count = 0;
    while (!waiting.empty()) {
        const std::uint32_t index = waiting.back();
        waiting.pop_back();
        const DynamicNode& node = nodes_[index];
        ++node_count;
        for (std::uint32_t i = 0; i < node.count; ++i) {
            const std::uint32_t object = node.items[i];
            if (object >= leaves_.size() || seen[object] || leaves_[object] != index) {
                return fmt::format("object {} is twice in the tree or noted elsewhere", object);
            }
            seen[object] = true;
            if (!contains(node.box, boxes_[object])) {
                return fmt::format("leaf {} does not hold object {}", index, object);
            }
        }
        for (std::uint32_t side = 0; node.count == 0 && side < 2; ++side) {
            const std::uint32_t child = node.items[side];
            if (nodes_[child].parent != index || !contains(node.box, nodes_[child].box)) {
                return fmt::format("node {} does not hold its child {}", index, child);
            }
            waiting.push_back(child);
        }
        if (node_count > nodes_.size()) {
            return "a node is its own descendant";
        }
    }
    if (node_count + free_nodes_.size() != nodes_.size()) {
        return fmt::format("{} nodes in the tree, {} free, {} in all", node_count,
                           free_nodes_.size(), nodes_.size());
    }
    for (std::uint32_t i = 0; i < leaves_.size(); ++i) {
        if (seen[i] != (leaves_[i] != kNoBvhNode && leaves_[i] != kUnseen)) {
            return fmt::format("object {} is in no leaf, or in one after its removal", i);
        }
    }
    return {};
}

}  // namespace terrane
