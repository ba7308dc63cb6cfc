// Rows about masks, edits and rays through the whole world.
#include <algorithm>
#include <cmath>

#include "shared/core/random.h"
#include "shared/voxel/brush.h"
#include "tests/bench/bench_row.h"
#include "tests/bench/bullet_peer.h"
#include "tests/bench/embree_meshes.h"
#include "tests/bench/terrain_scene.h"

namespace terrane::bench {
namespace {

std::uint64_t hash_mask(const BrickMask& mask) {
    std::uint64_t hash = 0;
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        hash = hash * 31 + (mask.solid[y] ^ (mask.water[y] * 0x9e3779b97f4a7c15ULL));
    }
    return hash;
}

/// A2: the mask of every brick that has one. Boxes are copied before: the article's input.
std::optional<Work> mask_build() {
    const TerrainScene& scene = terrain_scene();
    auto boxes = std::make_shared<std::vector<BrickBox>>();
    for (const BrickCoord& brick : scene.mixed) {
        boxes->push_back(copy_brick_box(scene.grid, brick));
    }
    Work work;
    work.operations = static_cast<double>(scene.mixed.size());
    work.ours = [&scene] {
        std::uint64_t hash = 0;
        for (const BrickCoord& brick : scene.mixed) {
            hash += hash_mask(scene.terrain.masks().derive_mask(brick));
        }
        return hash;
    };
    work.theirs = [boxes] {
        std::uint64_t hash = 0;
        for (const BrickBox& box : *boxes) {
            hash += hash_mask(dilate_box(box));
        }
        return hash;
    };
    return work;
}

/// What a walk over voxels reads: dilated solid (1) and water (2), a byte a voxel of the zone.
struct DenseKinds {
    VoxelBox box;
    std::vector<std::uint8_t> kinds;

    explicit DenseKinds(const TerrainScene& scene) : box(voxel_box(scene.grid.bounds())) {
        const VoxelCoord size = box.max - box.min + VoxelCoord{1, 1, 1};
        kinds.resize(static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y) *
                     static_cast<std::size_t>(size.z));
        for (const BrickCoord& brick : bricks(scene)) {
            const BrickMask mask = scene.terrain.masks().mask(brick);
            const VoxelCoord origin = origin_of(brick);
            for (std::int32_t i = 0; i < 512; ++i) {
                const VoxelCoord in{i & 7, i >> 6, (i >> 3) & 7};
                const auto y = static_cast<std::size_t>(in.y);
                const auto shift = static_cast<unsigned>(8 * in.z + in.x);
                kinds[index(origin + in)] = static_cast<std::uint8_t>(
                    ((mask.solid[y] >> shift) & 1U) | (((mask.water[y] >> shift) & 1U) << 1));
            }
        }
    }
    static std::vector<BrickCoord> bricks(const TerrainScene& scene) {
        std::vector<BrickCoord> all;
        const BrickCoord first = brick_of(voxel_box(scene.grid.bounds()).min);
        const BrickCoord last = brick_of(voxel_box(scene.grid.bounds()).max);
        for (std::int32_t y = first.y; y <= last.y; ++y) {
            for (std::int32_t z = first.z; z <= last.z; ++z) {
                for (std::int32_t x = first.x; x <= last.x; ++x) {
                    all.push_back({x, y, z});
                }
            }
        }
        return all;
    }
    std::size_t index(const VoxelCoord& v) const {
        const VoxelCoord at = v - box.min;
        const VoxelCoord size = box.max - box.min + VoxelCoord{1, 1, 1};
        const auto side_x = static_cast<std::size_t>(size.x);
        const auto side_z = static_cast<std::size_t>(size.z);
        return (static_cast<std::size_t>(at.y) * side_z + static_cast<std::size_t>(at.z)) * side_x +
               static_cast<std::size_t>(at.x);
    }
    TerrainOverlap overlap(const Aabb& bounds) const {
        const VoxelBox voxels =
            intersect(grow({voxel_at(bounds.min), voxel_at(bounds.max)}, 1), box);
        std::uint8_t met = 0;
        for (std::int32_t y = voxels.min.y; y <= voxels.max.y; ++y) {
            for (std::int32_t z = voxels.min.z; z <= voxels.max.z; ++z) {
                std::size_t at = index({voxels.min.x, y, z});
                for (std::int32_t x = voxels.min.x; x <= voxels.max.x; ++x, ++at) {
                    met |= kinds[at];
                }
                if (met == 3) {
                    return {true, true};
                }
            }
        }
        return {(met & 1U) != 0, (met & 2U) != 0};
    }
};

