#include "shared/bvh/bvh.h"

#include <algorithm>

#include <fmt/format.h>

#include "shared/core/assert.h"

namespace terrane {
namespace {

Aabb box_of_leaf(const Bvh& tree, const BvhNode& leaf) {
    Aabb box;
    for (std::uint32_t i = leaf.first; i < leaf.first + leaf.count; ++i) {
        box = merge(box, tree.boxes[i]);
    }
    return box;
}

bool is_same(const Aabb& a, const Aabb& b) {
    return a.min == b.min && a.max == b.max;
}

/// Checks the lists of objects: each usable box once, in no order.
std::string validate_objects(const Bvh& tree, std::span<const Aabb> boxes) {
    std::vector<bool> seen(boxes.size(), false);
    for (std::size_t i = 0; i < tree.objects.size(); ++i) {
        const std::uint32_t object = tree.objects[i];
        if (object >= boxes.size() || seen[object]) {
            return fmt::format("object {} at {} is unknown or there twice", object, i);
        }
        seen[object] = true;
        if (is_usable_box(boxes[object]) && !is_same(tree.boxes[i], boxes[object])) {
            return fmt::format("object {} has another box than it was given", object);
        }
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (is_usable_box(boxes[i]) && !seen[i]) {
            return fmt::format("object {} is not in the tree", i);
        }
    }
    return {};
}

std::string validate_node(const Bvh& tree, const BvhNode& node, std::uint32_t index) {
    if (node.count > 0) {
        if (std::size_t{node.first} + node.count > tree.objects.size()) {
            return fmt::format("leaf {} ends beyond the objects", index);
        }
        return is_same(node.box, box_of_leaf(tree, node))
                   ? ""
                   : fmt::format("leaf {} is not the union of its objects", index);
    }
    if (node.first <= index || std::size_t{node.first} + 1 >= tree.nodes.size()) {
        return fmt::format("node {} does not lie before its children", index);
    }
    const Aabb box = merge(tree.nodes[node.first].box, tree.nodes[node.first + 1].box);
    return is_same(node.box, box) ? ""
                                  : fmt::format("node {} is not the union of its children", index);
}

}  // namespace

BvhStat stat_of(const Bvh& tree) {
    BvhStat stat;
    stat.object_count = static_cast<std::uint32_t>(tree.objects.size());
    stat.node_count = static_cast<std::uint32_t>(tree.nodes.size());
    if (tree.nodes.empty()) {
        return stat;
    }
    const double root_area = surface_area_m2(tree.nodes[0].box);
    std::vector<std::uint32_t> depth(tree.nodes.size(), 1);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const BvhNode& node = tree.nodes[i];
        const double area = surface_area_m2(node.box);
        const double share = root_area > 0.0 ? area / root_area : 1.0;
        stat.cost += share * std::max(node.count, 1U);
        stat.depth = std::max(stat.depth, depth[i]);
        if (node.count > 0) {
            ++stat.leaf_count;
        } else {
            depth[node.first] = depth[i] + 1;
            depth[node.first + 1] = depth[i] + 1;
        }
    }
    return stat;
}

void refit(Bvh& tree, std::span<const Aabb> boxes) {
    for (std::size_t i = 0; i < tree.objects.size(); ++i) {
        const Aabb& box = boxes[tree.objects[i]];
        tree.boxes[i] = is_usable_box(box) ? box : Aabb{};
    }
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        BvhNode& node = tree.nodes[i];
        node.box = node.count > 0
                       ? box_of_leaf(tree, node)
                       : merge(tree.nodes[node.first].box, tree.nodes[node.first + 1].box);
    }
}

void order_depth_first(Bvh& tree) {
    if (tree.nodes.empty()) {
        return;
    }
    Bvh ordered;
    ordered.nodes.reserve(tree.nodes.size());
    ordered.objects.reserve(tree.objects.size());
    ordered.boxes.reserve(tree.boxes.size());
    struct Move {
        std::uint32_t from;
        std::uint32_t to;
    };
    std::vector<Move> waiting{{0, 0}};
    ordered.nodes.resize(1);
    while (!waiting.empty()) {
        const Move move = waiting.back();
        waiting.pop_back();
        BvhNode node = tree.nodes[move.from];
        if (node.count > 0) {
            const auto first = static_cast<std::uint32_t>(ordered.objects.size());
            for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
                ordered.objects.push_back(tree.objects[i]);
                ordered.boxes.push_back(tree.boxes[i]);
            }
            node.first = first;
        } else {
            const auto child = static_cast<std::uint32_t>(ordered.nodes.size());
            ordered.nodes.resize(ordered.nodes.size() + 2);
            waiting.push_back({node.first + 1, child + 1});
            waiting.push_back({node.first, child});
            node.first = child;
        }
        ordered.nodes[move.to] = node;
    }
    TERRANE_ASSERT(ordered.nodes.size() == tree.nodes.size());
    tree = std::move(ordered);
}

std::string validate_bvh(const Bvh& tree, std::span<const Aabb> boxes) {
    if (std::string wrong = validate_objects(tree, boxes); !wrong.empty()) {
        return wrong;
    }
    if (tree.nodes.empty()) {
        return {};
    }
    std::vector<std::uint32_t> parents(tree.nodes.size(), 0);
    std::size_t objects = 0;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const BvhNode& node = tree.nodes[i];
        if (std::string wrong = validate_node(tree, node, i); !wrong.empty()) {
            return wrong;
        }
        objects += node.count;
        if (node.count == 0) {
            ++parents[node.first];
            ++parents[node.first + 1];
        }
    }
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        if (parents[i] != (i == 0 ? 0U : 1U)) {
            return fmt::format("node {} has {} parents", i, parents[i]);
        }
    }
    return objects == tree.objects.size() ? "" : "leaves do not name each object once";
}

}  // namespace terrane
