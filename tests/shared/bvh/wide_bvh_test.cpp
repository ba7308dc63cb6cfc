#include "shared/bvh/wide_bvh.h"

#include <doctest/doctest.h>

#include "shared/bvh/builders.h"
#include "tests/shared/bvh/query_scenes.h"

namespace terrane {
namespace {

TEST_CASE("B11 wide_bvh: from leaves of any size, each object in a slot of its own") {
    for (const QueryScene& scene : query_scenes(200, 71)) {
        for (const std::uint32_t leaf : {1U, 4U, 15U, 500U}) {
            CAPTURE(scene.name);
            CAPTURE(leaf);
            const WideBvh tree = collapse(build_bvh(scene.boxes, {.leaf_objects_max = leaf}));
            CHECK(validate_wide(tree, scene.boxes) == "");
            Random random(leaf);
            CHECK(compare_with_brute_force(tree, scene.boxes, 8, random) == "");
        }
        const WideBvh fast = build_wide_lbvh(scene.boxes);
        CHECK(validate_wide(fast, scene.boxes) == "");
        Random random(72);
        CHECK(compare_with_brute_force(fast, scene.boxes, 24, random) == "");
    }
}

TEST_CASE("B3 wide_bvh: the fast build costs little more than sah, with an outlier too") {
    for (const QueryScene& scene : query_scenes(3000, 73)) {
        if (scene.name != "flat" && scene.name != "cube" && scene.name != "line" &&
            scene.name != "outlier") {
            continue;
        }
        CAPTURE(scene.name);
        const double sah = stat_of(collapse(build_bvh(scene.boxes, {.leaf_objects_max = 1}))).cost;
        CHECK(stat_of(build_wide_lbvh(scene.boxes)).cost < 1.2 * sah);
    }
}

TEST_CASE("B5 wide_bvh: a random run of insertions, removals and refits equals brute force") {
    constexpr std::uint64_t kSeed = 74;
    CAPTURE(kSeed);
    Random random(kSeed);
    std::vector<Aabb> boxes = flat_scene(600, random).boxes;
    const std::vector<Aabb> homes = boxes;
    WideBvh tree = collapse(build_bvh(boxes, {.leaf_objects_max = 1}));
    for (int round = 0; round < 3000; ++round) {
        const std::uint32_t object = random.below(600);
        if (is_empty(boxes[object])) {
            boxes[object] = homes[object];
            insert(tree, object, boxes[object]);
        } else {
            boxes[object] = {};
            REQUIRE(remove(tree, object));
            REQUIRE_FALSE(remove(tree, object));
        }
        if (round % 200 == 0) {
            for (Aabb& box : boxes) {
                const Vec3 by{random.range(-2.0F, 2.0F), 0.0F, random.range(-2.0F, 2.0F)};
                box = is_empty(box) ? box : Aabb{box.min + by, box.max + by};
            }
            refit(tree, boxes);
        }
        if (round % 50 == 0) {
            REQUIRE(validate_wide(tree, boxes) == "");
            REQUIRE(compare_with_brute_force(tree, boxes, 3, random) == "");
        }
    }
}

TEST_CASE("B5 wide_bvh: grown from nothing, emptied to nothing, grown again") {
    Random random(75);
    std::vector<Aabb> boxes = flat_scene(300, random).boxes;
    WideBvh tree;
    for (int turn = 0; turn < 2; ++turn) {
        for (std::uint32_t i = 0; i < 300; ++i) {
            insert(tree, i, boxes[i]);
        }
        CHECK(validate_wide(tree, boxes) == "");
        CHECK(compare_with_brute_force(tree, boxes, 20, random) == "");
        for (std::uint32_t i = 0; i < 300; ++i) {
            CHECK(remove(tree, (i * 7) % 300));
        }
        CHECK(tree.object_count == 0);
        CHECK_FALSE(any_overlap(tree, Aabb{Vec3(-1e6F), Vec3(1e6F)}));
    }
    CHECK_FALSE(remove(tree, 12345));
    insert(tree, 5, Aabb{});  // unusable: ignored
    CHECK(tree.object_count == 0);
}

TEST_CASE("B10 wide_bvh: figures") {
    Random random(76);
    const std::vector<Aabb> boxes = flat_scene(1000, random).boxes;
    const WideStat stat = stat_of(collapse(build_bvh(boxes, {.leaf_objects_max = 1})));
    CHECK(stat.object_count == 1000);
    CHECK(stat.slots_used > 0.4);
    CHECK(stat.slots_used <= 1.0);
    // Each slot is an object or a node; the root is in none.
    CHECK(stat.slots_used * 8.0 * stat.node_count ==
          doctest::Approx(1000.0 + stat.node_count - 1.0));
    CHECK(stat.depth >= 4);
    CHECK(stat_of(WideBvh{}).node_count == 0);
}

}  // namespace
}  // namespace terrane
