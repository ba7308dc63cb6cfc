#include "shared/shape/triangle_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kDenormal = 1e-41F;

struct Mesh {
    std::vector<Vec3> positions;
    std::vector<std::uint16_t> indices;
    Vec3 offset{0.0F};

    TriangleMeshView view() const { return {positions, indices, offset}; }
    void add(const Vec3& a, const Vec3& b, const Vec3& c) {
        for (const Vec3& p : {a, b, c}) {
            indices.push_back(static_cast<std::uint16_t>(positions.size()));
            positions.push_back(p);
        }
    }
};

TriangleTree build(const Mesh& mesh) {
    TriangleTree tree;
    TriangleTreeBuilder().build(mesh.view(), tree);
    return tree;
}

Vec3 random_point(Random& random, float low, float high) {
    const float x = random.range(low, high);
    const float y = random.range(low, high);
    return {x, y, random.range(low, high)};
}

enum class Soup { small_triangles, long_triangles, lattice, flat, same_place, skewed };

Mesh make_soup(Soup kind, std::uint32_t count, std::uint64_t seed) {
    Random random(seed);
    Mesh mesh;
    for (std::uint32_t i = 0; i < count; ++i) {
        Vec3 a = random_point(random, 0.0F, 8.0F);
        Vec3 b = a + random_point(random, -1.0F, 1.0F);
        Vec3 c = a + random_point(random, -1.0F, 1.0F);
        switch (kind) {
            case Soup::small_triangles:
                break;
            case Soup::long_triangles:
                b = random_point(random, 0.0F, 8.0F);
                c = random_point(random, 0.0F, 8.0F);
                break;
            case Soup::lattice:  // many equal planes and shared edges
                a = glm::floor(a);
                b = a + Vec3(1.0F, random.below(2) == 0 ? 0.0F : 1.0F, 0.0F);
                c = a + Vec3(0.0F, 0.0F, 1.0F);
                break;
            case Soup::flat:
                a.y = b.y = c.y = 3.0F;
                break;
            case Soup::same_place:
                a = Vec3(1.0F);
                b = Vec3(2.0F, 1.0F, 1.0F);
                c = Vec3(1.0F, 2.0F, 1.5F);
                break;
            case Soup::skewed: {  // distances that double: the mean leaves nearly all on one side
                const float scale = std::ldexp(1.0F, static_cast<int>(i % 40) - 20);
                a *= scale;
                b = a + scale * Vec3(0.1F, 0.0F, 0.0F);
                c = a + scale * Vec3(0.0F, 0.1F, 0.05F);
                break;
            }
        }
        mesh.add(a, b, c);
    }
    return mesh;
}

constexpr std::array<Soup, 6> kSoups{Soup::small_triangles, Soup::long_triangles,
                                     Soup::lattice,         Soup::flat,
                                     Soup::same_place,      Soup::skewed};

Aabb box_of_triangle(const TriangleMeshView& mesh, std::size_t i) {
    return merge(merge(merge(Aabb{}, mesh.corner(i, 0)), mesh.corner(i, 1)), mesh.corner(i, 2));
}

std::vector<std::uint32_t> slow_box(const TriangleMeshView& mesh, const Aabb& box) {
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
        if (overlaps(box_of_triangle(mesh, i), box)) {
            found.push_back(static_cast<std::uint32_t>(i));
        }
    }
    return found;
}

std::vector<std::uint32_t> tree_box(const TriangleTree& tree, const Mesh& mesh, const Aabb& box) {
    std::vector<std::uint32_t> found;
    tree.query_box(mesh.view(), box, found);
    std::ranges::sort(found);
    return found;
}

std::vector<TriangleHit> slow_hits(const TriangleMeshView& mesh, const Ray& ray) {
    std::vector<TriangleHit> hits;
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
        if (const auto t =
                intersect_triangle(ray, mesh.corner(i, 0), mesh.corner(i, 1), mesh.corner(i, 2))) {
            hits.push_back({*t, static_cast<std::uint32_t>(i)});
        }
    }
    std::ranges::sort(hits, [](const TriangleHit& a, const TriangleHit& b) {
        return a.t != b.t ? a.t < b.t : a.triangle < b.triangle;
    });
    return hits;
}

