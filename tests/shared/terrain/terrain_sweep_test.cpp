#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/shared/terrain/query_oracle.h"

namespace terrane {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void capture_failure(const std::string& world, const test::SweepQuestion& q) {
    INFO("world ", world, " form ", static_cast<int>(q.shape.form), " centre ", q.shape.centre.x,
         " ", q.shape.centre.y, " ", q.shape.centre.z, " way ", q.way.x, " ", q.way.y, " ",
         q.way.z);
    CHECK(false);
}

bool is_same(const std::optional<TerrainTouch>& ours, const test::SlowTouch& slow) {
    return ours.has_value() == slow.is_found &&
           (!ours ||
            (ours->t == static_cast<float>(slow.touch.t) && ours->normal == slow.touch.normal &&
             ours->depth_m == static_cast<float>(slow.touch.depth_m) &&
             ours->brick == slow.triangle.brick && ours->triangle == slow.triangle.index &&
             ours->material == slow.triangle.material));
}

VoxelGrid flat_ground() {
    return test::made_grid([](const VoxelCoord& v) { return v.y < 0 ? Voxel{2, 255} : kAirVoxel; });
}

}  // namespace

TEST_CASE("A25 terrain sweep: equals asking every triangle, flat, kd and scalar, to the bit") {
    for (const test::NamedWorld& world : test::awkward_worlds()) {
        std::array<Terrain, 3> terrains{
            Terrain(world.grid, {.collider = ColliderKind::flat}),
            Terrain(world.grid, {.collider = ColliderKind::kd}),
            Terrain(world.grid, {.collider = ColliderKind::flat_scalar})};
        for (Terrain& terrain : terrains) {
            test::follow(world.grid, terrain);
        }
        const auto all = test::all_triangles(world.grid, terrains[0].masks().surface_range());
        Random random(41);
        int touched = 0;
        int overlapped = 0;
        for (int i = 0; i < 400; ++i) {
            const test::SweepQuestion q =
                test::random_question(random, {{-40, -40, -8}, {40, 8, 40}}, all);
            const test::SlowTouch slow = test::slow_sweep(all, q.shape, q.way);
            for (Terrain& terrain : terrains) {
                if (!is_same(terrain.sweep(q.shape, q.way), slow) ||
                    terrain.meets_sweep(q.shape, q.way) != slow.is_found) {
                    capture_failure(world.name, q);
                }
            }
            touched += slow.is_found ? 1 : 0;
            overlapped += slow.is_found && slow.touch.depth_m > 0.0 ? 1 : 0;
        }
        CAPTURE(world.name);
        CHECK(touched > 15);
        CHECK(touched > overlapped);
    }
}

TEST_CASE("A25 terrain overlap: equals asking every triangle, and its parts agree") {
    for (const test::NamedWorld& world : test::awkward_worlds()) {
        Terrain flat(world.grid);
        Terrain kd(world.grid, {.collider = ColliderKind::kd});
        test::follow(world.grid, flat);
        test::follow(world.grid, kd);
        const auto all = test::all_triangles(world.grid, flat.masks().surface_range());
        Random random(43);
        int overlapped = 0;
        for (int i = 0; i < 300; ++i) {
            const test::SweepQuestion q =
                test::random_question(random, {{-34, -34, -2}, {34, 2, 34}}, all);
            const ShapeSweep still(q.shape, Vec3{0.0F});
            std::vector<const TerrainTriangle*> expected;
            std::optional<TriangleTouch> deepest;
            const Aabb around = still.bounds(0.0, 0.0);
            for (const TerrainTriangle& t : all) {
                const Aabb box{glm::min(t.a, glm::min(t.b, t.c)),
                               glm::max(t.a, glm::max(t.b, t.c))};
                if (!overlaps(box, around)) {
                    continue;
                }
                if (const auto touch = still.overlap(t.a, t.b, t.c)) {
                    expected.push_back(&t);
                    if (!deepest || touch->is_before(*deepest)) {
                        deepest = touch;
                    }
                }
            }
            Terrain& terrain = i % 2 == 0 ? flat : kd;
            std::vector<TerrainTouch> found;
            terrain.gather_overlaps(q.shape, found);
            const auto one = terrain.deepest_overlap(q.shape);
            REQUIRE(found.size() == expected.size());
            REQUIRE(terrain.overlaps(q.shape) == !expected.empty());
            REQUIRE(one.has_value() == !expected.empty());
            for (std::size_t k = 0; k < found.size(); ++k) {
                REQUIRE(found[k].brick == expected[k]->brick);
                REQUIRE(found[k].triangle == expected[k]->index);
            }
            if (one) {
                REQUIRE(one->depth_m == static_cast<float>(deepest->depth_m));
                REQUIRE(one->normal == deepest->normal);
                ++overlapped;
            }
        }
        CAPTURE(world.name);
        CHECK(overlapped > 2);
    }
}