/// A5: boxes of 0.5-3 m, half of them all over the zone, half near its surface; each asked once a
/// pass in random order, so that caches are cold.
std::optional<Work> mask_test() {
    const TerrainScene& scene = terrain_scene();
    auto dense = std::make_shared<DenseKinds>(scene);
    auto boxes = std::make_shared<std::vector<Aabb>>();
    Random random(5);
    const Aabb zone = grow(to_aabb(voxel_box(scene.grid.bounds())), -8.0F);
    for (int i = 0; i < 50000; ++i) {
        Vec3 at{random.range(zone.min.x, zone.max.x), random.range(zone.min.y, zone.max.y),
                random.range(zone.min.z, zone.max.z)};
        if (i % 2 == 0) {
            at = glm::clamp(surface_point(scene, random) + random.range(-2.0F, 2.0F), zone.min,
                            zone.max);
        }
        const Vec3 half{random.range(0.25F, 1.5F), random.range(0.25F, 1.5F),
                        random.range(0.25F, 1.5F)};
        boxes->push_back({at - half, at + half});
    }
    Work work;
    work.operations = static_cast<double>(boxes->size());
    const auto count = [](std::uint64_t sum, const TerrainOverlap& met) {
        return sum * 3 + (met.solid ? 1U : 0U) + (met.water ? 2U : 0U);
    };
    work.ours = [&scene, boxes, count] {
        std::uint64_t sum = 0;
        for (const Aabb& box : *boxes) {
            sum = count(sum, scene.terrain.overlap(box));
        }
        return sum;
    };
    work.theirs = [dense, boxes, count] {
        std::uint64_t sum = 0;
        for (const Aabb& box : *boxes) {
            sum = count(sum, dense->overlap(box));
        }
        return sum;
    };
    return work;
}

/// A1: a dig at the surface and its undoing, each with masks remade, the pinned collider at its
/// middle rebuilt and the others around dropped. Radius 0: one voxel.
std::optional<Work> edit(std::int32_t radius) {
    TerrainScene& scene = terrain_scene();
    auto brushes = std::make_shared<std::vector<Brush>>();
    Random random(9);
    while (brushes->size() < 64) {
        const VoxelCoord v = voxel_at(surface_point(scene, random));
        Brush brush = voxel_brush(BrushMode::dig, v);
        if (radius > 0) {
            brush.shape = BrushShape::sphere;
            brush.size_x = static_cast<std::uint8_t>(radius * kBrushUnitsPerVoxel);
        }
        const VoxelBox box = reach_of(brush);
        if (intersect(box, voxel_box(scene.grid.bounds())) == box) {
            brushes->push_back(brush);
        }
    }
    Work work;
    work.operations = static_cast<double>(2 * brushes->size());
    work.ours = [&scene, brushes] {
        std::uint64_t touched = 0;
        for (const Brush& brush : *brushes) {
            const VoxelBox box = reach_of(brush);
            const BrickCoord middle =
                brick_of({brush.centre_x >> 4, brush.centre_y >> 4, brush.centre_z >> 4});
            std::vector<std::pair<ChunkCoord, Chunk>> before;
            const ChunkCoord low = chunk_of(box.min);
            const ChunkCoord high = chunk_of(box.max);
            for (std::int32_t y = low.y; y <= high.y; ++y) {
                for (std::int32_t z = low.z; z <= high.z; ++z) {
                    for (std::int32_t x = low.x; x <= high.x; ++x) {
                        before.emplace_back(ChunkCoord{x, y, z}, *scene.grid.find({x, y, z}));
                    }
                }
            }
            scene.terrain.colliders().pin(middle);
            const std::vector<AppliedOp> ops = apply_brush(scene.grid, brush);
            for (const AppliedOp& op : ops) {
                touched += scene.terrain.voxels_changed(op.changed).size();
            }
            for (auto& [coord, chunk] : before) {
                scene.grid.insert(coord, std::move(chunk));
            }
            for (const AppliedOp& op : ops) {
                touched += scene.terrain.voxels_changed(op.changed).size();
            }
            scene.terrain.colliders().unpin(middle);
        }
        return touched;
    };
    return work;
}

