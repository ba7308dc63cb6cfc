#include "shared/bvh/rotate_bvh.h"

#include <doctest/doctest.h>

#include "shared/bvh/builders.h"
#include "tests/shared/bvh/query_scenes.h"

namespace terrane {
namespace {

TEST_CASE("B7 rotate_bvh: no builder's tree gets worse, and a second run finds nothing") {
    Random random(61);
    const QueryScene scene = flat_scene(1500, random);
    for (const BvhBuilder builder : kBvhBuilders) {
        CAPTURE(name_of(builder));
        Bvh tree = build_bvh(scene.boxes, {.builder = builder, .leaf_objects_max = 1});
        const BvhStat before = stat_of(tree);
        const RotateStat done = rotate_bvh(tree, 1000);
        const BvhStat after = stat_of(tree);
        CHECK(validate_bvh(tree, scene.boxes) == "");
        CHECK(after.node_count == before.node_count);
        CHECK(done.rotations > 0);
        CHECK(after.cost < before.cost);
        CHECK(rotate_bvh(tree).rotations == 0);
    }
}

TEST_CASE("B7 rotate_bvh: a child goes where it belongs") {
    // Two pairs, far apart, badly paired: node (a, (c, b)) with a beside b.
    const std::vector<Aabb> boxes = {
        {{0, 0, 0}, {1, 1, 1}}, {{2, 0, 0}, {3, 1, 1}}, {{100, 0, 0}, {101, 1, 1}}};
    Bvh tree;
    tree.objects = {0, 2, 1};
    tree.boxes = {boxes[0], boxes[2], boxes[1]};
    tree.nodes = {{{}, 1, 0}, {{}, 0, 1}, {{}, 3, 0}, {{}, 1, 1}, {{}, 2, 1}};
    refit(tree, boxes);
    REQUIRE(validate_bvh(tree, boxes) == "");
    const RotateStat stat = rotate_bvh(tree);
    CHECK(stat.rotations == 1);
    CHECK(validate_bvh(tree, boxes) == "");
    // Now a and b share a node, 3 m long.
    const BvhNode& left = tree.nodes[1];
    const BvhNode& right = tree.nodes[2];
    const BvhNode& pair = left.count == 0 ? left : right;
    CHECK(pair.box.max.x - pair.box.min.x == 3.0F);
}

TEST_CASE("B7 rotate_bvh: empty and single trees") {
    Bvh none;
    CHECK(rotate_bvh(none).rotations == 0);
    const std::vector<Aabb> one = {{{0, 0, 0}, {1, 1, 1}}};
    Bvh single = build_bvh(one);
    CHECK(rotate_bvh(single).rotations == 0);
    CHECK(validate_bvh(single, one) == "");
}

}  // namespace
}  // namespace terrane
