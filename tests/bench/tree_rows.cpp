// Rows about the loose kD tree, against Bullet's trees on the same brick meshes.
#include <algorithm>
#include <cmath>

#include "tests/bench/bench_row.h"
#include "tests/bench/brick_queries.h"
#include "tests/bench/bullet_peer.h"

namespace terrane::bench {
namespace {

/// Our trees and theirs over the scene's surface bricks.
struct Trees {
    const TerrainScene* scene = nullptr;
    std::vector<TriangleTree> ours;
    std::unique_ptr<BulletPeer> theirs;
};

/// nullptr without Bullet.
Trees* trees(bool is_quantized) {
    const auto make = [](bool quantized) {
        auto made = std::make_unique<Trees>();
        made->scene = &terrain_scene();
        made->theirs = make_bullet_peer(*made->scene, quantized);
        TriangleTreeBuilder builder;
        for (const SurfaceBrick& surface : made->scene->surfaces) {
            builder.build(surface.view(), made->ours.emplace_back());
        }
        return made;
    };
    static const std::unique_ptr<Trees> quantized = make(true);
    Trees* chosen = quantized.get();
    if (!is_quantized) {
        static const std::unique_ptr<Trees> plain = make(false);
        chosen = plain.get();
    }
    return chosen->theirs ? chosen : nullptr;
}

std::optional<Work> tree_build(bool is_quantized) {
    Trees* both = trees(is_quantized);
    if (both == nullptr) {
        return std::nullopt;
    }
    Work work;
    work.operations = static_cast<double>(both->scene->surfaces.size());
    work.ours = [both] {
        std::uint64_t triangles = 0;
        TriangleTreeBuilder builder;
        for (const SurfaceBrick& surface : both->scene->surfaces) {
            TriangleTree tree;
            builder.build(surface.view(), tree);
            triangles += tree.nodes().empty() ? 0 : surface.view().triangle_count();
        }
        return triangles;
    };
    work.theirs = [both] { return both->theirs->build_all(); };
    return work;
}

std::optional<Work> tree_bytes(bool is_quantized) {
    Trees* both = trees(is_quantized);
    if (both == nullptr) {
        return std::nullopt;
    }
    Work work;
    work.ours = [both] { return both->scene->triangle_count; };
    work.theirs = work.ours;
    std::size_t bytes = 0;
    for (const TriangleTree& tree : both->ours) {
        bytes += tree.memory_bytes();
    }
    const auto triangles = static_cast<double>(both->scene->triangle_count);
    work.our_size = static_cast<double>(bytes) / triangles;
    work.their_size = static_cast<double>(both->theirs->tree_bytes()) / triangles;
    return work;
}

/// Order does not matter, which triangles do; corners are copied out, as a narrowphase needs them.
std::uint64_t hash_found(std::size_t surface, std::vector<std::uint32_t>& triangles,
                         std::vector<Vec3>& corners) {
    std::uint64_t hash = 0;
    for (const std::uint32_t triangle : triangles) {
        hash += hash_triangle(surface, triangle);
    }
    hash += corners.size();
    triangles.clear();
    corners.clear();
    return hash;
}

std::optional<Work> tree_box(bool is_quantized) {
    Trees* both = trees(is_quantized);
    if (both == nullptr) {
        return std::nullopt;
    }
    const auto queries = make_boxes(*both->scene);
    auto triangles = std::make_shared<std::vector<std::uint32_t>>();
    auto corners = std::make_shared<std::vector<Vec3>>();
    Work work;
    work.operations = static_cast<double>(queries->size());
    work.ours = [both, queries, triangles, corners] {
        std::uint64_t hash = 0;
        for (const BoxQuery& query : *queries) {
            const TriangleMeshView mesh = both->scene->surfaces[query.surface].view();
            both->ours[query.surface].query_box(mesh, query.box, *triangles);
            for (const std::uint32_t triangle : *triangles) {
                corners->insert(corners->end(), {mesh.corner(triangle, 0), mesh.corner(triangle, 1),
                                                 mesh.corner(triangle, 2)});
            }
            hash += hash_found(query.surface, *triangles, *corners);
        }
        return hash;
    };
    work.theirs = [both, queries, triangles, corners] {
        std::uint64_t hash = 0;
        for (const BoxQuery& query : *queries) {
            both->theirs->query_box(query.surface, query.box, *corners, *triangles);
            hash += hash_found(query.surface, *triangles, *corners);
        }
        return hash;
    };
    return work;
}

/// Rays on which the two disagree about hit or miss, or about the place by more than a centimetre.
std::uint64_t count_different(Trees& both, const std::vector<RayQuery>& queries) {
    std::uint64_t different = 0;
    for (const RayQuery& query : queries) {
        const auto ours = both.ours[query.surface].closest_hit(
            both.scene->surfaces[query.surface].view(), query.ray());
        const auto theirs = both.theirs->closest_hit(query.surface, query.from, query.to);
        const bool is_same =
            ours.has_value() == theirs.has_value() &&
            (!ours || std::abs(ours->t - *theirs) * glm::length(query.to - query.from) < 0.01F);
        different += is_same ? 0 : 1;
    }
    return different;
}

std::optional<Work> tree_ray(bool is_quantized) {
    Trees* both = trees(is_quantized);
    if (both == nullptr) {
        return std::nullopt;
    }
    const auto queries = make_rays(*both->scene);
    const std::uint64_t different = count_different(*both, *queries);
    Work work;
    work.operations = static_cast<double>(queries->size());
    work.ours = [both, queries] {
        std::uint64_t hits = 0;
        for (const RayQuery& query : *queries) {
            hits += both->ours[query.surface].closest_hit(
                        both->scene->surfaces[query.surface].view(), query.ray())
                        ? 1U
                        : 0U;
        }
        return hits;
    };
    work.theirs = [both, queries, different] {
        std::uint64_t hits = different << 32;
        for (const RayQuery& query : *queries) {
            hits += both->theirs->closest_hit(query.surface, query.from, query.to) ? 1U : 0U;
        }
        return hits;
    };
    return work;
}

std::optional<Work> tree_all_hits() {
    Trees* both = trees(true);
    if (both == nullptr) {
        return std::nullopt;
    }
    const auto queries = make_rays(*both->scene);
    auto found = std::make_shared<std::vector<TriangleHit>>();
    // Bullet's triangles are a little larger than they are: a ray near an edge hits both sides of
    // it. Such rays are taken out, if they are few.
    const std::size_t all = queries->size();
    std::erase_if(*queries, [&](const RayQuery& query) {
        found->clear();
        both->ours[query.surface].all_hits(both->scene->surfaces[query.surface].view(), query.ray(),
                                           *found);
        return both->theirs->count_hits(query.surface, query.from, query.to) > found->size();
    });
    const bool is_comparable = 50 * (all - queries->size()) < all;
    Work work;
    work.operations = static_cast<double>(queries->size());
    work.ours = [both, queries, found] {
        std::uint64_t hits = 0;
        for (const RayQuery& query : *queries) {
            found->clear();
            both->ours[query.surface].all_hits(both->scene->surfaces[query.surface].view(),
                                               query.ray(), *found);
            hits += found->size();
        }
        return hits;
    };
    work.theirs = [both, queries, is_comparable] {
        std::uint64_t hits = is_comparable ? 0 : std::uint64_t{1} << 32;
        for (const RayQuery& query : *queries) {
            hits += both->theirs->count_hits(query.surface, query.from, query.to);
        }
        return hits;
    };
    return work;
}

}  // namespace

void add_tree_rows(std::vector<BenchRow>& rows) {
    const std::string quantized = "Bullet quantized BVH";
    const std::string plain = "Bullet plain BVH";
    rows.push_back(
        {"A9.kd_tree.build", quantized, "us", Goal::ratio, 7, 10, [] { return tree_build(true); }});
    rows.push_back({"A9.kd_tree.bytes_per_triangle", quantized, "B", Goal::value, 13.5, 12,
                    [] { return tree_bytes(true); }});
    rows.push_back(
        {"A19.kd_tree.build", plain, "us", Goal::ratio, 4.5, 6, [] { return tree_build(false); }});
    rows.push_back({"A19.kd_tree.bytes_per_triangle", plain, "B", Goal::value, 13.5, 12,
                    [] { return tree_bytes(false); }});
    rows.push_back(
        {"A9.kd_tree.box", quantized, "ns", Goal::ratio, 1.1, 1.5, [] { return tree_box(true); }});
    rows.push_back(
        {"A9.kd_tree.ray", quantized, "ns", Goal::ratio, 1.1, 1.6, [] { return tree_ray(true); }});
    rows.push_back(
        {"A10.kd_tree.box", plain, "ns", Goal::ratio, 1.1, 1.5, [] { return tree_box(false); }});
    rows.push_back(
        {"A11.kd_tree.ray", plain, "ns", Goal::ratio, 1.1, 1.6, [] { return tree_ray(false); }});
    rows.push_back({"A11.kd_tree.all_hits", quantized, "ns", Goal::ratio, 1.1, 1.6, tree_all_hits});
}

}  // namespace terrane::bench
