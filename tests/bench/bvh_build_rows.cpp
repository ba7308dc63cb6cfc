// Rows about building trees of boxes: against Embree, by what the trees cost, and the figures that
// the article on dynamic trees gives for 10,000 boxes (leaves of at most 15).
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "shared/bvh/builders.h"
#include "shared/bvh/bvh_query.h"
#include "shared/bvh/dynamic_bvh.h"
#include "shared/bvh/rotate_bvh.h"
#include "shared/bvh/wide_bvh.h"
#include "shared/bvh/wide_lbvh.h"
#include "tests/bench/bench_row.h"
#include "tests/bench/bvh_scene.h"
#include "tests/bench/embree_peer.h"

namespace terrane::bench {
namespace {

constexpr std::size_t kBoxes = 10'000;
constexpr std::uint32_t kArticleLeaf = 15;

std::shared_ptr<const std::vector<Aabb>> shared_world(std::size_t count) {
    return std::make_shared<const std::vector<Aabb>>(flat_world(count));
}

/// An exact sweep, the yardstick of the binned one: every plane between two centres, all axes.
std::uint32_t split_by_sweep(const SplitNode& node) {
    const std::size_t count = node.objects.size();
    std::vector<BuildObject> best_order;
    std::vector<float> right_cost(count + 1, 0.0F);
    float best_cost = LaneBox::kFar;
    std::uint32_t best = 0;
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<BuildObject> order(node.objects.begin(), node.objects.end());
        std::ranges::sort(order, [axis](const BuildObject& a, const BuildObject& b) {
            const float left = a.centre2()[axis];
            const float right = b.centre2()[axis];
            return left != right ? left < right : a.index() < b.index();
        });
        LaneBox box;
        for (std::size_t i = count; i-- > 1;) {
            box.add(order[i].box);
            right_cost[i] = half_area_m2(box) * static_cast<float>(count - i);
        }
        box = {};
        bool is_best = false;
        for (std::size_t i = 1; i < count; ++i) {
            box.add(order[i - 1].box);
            const float cost = half_area_m2(box) * static_cast<float>(i) + right_cost[i];
            if (cost < best_cost) {
                best_cost = cost;
                best = static_cast<std::uint32_t>(i);
                is_best = true;
            }
        }
        if (is_best) {
            best_order = std::move(order);
        }
    }
    std::ranges::copy(best_order, node.objects.begin());
    return best;
}

std::optional<Work> build_against(std::size_t count, EmbreeQuality quality) {
    const auto boxes = shared_world(count);
    std::shared_ptr<EmbreePeer> peer = make_embree_peer(*boxes, quality);
    if (!peer) {
        return std::nullopt;
    }
    const auto builder = std::make_shared<WideLbvhBuilder>();
    const auto tree = std::make_shared<WideBvh>();
    Work work;
    work.ours = [boxes, quality, builder, tree] {
        if (quality == EmbreeQuality::low) {
            builder->build(*boxes, *tree);
        } else {
            *tree = collapse(build_bvh(*boxes, {.leaf_objects_max = 1}));
        }
        return std::uint64_t{tree->object_count};
    };
    work.theirs = [boxes, peer] {
        peer->build();
        return std::uint64_t{boxes->size()};
    };
    return work;
}

/// A row of two sizes: costs of trees, or counts.
Work sizes(double ours, std::optional<double> theirs) {
    Work work;
    work.ours = [] { return std::uint64_t{0}; };
    work.our_size = ours;
    work.their_size = theirs;
    return work;
}

std::optional<Work> sah_cost() {
    const std::vector<Aabb> boxes = flat_world(kBoxes);
    const double sweep =
        stat_of(build_top_down(boxes, split_by_sweep, {.leaf_objects_max = 1})).cost;
    return sizes(stat_of(build_bvh(boxes, {.leaf_objects_max = 1})).cost / sweep, std::nullopt);
}

/// The fast build's cost as a share of what the collapsed sah tree costs.
std::optional<Work> fast_cost(std::vector<Aabb> (*make)(std::size_t)) {
    const std::vector<Aabb> boxes = make(kBoxes);
    const double sah = stat_of(collapse(build_bvh(boxes, {.leaf_objects_max = 1}))).cost;
    return sizes(stat_of(build_wide_lbvh(boxes)).cost / sah, std::nullopt);
}

std::optional<Work> article_build(const BuildConfig& config) {
    const auto boxes = shared_world(kBoxes);
    Work work;
    work.ours = [boxes, config] {
        return static_cast<std::uint64_t>(build_bvh(*boxes, config).nodes.size());
    };
    return work;
}

std::optional<Work> article_insert(const DynamicBvhConfig& config) {
    constexpr std::uint32_t kMore = 500;
    const auto boxes = shared_world(kBoxes);
    const auto tree = std::make_shared<DynamicBvh>(config);
    for (std::uint32_t i = 0; i < kBoxes; ++i) {
        tree->insert(i, (*boxes)[i]);
    }
    Work work;
    work.operations = kMore;
    work.ours = [boxes, tree] {
        // The last ones out and in again: the time is for one of each.
        for (std::uint32_t i = kBoxes - kMore; i < kBoxes; ++i) {
            tree->remove(i);
            tree->insert(i, (*boxes)[i]);
        }
        return std::uint64_t{tree->stat().object_count};
    };
    return work;
}

/// Rays through the binary tree of `builder` before and after rotations.
std::optional<Work> rotated_rays(BvhBuilder builder) {
    const auto boxes = shared_world(kBoxes);
    const auto before =
        std::make_shared<Bvh>(build_bvh(*boxes, {.builder = builder, .leaf_objects_max = 1}));
    const auto after = std::make_shared<Bvh>(*before);
    rotate_bvh(*after, 1000);
    const auto asked = std::make_shared<std::vector<Ray>>(random_rays(*boxes, 2'000));
    const auto ask = [asked](const Bvh& tree) {
        std::uint64_t hits = 0;
        for (const Ray& ray : *asked) {
            const auto hit = closest_hit(tree, probe_along(ray));
            hits += hit ? mix_bits(hit->object) : 0;
        }
        return hits;
    };
    Work work;
    work.operations = 2'000;
    work.ours = [after, ask] { return ask(*after); };
    work.theirs = [before, ask] { return ask(*before); };
    return work;
}

std::optional<Work> rotated_cost(BvhBuilder builder) {
    const std::vector<Aabb> boxes = flat_world(kBoxes);
    Bvh tree = build_bvh(boxes, {.builder = builder, .leaf_objects_max = 1});
    const double before = stat_of(tree).cost;
    rotate_bvh(tree, 1000);
    return sizes(stat_of(tree).cost, before);
}

std::optional<Work> binned_cost(std::uint32_t bins) {
    const std::vector<Aabb> boxes = flat_world(kBoxes);
    return sizes(stat_of(build_bvh(boxes, {.leaf_objects_max = 1, .bin_count = bins})).cost,
                 std::nullopt);
}

void add_article_rows(std::vector<BenchRow>& rows) {
    for (const BvhBuilder builder : kBvhBuilders) {
        const BuildConfig config{.builder = builder, .leaf_objects_max = kArticleLeaf};
        const double must = builder == BvhBuilder::median ? 2.4 : 2.6;
        rows.push_back({fmt::format("B2.article.{}.build", name_of(builder)), "", "ms", Goal::value,
                        must, must, [config] { return article_build(config); }});
        rows.push_back({fmt::format("B2.article.{}.nodes", name_of(builder)), "", "n", Goal::value,
                        2047, 1933, [config] {
                            const auto nodes = build_bvh(flat_world(kBoxes), config).nodes.size();
                            return std::optional(sizes(static_cast<double>(nodes), std::nullopt));
                        }});
    }
    const auto insert = [&rows](const char* name, const DynamicBvhConfig& config) {
        rows.push_back({fmt::format("B5.article.insert.{}", name), "", "us", Goal::value, 70, 7,
                        [config] { return article_insert(config); }});
    };
    insert("nearest_centre", {.insert = InsertRule::nearest_centre});
    insert("least_surface", {.insert = InsertRule::least_surface});
    for (const std::uint32_t bins : {4U, 8U, 12U, 16U, 32U}) {
        const BuildConfig config{.leaf_objects_max = 1, .bin_count = bins};
        rows.push_back({fmt::format("B2.sah.bins_{}.build", bins), "", "ms", Goal::value, 10, 5,
                        [config] { return article_build(config); }});
        rows.push_back({fmt::format("B2.sah.bins_{}.cost", bins), "", "", Goal::value, 20, 15,
                        [bins] { return binned_cost(bins); }});
    }
    for (const BvhBuilder builder : {BvhBuilder::median, BvhBuilder::sah, BvhBuilder::lbvh}) {
        rows.push_back({fmt::format("B7.rotated.{}.cost", name_of(builder)), "not rotated", "",
                        Goal::ratio, 1, 1.1, [builder] { return rotated_cost(builder); }});
        rows.push_back({fmt::format("B7.rotated.{}.ray", name_of(builder)), "not rotated", "ns",
                        Goal::ratio, 1, 1.1, [builder] { return rotated_rays(builder); }});
    }
}

}  // namespace

void add_bvh_build_rows(std::vector<BenchRow>& rows) {
    const auto build = [&rows](const char* name, std::size_t count, EmbreeQuality quality,
                               double must, double ambitious) {
        rows.push_back({name, quality == EmbreeQuality::low ? "Embree 3 low" : "Embree 3 medium",
                        "ms", Goal::ratio, must, ambitious,
                        [count, quality] { return build_against(count, quality); }});
    };
    build("B2.sah.build.10k", kBoxes, EmbreeQuality::medium, 1.52, 2);
    build("B2.sah.build.100k", 10 * kBoxes, EmbreeQuality::medium, 1.28, 2);
    build("B3.lbvh.build.10k", kBoxes, EmbreeQuality::low, 2.78, 3.57);
    build("B3.lbvh.build.1m", 100 * kBoxes, EmbreeQuality::low, 2.38, 2.86);
    rows.push_back({"B2.sah.cost_to_sweep", "", "", Goal::value, 1.01, 1.0, sah_cost});
    const auto cost = [&rows](const char* name, std::vector<Aabb> (*make)(std::size_t)) {
        rows.push_back({fmt::format("B3.lbvh.cost_to_sah.{}", name), "", "", Goal::value, 1.10,
                        1.08, [make] { return fast_cost(make); }});
    };
    cost("flat", flat_world);
    cost("cube", cube_world);
    cost("line", line_world);
    cost("lattice", lattice_world);
    cost("outlier", outlier_world);
    add_article_rows(rows);
}

}  // namespace terrane::bench
