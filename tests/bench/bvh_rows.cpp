// Rows about queries and updates of trees of boxes: the wide tree against Embree and btDbvt.
#include <algorithm>
#include <bit>

#include "shared/bvh/builders.h"
#include "shared/bvh/wide_bvh.h"
#include "shared/bvh/wide_lbvh.h"
#include "tests/bench/bench_row.h"
#include "tests/bench/bvh_scene.h"
#include "tests/bench/dbvt_peer.h"
#include "tests/bench/embree_peer.h"

namespace terrane::bench {
namespace {

constexpr std::size_t kBoxes = 10'000;
constexpr std::size_t kQueries = 4'000;

const std::vector<Aabb>& world() {
    static const std::vector<Aabb> boxes = flat_world(kBoxes);
    return boxes;
}

const WideBvh& wide_tree() {
    static const WideBvh tree = collapse(build_bvh(world(), {.leaf_objects_max = 1}));
    return tree;
}

DbvtPeer* dbvt() {
    static const std::unique_ptr<DbvtPeer> peer = make_dbvt_peer(world());
    return peer.get();
}

std::uint64_t hash_hit(const std::optional<BvhHit>& hit) {
    return hit ? mix_bits((std::uint64_t{hit->object} << 32) | std::bit_cast<std::uint32_t>(hit->t))
               : 1;
}

/// In whatever order.
std::uint64_t hash_objects(std::vector<std::uint32_t>& objects) {
    std::uint64_t hash = objects.size();
    for (const std::uint32_t object : objects) {
        hash += object * 0x9e3779b97f4a7c15ULL;
    }
    objects.clear();
    return hash;
}

std::optional<Work> rays(bool is_coherent) {
    std::shared_ptr<EmbreePeer> peer = make_embree_peer(world(), EmbreeQuality::medium);
    if (!peer) {
        return std::nullopt;
    }
    peer->build();
    const auto asked = std::make_shared<std::vector<Ray>>(
        is_coherent ? coherent_rays(world(), kQueries) : random_rays(world(), kQueries));
    Work work;
    work.operations = kQueries;
    work.ours = [asked] {
        std::uint64_t hash = 0;
        for (const Ray& ray : *asked) {
            hash += hash_hit(closest_hit(wide_tree(), probe_along(ray)));
        }
        return hash;
    };
    work.theirs = [asked, peer] {
        std::uint64_t hash = 0;
        for (const Ray& ray : *asked) {
            hash += hash_hit(peer->closest_hit(ray));
        }
        return hash;
    };
    return work;
}

std::optional<Work> box_overlaps(float side_m) {
    if (dbvt() == nullptr) {
        return std::nullopt;
    }
    const auto asked = std::make_shared<std::vector<Aabb>>(query_cubes(world(), side_m, kQueries));
    const auto found = std::make_shared<std::vector<std::uint32_t>>();
    Work work;
    work.operations = kQueries;
    work.ours = [asked, found] {
        std::uint64_t hash = 0;
        for (const Aabb& box : *asked) {
            all_overlaps_unordered(wide_tree(), box, *found);
            hash += hash_objects(*found);
        }
        return hash;
    };
    work.theirs = [asked, found] {
        std::uint64_t hash = 0;
        for (const Aabb& box : *asked) {
            dbvt()->overlaps(box, *found);
            hash += hash_objects(*found);
        }
        return hash;
    };
    return work;
}

std::optional<Work> box_sweeps(float length_m) {
    if (dbvt() == nullptr) {
        return std::nullopt;
    }
    const auto asked = std::make_shared<std::vector<Ray>>(random_rays(world(), kQueries));
    for (Ray& ray : *asked) {
        ray.t_max = length_m;
    }
    const Vec3 body(0.3F, 0.9F, 0.3F);
    Work work;
    work.operations = kQueries;
    work.ours = [asked, body] {
        std::uint64_t hash = 0;
        for (const Ray& ray : *asked) {
            hash += hash_hit(closest_hit(wide_tree(), probe_along(ray, body)));
        }
        return hash;
    };
    work.theirs = [asked, body] {
        std::uint64_t hash = 0;
        for (const Ray& ray : *asked) {
            hash += hash_hit(dbvt()->sweep(ray, body));
        }
        return hash;
    };
    return work;
}

/// Takes 2,000 of 10,000 out and puts them back; the time is for one pair of both.
std::optional<Work> replace_some() {
    std::shared_ptr<DbvtPeer> peer = make_dbvt_peer(world());
    if (!peer) {
        return std::nullopt;
    }
    const auto tree = std::make_shared<WideBvh>(build_wide_lbvh(world()));
    const auto objects = std::make_shared<std::vector<std::uint32_t>>();
    Random random(19);
    for (std::uint32_t i = 0; i < kBoxes / 5; ++i) {
        objects->push_back(i * 5 + random.below(5));
    }
    Work work;
    work.operations = static_cast<double>(objects->size());
    work.ours = [tree, objects] {
        for (const std::uint32_t object : *objects) {
            remove(*tree, object);
            insert(*tree, object, world()[object]);
        }
        return std::uint64_t{tree->object_count};
    };
    work.theirs = [peer, objects] {
        for (const std::uint32_t object : *objects) {
            peer->remove(object);
            peer->insert(object, world()[object]);
        }
        return std::uint64_t{kBoxes};
    };
    return work;
}

/// Rays through a tree of which a fifth has been taken out and put back, against a fresh one.
std::optional<Work> churned_rays() {
    const auto tree = std::make_shared<WideBvh>(wide_tree());
    Random random(20);
    for (std::uint32_t i = 0; i < kBoxes / 5; ++i) {
        const std::uint32_t object = random.below(kBoxes);
        remove(*tree, object);
        insert(*tree, object, world()[object]);
    }
    const auto asked = std::make_shared<std::vector<Ray>>(random_rays(world(), kQueries));
    const auto ask = [asked](const WideBvh& of) {
        std::uint64_t hash = 0;
        for (const Ray& ray : *asked) {
            hash += hash_hit(closest_hit(of, probe_along(ray)));
        }
        return hash;
    };
    Work work;
    work.operations = kQueries;
    work.ours = [tree, ask] { return ask(*tree); };
    work.theirs = [ask] { return ask(wide_tree()); };
    return work;
}

/// 64 ticks of 10,000 boxes on the move: exact refit, and a rebuild every 16 ticks.
std::optional<Work> moving_update() {
    constexpr std::size_t kTicks = 64;
    constexpr std::size_t kRebuildTicks = 16;
    std::shared_ptr<DbvtPeer> peer = make_dbvt_peer(world());
    if (!peer) {
        return std::nullopt;
    }
    const auto moved =
        std::make_shared<std::vector<std::vector<Aabb>>>(moving_boxes(world(), kTicks));
    const auto tree = std::make_shared<WideBvh>(build_wide_lbvh(world()));
    const auto builder = std::make_shared<WideLbvhBuilder>();
    Work work;
    work.operations = kTicks;
    work.ours = [moved, tree, builder] {
        for (std::size_t tick = 0; tick < kTicks; ++tick) {
            if (tick % kRebuildTicks == 0) {
                builder->build((*moved)[tick], *tree);
            } else {
                refit(*tree, (*moved)[tick]);
            }
        }
        return std::uint64_t{tree->object_count};
    };
    work.theirs = [moved, peer] {
        for (std::size_t tick = 0; tick < kTicks; ++tick) {
            peer->update((*moved)[tick], (*moved)[(tick + kTicks - 1) % kTicks]);
        }
        return std::uint64_t{kBoxes};
    };
    return work;
}

}  // namespace

void add_bvh_rows(std::vector<BenchRow>& rows) {
    const std::string embree = "Embree 3 medium";
    const std::string bullet = "btDbvt";
    const auto add = [&](std::string name, const std::string& peer, const char* unit, double must,
                         double ambitious, std::function<std::optional<Work>()> setup) {
        rows.push_back(
            {std::move(name), peer, unit, Goal::ratio, must, ambitious, std::move(setup)});
    };
    add("B1.ray.random", embree, "ns", 1.0, 1.25, [] { return rays(false); });
    add("B1.ray.coherent", embree, "ns", 1.1, 1.3, [] { return rays(true); });
    add("B1.overlap.3m", bullet, "ns", 6, 7, [] { return box_overlaps(3.0F); });
    add("B1.overlap.96m", bullet, "ns", 9, 11, [] { return box_overlaps(96.0F); });
    add("B1.sweep.8m", bullet, "ns", 7, 8.5, [] { return box_sweeps(8.0F); });
    add("B1.sweep.60m", bullet, "ns", 7, 8.5, [] { return box_sweeps(60.0F); });
    add("B5.wide.insert", bullet, "ns", 3, 4, replace_some);
    add("B5.wide.rays_after_churn", "a fresh tree", "ns", 0.86, 0.91, churned_rays);
    add("B14.moving.update", bullet, "us", 8, 15, moving_update);
}

}  // namespace terrane::bench
