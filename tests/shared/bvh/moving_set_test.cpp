#include "shared/bvh/moving_set.h"

#include <doctest/doctest.h>

#include "tests/shared/bvh/query_scenes.h"

namespace terrane {
namespace {

/// The questions of query_scenes.h, put to a set by its members.
struct AskSet {
    const MovingSet& set;
};
std::optional<BvhHit> closest_hit(const AskSet& of, const RayProbe& probe, HitTest test) {
    return of.set.closest_hit(probe, test);
}
bool any_hit(const AskSet& of, const RayProbe& probe, HitTest test) {
    return of.set.any_hit(probe, test);
}
void all_hits(const AskSet& of, const RayProbe& probe, std::vector<BvhHit>& hits, HitTest test) {
    of.set.all_hits(probe, hits, test);
}
template <typename Volume>
bool any_overlap(const AskSet& of, const Volume& volume, ObjectTest test = {}) {
    return of.set.any_overlap(volume, test);
}
template <typename Volume>
void all_overlaps(const AskSet& of, const Volume& volume, std::vector<std::uint32_t>& objects,
                  ObjectTest test = {}) {
    of.set.all_overlaps(volume, objects, test);
}
template <typename Volume>
std::optional<BvhNearest> closest_overlap(const AskSet& of, const Volume& volume,
                                          const Vec3& point) {
    return of.set.closest_overlap(volume, point);
}

std::string compare_set(const MovingSet& set, int count, Random& random) {
    const std::vector<Aabb> boxes(set.boxes().begin(), set.boxes().end());
    return compare_with_brute_force(AskSet{set}, boxes, count, random);
}

Aabb moved_by(const Aabb& box, float most, Random& random) {
    const Vec3 by{random.range(-most, most), random.range(-most, most), random.range(-most, most)};
    return {box.min + by, box.max + by};
}

TEST_CASE("B14 moving_set: the policies by name; a wrong name's error lists the right ones") {
    for (const MovingPolicy policy : kMovingPolicies) {
        CHECK(moving_policy_named(name_of(policy)).value() == policy);
    }
    const Result<MovingPolicy> wrong = moving_policy_named("fat");
    REQUIRE(!wrong);
    CHECK(wrong.error().message.find(
              "'fat'; there are reinsert, refit, rebuild_subtree, rebuild") != std::string::npos);
}

TEST_CASE("B14 moving_set: every policy answers as brute force, before and after each commit") {
    for (const MovingPolicy policy : kMovingPolicies) {
        CAPTURE(name_of(policy));
        Random random(141);
        const std::vector<Aabb> homes = flat_scene(700, random).boxes;
        MovingSet set({.policy = policy});
        CHECK(compare_set(set, 2, random) == "");
        for (std::uint32_t i = 0; i < 600; ++i) {
            set.set(i, homes[i]);
        }
        CHECK(compare_set(set, 6, random) == "");  // nothing committed yet
        set.commit();
        CHECK(set.stat().waiting_count == 0);
        for (int tick = 0; tick < 60; ++tick) {
            // Now all of them, now a few; some come, some go, some get no usable box.
            const bool is_all = tick % 3 != 0;
            for (std::uint32_t i = 0; i < 700; ++i) {
                const bool is_in = i < set.boxes().size() && !is_empty(set.boxes()[i]);
                const std::uint32_t dice = random.below(100);
                if (dice == 0) {
                    set.remove(i);
                } else if (dice == 1) {
                    set.set(i, homes[i]);
                } else if (dice == 2 && tick % 10 == 0) {
                    set.set(i, {Vec3(NAN), Vec3(1.0F)});
                } else if (is_in && (is_all || dice < 8)) {
                    set.set(i, moved_by(set.boxes()[i], 0.4F, random));
                }
            }
            REQUIRE(compare_set(set, 2, random) == "");
            set.commit();
            REQUIRE(set.validate() == "");
            REQUIRE(compare_set(set, 3, random) == "");
        }
        std::uint32_t there = 0;
        for (const Aabb& box : set.boxes()) {
            there += is_empty(box) ? 0U : 1U;
        }
        CHECK(set.stat().object_count == there);
        CHECK(set.stat().commits == 61);
    }
}

TEST_CASE("B14 moving_set: when each policy makes its tree anew") {
    Random random(142);
    std::vector<Aabb> boxes = flat_scene(1000, random).boxes;
    const auto run = [&](const MovingSetConfig& config, float step_m, int ticks) {
        Random dice(7);
        MovingSet set(config);
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            set.set(i, boxes[i]);
        }
        set.commit();
        for (int tick = 0; tick < ticks; ++tick) {
            for (std::uint32_t i = 0; i < boxes.size(); ++i) {
                set.set(i, moved_by(set.boxes()[i], step_m, dice));
            }
            set.commit();
        }
        CHECK(set.validate() == "");
        return set.stat();
    };
    const MovingStat refit = run({.policy = MovingPolicy::refit}, 0.001F, 32);
    CHECK(refit.rebuilds == 3);  // the first commit, then each 16
    CHECK(refit.subtree_rebuilds == 0);
    // Far moves spoil the tree at once.
    CHECK(run({.policy = MovingPolicy::refit}, 60.0F, 5).rebuilds >= 5);
    CHECK(run({.policy = MovingPolicy::rebuild}, 0.001F, 32).rebuilds == 33);
    const MovingStat parts = run({.policy = MovingPolicy::rebuild_subtree}, 0.001F, 32);
    CHECK(parts.rebuilds == 1);
    CHECK(parts.subtree_rebuilds >= 32);
    const MovingStat fat = run({.policy = MovingPolicy::reinsert}, 0.001F, 32);
    CHECK(fat.rebuilds == 0);
    CHECK(fat.insertions == 1000);  // nobody left its larger box
    CHECK(run({.policy = MovingPolicy::reinsert}, 0.5F, 2).insertions > 1000);
}

TEST_CASE("B14 moving_set: a commit without changes does nothing, a set of nobody answers") {
    MovingSet set;
    set.commit();
    set.remove(5);
    set.commit();
    CHECK(set.stat().object_count == 0);
    CHECK(!set.closest_hit(probe_along({Vec3(0.0F), Vec3(1.0F, 0.0F, 0.0F), 10.0F})));
    set.set(0, {Vec3(1.0F), Vec3(2.0F)});
    set.remove(0);  // before it was ever committed
    set.commit();
    CHECK(set.stat().object_count == 0);
    set.set(0, {Vec3(1.0F), Vec3(2.0F)});
    set.commit();
    const std::uint64_t rebuilds = set.stat().rebuilds;
    for (int i = 0; i < 40; ++i) {
        set.commit();
    }
    CHECK(set.stat().rebuilds == rebuilds);
    CHECK(set.any_overlap(Aabb{Vec3(0.0F), Vec3(1.0F)}));
}

TEST_CASE("B11 wide_bvh: refit of all, of one and subtrees made anew keep the tree whole") {
    Random random(143);
    for (const QueryScene& scene : query_scenes(900, 144)) {
        CAPTURE(scene.name);
        std::vector<Aabb> boxes = scene.boxes;
        WideBvh tree = build_wide_lbvh(boxes);
        for (Aabb& box : boxes) {
            if (is_usable_box(box)) {
                box = moved_by(box, 3.0F, random);
            }
        }
        const float area_m2 = refit(tree, boxes);
        REQUIRE(validate_wide(tree, boxes) == "");
        double sum = 0.0;
        for (const WideNode& node : tree.nodes) {
            sum += surface_area_m2(box_of(node));
        }
        CHECK(static_cast<double>(area_m2) == doctest::Approx(sum).epsilon(1e-4));
        for (std::uint32_t i = 0; i < boxes.size(); i += 7) {
            if (is_usable_box(boxes[i]) && tree.places[i] != kNoBvhNode) {
                boxes[i] = moved_by(boxes[i], 9.0F, random);
                refit_object(tree, i, boxes[i]);
            }
        }
        REQUIRE(validate_wide(tree, boxes) == "");
        WideLbvhBuilder builder;
        SubtreeRebuilder subtrees;
        for (int i = 0; i < 30 && !tree.nodes.empty(); ++i) {
            const std::uint32_t node = random.below(static_cast<std::uint32_t>(tree.nodes.size()));
            subtrees.rebuild(tree, boxes, node, builder);
            REQUIRE(validate_wide(tree, boxes) == "");
        }
        CHECK(compare_with_brute_force(tree, boxes, 4, random) == "");
    }
}

TEST_CASE("B5 wide_bvh: insertion among slots whose boxes have become empty") {
    Random random(145);
    std::vector<Aabb> boxes = flat_scene(300, random).boxes;
    WideBvh tree;
    for (std::uint32_t i = 0; i < 200; ++i) {
        insert(tree, i, boxes[i]);
    }
    for (std::uint32_t i = 0; i < 200; ++i) {
        boxes[i] = i % 10 == 0 ? boxes[i] : Aabb{};
    }
    refit(tree, boxes);
    for (std::uint32_t i = 200; i < 300; ++i) {
        insert(tree, i, boxes[i]);
    }
    CHECK(validate_wide(tree, boxes) == "");
    CHECK(compare_with_brute_force(tree, boxes, 20, random) == "");
    for (std::uint32_t i = 0; i < 300; ++i) {
        CHECK(remove(tree, i));
    }
    CHECK(tree.object_count == 0);
}

}  // namespace
}  // namespace terrane
