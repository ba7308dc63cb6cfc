#include "shared/bvh/deferred_bvh.h"

#include <algorithm>

namespace terrane {

BvhBuilt run_build(const BvhBuildTask& task) {
    BuildConfig config = task.config;
    config.pool = nullptr;
    return {collapse(build_bvh(task.boxes, config)), task.number};
}

void DeferredBvh::note(std::uint32_t object) {
    waiting_.add(object);
    if (is_rebuilding()) {
        waiting_next_.add(object);
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
    const std::size_t count = std::min(changes_max, waiting_.objects.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t object = waiting_.objects[i];
        terrane::remove(tree_, object);
        terrane::insert(tree_, object, boxes_[object]);
    }
    waiting_.drop_first(count);
    changes_since_build_ += count;
}

void DeferredBvh::swap_in(WideBvh tree) {
    tree.path = tree_.path;
    tree_ = std::move(tree);
    build_.reset();
    is_handed_out_ = false;
    ++build_number_;
    changes_since_build_ = 0;
    std::swap(waiting_, waiting_next_);
    waiting_next_.clear();
}

void DeferredBvh::rebuild() {
    waiting_next_.clear();
    swap_in(collapse(build_bvh(boxes_, config_)));
}

void DeferredBvh::start_rebuild() {
    if (is_rebuilding()) {
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
    swap_in(collapse(build_->take()));
    return true;
}

std::optional<BvhBuildTask> DeferredBvh::hand_out_build() {
    if (is_rebuilding()) {
        return std::nullopt;
    }
    is_handed_out_ = true;
    return BvhBuildTask{boxes_, config_, build_number_};
}

bool DeferredBvh::take_build(BvhBuilt built) {
    if (!is_handed_out_ || built.number != build_number_) {
        return false;
    }
    swap_in(std::move(built.tree));
    return true;
}

std::optional<BvhHit> DeferredBvh::closest_hit(const RayProbe& probe, HitTest test) const {
    return terrane::closest_hit(all(), probe, test);
}

bool DeferredBvh::any_hit(const RayProbe& probe, HitTest test) const {
    return terrane::any_hit(all(), probe, test);
}

void DeferredBvh::all_hits(const RayProbe& probe, std::vector<BvhHit>& hits, HitTest test) const {
    terrane::all_hits(all(), probe, hits, test);
}

template <typename Volume>
bool DeferredBvh::any_overlap(const Volume& volume, ObjectTest test) const {
    return terrane::any_overlap(all(), volume, test);
}

template <typename Volume>
void DeferredBvh::all_overlaps(const Volume& volume, std::vector<std::uint32_t>& objects,
                               ObjectTest test) const {
    terrane::all_overlaps(all(), volume, objects, test);
}

template <typename Volume>
std::optional<BvhNearest> DeferredBvh::closest_overlap(const Volume& volume, const Vec3& point,
                                                       ObjectTest test) const {
    return terrane::closest_overlap(all(), volume, point, test);
}

#define TERRANE_DEFERRED_VOLUME(Volume)                                                         \
    template bool DeferredBvh::any_overlap(const Volume&, ObjectTest) const;                    \
    template void DeferredBvh::all_overlaps(const Volume&, std::vector<std::uint32_t>&,         \
                                            ObjectTest) const;                                  \
    template std::optional<BvhNearest> DeferredBvh::closest_overlap(const Volume&, const Vec3&, \
                                                                    ObjectTest) const
TERRANE_DEFERRED_VOLUME(Aabb);
TERRANE_DEFERRED_VOLUME(Sphere);
TERRANE_DEFERRED_VOLUME(Frustum);
#undef TERRANE_DEFERRED_VOLUME

}  // namespace terrane
