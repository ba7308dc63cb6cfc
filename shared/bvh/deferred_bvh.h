// A wide tree with a waiting list (waiting_list.h), for what seldom changes: added, moved and
// removed objects wait until the commit point, and answers count them all the same.
//
// commit() puts the list into the tree in place. A rebuild makes a new tree: at once, step by step
// with a budget, or away from the thread that owns this: hand_out_build() gives a snapshot,
// run_build() makes a tree of it anywhere, take_build() swaps that in. The old tree and the list
// answer meanwhile; what changes then waits in a list of its own and is on the new tree's when the
// two are swapped. No answer ever differs from that of a tree built anew, so none depends on when
// the swap comes.
//
//   set, remove --> waiting ----------------------> commit() -> tree
//                      \--> also waiting_next (while a rebuild runs)
//   start_rebuild() -> step_rebuild(budget) ... -> tree = new, waiting = waiting_next
//   hand_out_build() -> run_build() elsewhere -> take_build()   the same
#pragma once

#include <optional>
#include <vector>

#include "shared/bvh/builders.h"
#include "shared/bvh/top_down.h"
#include "shared/bvh/waiting_list.h"
#include "shared/bvh/wide_bvh.h"

namespace terrane {

/// All that a build needs: any thread may run it.
struct BvhBuildTask {
    std::vector<Aabb> boxes;
    BuildConfig config;
    std::uint64_t number = 0;
};
struct BvhBuilt {
    WideBvh tree;
    std::uint64_t number = 0;
};
/// A pure function of the task; its pool is not used, since a job may not wait for its own pool.
BvhBuilt run_build(const BvhBuildTask& task);

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
    /// or none is being built in steps. A builder that is not top-down does all at once, and so
    /// does the swap: one pass over the new tree.
    bool step_rebuild(std::uint64_t objects_max);
    /// Begins a rebuild that somebody else runs; nothing while one is under way.
    std::optional<BvhBuildTask> hand_out_build();
    /// Swaps the tree in; false, and nothing changes, if it is not the one that was handed out
    /// last: a rebuild came between. Cost: that of moving a few pointers.
    bool take_build(BvhBuilt built);
    bool is_rebuilding() const { return build_.has_value() || is_handed_out_; }
    /// Changes put into the tree one by one since it was built: after about a tenth of its objects
    /// a rebuild pays.
    std::size_t changes_since_build() const { return changes_since_build_; }

    const WideBvh& tree() const { return tree_; }
    std::size_t waiting_count() const { return waiting_.objects.size(); }
    std::span<const Aabb> boxes() const { return boxes_; }
    const BuildConfig& config() const { return config_; }

    std::optional<BvhHit> closest_hit(const RayProbe& probe, HitTest test = {}) const;
    bool any_hit(const RayProbe& probe, HitTest test = {}) const;
    /// Appends, ascending.
    void all_hits(const RayProbe& probe, std::vector<BvhHit>& hits, HitTest test = {}) const;
    /// `Volume`: Aabb, Sphere or Frustum.
    template <typename Volume>
    bool any_overlap(const Volume& volume, ObjectTest test = {}) const;
    /// Appends, ascending.
    template <typename Volume>
    void all_overlaps(const Volume& volume, std::vector<std::uint32_t>& objects,
                      ObjectTest test = {}) const;
    /// Of what `volume` meets, the object whose box is nearest to `point`.
    template <typename Volume>
    std::optional<BvhNearest> closest_overlap(const Volume& volume, const Vec3& point,
                                              ObjectTest test = {}) const;

  private:
    void note(std::uint32_t object);
    void swap_in(WideBvh tree);
    TreeAndWaiting<WideBvh> all() const { return {tree_, waiting_, boxes_}; }

    BuildConfig config_;
    WideBvh tree_;
    std::vector<Aabb> boxes_;  ///< by object, as of now; empty: not in
    WaitingList waiting_;
    WaitingList waiting_next_;
    std::optional<TopDownBuild> build_;
    bool is_handed_out_ = false;
    std::uint64_t build_number_ = 0;
    std::size_t changes_since_build_ = 0;
};

}  // namespace terrane
