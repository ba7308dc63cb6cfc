// Changes that a tree has not taken in yet, and answers that count them all the same: the tree is
// asked without the objects that wait, then these in turn, by their boxes of now. What is answered
// is what asking every box in turn would give, so it never depends on when the tree takes them in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shared/bvh/query.h"

namespace terrane {

struct WaitingList {
    std::vector<std::uint32_t> objects;  ///< each once, in the order of their first change
    std::vector<std::uint8_t> is_in;     ///< by object

    bool has(std::uint32_t object) const { return object < is_in.size() && is_in[object] != 0; }
    void add(std::uint32_t object) {
        if (object >= is_in.size()) {
            is_in.resize(std::size_t{object} + 1, 0);
        }
        if (is_in[object] == 0) {
            is_in[object] = 1;
            objects.push_back(object);
        }
    }
    /// Takes the first `count` out.
    void drop_first(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            is_in[objects[i]] = 0;
        }
        objects.erase(objects.begin(), objects.begin() + static_cast<std::ptrdiff_t>(count));
    }
    void clear() {
        std::ranges::fill(is_in, std::uint8_t{0});
        objects.clear();
    }
};

/// A tree, what waits beside it, and the boxes of now by object (empty: not there).
template <typename Tree>
struct TreeAndWaiting {
    const Tree& tree;
    const WaitingList& waiting;
    std::span<const Aabb> boxes;
};

template <typename Tree>
std::optional<BvhHit> closest_hit(const TreeAndWaiting<Tree>& of, const RayProbe& probe,
                                  HitTest test) {
    if (of.waiting.objects.empty()) {
        return closest_hit(of.tree, probe, test);
    }
    const auto settled = [&](std::uint32_t object, float enter) {
        return of.waiting.has(object) ? kNoHit : test ? test(object, enter) : enter;
    };
    std::optional<BvhHit> best = closest_hit(of.tree, probe, HitTest(settled));
    for (const std::uint32_t object : of.waiting.objects) {
        float t = enter_box(probe, of.boxes[object], best ? best->t : probe.t_max);
        t = t != kNoHit && test ? test(object, t) : t;
        if (t != kNoHit && t <= probe.t_max &&
            (!best || t < best->t || (t == best->t && object < best->object))) {
            best = {object, t};
        }
    }
    return best;
}

template <typename Tree>
bool any_hit(const TreeAndWaiting<Tree>& of, const RayProbe& probe, HitTest test) {
    if (of.waiting.objects.empty()) {
        return any_hit(of.tree, probe, test);
    }
    const auto settled = [&](std::uint32_t object, float enter) {
        return of.waiting.has(object) ? kNoHit : test ? test(object, enter) : enter;
    };
    return any_hit(of.tree, probe, HitTest(settled)) ||
           std::ranges::any_of(of.waiting.objects, [&](std::uint32_t object) {
               float t = enter_box(probe, of.boxes[object], probe.t_max);
               t = t != kNoHit && test ? test(object, t) : t;
               return t != kNoHit && t <= probe.t_max;
           });
}

/// Appends, ascending.
template <typename Tree>
void all_hits(const TreeAndWaiting<Tree>& of, const RayProbe& probe, std::vector<BvhHit>& hits,
              HitTest test) {
    if (of.waiting.objects.empty()) {
        all_hits(of.tree, probe, hits, test);
        return;
    }
    const auto settled = [&](std::uint32_t object, float enter) {
        return of.waiting.has(object) ? kNoHit : test ? test(object, enter) : enter;
    };
    const auto from = static_cast<std::ptrdiff_t>(hits.size());
    all_hits(of.tree, probe, hits, HitTest(settled));
    for (const std::uint32_t object : of.waiting.objects) {
        float t = enter_box(probe, of.boxes[object], probe.t_max);
        t = t != kNoHit && test ? test(object, t) : t;
        if (t != kNoHit && t <= probe.t_max) {
            hits.push_back({object, t});
        }
    }
    std::sort(hits.begin() + from, hits.end(),
              [](const BvhHit& a, const BvhHit& b) { return a.object < b.object; });
}

template <typename Volume>
bool meets_waiting(const Volume& bounded, const Aabb& box) {
    return !is_empty(box) && !is_empty(bounded) && meets(bounded, box);
}

template <typename Tree, typename Volume>
bool any_overlap(const TreeAndWaiting<Tree>& of, const Volume& volume, ObjectTest test) {
    if (of.waiting.objects.empty()) {
        return any_overlap(of.tree, volume, test);
    }
    const auto settled = [&](std::uint32_t object) {
        return !of.waiting.has(object) && (!test || test(object));
    };
    const Volume bounded = within_bounds(volume);
    return any_overlap(of.tree, volume, ObjectTest(settled)) ||
           std::ranges::any_of(of.waiting.objects, [&](std::uint32_t object) {
               return meets_waiting(bounded, of.boxes[object]) && (!test || test(object));
           });
}

/// Appends, ascending.
template <typename Tree, typename Volume>
void all_overlaps(const TreeAndWaiting<Tree>& of, const Volume& volume,
                  std::vector<std::uint32_t>& objects, ObjectTest test) {
    if (of.waiting.objects.empty()) {
        all_overlaps(of.tree, volume, objects, test);
        return;
    }
    const auto settled = [&](std::uint32_t object) {
        return !of.waiting.has(object) && (!test || test(object));
    };
    const auto from = static_cast<std::ptrdiff_t>(objects.size());
    all_overlaps(of.tree, volume, objects, ObjectTest(settled));
    const Volume bounded = within_bounds(volume);
    for (const std::uint32_t object : of.waiting.objects) {
        if (meets_waiting(bounded, of.boxes[object]) && (!test || test(object))) {
            objects.push_back(object);
        }
    }
    std::sort(objects.begin() + from, objects.end());
}

template <typename Tree, typename Volume>
std::optional<BvhNearest> closest_overlap(const TreeAndWaiting<Tree>& of, const Volume& volume,
                                          const Vec3& point, ObjectTest test) {
    if (of.waiting.objects.empty()) {
        return closest_overlap(of.tree, volume, point, test);
    }
    const auto settled = [&](std::uint32_t object) {
        return !of.waiting.has(object) && (!test || test(object));
    };
    std::optional<BvhNearest> best = closest_overlap(of.tree, volume, point, ObjectTest(settled));
    const Volume bounded = within_bounds(volume);
    for (const std::uint32_t object : of.waiting.objects) {
        const float distance = distance_squared(of.boxes[object], point);
        const bool is_better = !best || distance < best->distance_squared_m2 ||
                               (distance == best->distance_squared_m2 && object < best->object);
        if (is_better && meets_waiting(bounded, of.boxes[object]) && (!test || test(object))) {
            best = {object, distance};
        }
    }
    return best;
}

}  // namespace terrane
