#include "shared/terrain/flat_collider.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/shared/terrain/terrain_samples.h"

namespace terrane {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// 8 km a side; only the chunks that are asked for are in it.
constexpr GridBounds kLargeBounds{{-128, -2, -128}, {128, 4, 128}};

/// One brick in all forms, and its triangles as the mesher made them.
struct Forms {
    BrickCoord brick;
    std::vector<TerrainTriangle> all;
    std::array<BrickCollider, 4> colliders;

    Forms(const VoxelGrid& grid, const BrickCoord& at) : brick(at) {
        BrickMesh mesh;
        mesh_brick(copy_brick_box(grid, brick), mesh);
        test::append_triangles(mesh, brick, all);
        constexpr std::array<ColliderKind, 3> kKinds{ColliderKind::flat, ColliderKind::flat_scalar,
                                                     ColliderKind::kd};
        for (std::size_t i = 0; i < kKinds.size(); ++i) {
            BrickColliderBuilder(kKinds[i]).build(grid, brick, colliders[i]);
        }
        build_flat(mesh, simd_scan(), colliders[3].flat);  // the others come straight from voxels
    }
};

bool are_equal(const TerrainTriangle& a, const TerrainTriangle& b) {
    return a.brick == b.brick && a.index == b.index && a.a == b.a && a.b == b.b && a.c == b.c &&
           a.material == b.material;
}

// ---- queries ----

Vec3 random_vertex(Random& random, const Forms& forms) {
    if (forms.all.empty()) {
        return corner_of(origin_of(forms.brick));
    }
    return forms.all[random.below(static_cast<std::uint32_t>(forms.all.size()))].b;
}

/// Near the surface, touching vertices exactly or not quite, points, inside out, endless.
Aabb random_box(Random& random, const Forms& forms) {
    const Vec3 corner = corner_of(origin_of(forms.brick));
    const Vec3 at = random.below(2) == 0
                        ? random_vertex(random, forms)
                        : corner + test::random_point(random, {Vec3(-2.0F), Vec3(10.0F)});
    Aabb box{at, at};
    const auto move = [&](float& side) {
        switch (random.below(6)) {
            case 0:
                break;
            case 1:
                side = std::nextafter(side, kInfinity);
                break;
            case 2:
                side = std::nextafter(side, -kInfinity);
                break;
            default:
                side += random.range(-1.5F, 1.5F);
                break;
        }
    };
    for (int axis = 0; axis < 3; ++axis) {
        move(box.min[axis]);
        move(box.max[axis]);
        if (random.below(16) != 0 && box.min[axis] > box.max[axis]) {
            std::swap(box.min[axis], box.max[axis]);
        }
    }
    switch (random.below(64)) {
        case 0:
            return {Vec3(-kInfinity), Vec3(kInfinity)};
        case 1:
            return {Vec3(-1e30F), Vec3(1e30F)};
        case 2:
            box.min[static_cast<int>(random.below(3))] = NAN;
            return box;
        default:
            return box;
    }
}

Ray random_ray(Random& random, const Forms& forms) {
    const Vec3 corner = corner_of(origin_of(forms.brick));
    Ray ray;
    ray.origin = corner + test::random_point(random, {Vec3(-6.0F), Vec3(14.0F)});
    if (random.below(8) == 0) {
        ray.origin = random_vertex(random, forms);
    }
    const Vec3 to = random.below(2) == 0
                        ? random_vertex(random, forms)
                        : corner + test::random_point(random, {Vec3(-1.0F), Vec3(9.0F)});
    ray.direction = to - ray.origin;
    ray.t_max = random.below(3) == 0 ? random.range(0.0F, 2.0F) : 4.0F;
    constexpr std::array<float, 5> kAwkward{0.0F, -0.0F, 1e-41F, -1e-41F, 1e-20F};
    for (int axis = 0; axis < 3; ++axis) {
        if (random.below(4) == 0) {
            ray.direction[axis] = kAwkward[random.below(5)];
        }
    }
    switch (random.below(32)) {
        case 0:
            ray.t_max = random.below(2) == 0 ? 0.0F : kInfinity;
            break;
        case 1:
            ray.direction *= 1e-30F;
            ray.t_max = kInfinity;
            break;
        case 2: {  // from far away
            const float far = std::ldexp(1.0F, random.between(4, 22));
            ray.direction = glm::normalize(ray.direction + Vec3(1e-6F));
            ray.origin = to - far * ray.direction;
            ray.t_max = kInfinity;
            break;
        }
        case 3:
            ray.t_max = random.below(2) == 0 ? NAN : -1.0F;
            break;
        case 4:
            ray.origin[static_cast<int>(random.below(3))] = random.below(2) == 0 ? NAN : kInfinity;
            break;
        default:
            break;
    }
    return ray;
}

// ---- oracle ----

Aabb box_of_triangle(const TerrainTriangle& t) {
    return merge(merge(merge(Aabb{}, t.a), t.b), t.c);
}

std::vector<TriangleHit> slow_hits(const Forms& forms, const Ray& ray) {
    std::vector<TriangleHit> hits;
    for (const TerrainTriangle& triangle : forms.all) {
        if (const auto t = intersect_triangle(ray, triangle.a, triangle.b, triangle.c)) {
            hits.push_back({*t, triangle.index});
        }
    }
    std::ranges::sort(hits, [](const TriangleHit& a, const TriangleHit& b) {
        return a.t != b.t ? a.t < b.t : a.triangle < b.triangle;
    });
    return hits;
}

struct Tally {
    std::size_t queries = 0;
    std::size_t found = 0;
};

void check_boxes(const Forms& forms, Random& random, int count, Tally& tally) {
    std::vector<TerrainTriangle> expected;
    std::vector<TerrainTriangle> gathered;
    for (int i = 0; i < count; ++i) {
        const Aabb box = random_box(random, forms);
        expected.clear();
        for (const TerrainTriangle& triangle : forms.all) {
            if (overlaps(box_of_triangle(triangle), box)) {
                expected.push_back(triangle);
            }
        }
        for (std::size_t form = 0; form < forms.colliders.size(); ++form) {
            gathered.clear();
            gather(forms.colliders[form], forms.brick, box, gathered);
            if (!std::ranges::equal(gathered, expected, are_equal)) {
                CAPTURE(form);
                CAPTURE(i);
                REQUIRE(gathered.size() == expected.size());
                REQUIRE(std::ranges::equal(gathered, expected, are_equal));
            }
        }
        ++tally.queries;
        tally.found += expected.size();
    }
}

void check_rays(const Forms& forms, Random& random, int count, Tally& tally) {
    std::vector<TriangleHit> hits;
    for (int i = 0; i < count; ++i) {
        const Ray ray = random_ray(random, forms);
        const ColliderRay prepared(ray);
        const std::vector<TriangleHit> expected = slow_hits(forms, ray);
        // A limit is one of t_max, also where it is a hit's own place.
        Ray shorter = ray;
        const bool is_limited = i % 4 == 0 && !expected.empty();
        const float limit =
            is_limited ? expected.front().t * (i % 8 == 0 ? 1.0F : 0.9F) : kInfinity;
        shorter.t_max = std::min(ray.t_max, limit);
        const std::vector<TriangleHit> within = is_limited ? slow_hits(forms, shorter) : expected;
        for (std::size_t form = 0; form < forms.colliders.size(); ++form) {
            const BrickCollider& collider = forms.colliders[form];
            hits.clear();
            all_hits(collider, forms.brick, prepared, hits);
            const auto closest = closest_hit(collider, forms.brick, prepared, limit);
            const bool is_right =
                closest.has_value() == !within.empty() && (!closest || *closest == within.front());
            if (hits != expected || !is_right) {
                CAPTURE(form);
                CAPTURE(i);
                CAPTURE(ray.origin.x);
                CAPTURE(ray.origin.y);
                CAPTURE(ray.origin.z);
                CAPTURE(ray.t_max);
                REQUIRE(hits == expected);
                REQUIRE(is_right);
            }
        }
        tally.queries += 2;
        tally.found += expected.size();
    }
}

/// Random boxes and rays at every brick of `range`, fewer where there is much to compare with.
Tally check_bricks(const VoxelGrid& grid, const BrickRange& range, std::uint64_t seed,
                   int queries_a_brick) {
    Random random(seed);
    Tally tally;
    test::for_each_brick(range, [&](const BrickCoord& brick) {
        const Forms forms(grid, brick);
        const auto large = static_cast<int>(1 + forms.all.size() / 200);
        const int count = forms.all.empty() ? 8 : std::max(queries_a_brick / large, 16);
        check_boxes(forms, random, count, tally);
        check_rays(forms, random, count / 2, tally);
    });
    return tally;
}

constexpr BrickRange kAllBricks{{-5, -5, -5}, {4, 4, 4}};
constexpr BrickRange kTinyBricks{{-5, -5, -1}, {4, 0, 4}};

}  // namespace

