#include "shared/bvh/build_hlbvh.h"

#include <algorithm>

#include "shared/bvh/build_sah.h"
#include "shared/bvh/linked_tree.h"
#include "shared/bvh/run_parts.h"

namespace terrane {
namespace {

struct Treelet {
    std::size_t first = 0;
    std::size_t count = 0;
    Aabb box;

    std::uint32_t root() const {
        const auto at = static_cast<std::uint32_t>(first);
        return count == 1 ? at | kLinkIsObject : at;
    }
};

std::vector<Treelet> treelets_of(std::span<const SortedKey> keys, int shift) {
    std::vector<Treelet> treelets;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i == 0 || (keys[i].code >> shift) != (keys[i - 1].code >> shift)) {
            treelets.push_back({i, 0, {}});
        }
        ++treelets.back().count;
    }
    return treelets;
}

/// Appends the inner nodes above the treelets; returns the root. `top` has one treelet a leaf.
std::uint32_t join_treelets(const Bvh& top, std::span<const Treelet> treelets,
                            std::span<TreeLink> links, std::size_t next) {
    std::vector<std::uint32_t> link_of(top.nodes.size());
    std::vector<std::uint32_t> count_of(top.nodes.size());
    for (std::size_t i = top.nodes.size(); i-- > 0;) {
        const BvhNode& node = top.nodes[i];
        if (node.count > 0) {
            const Treelet& treelet = treelets[top.objects[node.first]];
            link_of[i] = treelet.root();
            count_of[i] = static_cast<std::uint32_t>(treelet.count);
            continue;
        }
        count_of[i] = count_of[node.first] + count_of[node.first + 1];
        link_of[i] = static_cast<std::uint32_t>(next);
        links[next++] = {link_of[node.first], link_of[node.first + 1], count_of[i]};
    }
    return link_of[0];
}

}  // namespace

Bvh build_hlbvh(std::span<const Aabb> boxes, const HlbvhConfig& config) {
    const std::vector<SortedKey> keys = sorted_keys(boxes, config.code, config.pool);
    if (keys.empty()) {
        return {};
    }
    const int bits = bit_count_of(config.code);
    std::vector<Treelet> treelets =
        treelets_of(keys, bits - std::clamp(config.treelet_bits, 1, bits));
    std::vector<std::uint32_t> order(keys.size());
    std::vector<TreeLink> links(2 * keys.size());
    // Treelet nodes lie at their first key's place; the last place of each stays free.
    run_parts(config.pool, static_cast<std::uint32_t>(treelets.size()), [&](std::uint32_t i) {
        Treelet& treelet = treelets[i];
        const std::size_t end = treelet.first + treelet.count;
        for (std::size_t k = treelet.first; k < end; ++k) {
            order[k] = keys[k].object;
            treelet.box = merge(treelet.box, boxes[keys[k].object]);
        }
        if (treelet.count > 1) {
            link_by_codes(keys, treelet.first, treelet.count, treelet.first, end - 1, links);
        }
    });
    std::vector<Aabb> tops;
    tops.reserve(treelets.size());
    for (const Treelet& treelet : treelets) {
        tops.push_back(treelet.box);
    }
    const Bvh top = build_sah(tops, {.leaf_objects_max = 1, .bin_count = config.bin_count});
    const std::uint32_t root = join_treelets(top, treelets, links, keys.size());
    return tree_of_links(links, root, order, boxes, config.leaf_objects_max);
}

}  // namespace terrane
