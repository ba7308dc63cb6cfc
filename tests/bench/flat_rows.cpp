// Rows about the flat collider, against Bullet's quantized trees on the same brick meshes.
#include <algorithm>
#include <array>
#include <cmath>

#include "shared/terrain/brick_collider.h"
#include "tests/bench/bench_row.h"
#include "tests/bench/brick_queries.h"
#include "tests/bench/bullet_peer.h"
#include "tests/bench/embree_meshes.h"

namespace terrane::bench {
namespace {

constexpr BrickCoord kOwnSpace{0, 0, 0};

/// Our colliders and their trees over the scene's surface bricks.
struct Colliders {
    TerrainScene* scene = nullptr;
    std::vector<FlatCollider> ours;
    std::unique_ptr<BulletPeer> theirs;
};

/// nullptr without Bullet.
Colliders* colliders() {
    static const std::unique_ptr<Colliders> made = [] {
        auto both = std::make_unique<Colliders>();
        both->scene = &terrain_scene();
        both->theirs = make_bullet_peer(*both->scene, true);
        for (const SurfaceBrick& surface : both->scene->surfaces) {
            build_flat(surface.mesh, simd_scan(), both->ours.emplace_back());
        }
        return both;
    }();
    return made->theirs ? made.get() : nullptr;
}

std::optional<Work> build() {
    Colliders* both = colliders();
    if (both == nullptr) {
        return std::nullopt;
    }
    Work work;
    work.operations = static_cast<double>(both->scene->surfaces.size());
    work.ours = [both] {
        std::uint64_t triangles = 0;
        for (const SurfaceBrick& surface : both->scene->surfaces) {
            FlatCollider collider;
            build_flat(surface.mesh, simd_scan(), collider);
            triangles += collider.triangle_count();
        }
        return triangles;
    };
    work.theirs = [both] { return both->theirs->build_all(); };
    return work;
}

/// From the grid's voxels; the peer meshes with our mesher, since it has none.
std::optional<Work> voxels_to_collider() {
    Colliders* both = colliders();
    if (both == nullptr) {
        return std::nullopt;
    }
    Work work;
    work.operations = static_cast<double>(both->scene->surfaces.size());
    work.ours = [both] {
        std::uint64_t triangles = 0;
        BrickColliderBuilder builder;
        BrickCollider collider;
        for (const SurfaceBrick& surface : both->scene->surfaces) {
            builder.build(both->scene->grid, surface.brick, collider);
            triangles += triangle_count(collider);
        }
        return triangles;
    };
    work.theirs = [both] {
        std::uint64_t triangles = 0;
        BrickMesh mesh;
        for (const SurfaceBrick& surface : both->scene->surfaces) {
            mesh_brick(copy_brick_box(both->scene->grid, surface.brick), mesh);
            triangles += mesh.indices.size() / 3;
        }
        return both->theirs->build_all() == triangles ? triangles : 0;
    };
    return work;
}

std::optional<Work> bytes_per_triangle() {
    Colliders* both = colliders();
    if (both == nullptr) {
        return std::nullopt;
    }
    Work work;
    work.ours = [both] { return both->scene->triangle_count; };
    work.theirs = work.ours;
    std::size_t ours = 0;
    std::size_t meshes = 0;
    for (std::size_t i = 0; i < both->ours.size(); ++i) {
        const BrickMesh& mesh = both->scene->surfaces[i].mesh;
        ours += sizeof(BrickCollider) - sizeof(FlatCollider) + memory_bytes(both->ours[i]);
        meshes += mesh.positions.size() * (sizeof(Vec3) + sizeof(MaterialId)) +
                  mesh.indices.size() * sizeof(std::uint16_t);
    }
    const auto triangles = static_cast<double>(both->scene->triangle_count);
    work.our_size = static_cast<double>(ours) / triangles;
    work.their_size = static_cast<double>(meshes + both->theirs->tree_bytes()) / triangles;
    return work;
}

std::optional<Work> box() {
    Colliders* both = colliders();
    if (both == nullptr) {
        return std::nullopt;
    }
    const auto queries = make_boxes(*both->scene);
    Work work;
    work.operations = static_cast<double>(queries->size());
    work.ours = [both, queries, found = std::vector<TerrainTriangle>()]() mutable {
        std::uint64_t hash = 0;
        for (const BoxQuery& query : *queries) {
            found.clear();
            gather(both->ours[query.surface], kOwnSpace, query.box, found);
            for (const TerrainTriangle& triangle : found) {
                hash += hash_triangle(query.surface, triangle.index);
            }
        }
        return hash;
    };
    work.theirs = [both, queries, triangles = std::vector<std::uint32_t>(),
                   corners = std::vector<Vec3>()]() mutable {
        std::uint64_t hash = 0;
        for (const BoxQuery& query : *queries) {
            triangles.clear();
            corners.clear();
            both->theirs->query_box(query.surface, query.box, corners, triangles);
            for (const std::uint32_t triangle : triangles) {
                hash += hash_triangle(query.surface, triangle);
            }
        }
        return hash;
    };
    return work;
}

std::optional<TriangleHit> our_hit(const Colliders& both, const RayQuery& query) {
    return closest_hit(both.ours[query.surface], kOwnSpace, ColliderRay(query.ray()), 1.0F);
}

/// Bullet as it is: rays on which the two disagree are counted into its answer.
std::optional<Work> ray() {
    Colliders* both = colliders();
    if (both == nullptr) {
        return std::nullopt;
    }
    const auto queries = make_rays(*both->scene);
    std::uint64_t different = 0;
    for (const RayQuery& query : *queries) {
        const auto ours = our_hit(*both, query);
        const auto theirs = both->theirs->closest_hit(query.surface, query.from, query.to);
        const bool is_same =
            ours.has_value() == theirs.has_value() &&
            (!ours || std::abs(ours->t - *theirs) * glm::length(query.to - query.from) < 0.01F);
        different += is_same ? 0 : 1;
    }
    Work work;
    work.operations = static_cast<double>(queries->size());
    work.ours = [both, queries] {
        std::uint64_t hits = 0;
        for (const RayQuery& query : *queries) {
            hits += our_hit(*both, query) ? 1U : 0U;
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

/// Embree with a tree a brick; rays that slip through its edges are taken out, if they are few.
std::optional<Work> ray_of_embree() {
    Colliders* both = colliders();
    static const std::unique_ptr<EmbreeMeshes> embree = make_embree_meshes(terrain_scene(), false);
    if (both == nullptr || !embree) {
        return std::nullopt;
    }
    const auto queries = make_rays(*both->scene);
    const std::size_t all = queries->size();
    std::erase_if(*queries, [both](const RayQuery& query) {
        const auto ours = our_hit(*both, query);
        const auto theirs = embree->closest_hit(query.surface, query.ray());
        return ours.has_value() != theirs.has_value() ||
               (ours && std::abs(ours->t - *theirs) > 1e-3F);
    });
    const bool is_comparable = 100 * (all - queries->size()) < all;
    Work work;
    work.operations = static_cast<double>(queries->size());
    work.ours = [both, queries] {
        std::uint64_t hits = 0;
        for (const RayQuery& query : *queries) {
            hits += our_hit(*both, query) ? 1U : 0U;
        }
        return hits;
    };
    work.theirs = [queries, is_comparable] {
        std::uint64_t hits = is_comparable ? 0 : std::uint64_t{1} << 32;
        for (const RayQuery& query : *queries) {
            hits += embree->closest_hit(query.surface, query.ray()) ? 1U : 0U;
        }
        return hits;
    };
    return work;
}

/// Against our own kD tree, whose answers are the same: Bullet's triangles are a little larger.
std::optional<Work> all_hits_of_kd() {
    TerrainScene& scene = terrain_scene();
    const auto queries = make_rays(scene);
    struct Both {
        std::vector<FlatCollider> flat;
        std::vector<TriangleTree> kd;
    };
    auto both = std::make_shared<Both>();
    TriangleTreeBuilder builder;
    for (const SurfaceBrick& surface : scene.surfaces) {
        build_flat(surface.mesh, simd_scan(), both->flat.emplace_back());
        builder.build(surface.view(), both->kd.emplace_back());
    }
    Work work;
    work.operations = static_cast<double>(queries->size());
    const auto hash = [](const std::vector<TriangleHit>& hits) {
        std::uint64_t sum = hits.size();
        for (const TriangleHit& hit : hits) {
            sum = sum * 31 + hit.triangle;
        }
        return sum;
    };
    work.ours = [both, queries, hash, hits = std::vector<TriangleHit>()]() mutable {
        std::uint64_t sum = 0;
        for (const RayQuery& query : *queries) {
            hits.clear();
            all_hits(both->flat[query.surface], kOwnSpace, ColliderRay(query.ray()), hits);
            sum += hash(hits);
        }
        return sum;
    };
    work.theirs = [both, queries, hash, &scene, hits = std::vector<TriangleHit>()]() mutable {
        std::uint64_t sum = 0;
        for (const RayQuery& query : *queries) {
            hits.clear();
            both->kd[query.surface].all_hits(scene.surfaces[query.surface].view(), query.ray(),
                                             hits);
            sum += hash(hits);
        }
        return sum;
    };
    return work;
}

struct QuadRay {
    Ray ray;
    std::array<Vec3, 4> corners;  ///< triangles 0 1 2 and 0 2 3
};

/// Quads of the scene, and rays that pass them within a metre: two in five hit.
std::shared_ptr<std::vector<QuadRay>> make_quad_rays(const TerrainScene& scene) {
    auto made = std::make_shared<std::vector<QuadRay>>();
    Random random(16);
    while (made->size() < 20000) {
        const SurfaceBrick& surface =
            scene.surfaces[random.below(static_cast<std::uint32_t>(scene.surfaces.size()))];
        const TriangleMeshView mesh = surface.view();
        const std::size_t quad =
            random.below(static_cast<std::uint32_t>(mesh.triangle_count() / 2));
        // The last corner of the second triangle if that is (a, c, d), the middle one otherwise.
        const bool is_forward = mesh.corner(2 * quad, 2) == mesh.corner(2 * quad + 1, 1);
        if (!is_forward) {
            continue;
        }
        QuadRay one;
        one.corners = {mesh.corner(2 * quad, 0), mesh.corner(2 * quad, 1), mesh.corner(2 * quad, 2),
                       mesh.corner(2 * quad + 1, 2)};
        const auto part = [&](float size) { return random.range(-size, size); };
        const Vec3 middle =
            0.25F * (one.corners[0] + one.corners[1] + one.corners[2] + one.corners[3]);
        one.ray.origin = middle + Vec3(part(6.0F), part(6.0F), part(6.0F));
        const Vec3 aim = middle + Vec3(part(0.8F), part(0.8F), part(0.8F));
        one.ray.direction = 2.0F * (aim - one.ray.origin);
        made->push_back(one);
    }
    return made;
}

std::optional<Work> quad_ray() {
    const auto rays = make_quad_rays(terrain_scene());
    Work work;
    work.operations = static_cast<double>(rays->size());
    work.ours = [rays] {
        std::uint64_t hits = 0;
        for (const QuadRay& one : *rays) {
            const auto& [a, b, c, d] = one.corners;
            const QuadHit hit = intersect_quad(one.ray, a, b, c, d);
            hits += (hit.first >= 0.0F ? 1U : 0U) + (hit.second >= 0.0F ? 1U : 0U);
        }
        return hits;
    };
    work.theirs = [rays] {
        std::uint64_t hits = 0;
        for (const QuadRay& one : *rays) {
            const auto& [a, b, c, d] = one.corners;
            hits += (intersect_triangle(one.ray, a, b, c) ? 1U : 0U) +
                    (intersect_triangle(one.ray, a, c, d) ? 1U : 0U);
        }
        return hits;
    };
    return work;
}

}  // namespace

void add_flat_rows(std::vector<BenchRow>& rows) {
    const std::string bullet = "Bullet quantized BVH";
    rows.push_back({"A22.flat.build", bullet, "us", Goal::ratio, 15, 25, build});
    rows.push_back({"A22.flat.voxels_to_collider", "our mesher + Bullet quantized", "us",
                    Goal::ratio, 12, 25, voxels_to_collider});
    rows.push_back({"A15.flat.bytes_per_triangle", "Bullet quantized, with mesh", "B", Goal::value,
                    11, 9, bytes_per_triangle});
    rows.push_back({"A10.flat.box", bullet, "ns", Goal::ratio, 5.5, 8, box});
    rows.push_back({"A11.flat.ray", bullet, "ns", Goal::ratio, 3.8, 5, ray});
    rows.push_back({"A11.flat.ray.embree", "Embree, a tree a brick", "ns", Goal::ratio, 1.4, 2,
                    ray_of_embree});
    rows.push_back({"A11.flat.all_hits", "our kD tree", "ns", Goal::ratio, 1.5, 3, all_hits_of_kd});
    rows.push_back({"A16.quad.ray", "two triangle tests", "ns", Goal::ratio, 1.5, 2, quad_ray});
}

}  // namespace terrane::bench