/// Where a peer's ray hits, in lengths of the ray.
using PeerHit = std::function<std::optional<float>(const Ray&)>;

/// Rays through the zone: long ones anywhere, or probes down to the ground.
std::shared_ptr<std::vector<Ray>> make_world_rays(const TerrainScene& scene, float length,
                                                  bool is_probe) {
    auto rays = std::make_shared<std::vector<Ray>>();
    Random random(31);
    const Aabb zone = to_aabb(voxel_box(scene.grid.bounds()));
    for (int i = 0; i < 4000; ++i) {
        Ray ray;
        if (is_probe) {
            ray.origin = surface_point(scene, random) + Vec3(random.unit(), 2.0F, random.unit());
            ray.direction = Vec3(0.0F, -length, 0.0F);
        } else {
            ray.origin = {random.range(zone.min.x, zone.max.x), random.range(0.0F, 60.0F),
                          random.range(zone.min.z, zone.max.z)};
            const Vec3 to{random.range(-1.0F, 1.0F), random.range(-0.4F, 0.2F),
                          random.range(-1.0F, 1.0F)};
            ray.direction = length * glm::normalize(to);
        }
        // Bullet's bricks end with the zone; ours go on with its walls and floor.
        if (contains(grow(zone, -1.0F), point_at(ray, 1.0F)) && contains(zone, ray.origin)) {
            rays->push_back(ray);
        }
    }
    return rays;
}

/// A13: against a peer over the same triangles.
Work world_rays(float length, bool is_probe, const PeerHit& peer) {
    TerrainScene& scene = terrain_scene();
    const auto rays = make_world_rays(scene, length, is_probe);
    // A peer lets a ray slip between triangles now and then, and then reports nothing or what lies
    // behind. Such rays are taken out, if they are few and it is never ours that slips.
    const std::size_t all = rays->size();
    bool is_ours_worse = false;
    std::erase_if(*rays, [&](const Ray& ray) {
        const auto ours = scene.terrain.raycast(ray);
        const float ours_m = length * (ours ? ours->t : 2.0F);
        const float theirs_m = length * peer(ray).value_or(2.0F);
        is_ours_worse = is_ours_worse || ours_m > theirs_m + 0.02F;
        return theirs_m > ours_m + 0.02F;
    });
    const bool is_comparable = !is_ours_worse && 100 * (all - rays->size()) < all;
    Work work;
    work.operations = static_cast<double>(rays->size());
    work.ours = [&scene, rays] {
        std::uint64_t hits = 0;
        for (const Ray& ray : *rays) {
            hits += scene.terrain.raycast(ray) ? 1U : 0U;
        }
        return hits;
    };
    work.theirs = [rays, is_comparable, peer] {
        std::uint64_t hits = is_comparable ? 0 : std::uint64_t{1} << 32;
        for (const Ray& ray : *rays) {
            hits += peer(ray) ? 1U : 0U;
        }
        return hits;
    };
    return work;
}

