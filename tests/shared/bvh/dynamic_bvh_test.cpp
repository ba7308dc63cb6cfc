#include "shared/bvh/dynamic_bvh.h"

#include <doctest/doctest.h>

#include "tests/shared/bvh/query_scenes.h"

namespace terrane {
namespace {

std::vector<DynamicBvhConfig> all_configs() {
    std::vector<DynamicBvhConfig> configs;
    for (const InsertRule insert : {InsertRule::nearest_centre, InsertRule::least_surface}) {
        for (const RotateRule rotate :
             {RotateRule::off, RotateRule::sah, RotateRule::volume_ratio}) {
            for (const std::uint32_t leaf : {1U, 4U}) {
                configs.push_back({insert, rotate, 0.3F, leaf});
            }
        }
    }
    return configs;
}

TEST_CASE("B5 dynamic_bvh: grown one by one, every query equals brute force, on bad scenes too") {
    for (const QueryScene& scene : query_scenes(200, 81)) {
        for (const DynamicBvhConfig& config : all_configs()) {
            CAPTURE(scene.name);
            DynamicBvh tree(config);
            for (std::uint32_t i = 0; i < scene.boxes.size(); ++i) {
                tree.insert(i, scene.boxes[i]);
            }
            REQUIRE(tree.validate() == "");
            Random random(82);
            CHECK(compare_with_brute_force(tree, scene.boxes, 12, random) == "");
        }
    }
}

TEST_CASE("B5 dynamic_bvh: random insertions, moves and removals lose no hit") {
    for (const DynamicBvhConfig& config : all_configs()) {
        constexpr std::uint64_t kSeed = 83;
        CAPTURE(kSeed);
        CAPTURE(static_cast<int>(config.insert));
        CAPTURE(static_cast<int>(config.rotate));
        Random random(kSeed);
        const std::vector<Aabb> homes = flat_scene(400, random).boxes;
        std::vector<Aabb> boxes(400);
        DynamicBvh tree(config);
        for (int round = 0; round < 6000; ++round) {
            const std::uint32_t object = random.below(400);
            if (!tree.has(object)) {
                boxes[object] = random.below(40) == 0 ? Aabb{} : homes[object];
                tree.insert(object, boxes[object]);
            } else if (random.below(5) == 0) {
                boxes[object] = {};
                REQUIRE(tree.remove(object));
            } else {
                const Vec3 by{random.range(-0.5F, 0.5F), 0.0F, random.range(-0.5F, 0.5F)};
                const Aabb& now = boxes[object];
                boxes[object] = is_empty(now) ? homes[object] : Aabb{now.min + by, now.max + by};
                tree.move(object, boxes[object]);
            }
            if (round % 300 == 0) {
                REQUIRE(tree.validate() == "");
                REQUIRE(compare_with_brute_force(tree, boxes, 4, random) == "");
            }
        }
        for (std::uint32_t i = 0; i < 400; ++i) {
            tree.remove(i);
        }
        CHECK(tree.validate() == "");
        CHECK(tree.root() == kNoBvhNode);
        CHECK_FALSE(tree.remove(3));
    }
}

TEST_CASE("B6 dynamic_bvh: only leaving the larger box costs a new place") {
    DynamicBvh tree({.fat_margin_m = 0.5F});
    const Aabb box{{0, 0, 0}, {1, 1, 1}};
    tree.insert(0, box);
    tree.insert(1, {{9, 0, 0}, {10, 1, 1}});
    CHECK_FALSE(tree.move(0, {{0.5F, 0, 0}, {1.5F, 1, 1}}));
    CHECK(tree.stat().insertions == 2);
    // Answers follow the object's own box all the same.
    CHECK(any_overlap(tree, Aabb{{1.4F, 0, 0}, {2, 1, 1}}));
    CHECK_FALSE(any_overlap(tree, Aabb{{0, 0, 0}, {0.4F, 1, 1}}));
    CHECK(tree.move(0, {{0.6F, 0, 0}, {1.6F, 1, 1}}));
    CHECK(tree.stat().insertions == 3);
    CHECK(tree.validate() == "");
}

TEST_CASE("B5 dynamic_bvh: least_surface takes the cheapest place of all") {
    // Against every possible sibling, priced by the definition.
    Random random(84);
    for (int round = 0; round < 40; ++round) {
        DynamicBvh tree({.rotate = RotateRule::off, .fat_margin_m = 0.0F});
        const std::vector<Aabb> boxes = flat_scene(60, random).boxes;
        for (std::uint32_t i = 0; i < 59; ++i) {
            tree.insert(i, boxes[i]);
        }
        const auto surface = [&](const DynamicBvh& of) {
            double sum = 0.0;
            std::vector<std::uint32_t> waiting{of.root()};
            while (!waiting.empty()) {
                const DynamicNode& node = of.nodes()[waiting.back()];
                waiting.pop_back();
                sum += surface_area_m2(node.box);
                if (node.count == 0) {
                    waiting.insert(waiting.end(), {node.items[0], node.items[1]});
                }
            }
            return sum;
        };
        double least = 1e30;
        for (std::uint32_t node = 0; node < tree.nodes().size(); ++node) {
            double growth = surface_area_m2(merge(tree.nodes()[node].box, boxes[59]));
            for (std::uint32_t up = tree.nodes()[node].parent; up != kNoBvhNode;
                 up = tree.nodes()[up].parent) {
                const Aabb& box = tree.nodes()[up].box;
                growth += surface_area_m2(merge(box, boxes[59])) - surface_area_m2(box);
            }
            least = std::min(least, growth);
        }
        const double before = surface(tree);
        tree.insert(59, boxes[59]);
        const double grown = surface(tree) - before - surface_area_m2(boxes[59]);
        CHECK(grown == doctest::Approx(least).epsilon(1e-3));
    }
}

TEST_CASE("B7 dynamic_bvh: sorted input does not grow a list") {
    for (const InsertRule insert : {InsertRule::nearest_centre, InsertRule::least_surface}) {
        const auto depth_with = [&](RotateRule rotate) {
            DynamicBvh tree({insert, rotate, 0.1F, 1});
            for (std::uint32_t i = 0; i < 2048; ++i) {
                const Vec3 at(static_cast<float>(i), 0.0F, 0.0F);
                tree.insert(i, {at, at + 0.5F});
            }
            REQUIRE(tree.validate() == "");
            return tree.stat().depth;
        };
        CAPTURE(static_cast<int>(insert));
        CHECK(depth_with(RotateRule::sah) <= 40);
        CHECK(depth_with(RotateRule::volume_ratio) <= 80);
    }
}

}  // namespace
}  // namespace terrane