TEST_CASE("A22 flat_collider: flat, scalar, kD and brute force agree in natural ground") {
    std::size_t queries = 0;
    for (const std::uint64_t seed : {1U, 2U}) {
        const Tally tally = check_bricks(test::rolling_grid(seed), kAllBricks, seed, 520);
        CHECK(tally.found > 300000);
        queries += tally.queries;
    }
    CHECK(queries > 1000000);
}

TEST_CASE("A22 flat_collider: they agree in chequered, walled and scattered worlds") {
    const auto check = [](auto make, std::size_t queries_min) {
        const Tally tally =
            check_bricks(test::made_grid(make, test::kTinyBounds), kTinyBricks, 7, 300);
        CHECK(tally.queries > queries_min);
        CHECK(tally.found > queries_min / 4);
    };
    // Every voxel beside seven others of the other kind: 1,536 quads a brick.
    check(
        [](const VoxelCoord& v) {
            return ((v.x + v.y + v.z) & 1) == 0 ? Voxel{2, 255} : kAirVoxel;
        },
        5000);
    // Walls one voxel thick, barely inside: their two sides nearly touch.
    check(
        [](const VoxelCoord& v) {
            return v.x % 4 == 0 || v.z % 5 == 0 ? Voxel{3, 128} : kAirVoxel;
        },
        20000);
    check(
        [](const VoxelCoord& v) {
            return v.x % 8 == 7 || v.y % 8 == 0 ? Voxel{3, 255} : kAirVoxel;
        },
        20000);
    // Voxels alone, on corners of bricks and in their middles.
    check(
        [](const VoxelCoord& v) {
            return (v.x & 3) == 0 && (v.y & 3) == 0 && (v.z & 3) == 0
                       ? Voxel{static_cast<MaterialId>(2 + ((v.x + v.z) & 7)), 200}
                       : kAirVoxel;
        },
        20000);
    check(
        [](const VoxelCoord& v) {
            return v == VoxelCoord{0, -1, 0} || v == VoxelCoord{-32, -32, 0} ? Voxel{2, 130}
                                                                             : kAirVoxel;
        },
        5000);
    check([](const VoxelCoord&) { return Voxel{2, 255}; }, 20000);
    Random noise(5);
    check([&](const VoxelCoord&) { return test::random_voxel(noise); }, 5000);
}

