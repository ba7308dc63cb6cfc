#include "shared/bvh/builders.h"

#include <atomic>

#include <doctest/doctest.h>

#include "shared/bvh/build_hlbvh.h"
#include "shared/bvh/build_lbvh.h"
#include "shared/bvh/build_sah.h"
#include "shared/bvh/run_parts.h"
#include "tests/shared/bvh/query_scenes.h"

namespace terrane {
namespace {

bool is_same_tree(const Bvh& a, const Bvh& b) {
    const auto is_same_node = [](const BvhNode& x, const BvhNode& y) {
        return x.first == y.first && x.count == y.count && x.box.min == y.box.min &&
               x.box.max == y.box.max;
    };
    return a.objects == b.objects && std::ranges::equal(a.nodes, b.nodes, is_same_node);
}

TEST_CASE("B2 builders: names lead to builders, a wrong one lists the right ones") {
    for (const BvhBuilder builder : kBvhBuilders) {
        REQUIRE(builder_named(name_of(builder)).has_value());
        CHECK(*builder_named(name_of(builder)) == builder);
    }
    const auto wrong = builder_named("octree");
    REQUIRE_FALSE(wrong.has_value());
    CHECK(wrong.error().message ==
          "no tree builder is called 'octree'; there are median, splatter, mean, sah, lbvh, hlbvh, "
          "ploc");
    CHECK(insert_rule_named("nearest_centre").has_value());
    CHECK(insert_rule_named("best").error().message ==
          "no insertion is called 'best'; there are nearest_centre, least_surface");
    CHECK(rotate_rule_named("yes").error().message ==
          "no rotation is called 'yes'; there are off, sah, volume_ratio");
}

TEST_CASE("B2 builders: leaves hold at most as many objects as asked, and the median is balanced") {
    Random random(51);
    const QueryScene scene = flat_scene(1000, random);
    for (const BvhBuilder builder : kBvhBuilders) {
        CAPTURE(name_of(builder));
        for (const std::uint32_t leaf : {1U, 3U, 15U}) {
            const Bvh tree = build_bvh(scene.boxes, {.builder = builder, .leaf_objects_max = leaf});
            std::uint32_t most = 0;
            for (const BvhNode& node : tree.nodes) {
                most = std::max(most, node.count);
            }
            CHECK(most <= leaf);
            if (leaf == 1) {
                CHECK(tree.nodes.size() == 1999);
            }
        }
    }
    // The article's count: 10,000 boxes, at most 15 a leaf, 2,047 nodes.
    const QueryScene large = flat_scene(10'000, random);
    const BvhStat stat =
        stat_of(build_bvh(large.boxes, {.builder = BvhBuilder::median, .leaf_objects_max = 15}));
    CHECK(stat.node_count == 2047);
    CHECK(stat.leaf_count == 1024);
    CHECK(stat.depth == 11);
}

TEST_CASE("B2 builders: cost as defined, of a tree small enough to count by hand") {
    const std::vector<Aabb> boxes = {{{0, 0, 0}, {1, 1, 1}}, {{3, 0, 0}, {4, 1, 1}}};
    const BvhStat stat = stat_of(build_bvh(boxes, {.leaf_objects_max = 1}));
    // Root 4 x 1 x 1: 18 m2; two leaves of 6 m2.
    CHECK(stat.cost == doctest::Approx(1.0 + 2.0 * 6.0 / 18.0));
    CHECK(stat.depth == 2);
    CHECK(stat.node_count == 3);
    CHECK(stat.leaf_count == 2);
    CHECK(stat.object_count == 2);
}

TEST_CASE("B2 builders: what each costs, against sah") {
    Random random(52);
    const QueryScene scene = flat_scene(3000, random);
    const auto cost = [&](const BuildConfig& config) {
        return stat_of(build_bvh(scene.boxes, config)).cost;
    };
    const double sah = cost({.leaf_objects_max = 1});
    CHECK(cost({.builder = BvhBuilder::median, .leaf_objects_max = 1}) < 1.35 * sah);
    CHECK(cost({.builder = BvhBuilder::splatter, .leaf_objects_max = 1}) < 1.2 * sah);
    CHECK(cost({.builder = BvhBuilder::mean, .leaf_objects_max = 1}) < 1.2 * sah);
    CHECK(cost({.builder = BvhBuilder::lbvh, .leaf_objects_max = 1}) < 1.12 * sah);
    CHECK(cost({.builder = BvhBuilder::hlbvh, .leaf_objects_max = 1}) < 1.12 * sah);
    CHECK(cost({.builder = BvhBuilder::ploc, .leaf_objects_max = 1}) < 1.25 * sah);
    // More bins, a better tree; equal bits an axis, a bad one in a flat world.
    CHECK(sah <= cost({.leaf_objects_max = 1, .bin_count = 4}));
    CHECK(cost({.builder = BvhBuilder::lbvh, .leaf_objects_max = 1, .code = MortonCode::bits_30}) >
          1.2 * sah);
}

TEST_CASE("B3 lbvh, B4 hlbvh: one tree for any number of threads") {
    Random random(53);
    std::vector<Aabb> boxes = flat_scene(40'000, random).boxes;
    for (std::size_t i = 0; i < 4000; ++i) {
        boxes[i] = boxes[0];  // equal codes, told apart by index
    }
    for (const MortonCode code :
         {MortonCode::bits_30, MortonCode::bits_63, MortonCode::by_length}) {
        const Bvh lbvh = build_lbvh(boxes, {.code = code});
        const Bvh hlbvh = build_hlbvh(boxes, {.code = code});
        CHECK(validate_bvh(lbvh, boxes) == "");
        CHECK(validate_bvh(hlbvh, boxes) == "");
        for (const unsigned threads : {1U, 2U}) {
            WorkerPool pool(threads);
            CHECK(is_same_tree(lbvh, build_lbvh(boxes, {.code = code, .pool = &pool})));
            CHECK(is_same_tree(hlbvh, build_hlbvh(boxes, {.code = code, .pool = &pool})));
        }
    }
}

TEST_CASE("B3 lbvh: each inner node splits where the highest differing bit of its codes changes") {
    Random random(54);
    const std::vector<Aabb> boxes = flat_scene(700, random).boxes;
    const Bvh tree = build_lbvh(boxes, {.leaf_objects_max = 1});
    const MortonCoder coder(boxes, MortonCode::by_length);
    // Objects below each node, from the leaves up.
    std::vector<std::vector<std::uint64_t>> codes(tree.nodes.size());
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        const BvhNode& node = tree.nodes[i];
        if (node.count > 0) {
            codes[i].push_back(coder.code_of(boxes[tree.objects[node.first]]));
            continue;
        }
        const std::vector<std::uint64_t>& left = codes[node.first];
        const std::vector<std::uint64_t>& right = codes[node.first + 1];
        const std::uint64_t highest = std::bit_floor(left.front() ^ right.back());
        for (const std::uint64_t code : left) {
            REQUIRE((code & highest) == 0);
        }
        for (const std::uint64_t code : right) {
            REQUIRE((highest == 0 || (code & highest) != 0));
        }
        codes[i] = left;
        codes[i].insert(codes[i].end(), right.begin(), right.end());
        REQUIRE(std::ranges::is_sorted(codes[i]));
    }
}

TEST_CASE("B3 run_parts: every part once, on a busy pool and from within it") {
    for (const unsigned threads : {0U, 1U, 3U}) {
        WorkerPool pool(threads);
        std::vector<std::atomic<int>> runs(1000);
        const auto part = [&](std::uint32_t i) { ++runs[i]; };
        std::atomic<bool> is_done = false;
        pool.post([&] {
            run_parts(&pool, 1000, part);
            is_done = true;
        });
        run_parts(&pool, 1000, part);
        pool.drain();
        CHECK(is_done);
        CHECK(std::ranges::all_of(runs, [](const std::atomic<int>& count) { return count == 2; }));
    }
}

}  // namespace
}  // namespace terrane