/// All hits and the closest one, against every triangle.
void check_ray(const TriangleTree& tree, const Mesh& mesh, const Ray& ray, std::size_t& hit_count) {
    const std::vector<TriangleHit> expected = slow_hits(mesh.view(), ray);
    std::vector<TriangleHit> hits;
    tree.all_hits(mesh.view(), ray, hits);
    CAPTURE(ray.origin.x);
    CAPTURE(ray.origin.y);
    CAPTURE(ray.origin.z);
    CAPTURE(ray.direction.x);
    CAPTURE(ray.direction.y);
    CAPTURE(ray.direction.z);
    CAPTURE(ray.t_max);
    REQUIRE(hits == expected);
    const auto closest = tree.closest_hit(mesh.view(), ray);
    REQUIRE(closest.has_value() == !expected.empty());
    if (closest) {
        REQUIRE(*closest == expected.front());
        REQUIRE(std::isfinite(closest->t));
        REQUIRE(closest->t >= 0.0F);
        REQUIRE(closest->t <= ray.t_max);
        ++hit_count;
    }
}

/// Rays of every awkward kind: parallel to axes and planes, zero, -0 and denormal components, no
/// length, starts on vertices, on planes and inside.
Ray random_ray(Random& random, const Mesh& mesh) {
    Ray ray;
    const auto vertex = [&] {
        return mesh.positions[random.below(static_cast<std::uint32_t>(mesh.positions.size()))] +
               mesh.offset;
    };
    ray.origin = mesh.offset + random_point(random, -4.0F, 12.0F);
    const Vec3 target = mesh.offset + random_point(random, 0.0F, 8.0F);
    ray.direction = target - ray.origin;
    ray.t_max = random.below(3) == 0 ? random.range(0.0F, 2.0F) : 4.0F;
    switch (random.below(8)) {
        case 0:
            ray.origin = vertex();
            break;
        case 1:
            ray.direction = vertex() - ray.origin;
            break;
        case 2:
            ray.origin = glm::floor(ray.origin);
            break;
        default:
            break;
    }
    constexpr std::array<float, 5> kAwkward{0.0F, -0.0F, kDenormal, -kDenormal, 1e-20F};
    for (int axis = 0; axis < 3; ++axis) {
        if (random.below(3) == 0) {
            ray.direction[axis] = kAwkward[random.below(5)];
        }
    }
    if (random.below(16) == 0) {
        ray.t_max = random.below(2) == 0 ? 0.0F : kInfinity;
    }
    if (random.below(32) == 0) {
        ray.direction *= 1e-30F;
    }
    return ray;
}

/// Walks the whole tree: every triangle in one leaf, planes that fit, sizes, quarter rule, depth.
struct TreeCheck {
    const TriangleTree& tree;
    TriangleMeshView mesh;
    std::vector<int> seen = std::vector<int>(mesh.triangle_count());
    std::size_t visited = 0;
    int depth = 0;

    std::size_t visit(std::uint32_t index, int level) {
        const TriangleTree::Node& node = tree.nodes()[index];
        ++visited;
        depth = std::max(depth, level);
        const std::uint32_t axis = node.tag_index & 3U;
        if (axis == TriangleTree::kLeafTag) {
            const std::uint32_t count = node.tag_index >> 2;
            REQUIRE(count >= 1);
            REQUIRE(count <= 2);
            for (std::uint32_t i = 0; i < count; ++i) {
                ++seen.at(node.words[i]);
            }
            return count;
        }
        const std::uint32_t child = node.tag_index >> 2;
        const std::size_t left = visit(child, level + 1);
        const std::size_t right = visit(child + 1, level + 1);
        REQUIRE(4 * std::min(left, right) >= left + right);
        REQUIRE(extreme(child, axis, true) == std::bit_cast<float>(node.words[0]));
        REQUIRE(extreme(child + 1, axis, false) == std::bit_cast<float>(node.words[1]));
        return left + right;
    }
    float extreme(std::uint32_t index, std::uint32_t axis, bool is_max) const {
        const TriangleTree::Node& node = tree.nodes()[index];
        if ((node.tag_index & 3U) != TriangleTree::kLeafTag) {
            const float a = extreme(node.tag_index >> 2, axis, is_max);
            const float b = extreme((node.tag_index >> 2) + 1, axis, is_max);
            return is_max ? std::max(a, b) : std::min(a, b);
        }
        float found = is_max ? -kInfinity : kInfinity;
        for (std::uint32_t i = 0; i < node.tag_index >> 2; ++i) {
            const Aabb box = box_of_triangle(mesh, node.words[i]);
            const auto a = static_cast<int>(axis);
            found = is_max ? std::max(found, box.max[a]) : std::min(found, box.min[a]);
        }
        return found;
    }
};

}  // namespace