TEST_CASE("A22 flat_collider: they agree in an empty world, where nothing is found") {
    const VoxelGrid grid = test::uniform_grid(kAirVoxel, test::kTinyBounds);
    const Tally tally = check_bricks(grid, {{-4, 0, 0}, {3, 3, 3}}, 1, 100);
    CHECK(tally.queries > 1000);
    CHECK(tally.found == 0);
}

TEST_CASE("A22 flat_collider: they agree at the far corners of the largest zone") {
    const VoxelGrid near = test::rolling_grid(4);
    for (const ChunkCoord& far :
         {ChunkCoord{127, 3, 127}, ChunkCoord{-128, -2, -128}, ChunkCoord{127, -2, -128}}) {
        VoxelGrid grid(kLargeBounds);
        grid.insert(far, *near.find({-1, -1, 0}));
        const BrickCoord first = brick_of(origin_of(far));
        const Tally tally =
            check_bricks(grid, {first - BrickCoord{1, 1, 1}, first + BrickCoord{4, 4, 4}}, 6, 800);
        CHECK(tally.queries > 50000);
        CHECK(tally.found > 50000);
    }
}

TEST_CASE("A15 flat_collider: at most 11 bytes a triangle all in, over a natural world") {
    std::size_t triangles = 0;
    std::size_t bytes = 0;
    std::size_t wide_count = 0;
    const VoxelGrid grid = test::rolling_grid(5);
    BrickColliderBuilder builder;
    BrickCollider collider;
    test::for_each_brick(kAllBricks, [&](const BrickCoord& brick) {
        builder.build(grid, brick, collider);
        triangles += triangle_count(collider);
        bytes += triangle_count(collider) > 0 ? memory_bytes(collider) : 0;
        wide_count += collider.flat.vertex_count > 256 ? 1U : 0U;
    });
    REQUIRE(triangles > 5000);
    CHECK(wide_count > 0);
    CHECK(static_cast<double>(bytes) <= 11.0 * static_cast<double>(triangles));
    // Empty: nothing but the struct.
    build_flat(BrickMesh{}, scalar_scan(), collider.flat);
    CHECK(memory_bytes(collider) == sizeof(BrickCollider));
    CHECK(sizeof(FlatCollider) <= 32);
}

TEST_CASE("A16 flat_collider: quads are the mesher's, each triangle as it was, by its number") {
    const VoxelGrid grid = test::patchy_grid(test::kTinyBounds, 3);
    std::size_t checked = 0;
    test::for_each_brick(kTinyBricks, [&](const BrickCoord& brick) {
        const Forms forms(grid, brick);
        for (const BrickCollider& collider : forms.colliders) {
            REQUIRE(triangle_count(collider) == forms.all.size());
            for (const TerrainTriangle& expected : forms.all) {
                REQUIRE(are_equal(triangle_at(collider, brick, expected.index), expected));
                ++checked;
            }
        }
    });
    CHECK(checked > 10000);
}

}  // namespace terrane
