// Boxes that move every tick, and how their tree is kept, by name:
//
//   reinsert         the dynamic tree with larger boxes: what leaves its own is put in anew
//   refit            the wide tree keeps its shape and is fitted to the boxes of now; a new one
//                    from Morton codes when everything has moved `rebuild_moves` times, or when the
//                    sum of its nodes' surfaces has grown by `rebuild_growth`
//   rebuild_subtree  as refit, but an equal part of the tree is made anew at each commit, so that
//                    no commit costs much more than another
//   rebuild          the wide tree, new at each commit
//
// Ten thousand boxes that all move cost least by refit; a few hundred awake ones among many asleep
// cost by what moved, whichever way. Changes wait until commit() (waiting_list.h): answers count
// them all the same and never depend on the policy or on when the commit comes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/bvh/dynamic_bvh.h"
#include "shared/bvh/waiting_list.h"
#include "shared/bvh/wide_bvh.h"
#include "shared/bvh/wide_lbvh.h"
#include "shared/bvh/wide_subtree.h"
#include "shared/core/result.h"

namespace terrane {

enum class MovingPolicy : std::uint8_t { reinsert, refit, rebuild_subtree, rebuild };

inline constexpr MovingPolicy kMovingPolicies[] = {MovingPolicy::reinsert, MovingPolicy::refit,
                                                   MovingPolicy::rebuild_subtree,
                                                   MovingPolicy::rebuild};

std::string_view name_of(MovingPolicy policy);
/// A wrong name's error lists the right ones.
Result<MovingPolicy> moving_policy_named(std::string_view name);

struct MovingSetConfig {
    MovingPolicy policy = MovingPolicy::refit;
    /// reinsert
    DynamicBvhConfig dynamic{.insert = InsertRule::nearest_centre,
                             .rotate = RotateRule::volume_ratio,
                             .fat_margin_m = 0.6F};
    std::uint32_t rebuild_moves = 16;  ///< refit, rebuild_subtree; at least 1
    float rebuild_growth = 1.2F;       ///< refit, rebuild_subtree
};

struct MovingStat {
    std::uint32_t object_count = 0;
    std::uint32_t waiting_count = 0;
    std::uint32_t node_count = 0;
    std::uint32_t depth = 0;
    double cost = 0.0;  ///< as WideStat's or DynamicBvhStat's
    std::uint64_t commits = 0;
    std::uint64_t rebuilds = 0;          ///< of the whole tree
    std::uint64_t subtree_rebuilds = 0;  ///< rebuild_subtree
    std::uint64_t insertions = 0;        ///< single objects that got a place
};

class MovingSet {
  public:
    explicit MovingSet(const MovingSetConfig& config = {});

    /// The object's box from now on; it is added if it is not in. An unusable box takes it out.
    void set(std::uint32_t object, const Aabb& box);
    void remove(std::uint32_t object);
    /// The one point of a tick at which the tree takes the changes in. Free if nothing changed.
    void commit();

    std::span<const Aabb> boxes() const { return boxes_; }
    const WideBvh& wide_tree() const { return wide_; }           ///< but for reinsert
    const DynamicBvh& dynamic_tree() const { return dynamic_; }  ///< reinsert
    const MovingSetConfig& config() const { return config_; }
    MovingStat stat() const;
    /// What is wrong, in one line; "" if nothing is. Debug and tests.
    std::string validate() const;

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
    void make_room(std::uint32_t object);
    void come_or_go(std::uint32_t object, const Aabb& box);
    void commit_dynamic();
    void commit_wide();
    void take_changes();
    void rebuild_all();
    void rebuild_some();
    template <typename Ask>
    auto ask(const Ask& question) const;

    MovingSetConfig config_;
    std::vector<Aabb> boxes_;  ///< by object, as of now; empty: not in
    WaitingList waiting_;
    std::vector<std::uint32_t> came_or_went_;  ///< of those waiting; some twice
    WideBvh wide_;
    DynamicBvh dynamic_;
    WideLbvhBuilder builder_;
    SubtreeRebuilder subtrees_;
    std::uint64_t moves_since_build_ = 0;
    std::uint64_t changes_since_build_ = 0;  ///< came or went
    float built_area_m2_ = 0.0F;
    std::uint32_t next_subtree_ = 0;
    MovingStat counts_;
};

// Here, since whoever owns ten thousand moving things calls it for each: what moves takes no call
// but to make room.
[[gnu::always_inline]] inline void MovingSet::set(std::uint32_t object, const Aabb& box) {
    if (object >= waiting_.is_in.size()) [[unlikely]] {
        make_room(object);
    }
    // Boxes kept are usable or the empty one: a side tells.
    Aabb& kept = boxes_[object];
    if (kept.min.x <= kept.max.x && is_usable_box(box)) [[likely]] {
        kept = box;
    } else {
        come_or_go(object, box);
    }
    waiting_.add(object);
}

inline void MovingSet::remove(std::uint32_t object) {
    if (object < boxes_.size()) {
        set(object, {});
    }
}

}  // namespace terrane