TEST_CASE("A25 terrain sweep: what falls on flat ground stops a radius above it") {
    const VoxelGrid grid = flat_ground();
    Terrain terrain(grid);
    test::follow(grid, terrain);
    const auto ball = terrain.sweep(make_sphere({3.2F, 10.0F, 3.1F}, 0.5F), {0, -20, 0});
    REQUIRE(ball);
    CHECK(ball->t == 0.475F);
    CHECK(ball->normal == Vec3(0, 1, 0));
    CHECK(ball->depth_m == 0.0F);
    CHECK(ball->point == Vec3(3.2F, 0.0F, 3.1F));
    CHECK(ball->material == 2);
    CHECK(ball->brick == BrickCoord{0, -1, 0});
    const auto capsule = terrain.sweep(make_capsule({3.2F, 10.0F, 3.1F}, 0.5F, 0.5F), {0, -20, 0});
    REQUIRE(capsule);
    CHECK(capsule->t == 0.45F);
    const auto box = terrain.sweep(make_box({3.2F, 10.0F, 3.1F}, {0.5F, 1.0F, 0.5F}), {0, -20, 0});
    REQUIRE(box);
    CHECK(box->t == 0.45F);
    CHECK(box->normal == Vec3(0, 1, 0));
    CHECK(std::abs(box->point.y) < 1e-4F);
    // On its corner: half the box's diagonal above the ground.
    const float half_turn = std::sqrt(0.5F - 0.5F / std::sqrt(3.0F));
    const Vec3 about = Vec3(1, 0, -1) * (half_turn / std::sqrt(2.0F));
    const Quat on_corner{std::sqrt(1.0F - half_turn * half_turn), about.x, about.y, about.z};
    const auto tip =
        terrain.sweep(make_box({3.2F, 10.0F, 3.1F}, Vec3(1.0F), on_corner), {0, -20, 0});
    REQUIRE(tip);
    CHECK(tip->t == doctest::Approx((10.0 - std::sqrt(3.0)) / 20.0).epsilon(1e-5));
    // Along the ground, resting on it, nothing holds it; a little into it, it stops at once.
    CHECK_FALSE(terrain.sweep(make_sphere({-20.0F, 0.5F, 3.0F}, 0.5F), {40, 0, 0}));
    CHECK_FALSE(terrain.sweep(make_box({-20.0F, 0.5F, 3.0F}, Vec3(0.5F)), {40, 0, 0}));
    CHECK_FALSE(terrain.sweep(make_box({-20.0F, 0.5F, 3.0F}, Vec3(0.5F)), {0, 5, 0}));
    const auto pressed =
        terrain.sweep(make_box({-20.0F, 0.5F, 3.0F}, Vec3(0.5F)), {0.4F, -1e-2F, 0});
    REQUIRE(pressed);
    CHECK(pressed->t == 0.0F);
    CHECK(pressed->depth_m == 0.0F);
}

