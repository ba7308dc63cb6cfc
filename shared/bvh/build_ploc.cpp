#include "shared/bvh/build_ploc.h"

#include <algorithm>

#include "shared/bvh/lane_box.h"
#include "shared/bvh/linked_tree.h"
#include "shared/core/assert.h"

namespace terrane {
namespace {

struct Cluster {
    LaneBox box;
    std::uint32_t link;
    std::uint32_t count;
};

/// Of the neighbours within `radius`, the cheapest to merge with. The price of a pair is the same
/// from both sides; of equal prices the place next door (i ^ 1) is taken, else the lowest: so the
/// cheapest pair of all chooses each other, every round merges, and equal boxes merge in pairs.
std::vector<std::size_t> choose_neighbours(std::span<const Cluster> clusters, std::size_t radius) {
    std::vector<std::size_t> chosen(clusters.size(), 0);
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        const auto price = [&](std::size_t k) {
            LaneBox both = clusters[i].box;
            both.add(clusters[k].box);
            return half_area_m2(both);
        };
        const std::size_t door = i ^ 1U;
        std::size_t best = door < clusters.size() ? door : i - 1;
        float least = price(best);
        const std::size_t low = i > radius ? i - radius : 0;
        const std::size_t high = std::min(i + radius, clusters.size() - 1);
        for (std::size_t k = low; k <= high; ++k) {
            const float area = k == i ? LaneBox::kFar : price(k);
            if (area < least || (area == least && k < best && best != door)) {
                least = area;
                best = k;
            }
        }
        chosen[i] = best;
    }
    return chosen;
}

}  // namespace

Bvh build_ploc(std::span<const Aabb> boxes, const PlocConfig& config) {
    TERRANE_ASSERT(config.search_radius >= 1);
    const std::vector<SortedKey> keys = sorted_keys(boxes, config.code);
    std::vector<std::uint32_t> order;
    std::vector<Cluster> clusters;
    order.reserve(keys.size());
    clusters.reserve(keys.size());
    for (const SortedKey& key : keys) {
        const auto place = static_cast<std::uint32_t>(order.size());
        order.push_back(key.object);
        clusters.push_back({BuildObject::of(boxes[key.object], 0).box, place | kLinkIsObject, 1});
    }
    std::vector<TreeLink> links;
    links.reserve(keys.size());
    std::vector<Cluster> next;
    while (clusters.size() > 1) {
        const std::vector<std::size_t> chosen = choose_neighbours(clusters, config.search_radius);
        next.clear();
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            const std::size_t other = chosen[i];
            if (chosen[other] != i) {
                next.push_back(clusters[i]);
            } else if (i < other) {
                Cluster both = clusters[i];
                both.box.add(clusters[other].box);
                both.count += clusters[other].count;
                links.push_back({clusters[i].link, clusters[other].link, both.count});
                both.link = static_cast<std::uint32_t>(links.size() - 1);
                next.push_back(both);
            }
        }
        clusters.swap(next);
    }
    const std::uint32_t root = clusters.empty() ? kLinkIsObject : clusters[0].link;
    return tree_of_links(links, root, order, boxes, config.leaf_objects_max);
}

}  // namespace terrane
