// Scenes that trees find hard, random questions about them, and the slow answers: every box asked
// in turn. `compare_with_brute_force` puts all kinds of questions to a tree and says what differs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "shared/bvh/bvh_query.h"
#include "shared/bvh/dynamic_bvh.h"
#include "shared/bvh/wide_bvh.h"
#include "shared/core/random.h"

namespace terrane {

struct QueryScene {
    std::string name;
    std::vector<Aabb> boxes;
};

/// flat, cube, line, lattice, outlier, degenerate (equal points and flat boxes), nested, with empty
/// and unusable boxes, far from the origin, single, none.
std::vector<QueryScene> query_scenes(std::size_t count, std::uint64_t seed);
QueryScene flat_scene(std::size_t count, Random& random);

/// A ray or sweep through the scene; now and then along an axis, a face or from inside a box.
RayProbe random_probe(const std::vector<Aabb>& boxes, Random& random);
Aabb random_box_volume(const std::vector<Aabb>& boxes, Random& random);
Sphere random_sphere(const std::vector<Aabb>& boxes, Random& random);
Frustum random_frustum(const std::vector<Aabb>& boxes, Random& random);

/// Refuses every third object and lets some of the others be hit a little deeper.
inline constexpr auto kDeeperOrNot = [](std::uint32_t object, float enter) {
    return object % 3 == 1 ? kNoHit : enter + 0.01F * static_cast<float>(object % 5);
};

std::optional<BvhHit> slow_closest(std::span<const Aabb> boxes, const RayProbe& probe,
                                   HitTest test);
std::vector<BvhHit> slow_hits(std::span<const Aabb> boxes, const RayProbe& probe, HitTest test);

template <typename Volume>
std::vector<std::uint32_t> slow_overlaps(std::span<const Aabb> boxes, const Volume& volume) {
    std::vector<std::uint32_t> objects;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (is_usable_box(boxes[i]) && !is_empty(volume) && meets(volume, boxes[i])) {
            objects.push_back(static_cast<std::uint32_t>(i));
        }
    }
    return objects;
}

template <typename Volume>
std::optional<BvhNearest> slow_nearest(std::span<const Aabb> boxes, const Volume& volume,
                                       const Vec3& point) {
    std::optional<BvhNearest> best;
    for (const std::uint32_t object : slow_overlaps(boxes, volume)) {
        const float distance = distance_squared(boxes[object], point);
        if (!best || distance < best->distance_squared_m2) {
            best = {object, distance};
        }
    }
    return best;
}

template <typename Tree>
std::string compare_probe(const Tree& tree, std::span<const Aabb> boxes, const RayProbe& probe,
                          HitTest test) {
    const std::vector<BvhHit> slow = slow_hits(boxes, probe, test);
    std::vector<BvhHit> hits;
    all_hits(tree, probe, hits, test);
    if (hits != slow) {
        return fmt::format("all_hits: {} instead of {}", hits.size(), slow.size());
    }
    if (any_hit(tree, probe, test) == slow.empty()) {
        return "any_hit";
    }
    return closest_hit(tree, probe, test) == slow_closest(boxes, probe, test) ? "" : "closest_hit";
}

template <typename Tree, typename Volume>
std::string compare_volume(const Tree& tree, std::span<const Aabb> boxes, const Volume& volume,
                           const Vec3& point) {
    const std::vector<std::uint32_t> slow = slow_overlaps(boxes, volume);
    std::vector<std::uint32_t> objects;
    all_overlaps(tree, volume, objects);
    if (objects != slow) {
        return fmt::format("all_overlaps: {} instead of {}", objects.size(), slow.size());
    }
    if (any_overlap(tree, volume) == slow.empty()) {
        return "any_overlap";
    }
    // A filter: only even objects.
    const auto is_even = [](std::uint32_t object) { return object % 2 == 0; };
    objects.clear();
    all_overlaps(tree, volume, objects, is_even);
    std::vector<std::uint32_t> even = slow;
    std::erase_if(even, [](std::uint32_t object) { return object % 2 != 0; });
    if (objects != even) {
        return "all_overlaps with a filter";
    }
    return closest_overlap(tree, volume, point) == slow_nearest(boxes, volume, point)
               ? ""
               : "closest_overlap";
}

/// "" if `count` questions of each kind are answered as by brute force.
template <typename Tree>
std::string compare_with_brute_force(const Tree& tree, const std::vector<Aabb>& boxes, int count,
                                     Random& random) {
    for (int i = 0; i < count; ++i) {
        const RayProbe probe = random_probe(boxes, random);
        const HitTest test = i % 3 == 0 ? HitTest(kDeeperOrNot) : HitTest();
        std::string wrong = compare_probe(tree, boxes, probe, test);
        const Vec3 point = random_sphere(boxes, random).centre;
        if (wrong.empty()) {
            wrong = compare_volume(tree, boxes, random_box_volume(boxes, random), point);
        }
        if (wrong.empty()) {
            wrong = compare_volume(tree, boxes, random_sphere(boxes, random), point);
        }
        if (wrong.empty() && i % 2 == 0) {
            wrong = compare_volume(tree, boxes, random_frustum(boxes, random), point);
        }
        if (!wrong.empty()) {
            return fmt::format("question {}: {}", i, wrong);
        }
    }
    return {};
}

}  // namespace terrane