TEST_CASE("A25 terrain sweep: starting in overlap is t = 0 and the way out") {
    const VoxelGrid grid = flat_ground();
    Terrain terrain(grid);
    test::follow(grid, terrain);
    const auto check_out = [&](const QueryShape& shape, float depth_m) {
        for (const Vec3& way : {Vec3(0, -3, 0), Vec3(0, 9, 0), Vec3(2, 0, 0), Vec3(0.0F)}) {
            const auto hit = terrain.sweep(shape, way);
            REQUIRE(hit);
            CHECK(hit->t == 0.0F);
            CHECK(hit->normal.y > 0.999F);
            CHECK(hit->depth_m == doctest::Approx(depth_m).epsilon(1e-5));
        }
        QueryShape out = shape;
        out.centre.y += depth_m + 1e-3F;
        CHECK(terrain.overlaps(shape));
        CHECK_FALSE(terrain.overlaps(out));
    };
    check_out(make_sphere({3.2F, 0.3F, 3.1F}, 0.5F), 0.2F);
    check_out(make_sphere({3.2F, -0.3F, 3.1F}, 0.5F), 0.8F);
    check_out(make_capsule({3.2F, 0.25F, 3.1F}, 0.5F, 0.3F), 0.55F);
    check_out(make_box({3.2F, 0.25F, 3.1F}, Vec3(0.5F)), 0.25F);
    check_out(make_box({3.2F, -0.25F, 3.1F}, Vec3(0.5F)), 0.75F);
    // Wholly inside: the surface is a shell.
    CHECK_FALSE(terrain.overlaps(make_sphere({3.2F, -4.0F, 3.1F}, 0.5F)));
    CHECK(terrain.masks().is_core_at({3, -4, 3}));
}

TEST_CASE("A25 terrain sweep: shapes and ways without sense meet nothing") {
    const VoxelGrid grid = flat_ground();
    Terrain terrain(grid);
    test::follow(grid, terrain);
    const QueryShape ball = make_sphere({3, 5, 3}, 1.0F);
    CHECK_FALSE(terrain.sweep(ball, {0, kNan, 0}));
    CHECK_FALSE(terrain.sweep(ball, {0, -1e30F, 0}));
    CHECK_FALSE(terrain.sweep(make_sphere({3, kNan, 3}, 1.0F), {0, -9, 0}));
    CHECK_FALSE(terrain.sweep(make_sphere({3, 5, 3}, -1.0F), {0, -9, 0}));
    CHECK_FALSE(terrain.sweep(make_box({3, 5, 3}, Vec3(1.0F), Quat{0, 0, 0, 0}), {0, -9, 0}));
    CHECK_FALSE(terrain.overlaps(make_box({3, 0, 3}, {kNan, 1, 1})));
    CHECK_FALSE(terrain.sweep(ball, {0, 900, 0}));
    // Of no size at all, it is a ray.
    const auto point = terrain.sweep(make_sphere({3.2F, 5, 3.1F}, 0.0F), {0, -10, 0});
    REQUIRE(point);
    CHECK(point->t == 0.5F);
    CHECK(point->normal == Vec3(0, 1, 0));
    CHECK(terrain.sweep(make_sphere({3.2F, 5, 3.1F}, 1.0F), {0, -900000, 0}));
}

TEST_CASE("A25 terrain sweep: the zone's far corners are as good as its middle") {
    constexpr GridBounds kLarge{{-128, -2, -128}, {128, 2, 128}};
    for (const ChunkCoord& corner : {ChunkCoord{-128, -1, -128}, ChunkCoord{127, -1, 127}}) {
        const VoxelGrid model = test::rolling_grid(9, {{0, -1, 0}, {1, 0, 1}});
        VoxelGrid grid(kLarge);
        for (std::int32_t y = -1; y <= 0; ++y) {
            grid.insert({corner.x, y, corner.z}, *model.find({0, -1, 0}));
        }
        Terrain flat(grid);
        Terrain kd(grid, {.collider = ColliderKind::kd});
        test::follow(grid, flat);
        test::follow(grid, kd);
        const BrickCoord first = brick_of(origin_of(corner));
        const auto all = test::all_triangles(
            grid, {first + BrickCoord{-1, -1, -1}, first + BrickCoord{4, 8, 4}});
        REQUIRE(all.size() > 1000);
        Random random(3);
        int touched = 0;
        const Vec3 base = corner_of(origin_of(corner));
        for (int i = 0; i < 300; ++i) {
            test::SweepQuestion q =
                test::random_question(random, {base + 2.0F, base + Vec3(30.0F, 60.0F, 30.0F)}, all);
            q.way = glm::clamp(q.way, Vec3(-8.0F), Vec3(8.0F));  // stays among these bricks
            const test::SlowTouch slow = test::slow_sweep(all, q.shape, q.way);
            REQUIRE(is_same(flat.sweep(q.shape, q.way), slow));
            REQUIRE(is_same(kd.sweep(q.shape, q.way), slow));
            touched += slow.is_found ? 1 : 0;
        }
        CHECK(touched > 100);
    }
}

