#include "shared/bvh/linked_tree.h"

#include <algorithm>
#include <bit>

namespace terrane {
namespace {

/// Leading bits that keys a and b share, the place being the code's last bits; -1 outside.
struct SharedBits {
    std::span<const SortedKey> keys;

    int operator()(std::int64_t a, std::int64_t b) const {
        if (b < 0 || b >= static_cast<std::int64_t>(keys.size())) {
            return -1;
        }
        const std::uint64_t code_a = keys[static_cast<std::size_t>(a)].code;
        const std::uint64_t code_b = keys[static_cast<std::size_t>(b)].code;
        return code_a != code_b ? std::countl_zero(code_a ^ code_b)
                                : 64 + std::countl_zero(static_cast<std::uint64_t>(a) ^
                                                        static_cast<std::uint64_t>(b));
    }
};

/// Node i over `keys`, places counted from the keys' first.
struct KeyRange {
    std::int64_t first;
    std::int64_t last;   ///< included
    std::int64_t split;  ///< the last key on the left
};

KeyRange range_of(const SharedBits& shared, std::int64_t i) {
    const int direction = shared(i, i + 1) > shared(i, i - 1) ? 1 : -1;
    const int outside = shared(i, i - direction);
    std::int64_t reach = 2;
    while (shared(i, i + reach * direction) > outside) {
        reach *= 2;
    }
    std::int64_t length = 0;
    for (std::int64_t step = reach / 2; step >= 1; step /= 2) {
        if (shared(i, i + (length + step) * direction) > outside) {
            length += step;
        }
    }
    const std::int64_t end = i + length * direction;
    const int inside = shared(i, end);
    std::int64_t split = 0;
    std::int64_t step = length;
    do {
        step = (step + 1) / 2;
        if (split + step < length && shared(i, i + (split + step) * direction) > inside) {
            split += step;
        }
    } while (step > 1);
    const std::int64_t at = i + split * direction + std::min(direction, 0);
    return {std::min(i, end), std::max(i, end), at};
}

}  // namespace

void link_by_codes(std::span<const SortedKey> keys, std::size_t first, std::size_t count,
                   std::size_t from, std::size_t to, std::span<TreeLink> links) {
    const SharedBits shared{keys.subspan(first, count)};
    for (std::size_t node = from; node < to; ++node) {
        const KeyRange range = range_of(shared, static_cast<std::int64_t>(node - first));
        const auto left =
            static_cast<std::uint32_t>(range.split + static_cast<std::int64_t>(first));
        const std::uint32_t right = left + 1;
        links[node] = {range.first == range.split ? left | kLinkIsObject : left,
                       range.last == range.split + 1 ? right | kLinkIsObject : right,
                       static_cast<std::uint32_t>(range.last - range.first + 1)};
    }
}

namespace {

/// Appends the objects below `link` as a leaf's run.
void gather_leaf(std::span<const TreeLink> links, std::uint32_t link,
                 std::span<const std::uint32_t> order, Bvh& tree) {
    std::vector<std::uint32_t> waiting{link};
    const auto first = static_cast<std::ptrdiff_t>(tree.objects.size());
    while (!waiting.empty()) {
        const std::uint32_t at = waiting.back();
        waiting.pop_back();
        if ((at & kLinkIsObject) != 0) {
            tree.objects.push_back(order[at & ~kLinkIsObject]);
        } else {
            waiting.push_back(links[at].right);
            waiting.push_back(links[at].left);
        }
    }
    std::sort(tree.objects.begin() + first, tree.objects.end());
}

}  // namespace

Bvh tree_of_links(std::span<const TreeLink> links, std::uint32_t root,
                  std::span<const std::uint32_t> order, std::span<const Aabb> boxes,
                  std::uint32_t leaf_objects_max) {
    Bvh tree;
    if (order.empty()) {
        return tree;
    }
    struct Place {
        std::uint32_t link;
        std::uint32_t node;
    };
    tree.objects.reserve(order.size());
    tree.nodes.reserve(2 * order.size());
    tree.nodes.resize(1);
    std::vector<Place> waiting{{root, 0}};
    while (!waiting.empty()) {
        const Place place = waiting.back();
        waiting.pop_back();
        const bool is_object = (place.link & kLinkIsObject) != 0;
        const auto first = static_cast<std::uint32_t>(tree.objects.size());
        if (is_object) {
            tree.objects.push_back(order[place.link & ~kLinkIsObject]);
            tree.nodes[place.node] = {{}, first, 1};
        } else if (links[place.link].count <= leaf_objects_max) {
            gather_leaf(links, place.link, order, tree);
            tree.nodes[place.node] = {{}, first, links[place.link].count};
        } else {
            const auto child = static_cast<std::uint32_t>(tree.nodes.size());
            tree.nodes.resize(tree.nodes.size() + 2);
            tree.nodes[place.node] = {{}, child, 0};
            waiting.push_back({links[place.link].right, child + 1});
            waiting.push_back({links[place.link].left, child});
        }
    }
    tree.boxes.resize(tree.objects.size());
    refit(tree, boxes);
    return tree;
}

}  // namespace terrane
