// A wide tree with a waiting list: added, moved and removed objects wait until the commit point,
// and answers count them all the same. A query asks the tree without the waiting objects, then the
// waiting ones in turn.
//
// commit() puts the list into the tree in place. A rebuild makes a new tree: at once, or step by
// step with a budget while the old one and the list answer; what changes meanwhile waits in a list
// of its own and is on the new tree's when the two are swapped. No answer ever differs from that of
// a tree built anew.
//
//   set, remove --> waiting ----------------------> commit() -> tree
//                      \--> also waiting_next (while a rebuild runs)
//   start_rebuild() -> step_rebuild(budget) ... -> tree = new, waiting = waiting_next
#pragma once

#include <optional>
#include <vector>

#include "shared/bvh/builders.h"
#include "shared/bvh/top_down.h"
#include "shared/bvh/wide_bvh.h"

namespace terrane {

class DeferredBvh {
  public:
    /// The builder's leaves are taken apart by the wide tree: leaf size 1 gives the best one.
    explicit DeferredBvh(const BuildConfig& config = {.leaf_objects_max = 1}) : config_(config) {}

    /// The object's box from now on; it is added if it is not in.
    void set(std::uint32_t object, const Aabb& box);
    void remove(std::uint32_t object);

    /// Puts at most `changes_max` waiting changes into the tree, the oldest first.
    void commit(std::size_t changes_max = ~std::size_t{0});
    void rebuild();
    /// Begins a rebuild from the boxes of now, unless one is under way.
    void start_rebuild();
    /// Works on it for about `objects_max` objects looked at; true when the new tree is in place
    /// or none is being built. A builder that is not top-down does all at once, and so does the
    /// swap: one pass over the new tree.
    bool step_rebuild(std::uint64_t objects_max);
    bool is_rebuilding() const { return build_.has_value(); }

    const WideBvh& tree() const { return tree_; }
    std::size_t waiting_count() const { return waiting_.size(); }
    std::span<const Aabb> boxes() const { return boxes_; }

    std::optional<BvhHit> closest_hit(const RayProbe& probe, HitTest test = {}) const;
    bool any_hit(const RayProbe& probe, HitTest test = {}) const;
    /// Appends, ascending.
    void all_hits(const RayProbe& probe, std::vector<BvhHit>& hits, HitTest test = {}) const;
    /// `Volume`: Aabb, Sphere or Frustum. Appends, ascending.
    template <typename Volume>
    void all_overlaps(const Volume& volume, std::vector<std::uint32_t>& objects,
                      ObjectTest test = {}) const;

  private:
    void note(std::uint32_t object);
    void swap_in(const Bvh& tree);
    bool is_waiting(std::uint32_t object) const {
        return object < is_waiting_.size() && is_waiting_[object];
    }

    BuildConfig config_;
    WideBvh tree_;
    std::vector<Aabb> boxes_;  ///< by object, as of now; empty: not in
    std::vector<std::uint32_t> waiting_;
    std::vector<bool> is_waiting_;
    std::optional<TopDownBuild> build_;
    std::vector<std::uint32_t> waiting_next_;
    std::vector<bool> is_waiting_next_;
};

}  // namespace terrane