TEST_CASE("A25 first_unknown: names the first missing chunk on the way, and none that is there") {
    constexpr GridBounds kRow{{-1, -1, -1}, {3, 1, 1}};
    VoxelGrid grid = test::uniform_grid(kAirVoxel, kRow);
    grid.erase({1, 0, 0});
    grid.erase({2, 0, 0});
    Terrain terrain(grid);
    test::follow(grid, terrain);
    const TerrainMasks& masks = terrain.masks();
    const auto ahead = first_unknown(masks, Ray{{2, 5, 5}, {1, 0, 0}, 100.0F});
    REQUIRE(ahead);
    CHECK(ahead->chunk == ChunkCoord{1, 0, 0});
    CHECK(ahead->t == doctest::Approx(28.5).epsilon(1e-3));
    // Known up to there, and beside, and away; the zone's outside is known: it is air.
    CHECK_FALSE(first_unknown(masks, Ray{{2, 5, 5}, {1, 0, 0}, 28.0F}));
    CHECK_FALSE(first_unknown(masks, Ray{{2, 5, 5}, {-1, 0, 0}, 1e6F}));
    CHECK_FALSE(first_unknown(masks, Ray{{2, -5, 5}, {1, 0, 0}, 100.0F}));
    CHECK(first_unknown(masks, Ray{{2, -1, 5}, {1, 0, 0}, 100.0F}));
    const auto back = first_unknown(masks, Ray{{500, 5, 5}, {-2, 0, 0}, 1e9F});
    REQUIRE(back);
    CHECK(back->chunk == ChunkCoord{2, 0, 0});
    // A body has a width, and its start counts.
    const QueryShape ball = make_sphere({2, 5, 5}, 2.0F);
    REQUIRE(first_unknown(masks, ball, {100, 0, 0}));
    CHECK(first_unknown(masks, ball, {100, 0, 0})->t == doctest::Approx(0.265).epsilon(1e-3));
    CHECK_FALSE(first_unknown(masks, ball, {100, 0, 0}, 0.26F));
    const auto here = first_unknown(masks, make_box({33, 5, 5}, Vec3(1.0F)), {0, 0, 0});
    REQUIRE(here);
    CHECK(here->t == 0.0F);
    CHECK_FALSE(first_unknown(masks, Ray{{2, kNan, 5}, {1, 0, 0}, 100.0F}));
}

TEST_CASE(
    "A25 first_unknown: without a missing chunk near its way, an answer is the whole world's") {
    VoxelGrid whole = test::rolling_grid(11);
    VoxelGrid holed = test::rolling_grid(11);
    holed.erase({0, -1, 0});
    holed.erase({-1, 0, -1});
    Terrain complete(whole);
    Terrain partial(holed);
    test::follow(whole, complete);
    test::follow(holed, partial);
    Random random(47);
    int known = 0;
    int differed = 0;
    for (int i = 0; i < 2000; ++i) {
        const test::SweepQuestion q =
            test::random_question(random, {Vec3(-34.0F), Vec3(34.0F)}, {});
        const auto true_hit = complete.sweep(q.shape, q.way);
        const auto hit = partial.sweep(q.shape, q.way);
        const bool is_same = true_hit.has_value() == hit.has_value() &&
                             (!hit || (hit->t == true_hit->t && hit->brick == true_hit->brick &&
                                       hit->triangle == true_hit->triangle));
        const auto unknown = first_unknown(partial.masks(), q.shape, q.way, hit ? hit->t : 1.0F);
        if (!unknown) {
            ++known;
            REQUIRE((hit.has_value() == true_hit.has_value() &&
                     (!hit || (hit->t == true_hit->t && hit->brick == true_hit->brick))));
        }
        differed += is_same ? 0 : 1;
    }
    CHECK(known > 300);
    CHECK(differed > 100);
}

}  // namespace terrane
