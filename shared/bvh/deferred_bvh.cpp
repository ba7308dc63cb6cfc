#include "shared/bvh/deferred_bvh.h"

#include <algorithm>

namespace terrane {

void DeferredBvh::note(std::uint32_t object) {
    const auto add = [object](std::vector<std::uint32_t>& list, std::vector<bool>& is_in) {
        if (object >= is_in.size()) {
            is_in.resize(std::size_t{object} + 1, false);
        }
        if (!is_in[object]) {
            is_in[object] = true;
            list.push_back(object);
        }
    };
    add(waiting_, is_waiting_);
    if (build_) {
        add(waiting_next_, is_waiting_next_);
    }
}

void DeferredBvh::set(std::uint32_t object, const Aabb& box) {
    if (object >= boxes_.size()) {
        boxes_.resize(std::size_t{object} + 1);
    }
    boxes_[object] = is_usable_box(box) ? box : Aabb{};
    note(object);
}

void DeferredBvh::remove(std::uint32_t object) {
    if (object < boxes_.size()) {
        boxes_[object] = {};
        note(object);
    }
}

void DeferredBvh::commit(std::size_t changes_max) {
    const std::size_t count = std::min(changes_max, waiting_.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t object = waiting_[i];
        terrane::remove(tree_, object);
        terrane::insert(tree_, object, boxes_[object]);
        is_waiting_[object] = false;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
}

void DeferredBvh::swap_in(const Bvh& tree) {
    const BvhPath path = tree_.path;
    tree_ = collapse(tree);
    tree_.path = path;
    build_.reset();
    waiting_ = std::move(waiting_next_);
    is_waiting_ = std::move(is_waiting_next_);
    waiting_next_.clear();
    is_waiting_next_.clear();
}

void DeferredBvh::rebuild() {
    waiting_next_.clear();
    is_waiting_next_.clear();
    swap_in(build_bvh(boxes_, config_));
}

void DeferredBvh::start_rebuild() {
    if (build_) {
        return;
    }
    const SplitRule rule = split_rule_of(config_.builder);
    if (rule == nullptr) {
        rebuild();
        return;
    }
    build_.emplace(boxes_, rule, TopDownConfig{config_.leaf_objects_max, config_.bin_count});
}

bool DeferredBvh::step_rebuild(std::uint64_t objects_max) {
    if (!build_) {
        return true;
    }
    if (!build_->step(objects_max)) {
        return false;
    }
    swap_in(build_->take());
    return true;
}

std::optional<BvhHit> DeferredBvh::closest_hit(const RayProbe& probe, HitTest test) const {
    const auto settled = [&](std::uint32_t object, float enter) {
        return is_waiting(object) ? kNoHit : test ? test(object, enter) : enter;
    };
    std::optional<BvhHit> best =
        terrane::closest_hit(tree_, probe, waiting_.empty() ? test : HitTest(settled));
    for (const std::uint32_t object : waiting_) {
        float t = enter_box(probe, boxes_[object], best ? best->t : probe.t_max);
        t = t != kNoHit && test ? test(object, t) : t;
        if (t != kNoHit && t <= probe.t_max &&
            (!best || t < best->t || (t == best->t && object < best->object))) {
            best = {object, t};
        }
    }
    return best;
}

bool DeferredBvh::any_hit(const RayProbe& probe, HitTest test) const {
    const auto settled = [&](std::uint32_t object, float enter) {
        return is_waiting(object) ? kNoHit : test ? test(object, enter) : enter;
    };
    if (terrane::any_hit(tree_, probe, waiting_.empty() ? test : HitTest(settled))) {
        return true;
    }
    return std::ranges::any_of(waiting_, [&](std::uint32_t object) {
        float t = enter_box(probe, boxes_[object], probe.t_max);
        t = t != kNoHit && test ? test(object, t) : t;
        return t != kNoHit && t <= probe.t_max;
    });
}

void DeferredBvh::all_hits(const RayProbe& probe, std::vector<BvhHit>& hits, HitTest test) const {
    const auto settled = [&](std::uint32_t object, float enter) {
        return is_waiting(object) ? kNoHit : test ? test(object, enter) : enter;
    };
    const auto from = static_cast<std::ptrdiff_t>(hits.size());
    terrane::all_hits(tree_, probe, hits, waiting_.empty() ? test : HitTest(settled));
    for (const std::uint32_t object : waiting_) {
        float t = enter_box(probe, boxes_[object], probe.t_max);
        t = t != kNoHit && test ? test(object, t) : t;
        if (t != kNoHit && t <= probe.t_max) {
            hits.push_back({object, t});
        }
    }
    std::sort(hits.begin() + from, hits.end(),
              [](const BvhHit& a, const BvhHit& b) { return a.object < b.object; });
}

template <typename Volume>
void DeferredBvh::all_overlaps(const Volume& volume, std::vector<std::uint32_t>& objects,
                               ObjectTest test) const {
    const auto settled = [&](std::uint32_t object) {
        return !is_waiting(object) && (!test || test(object));
    };
    const auto from = static_cast<std::ptrdiff_t>(objects.size());
    all_overlaps_unordered(tree_, volume, objects, waiting_.empty() ? test : ObjectTest(settled));
    const Volume bounded = within_bounds(volume);
    for (const std::uint32_t object : waiting_) {
        if (!is_empty(boxes_[object]) && !is_empty(bounded) && meets(bounded, boxes_[object]) &&
            (!test || test(object))) {
            objects.push_back(object);
        }
    }
    std::sort(objects.begin() + from, objects.end());
}

template void DeferredBvh::all_overlaps(const Aabb&, std::vector<std::uint32_t>&, ObjectTest) const;
template void DeferredBvh::all_overlaps(const Sphere&, std::vector<std::uint32_t>&,
                                        ObjectTest) const;
template void DeferredBvh::all_overlaps(const Frustum&, std::vector<std::uint32_t>&,
                                        ObjectTest) const;

}  // namespace terrane