TEST_CASE("A9 triangle_tree: each triangle in one leaf, planes fit, no side below a quarter") {
    for (const Soup kind : kSoups) {
        for (const std::uint32_t count : {1U, 2U, 3U, 4U, 5U, 17U, 100U, 1000U}) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(count);
            const Mesh mesh = make_soup(kind, count, count);
            const TriangleTree tree = build(mesh);
            TreeCheck check{tree, mesh.view()};
            CHECK(check.visit(0, 0) == count);
            CHECK(std::ranges::all_of(check.seen, [](int times) { return times == 1; }));
            CHECK(check.visited == tree.nodes().size());
            CHECK(check.depth == tree.depth());
            CHECK(tree.depth() <= triangle_tree_depth_bound(count));
            CHECK(tree.memory_bytes() == tree.nodes().size() * 12);
            CHECK(tree.nodes().size() <= 2 * count - 1);
        }
    }
    CHECK(triangle_tree_depth_bound(2) == 0);
    CHECK(triangle_tree_depth_bound(3) == 1);
    CHECK(triangle_tree_depth_bound(kTriangleTreeTrianglesMax) <= kTriangleTreeDepthMax);
}

TEST_CASE("A9 triangle_tree: splits at the mean midpoint, and halves if that leaves too few") {
    const auto left_of_root = [](std::initializer_list<float> places) {
        Mesh mesh;
        for (const float x : places) {
            mesh.add({x, 0, 0}, {x + 0.5F, 0, 0}, {x, 0.5F, 0});
        }
        const TriangleTree tree = build(mesh);
        TreeCheck check{tree, mesh.view()};
        return check.visit(tree.nodes()[0].tag_index >> 2, 1);
    };
    CHECK(left_of_root({0, 13, 2, 3, 12, 1}) == 4);
    CHECK(left_of_root({0, 1, 11, 12, 13, 14}) == 2);
    CHECK(left_of_root({0, 1, 2, 3, 100}) == 2);
    CHECK(left_of_root({-100, 1, 2, 3, 4, 5}) == 3);
}

TEST_CASE("A9 triangle_tree: an empty mesh answers nothing, a rebuilt tree only its last mesh") {
    TriangleTree tree;
    TriangleTreeBuilder builder;
    const Mesh soup = make_soup(Soup::small_triangles, 50, 1);
    builder.build(soup.view(), tree);
    const Mesh empty;
    builder.build(empty.view(), tree);
    CHECK(tree.nodes().empty());
    CHECK(tree.depth() == 0);
    CHECK(tree_box(tree, empty, {Vec3(-9.0F), Vec3(9.0F)}).empty());
    CHECK_FALSE(tree.closest_hit(empty.view(), {Vec3(0.0F), Vec3(1.0F), 9.0F}));
    builder.build(soup.view(), tree);
    const TriangleTree fresh = build(soup);
    CHECK(std::ranges::equal(tree.nodes(), fresh.nodes(), [](const auto& a, const auto& b) {
        return a.words[0] == b.words[0] && a.words[1] == b.words[1] && a.tag_index == b.tag_index;
    }));
}

TEST_CASE("A10 triangle_tree: box query equals brute force on random soups") {
    for (const Soup kind : kSoups) {
        for (const Vec3& offset : {Vec3(0.0F), Vec3(-4096.0F, 8.0F, 2048.0F), Vec3(0.1F)}) {
            Mesh mesh = make_soup(kind, 300, 7);
            const TriangleTree tree = build(mesh);
            mesh.offset = offset;
            Random random(static_cast<std::uint64_t>(kind) + 99);
            std::size_t found = 0;
            for (int i = 0; i < 400; ++i) {
                const Vec3 at = random_point(random, -2.0F, 9.0F);
                Aabb box{at, at + random_point(random, 0.0F, 2.0F)};
                if (i % 8 == 0) {
                    // Touching a vertex with a corner, a face or as a point counts.
                    box.min = mesh.positions[random.below(900)];
                    box.max = i % 16 == 0 ? box.min : box.min + Vec3(1.0F);
                }
                box.min += offset;
                box.max += offset;
                CAPTURE(static_cast<int>(kind));
                CAPTURE(i);
                const std::vector<std::uint32_t> expected = slow_box(mesh.view(), box);
                found += expected.size();
                REQUIRE(tree_box(tree, mesh, box) == expected);
            }
            CHECK(found > 400);
            CHECK(tree_box(tree, mesh, {Vec3(-kInfinity), Vec3(kInfinity)}).size() == 300);
            CHECK(tree_box(tree, mesh, {}).empty());
            CHECK(tree_box(tree, mesh, {Vec3(NAN), Vec3(NAN)}).empty());
        }
    }
}

TEST_CASE("A11 triangle_tree: closest hit and all hits equal brute force on random soups") {
    for (const Soup kind : kSoups) {
        for (const Vec3& offset : {Vec3(0.0F), Vec3(-4096.0F, 8.0F, 2048.0F)}) {
            CAPTURE(static_cast<int>(kind));
            Mesh mesh = make_soup(kind, 200, 13);
            const TriangleTree tree = build(mesh);
            mesh.offset = offset;
            Random random(static_cast<std::uint64_t>(kind) + 7);
            std::size_t hit_count = 0;
            for (int i = 0; i < 1500; ++i) {
                check_ray(tree, mesh, random_ray(random, mesh), hit_count);
            }
            CHECK(hit_count > 50);
        }
    }
}

