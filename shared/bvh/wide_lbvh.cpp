#include <bit>

#include "shared/bvh/sorted_keys.h"
#include "shared/bvh/wide_bvh.h"

namespace terrane {
namespace {

/// Keys [first, last).
struct KeyRun {
    std::size_t first;
    std::size_t last;

    std::size_t count() const { return last - first; }
};

class WideBuild {
  public:
    WideBuild(std::span<const Aabb> boxes, std::span<const SortedKey> keys, WideBvh& tree)
        : boxes_(boxes), keys_(keys), tree_(tree) {}

    /// Depth: a level uses up a bit of the code or halves the run, so at most 32 + 30.
    Aabb make_node(const KeyRun& run, std::uint32_t parent, std::uint32_t parent_slot) {
        constexpr std::size_t kSoon = 64;  // boxes lie anywhere: ask for them early
        if (run.count() <= kSoon && run.count() > kWideSlots) {
            for (std::size_t i = run.first; i < run.last; ++i) {
                __builtin_prefetch(boxes_.data() + keys_[i].object);
            }
        }
        std::array<KeyRun, kWideSlots> runs;
        const std::uint32_t count = split_run(run, runs);
        const auto index = static_cast<std::uint32_t>(tree_.nodes.size());
        tree_.nodes.push_back(empty_wide_node(parent, parent_slot));
        Aabb all;
        for (std::uint32_t slot = 0; slot < count; ++slot) {
            const bool is_object = runs[slot].count() == 1;
            std::uint32_t child = 0;
            Aabb box;
            if (is_object) {
                child = keys_[runs[slot].first].object;
                box = boxes_[child];
                tree_.places[child] = index * kWideSlots + slot;
            } else {
                child = static_cast<std::uint32_t>(tree_.nodes.size());
                box = make_node(runs[slot], index, slot);
            }
            WideNode& node = tree_.nodes[index];
            set_slot_box(node, slot, box);
            node.child[slot] = child;
            node.used_mask |= 1U << slot;
            node.object_mask |= is_object ? 1U << slot : 0U;
            all = merge(all, box);
        }
        return all;
    }

  private:
    /// Splits the longest run until there are eight or all have one key.
    std::uint32_t split_run(const KeyRun& run, std::array<KeyRun, kWideSlots>& runs) const {
        if (run.count() <= kWideSlots) {
            for (std::size_t i = 0; i < run.count(); ++i) {
                runs[i] = {run.first + i, run.first + i + 1};
            }
            return static_cast<std::uint32_t>(run.count());
        }
        std::uint32_t count = 1;
        runs[0] = run;
        while (count < kWideSlots) {
            std::uint32_t longest = 0;
            for (std::uint32_t i = 1; i < count; ++i) {
                longest = runs[i].count() > runs[longest].count() ? i : longest;
            }
            if (runs[longest].count() == 1) {
                break;
            }
            const std::size_t middle = middle_of(runs[longest]);
            runs[count++] = {middle, runs[longest].last};
            runs[longest].last = middle;
        }
        return count;
    }

    /// Where the highest bit in which the run's codes differ changes; half way if none does.
    std::size_t middle_of(const KeyRun& run) const {
        const std::uint64_t differing = keys_[run.first].code ^ keys_[run.last - 1].code;
        if (differing == 0) {
            return run.first + run.count() / 2;
        }
        const std::uint64_t bit = std::bit_floor(differing);
        std::size_t low = run.first;      // has not the bit
        std::size_t high = run.last - 1;  // has it
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            ((keys_[middle].code & bit) == 0 ? low : high) = middle;
        }
        return high;
    }

    std::span<const Aabb> boxes_;
    std::span<const SortedKey> keys_;
    WideBvh& tree_;
};

}  // namespace

WideBvh build_wide_lbvh(std::span<const Aabb> boxes) {
    WideBvh tree;
    const std::vector<SortedKey> keys = sorted_keys(boxes, MortonCode::by_length);
    if (keys.empty()) {
        return tree;
    }
    tree.object_count = static_cast<std::uint32_t>(keys.size());
    tree.places.resize(boxes.size(), kNoBvhNode);
    tree.nodes.reserve(keys.size() / 3 + 1);
    WideBuild(boxes, keys, tree).make_node({0, keys.size()}, kNoBvhNode, 0);
    return tree;
}

}  // namespace terrane
