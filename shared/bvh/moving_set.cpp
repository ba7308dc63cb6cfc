#include "shared/bvh/moving_set.h"

#include <algorithm>

namespace terrane {

std::string_view name_of(MovingPolicy policy) {
    switch (policy) {
        case MovingPolicy::reinsert:
            return "reinsert";
        case MovingPolicy::refit:
            return "refit";
        case MovingPolicy::rebuild_subtree:
            return "rebuild_subtree";
        case MovingPolicy::rebuild:
            return "rebuild";
    }
    return "";
}

Result<MovingPolicy> moving_policy_named(std::string_view name) {
    std::string names;
    for (const MovingPolicy policy : kMovingPolicies) {
        if (name_of(policy) == name) {
            return policy;
        }
        names += names.empty() ? "" : ", ";
        names += name_of(policy);
    }
    return fail("no way to keep moving objects is called '{}'; there are {}", name, names);
}

MovingSet::MovingSet(const MovingSetConfig& config) : config_(config), dynamic_(config.dynamic) {
    config_.rebuild_moves = std::max(config_.rebuild_moves, 1U);
}

void MovingSet::make_room(std::uint32_t object) {
    boxes_.resize(std::size_t{object} + 1);
    waiting_.is_in.resize(boxes_.size(), 0);
}

/// Of what is unusable now, or was not there.
void MovingSet::come_or_go(std::uint32_t object, const Aabb& box) {
    Aabb& kept = boxes_[object];
    const bool was_there = kept.min.x <= kept.max.x;
    const bool is_there = is_usable_box(box);
    kept = is_there ? box : Aabb{};
    if (was_there != is_there) {
        came_or_went_.push_back(object);
    }
}

void MovingSet::commit() {
    ++counts_.commits;
    if (waiting_.objects.empty()) {
        return;
    }
    if (config_.policy == MovingPolicy::reinsert) {
        commit_dynamic();
    } else {
        commit_wide();
    }
    waiting_.clear();
    came_or_went_.clear();
}

void MovingSet::commit_dynamic() {
    for (const std::uint32_t object : waiting_.objects) {
        const Aabb& box = boxes_[object];
        if (is_empty(box)) {
            dynamic_.remove(object);
        } else if (dynamic_.has(object)) {
            dynamic_.move(object, box);
        } else {
            dynamic_.insert(object, box);
        }
    }
}

void MovingSet::commit_wide() {
    // One by one, below this share of the objects, costs less than a pass over all nodes.
    constexpr std::size_t kFewShare = 8;
    constexpr std::uint64_t kChangedShare = 8;
    const std::uint64_t object_count = wide_.object_count;
    moves_since_build_ += waiting_.objects.size();
    const bool is_rebuilt_by_moves = config_.policy == MovingPolicy::refit &&
                                     moves_since_build_ >= config_.rebuild_moves * object_count;
    if (config_.policy == MovingPolicy::rebuild || is_rebuilt_by_moves) {
        rebuild_all();
        return;
    }
    take_changes();
    if (changes_since_build_ * kChangedShare > object_count) {
        rebuild_all();
        return;
    }
    if (waiting_.objects.size() * kFewShare <= object_count) {
        for (const std::uint32_t object : waiting_.objects) {
            if (!is_empty(boxes_[object])) {
                refit_object(wide_, object, boxes_[object]);
            }
        }
    } else if (refit(wide_, boxes_) > config_.rebuild_growth * built_area_m2_) {
        rebuild_all();
        return;
    }
    if (config_.policy == MovingPolicy::rebuild_subtree) {
        rebuild_some();
    }
}

/// Who came gets a slot, who went leaves it.
void MovingSet::take_changes() {
    for (const std::uint32_t object : came_or_went_) {
        const bool is_in = object < wide_.places.size() && wide_.places[object] != kNoBvhNode;
        const bool is_there = !is_empty(boxes_[object]);
        if (is_in && !is_there) {
            terrane::remove(wide_, object);
            ++changes_since_build_;
        } else if (!is_in && is_there) {
            terrane::insert(wide_, object, boxes_[object]);
            ++counts_.insertions;
            ++changes_since_build_;
        }
    }
}

void MovingSet::rebuild_all() {
    builder_.build(boxes_, wide_);
    moves_since_build_ = 0;
    changes_since_build_ = 0;
    next_subtree_ = 0;
    ++counts_.rebuilds;
    built_area_m2_ = 0.0F;
    if (config_.policy != MovingPolicy::rebuild) {
        for (const WideNode& node : wide_.nodes) {
            built_area_m2_ += surface_area_m2(box_of(node));
        }
    }
}

/// The subtrees two levels down, in turn, as many as come to their share of this commit.
void MovingSet::rebuild_some() {
    constexpr std::uint32_t kSubtrees = kWideSlots * kWideSlots;
    if (wide_.nodes.empty()) {
        return;
    }
    const auto moved = static_cast<std::uint32_t>(waiting_.objects.size());
    const std::uint32_t share = (moved + config_.rebuild_moves - 1) / config_.rebuild_moves;
    std::uint32_t done = 0;
    for (std::uint32_t i = 0; i < kSubtrees && done < share; ++i) {
        const std::uint32_t slot = next_subtree_ / kWideSlots;
        const std::uint32_t below = next_subtree_ % kWideSlots;
        next_subtree_ = (next_subtree_ + 1) % kSubtrees;
        const auto is_inner = [](const WideNode& node, std::uint32_t at) {
            return ((node.used_mask & ~node.object_mask) >> at & 1U) != 0;
        };
        const WideNode& root = wide_.nodes[0];
        if (is_inner(root, slot) && is_inner(wide_.nodes[root.child[slot]], below)) {
            const std::uint32_t top = wide_.nodes[root.child[slot]].child[below];
            done += subtrees_.rebuild(wide_, boxes_, top, builder_);
            ++counts_.subtree_rebuilds;
        }
    }
}

MovingStat MovingSet::stat() const {
    MovingStat stat = counts_;
    stat.waiting_count = static_cast<std::uint32_t>(waiting_.objects.size());
    if (config_.policy == MovingPolicy::reinsert) {
        const DynamicBvhStat tree = dynamic_.stat();
        stat.object_count = tree.object_count;
        stat.node_count = tree.node_count;
        stat.depth = tree.depth;
        stat.cost = tree.cost;
        stat.insertions = tree.insertions;
        return stat;
    }
    const WideStat tree = stat_of(wide_);
    stat.object_count = tree.object_count;
    stat.node_count = tree.node_count;
    stat.depth = tree.depth;
    stat.cost = tree.cost;
    return stat;
}

std::string MovingSet::validate() const {
    return config_.policy == MovingPolicy::reinsert ? dynamic_.validate()
                                                    : validate_wide(wide_, boxes_);
}

template <typename Ask>
auto MovingSet::ask(const Ask& question) const {
    return config_.policy == MovingPolicy::reinsert
               ? question(TreeAndWaiting<DynamicBvh>{dynamic_, waiting_, boxes_})
               : question(TreeAndWaiting<WideBvh>{wide_, waiting_, boxes_});
}

std::optional<BvhHit> MovingSet::closest_hit(const RayProbe& probe, HitTest test) const {
    return ask([&](const auto& of) { return terrane::closest_hit(of, probe, test); });
}

bool MovingSet::any_hit(const RayProbe& probe, HitTest test) const {
    return ask([&](const auto& of) { return terrane::any_hit(of, probe, test); });
}

void MovingSet::all_hits(const RayProbe& probe, std::vector<BvhHit>& hits, HitTest test) const {
    ask([&](const auto& of) { terrane::all_hits(of, probe, hits, test); });
}

template <typename Volume>
bool MovingSet::any_overlap(const Volume& volume, ObjectTest test) const {
    return ask([&](const auto& of) { return terrane::any_overlap(of, volume, test); });
}

template <typename Volume>
void MovingSet::all_overlaps(const Volume& volume, std::vector<std::uint32_t>& objects,
                             ObjectTest test) const {
    ask([&](const auto& of) { terrane::all_overlaps(of, volume, objects, test); });
}

template <typename Volume>
std::optional<BvhNearest> MovingSet::closest_overlap(const Volume& volume, const Vec3& point,
                                                     ObjectTest test) const {
    return ask([&](const auto& of) { return terrane::closest_overlap(of, volume, point, test); });
}

#define TERRANE_MOVING_VOLUME(Volume)                                                             \
    template bool MovingSet::any_overlap(const Volume&, ObjectTest) const;                        \
    template void MovingSet::all_overlaps(const Volume&, std::vector<std::uint32_t>&, ObjectTest) \
        const;                                                                                    \
    template std::optional<BvhNearest> MovingSet::closest_overlap(const Volume&, const Vec3&,     \
                                                                  ObjectTest) const
TERRANE_MOVING_VOLUME(Aabb);
TERRANE_MOVING_VOLUME(Sphere);
TERRANE_MOVING_VOLUME(Frustum);
#undef TERRANE_MOVING_VOLUME

}  // namespace terrane