TEST_CASE("A11 triangle_tree: a limit cuts the ray off, its end included") {
    Mesh mesh;
    mesh.add({0, 1, 0}, {0, 1, 4}, {4, 1, 0});
    mesh.add({0, 3, 0}, {0, 3, 4}, {4, 3, 0});
    const TriangleTree tree = build(mesh);
    const Ray up{{1, 0, 1}, {0, 2, 0}, 100.0F};
    CHECK(tree.closest_hit(mesh.view(), up) == TriangleHit{0.5F, 0});
    CHECK(tree.closest_hit(mesh.view(), up, 0.5F) == TriangleHit{0.5F, 0});
    CHECK_FALSE(tree.closest_hit(mesh.view(), up, 0.49F));
    std::vector<TriangleHit> hits;
    tree.all_hits(mesh.view(), up, hits);
    CHECK(hits == std::vector<TriangleHit>{{0.5F, 0}, {1.5F, 1}});
    // From inside, from on top, backward, and with no length.
    CHECK(tree.closest_hit(mesh.view(), {{1, 2, 1}, {0, 1, 0}, 9.0F}) == TriangleHit{1.0F, 1});
    CHECK(tree.closest_hit(mesh.view(), {{1, 2, 1}, {0, -1, 0}, 9.0F}) == TriangleHit{1.0F, 0});
    CHECK(tree.closest_hit(mesh.view(), {{1, 1, 1}, {0, 1, 0}, 0.0F}) == TriangleHit{0.0F, 0});
    CHECK_FALSE(tree.closest_hit(mesh.view(), {{1, 1, 1}, {0, 0, 0}, 9.0F}));
    CHECK_FALSE(tree.closest_hit(mesh.view(), {{1, 2, 1}, {0, 1, 0}, -1.0F}));
    CHECK_FALSE(tree.closest_hit(mesh.view(), {{1, 2, 1}, {0, 1, 0}, NAN}));
    CHECK_FALSE(tree.closest_hit(mesh.view(), {{1, NAN, 1}, {0, 1, 0}, 9.0F}));
    CHECK_FALSE(tree.closest_hit(mesh.view(), {{1, 2, 1}, {0, kInfinity, 0}, 9.0F}));
    // In the plane of a triangle, across it: it has no side to hit.
    CHECK_FALSE(tree.closest_hit(mesh.view(), {{-1, 1, 1}, {1, 0, 0}, 9.0F}));
}

TEST_CASE("A11 intersect_triangle: no ray slips between triangles that share edges") {
    // A bumpy sheet far from the origin; every ray aims at a vertex or a point of an edge.
    Random random(3);
    constexpr int kSide = 12;
    Mesh mesh;
    for (int z = 0; z < kSide; ++z) {
        for (int x = 0; x < kSide; ++x) {
            const auto jitter = [&] {
                return static_cast<float>(random.between(-100, 100)) / 256.0F;
            };
            mesh.positions.emplace_back(static_cast<float>(x) + jitter(), 1.0F + jitter(),
                                        static_cast<float>(z) + jitter());
        }
    }
    for (int z = 0; z + 1 < kSide; ++z) {
        for (int x = 0; x + 1 < kSide; ++x) {
            const auto a = static_cast<std::uint16_t>(z * kSide + x);
            const auto b = static_cast<std::uint16_t>(a + 1);
            const auto c = static_cast<std::uint16_t>(a + kSide);
            const auto d = static_cast<std::uint16_t>(c + 1);
            mesh.indices.insert(mesh.indices.end(), {a, c, b, b, c, d});
        }
    }
    const TriangleTree tree = build(mesh);
    mesh.offset = Vec3(-4000.0F, 16.0F, 3968.0F);
    int misses = 0;
    for (int i = 0; i < 20000; ++i) {
        const int x = random.between(2, kSide - 3);
        const int z = random.between(2, kSide - 3);
        const Vec3 a = mesh.positions[static_cast<std::size_t>(z * kSide + x)];
        const Vec3 b =
            mesh.positions[static_cast<std::size_t>((z + random.between(0, 1)) * kSide + x + 1)];
        const Vec3 aim = mesh.offset + a + random.unit() * (b - a);
        const Vec3 from = mesh.offset + Vec3(5.5F, 9.0F, 5.5F) + random_point(random, -2.0F, 2.0F);
        misses += tree.closest_hit(mesh.view(), {from, aim - from, 4.0F}) ? 0 : 1;
    }
    CHECK(misses == 0);
}

}  // namespace terrane
