#include "shared/bvh/build_lbvh.h"

#include <algorithm>

#include "shared/bvh/linked_tree.h"
#include "shared/bvh/run_parts.h"

namespace terrane {

Bvh build_lbvh(std::span<const Aabb> boxes, const LbvhConfig& config) {
    const std::vector<SortedKey> keys = sorted_keys(boxes, config.code, config.pool);
    std::vector<std::uint32_t> order;
    order.reserve(keys.size());
    for (const SortedKey& key : keys) {
        order.push_back(key.object);
    }
    std::uint32_t root = kLinkIsObject;
    std::vector<TreeLink> links;
    if (keys.size() > 1) {
        root = 0;
        links.resize(keys.size() - 1);
        constexpr std::size_t kPartNodes = 8192;
        const auto parts = static_cast<std::uint32_t>((links.size() + kPartNodes - 1) / kPartNodes);
        run_parts(config.pool, parts, [&](std::uint32_t part) {
            const std::size_t from = part * kPartNodes;
            const std::size_t to = std::min(from + kPartNodes, links.size());
            link_by_codes(keys, 0, keys.size(), from, to, links);
        });
    }
    return tree_of_links(links, root, order, boxes, config.leaf_objects_max);
}

}  // namespace terrane
