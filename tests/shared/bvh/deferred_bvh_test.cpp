#include "shared/bvh/deferred_bvh.h"

#include <doctest/doctest.h>

#include "tests/shared/bvh/query_scenes.h"

namespace terrane {
namespace {

/// The questions of query_scenes.h, put to the class by its members.
std::string compare_deferred(const DeferredBvh& tree, int count, Random& random) {
    const std::vector<Aabb> boxes(tree.boxes().begin(), tree.boxes().end());
    for (int i = 0; i < count; ++i) {
        const RayProbe probe = random_probe(boxes, random);
        const HitTest test = i % 3 == 0 ? HitTest(kDeeperOrNot) : HitTest();
        const std::vector<BvhHit> slow = slow_hits(boxes, probe, test);
        std::vector<BvhHit> hits;
        tree.all_hits(probe, hits, test);
        if (hits != slow || tree.any_hit(probe, test) == slow.empty() ||
            tree.closest_hit(probe, test) != slow_closest(boxes, probe, test)) {
            return fmt::format("probe {}", i);
        }
        const Aabb volume = random_box_volume(boxes, random);
        const Sphere sphere = random_sphere(boxes, random);
        const Frustum frustum = random_frustum(boxes, random);
        std::vector<std::uint32_t> objects;
        tree.all_overlaps(volume, objects);
        std::vector<std::uint32_t> in_sphere;
        tree.all_overlaps(sphere, in_sphere);
        std::vector<std::uint32_t> in_frustum;
        tree.all_overlaps(frustum, in_frustum);
        const Vec3 point = sphere.centre;
        if (tree.any_overlap(volume) == objects.empty() ||
            tree.any_overlap(sphere) == in_sphere.empty() ||
            tree.closest_overlap(volume, point) != slow_nearest(boxes, volume, point) ||
            tree.closest_overlap(frustum, point) != slow_nearest(boxes, frustum, point)) {
            return fmt::format("any or closest {}", i);
        }
        if (objects != slow_overlaps(boxes, volume) || in_sphere != slow_overlaps(boxes, sphere) ||
            in_frustum != slow_overlaps(boxes, frustum)) {
            return fmt::format("volume {}", i);
        }
    }
    return {};
}

void change_some(DeferredBvh& tree, const std::vector<Aabb>& homes, int count, Random& random) {
    for (int i = 0; i < count; ++i) {
        const std::uint32_t object = random.below(static_cast<std::uint32_t>(homes.size()));
        const Vec3 by{random.range(-9.0F, 9.0F), 0.0F, random.range(-9.0F, 9.0F)};
        if (random.below(4) == 0) {
            tree.remove(object);
        } else {
            tree.set(object, {homes[object].min + by, homes[object].max + by});
        }
    }
}

TEST_CASE("B8 deferred_bvh: what waits counts, before and after its commit") {
    Random random(91);
    const std::vector<Aabb> homes = flat_scene(500, random).boxes;
    DeferredBvh tree;
    for (std::uint32_t i = 0; i < 500; ++i) {
        tree.set(i, homes[i]);
    }
    CHECK(tree.waiting_count() == 500);
    CHECK(compare_deferred(tree, 10, random) == "");
    tree.rebuild();
    CHECK(tree.waiting_count() == 0);
    for (int round = 0; round < 30; ++round) {
        change_some(tree, homes, 20, random);
        CHECK(compare_deferred(tree, 4, random) == "");
        tree.commit(7);  // a few at a time: the others wait
        CHECK(tree.waiting_count() > 0);
        CHECK(compare_deferred(tree, 4, random) == "");
        tree.commit();
        CHECK(tree.waiting_count() == 0);
        CHECK(compare_deferred(tree, 4, random) == "");
        REQUIRE(validate_wide(tree.tree(), tree.boxes()) == "");
    }
}

TEST_CASE("B9 deferred_bvh: a rebuild in steps answers right all along and ends as one at once") {
    for (const BvhBuilder builder : kBvhBuilders) {
        CAPTURE(name_of(builder));
        Random random(92);
        const std::vector<Aabb> homes = flat_scene(600, random).boxes;
        DeferredBvh tree({.builder = builder, .leaf_objects_max = 1});
        for (std::uint32_t i = 0; i < 600; ++i) {
            tree.set(i, homes[i]);
        }
        tree.rebuild();
        change_some(tree, homes, 60, random);
        DeferredBvh at_once({.builder = builder, .leaf_objects_max = 1});
        for (std::uint32_t i = 0; i < 600; ++i) {
            at_once.set(i, tree.boxes()[i]);
        }
        at_once.rebuild();
        tree.start_rebuild();
        CHECK(tree.is_rebuilding() == (split_rule_of(builder) != nullptr));
        int steps = 0;
        while (!tree.step_rebuild(300)) {
            ++steps;
            if (steps == 3) {
                tree.commit();  // into the old tree; the changes before the start are in the new
            }
            if (steps % 4 == 0) {
                CHECK(compare_deferred(tree, 1, random) == "");
            }
        }
        CHECK(steps > (split_rule_of(builder) != nullptr ? 8 : -1));
        CHECK(tree.waiting_count() == 0);
        CHECK(validate_wide(tree.tree(), tree.boxes()) == "");
        CHECK(stat_of(tree.tree()).cost == stat_of(at_once.tree()).cost);
        CHECK(compare_deferred(tree, 10, random) == "");
    }
}

TEST_CASE("B9 deferred_bvh: what changes during a rebuild waits on the new tree") {
    Random random(93);
    const std::vector<Aabb> homes = flat_scene(600, random).boxes;
    DeferredBvh tree({.leaf_objects_max = 1});
    for (std::uint32_t i = 0; i < 500; ++i) {
        tree.set(i, homes[i]);
    }
    tree.rebuild();
    tree.start_rebuild();
    while (!tree.step_rebuild(200)) {
        change_some(tree, homes, 3, random);
        if (random.below(3) == 0) {
            tree.commit();
        }
        REQUIRE(compare_deferred(tree, 1, random) == "");
    }
    CHECK(tree.waiting_count() > 0);
    CHECK(compare_deferred(tree, 20, random) == "");
    tree.commit();
    CHECK(compare_deferred(tree, 20, random) == "");
    CHECK(validate_wide(tree.tree(), tree.boxes()) == "");
}

/// Twins that live through the same changes; only the first swaps in trees built elsewhere, at a
/// random time after they were handed out.
TEST_CASE("B9 deferred_bvh: no answer depends on when a tree built elsewhere is swapped in") {
    for (const BvhBuilder builder : kBvhBuilders) {
        CAPTURE(name_of(builder));
        Random random(94);
        const std::vector<Aabb> homes = flat_scene(400, random).boxes;
        const BuildConfig config{.builder = builder, .leaf_objects_max = 2, .bin_count = 8};
        DeferredBvh swapping(config);
        DeferredBvh plain(config);
        for (std::uint32_t i = 0; i < 350; ++i) {
            swapping.set(i, homes[i]);
            plain.set(i, homes[i]);
        }
        std::optional<BvhBuildTask> task;
        int swaps = 0;
        for (int tick = 0; tick < 60; ++tick) {
            const std::uint64_t seed = random.next();
            Random first(seed);
            Random second(seed);
            change_some(swapping, homes, 5, first);
            change_some(plain, homes, 5, second);
            if (!task) {
                task = swapping.hand_out_build();
                REQUIRE(task.has_value());
                CHECK(!swapping.hand_out_build());
            } else if (random.below(4) == 0) {
                CHECK(swapping.take_build(run_build(*task)));
                CHECK(validate_wide(swapping.tree(), task->boxes) == "");
                task.reset();
                ++swaps;
            }
            if (random.below(3) == 0) {
                swapping.commit();
            }
            plain.commit();
            REQUIRE(std::ranges::equal(swapping.boxes(), plain.boxes(), [](auto& a, auto& b) {
                return a.min == b.min && a.max == b.max;
            }));
            REQUIRE(compare_deferred(swapping, 2, random) == "");
            REQUIRE(compare_deferred(plain, 1, random) == "");
        }
        CHECK(swaps > 5);
    }
}

TEST_CASE("B9 deferred_bvh: a build that another rebuild has overtaken is refused") {
    Random random(95);
    const std::vector<Aabb> homes = flat_scene(100, random).boxes;
    DeferredBvh tree;
    for (std::uint32_t i = 0; i < 100; ++i) {
        tree.set(i, homes[i]);
    }
    const BvhBuildTask task = *tree.hand_out_build();
    CHECK(tree.is_rebuilding());
    tree.start_rebuild();  // one is under way
    CHECK(tree.step_rebuild(1));
    CHECK(tree.waiting_count() == 100);
    tree.remove(3);
    tree.rebuild();
    CHECK(!tree.is_rebuilding());
    CHECK(!tree.take_build(run_build(task)));
    CHECK(tree.tree().object_count == 99);
    BvhBuilt built = run_build(*tree.hand_out_build());
    tree.set(3, homes[3]);
    CHECK(tree.changes_since_build() == 0);
    CHECK(tree.take_build(built));
    CHECK(!tree.take_build(built));
    CHECK(tree.waiting_count() == 1);
    tree.commit();
    CHECK(tree.changes_since_build() == 1);
    CHECK(compare_deferred(tree, 5, random) == "");
}

}  // namespace
}  // namespace terrane
