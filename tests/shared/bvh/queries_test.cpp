#include <algorithm>

#include <doctest/doctest.h>

#include "shared/bvh/builders.h"
#include "shared/bvh/rotate_bvh.h"
#include "tests/shared/bvh/query_scenes.h"

namespace terrane {
namespace {

constexpr std::uint64_t kSeed = 20;

TEST_CASE("B1 bvh: every builder's tree answers every query as brute force, on bad scenes too") {
    for (const QueryScene& scene : query_scenes(300, kSeed)) {
        for (const BvhBuilder builder : kBvhBuilders) {
            for (const std::uint32_t leaf : {1U, 4U, 15U}) {
                CAPTURE(scene.name);
                CAPTURE(name_of(builder));
                CAPTURE(leaf);
                Random random(kSeed + leaf);
                const Bvh tree =
                    build_bvh(scene.boxes, {.builder = builder, .leaf_objects_max = leaf});
                REQUIRE(validate_bvh(tree, scene.boxes) == "");
                CHECK(compare_with_brute_force(tree, scene.boxes, 12, random) == "");
            }
        }
    }
}

TEST_CASE("B1 bvh: the wide tree of every builder answers as brute force, vectors or not") {
    for (const QueryScene& scene : query_scenes(300, kSeed + 1)) {
        for (const BvhBuilder builder : kBvhBuilders) {
            CAPTURE(scene.name);
            CAPTURE(name_of(builder));
            WideBvh tree =
                collapse(build_bvh(scene.boxes, {.builder = builder, .leaf_objects_max = 1}));
            REQUIRE(validate_wide(tree, scene.boxes) == "");
            for (const BvhPath path : {BvhPath::simd, BvhPath::scalar}) {
                CAPTURE(static_cast<int>(path));
                tree.path = path;
                Random random(kSeed);
                CHECK(compare_with_brute_force(tree, scene.boxes, 24, random) == "");
            }
        }
    }
}

TEST_CASE("B1 bvh: a larger world, many questions: binary, wide from codes, dynamic") {
    Random random(kSeed + 2);
    const QueryScene scene = flat_scene(4000, random);
    const Bvh binary = build_bvh(scene.boxes);
    WideBvh wide = build_wide_lbvh(scene.boxes);
    DynamicBvh dynamic;
    for (std::uint32_t i = 0; i < scene.boxes.size(); ++i) {
        dynamic.insert(i, scene.boxes[i]);
    }
    CHECK(validate_wide(wide, scene.boxes) == "");
    CHECK(dynamic.validate() == "");
    CHECK(compare_with_brute_force(binary, scene.boxes, 300, random) == "");
    CHECK(compare_with_brute_force(wide, scene.boxes, 600, random) == "");
    wide.path = BvhPath::scalar;
    CHECK(compare_with_brute_force(wide, scene.boxes, 300, random) == "");
    CHECK(compare_with_brute_force(dynamic, scene.boxes, 300, random) == "");
}

TEST_CASE("B1 bvh: a volume around everything meets every object once, however many nodes wait") {
    constexpr std::uint32_t kObjects = 20'000;
    Random random(kSeed + 4);
    const QueryScene scene = flat_scene(kObjects, random);
    WideBvh tree = build_wide_lbvh(scene.boxes);
    for (const BvhPath path : {BvhPath::simd, BvhPath::scalar}) {
        tree.path = path;
        std::vector<std::uint32_t> objects{7};  // answers are appended
        all_overlaps_unordered(tree, Aabb{Vec3(-1e6F), Vec3(1e6F)}, objects);
        REQUIRE(objects.size() == tree.object_count + 1);
        CHECK(objects[0] == 7);
        std::sort(objects.begin() + 1, objects.end());
        bool is_each_once = true;
        for (std::uint32_t i = 0, at = 1; i < scene.boxes.size(); ++i) {
            is_each_once &= !is_usable_box(scene.boxes[i]) || objects[at++] == i;
        }
        CHECK(is_each_once);
    }
}

TEST_CASE("B1 bvh: exact answers of a small scene") {
    // Three unit boxes in a row along x, the middle one twice.
    const std::vector<Aabb> boxes = {{{4, 0, 0}, {5, 1, 1}},
                                     {{2, 0, 0}, {3, 1, 1}},
                                     {{2, 0, 0}, {3, 1, 1}},
                                     {{0, 0, 0}, {1, 1, 1}}};
    const Bvh tree = build_bvh(boxes, {.leaf_objects_max = 1});
    const WideBvh wide = collapse(tree);
    const RayProbe probe = probe_along({{-1, 0.5F, 0.5F}, {2, 0, 0}, 10});
    CHECK(closest_hit(tree, probe) == BvhHit{3, 0.5F});
    CHECK(closest_hit(wide, probe) == BvhHit{3, 0.5F});
    const auto not_first = [](std::uint32_t object, float enter) {
        return object == 3 ? kNoHit : enter;
    };
    // Of two equal boxes the lower index.
    CHECK(closest_hit(tree, probe, not_first) == BvhHit{1, 1.5F});
    CHECK(closest_hit(wide, probe, not_first) == BvhHit{1, 1.5F});
    std::vector<BvhHit> hits;
    all_hits(wide, probe, hits);
    CHECK(hits == std::vector<BvhHit>{{0, 2.5F}, {1, 1.5F}, {2, 1.5F}, {3, 0.5F}});
    // A body of half extents 0.5 comes half a metre earlier.
    const RayProbe sweep = probe_along({{-1, 0.5F, 0.5F}, {2, 0, 0}, 10}, Vec3(0.5F));
    CHECK(closest_hit(wide, sweep) == BvhHit{3, 0.25F});
    CHECK(closest_hit(wide, probe_along({{-1, 1.4F, 0.5F}, {2, 0, 0}, 10}, Vec3(0.5F))) ==
          BvhHit{3, 0.25F});
    CHECK_FALSE(any_hit(wide, probe_along({{-1, 1.6F, 0.5F}, {2, 0, 0}, 10}, Vec3(0.5F))));
    // The end of the ray counts, what lies beyond does not.
    CHECK(any_hit(wide, probe_along({{-1, 0.5F, 0.5F}, {1, 0, 0}, 1.0F})));
    CHECK_FALSE(any_hit(wide, probe_along({{-1, 0.5F, 0.5F}, {1, 0, 0}, 0.99F})));
    CHECK_FALSE(any_hit(wide, probe_along({{0.5F, 0.5F, 0.5F}, {1, 0, 0}, -1.0F})));
    const auto nearest =
        closest_overlap(wide, Sphere{{3.25F, 0.5F, 0.5F}, 9.0F}, {3.25F, 0.5F, 0.5F});
    CHECK(nearest == BvhNearest{1, 0.0625F});
}

TEST_CASE("B7 bvh: a rotated tree answers as brute force, and still after a refit") {
    for (QueryScene& scene : query_scenes(300, kSeed + 3)) {
        CAPTURE(scene.name);
        Random random(kSeed);
        Bvh tree = build_bvh(scene.boxes, {.builder = BvhBuilder::median, .leaf_objects_max = 2});
        rotate_bvh(tree);
        CHECK(validate_bvh(tree, scene.boxes) == "");
        CHECK(compare_with_brute_force(tree, scene.boxes, 24, random) == "");
        WideBvh wide = collapse(tree);
        for (Aabb& box : scene.boxes) {
            const Vec3 by{random.range(-3.0F, 3.0F), random.range(-1.0F, 1.0F), 0.5F};
            box = is_usable_box(box) ? Aabb{box.min + by, box.max + by} : box;
        }
        refit(tree, scene.boxes);
        refit(wide, scene.boxes);
        CHECK(validate_bvh(tree, scene.boxes) == "");
        CHECK(validate_wide(wide, scene.boxes) == "");
        CHECK(compare_with_brute_force(tree, scene.boxes, 24, random) == "");
        CHECK(compare_with_brute_force(wide, scene.boxes, 24, random) == "");
    }
}

}  // namespace
}  // namespace terrane
