// The walks of binary trees, written once for the static and the dynamic one. A view says what a
// node is: root(), is_leaf(node), child(node, side), box(node), each_object(node, call(object,
// box)). Rays go to the nearer child first and skip what lies beyond the best hit.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "shared/bvh/bvh.h"
#include "shared/bvh/query.h"

namespace terrane {

/// What a walk has still to see: on the stack of the thread while it is short, which it nearly
/// always is, in a vector beyond that. A degenerate tree costs time, never correctness.
template <typename Entry>
class WalkStack {
  public:
    bool is_empty() const { return size_ == 0; }
    [[gnu::always_inline]] void push(const Entry& entry) {
        if (size_ < kNear) {
            near_[size_++] = entry;
        } else {
            push_far(entry);
        }
    }
    [[gnu::always_inline]] Entry pop() { return size_ <= kNear ? near_[--size_] : pop_far(); }

  private:
    static constexpr std::size_t kNear = 192;
    std::size_t size_ = 0;
    std::array<Entry, kNear> near_;
    std::vector<Entry> far_;

    [[gnu::noinline]] void push_far(const Entry& entry) {
        far_.push_back(entry);
        ++size_;
    }
    [[gnu::noinline]] Entry pop_far() {
        const Entry entry = far_.back();
        far_.pop_back();
        --size_;
        return entry;
    }
};

struct WalkStep {
    std::uint32_t node;
    float enter;
};

inline void sort_by_object(std::vector<BvhHit>& hits, std::size_t from) {
    std::sort(hits.begin() + static_cast<std::ptrdiff_t>(from), hits.end(),
              [](const BvhHit& a, const BvhHit& b) { return a.object < b.object; });
}

template <typename View>
std::optional<BvhHit> walk_closest(const View& view, const RayProbe& probe, HitTest test) {
    std::optional<BvhHit> best;
    float limit = probe.t_max;
    WalkStack<WalkStep> waiting;
    if (view.root() != kNoBvhNode) {
        waiting.push({view.root(), enter_box(probe, view.box(view.root()), limit)});
    }
    while (!waiting.is_empty()) {
        const WalkStep step = waiting.pop();
        if (!(step.enter <= limit)) {
            continue;
        }
        if (view.is_leaf(step.node)) {
            view.each_object(step.node, [&](std::uint32_t object, const Aabb& box) {
                float t = enter_box(probe, box, limit);
                t = t != kNoHit && test ? test(object, t) : t;
                if (t <= limit && t != kNoHit && (!best || t < best->t || object < best->object)) {
                    best = {object, t};
                    limit = t;
                }
            });
            continue;
        }
        WalkStep left{view.child(step.node, 0), 0.0F};
        WalkStep right{view.child(step.node, 1), 0.0F};
        left.enter = enter_box(probe, view.box(left.node), limit);
        right.enter = enter_box(probe, view.box(right.node), limit);
        if (right.enter < left.enter) {
            std::swap(left, right);
        }
        if (right.enter != kNoHit) {
            waiting.push(right);
        }
        if (left.enter != kNoHit) {
            waiting.push(left);
        }
    }
    return best;
}

/// Calls `visit(object, box)` for every object of every leaf that `is_met(box)` until it returns
/// true, then returns true.
template <typename View, typename Met, typename Visit>
bool walk_each(const View& view, const Met& is_met, const Visit& visit) {
    WalkStack<std::uint32_t> waiting;
    if (view.root() != kNoBvhNode && is_met(view.box(view.root()))) {
        waiting.push(view.root());
    }
    bool is_done = false;
    while (!waiting.is_empty() && !is_done) {
        const std::uint32_t node = waiting.pop();
        if (view.is_leaf(node)) {
            view.each_object(node, [&](std::uint32_t object, const Aabb& box) {
                is_done = is_done || visit(object, box);
            });
            continue;
        }
        for (const int side : {1, 0}) {
            if (is_met(view.box(view.child(node, side)))) {
                waiting.push(view.child(node, side));
            }
        }
    }
    return is_done;
}

template <typename View>
bool walk_any_hit(const View& view, const RayProbe& probe, HitTest test) {
    const auto is_met = [&](const Aabb& box) {
        return enter_box(probe, box, probe.t_max) != kNoHit;
    };
    return walk_each(view, is_met, [&](std::uint32_t object, const Aabb& box) {
        float t = enter_box(probe, box, probe.t_max);
        t = t != kNoHit && test ? test(object, t) : t;
        return t != kNoHit && t <= probe.t_max;
    });
}

template <typename View>
void walk_all_hits(const View& view, const RayProbe& probe, std::vector<BvhHit>& hits,
                   HitTest test) {
    const std::size_t from = hits.size();
    const auto is_met = [&](const Aabb& box) {
        return enter_box(probe, box, probe.t_max) != kNoHit;
    };
    walk_each(view, is_met, [&](std::uint32_t object, const Aabb& box) {
        float t = enter_box(probe, box, probe.t_max);
        t = t != kNoHit && test ? test(object, t) : t;
        if (t != kNoHit && t <= probe.t_max) {
            hits.push_back({object, t});
        }
        return false;
    });
    sort_by_object(hits, from);
}

template <typename View, typename Volume>
bool walk_any_overlap(const View& view, const Volume& volume, ObjectTest test) {
    return !is_empty(volume) && walk_each(
                                    view, [&](const Aabb& box) { return meets(volume, box); },
                                    [&](std::uint32_t object, const Aabb& box) {
                                        return meets(volume, box) && (!test || test(object));
                                    });
}

template <typename View, typename Volume>
void walk_all_overlaps(const View& view, const Volume& volume, std::vector<std::uint32_t>& objects,
                       ObjectTest test) {
    if (is_empty(volume)) {
        return;
    }
    walk_each(
        view, [&](const Aabb& box) { return meets(volume, box); },
        [&](std::uint32_t object, const Aabb& box) {
            if (meets(volume, box) && (!test || test(object))) {
                objects.push_back(object);
            }
            return false;
        });
}

/// Of the objects that `volume` meets, the one nearest to `point`; of equally near ones the lowest.
template <typename View, typename Volume>
std::optional<BvhNearest> walk_closest_overlap(const View& view, const Volume& volume,
                                               const Vec3& point, ObjectTest test) {
    std::optional<BvhNearest> best;
    if (is_empty(volume)) {
        return best;
    }
    const auto is_met = [&](const Aabb& box) {
        return meets(volume, box) &&
               (!best || distance_squared(box, point) <= best->distance_squared_m2);
    };
    walk_each(view, is_met, [&](std::uint32_t object, const Aabb& box) {
        const float distance = distance_squared(box, point);
        if (meets(volume, box) &&
            (!best || distance < best->distance_squared_m2 ||
             (distance == best->distance_squared_m2 && object < best->object)) &&
            (!test || test(object))) {
            best = {object, distance};
        }
        return false;
    });
    return best;
}

}  // namespace terrane
