// What the unit tests sample, at length: ten million questions over all scenes, builders and paths,
// and a million changes of the trees that change.
#include <doctest/doctest.h>

#include "shared/bvh/builders.h"
#include "tests/shared/bvh/query_scenes.h"

namespace terrane {
namespace {

TEST_CASE("B1 bvh: ten million answers equal brute force") {
    constexpr int kRounds = 400;        // each asks all kinds of question: at least 10 answers
    constexpr int kScenesOfSeeds = 20;  // times 14 scenes, 8 trees
    std::uint64_t answers = 0;
    for (std::uint64_t seed = 1; seed <= kScenesOfSeeds; ++seed) {
        CAPTURE(seed);
        for (const QueryScene& scene : query_scenes(150, seed)) {
            CAPTURE(scene.name);
            std::vector<WideBvh> trees{build_wide_lbvh(scene.boxes)};
            for (const BvhBuilder builder : kBvhBuilders) {
                const BuildConfig config{.builder = builder, .leaf_objects_max = 1};
                trees.push_back(collapse(build_bvh(scene.boxes, config)));
            }
            Random random(seed);
            for (WideBvh& tree : trees) {
                tree.path = seed % 4 == 0 ? BvhPath::scalar : BvhPath::simd;
                REQUIRE(compare_with_brute_force(tree, scene.boxes, kRounds, random) == "");
                answers += 12 * kRounds;
            }
        }
    }
    CHECK(answers >= 10'000'000);
}

/// The same change to both trees.
void change_one(DynamicBvh& dynamic, WideBvh& wide, std::vector<Aabb>& boxes,
                const std::vector<Aabb>& homes, Random& random) {
    const std::uint32_t object = random.below(static_cast<std::uint32_t>(homes.size()));
    Aabb& box = boxes[object];
    if (!dynamic.has(object)) {
        box = homes[object];
        dynamic.insert(object, box);
        insert(wide, object, box);
    } else if (random.below(4) == 0) {
        box = {};
        dynamic.remove(object);
        remove(wide, object);
    } else {
        const Vec3 by{random.range(-1.0F, 1.0F), 0.0F, random.range(-1.0F, 1.0F)};
        box = {box.min + by, box.max + by};
        dynamic.move(object, box);
        remove(wide, object);
        insert(wide, object, box);
    }
}

TEST_CASE("B5 dynamic_bvh, wide_bvh: a million insertions, moves and removals lose no hit") {
    constexpr int kChanges = 170'000;  // for each of six ways to insert and rotate
    for (const InsertRule insert_rule : {InsertRule::nearest_centre, InsertRule::least_surface}) {
        for (const RotateRule rotate :
             {RotateRule::off, RotateRule::sah, RotateRule::volume_ratio}) {
            CAPTURE(static_cast<int>(insert_rule));
            CAPTURE(static_cast<int>(rotate));
            Random random(4711);
            const std::vector<Aabb> homes = flat_scene(2000, random).boxes;
            std::vector<Aabb> boxes(homes.size());
            DynamicBvh dynamic({.insert = insert_rule, .rotate = rotate});
            WideBvh wide;
            for (int i = 0; i < kChanges; ++i) {
                change_one(dynamic, wide, boxes, homes, random);
                if (i % 5'000 == 0) {
                    REQUIRE(dynamic.validate() == "");
                    REQUIRE(validate_wide(wide, boxes) == "");
                    REQUIRE(compare_with_brute_force(dynamic, boxes, 40, random) == "");
                    REQUIRE(compare_with_brute_force(wide, boxes, 40, random) == "");
                }
            }
            CHECK(wide.nodes.size() < 4 * std::size_t{stat_of(wide).node_count});
        }
    }
}

}  // namespace
}  // namespace terrane