/// One object a brick, as the article's zone has them.
std::optional<Work> bullet_world_rays(float length, bool is_probe) {
    static const std::shared_ptr<BulletPeer> bullet = make_bullet_peer(terrain_scene(), true);
    if (!bullet) {
        return std::nullopt;
    }
    return world_rays(length, is_probe, [](const Ray& ray) {
        return bullet->world_hit(ray.origin, point_at(ray, 1.0F));
    });
}

/// One tree over all triangles: what an edit would have to build again.
std::optional<Work> embree_world_rays(float length, bool is_probe) {
    static const std::shared_ptr<EmbreeMeshes> embree = make_embree_meshes(terrain_scene(), true);
    if (!embree) {
        return std::nullopt;
    }
    return world_rays(length, is_probe, [](const Ray& ray) { return embree->closest_hit(0, ray); });
}

/// Sweeps of a player's capsule over the ground, and of a crate that flies. No peer does the same.
std::optional<Work> sweeps(bool is_box) {
    TerrainScene& scene = terrain_scene();
    struct Sweep {
        QueryShape shape;
        Vec3 way;
    };
    auto all = std::make_shared<std::vector<Sweep>>();
    Random random(37);
    for (int i = 0; i < 2000; ++i) {
        const Vec3 at = surface_point(scene, random) + Vec3(0.0F, 1.5F, 0.0F);
        const Vec3 way{random.range(-1.0F, 1.0F), random.range(-0.6F, 0.2F),
                       random.range(-1.0F, 1.0F)};
        const Quat turned =
            glm::normalize(Quat{1.0F, random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F), 0.5F});
        all->push_back({is_box ? make_box(at, Vec3(0.4F), turned) : make_capsule(at, 0.55F, 0.35F),
                        (is_box ? 2.0F : 0.5F) * way});
    }
    Work work;
    work.operations = static_cast<double>(all->size());
    work.ours = [&scene, all] {
        std::uint64_t hits = 0;
        for (const Sweep& sweep : *all) {
            hits += scene.terrain.sweep(sweep.shape, sweep.way) ? 1U : 0U;
        }
        return hits;
    };
    return work;
}

}  // namespace

void add_terrain_rows(std::vector<BenchRow>& rows) {
    rows.push_back({"A1.edit.voxel", "", "us", Goal::value, 80, 50, [] { return edit(0); }});
    rows.push_back({"A1.edit.radius_4", "", "us", Goal::value, 300, 200, [] { return edit(4); }});
    rows.push_back({"A2.mask.build", "10^3 shift-or", "ns", Goal::ratio, 5, 6, mask_build});
    rows.push_back({"A5.mask.test", "voxel by voxel, dense", "ns", Goal::ratio, 1.8, 3, mask_test});
    rows.push_back({"A13.world_ray.long", "Bullet rayTest", "ns", Goal::ratio, 7, 12,
                    [] { return bullet_world_rays(100.0F, false); }});
    rows.push_back({"A13.world_ray.probe", "Bullet rayTest", "ns", Goal::ratio, 7, 12,
                    [] { return bullet_world_rays(4.0F, true); }});
    rows.push_back({"A13.world_ray.long.embree", "Embree, one tree", "ns", Goal::ratio, 0.6, 1,
                    [] { return embree_world_rays(100.0F, false); }});
    rows.push_back({"A13.world_ray.probe.embree", "Embree, one tree", "ns", Goal::ratio, 1, 1,
                    [] { return embree_world_rays(4.0F, true); }});
    rows.push_back(
        {"A25.sweep.capsule", "", "ns", Goal::value, 3000, 1000, [] { return sweeps(false); }});
    rows.push_back(
        {"A25.sweep.box", "", "ns", Goal::value, 6000, 2000, [] { return sweeps(true); }});
}

}  // namespace terrane::bench
