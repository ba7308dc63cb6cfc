// A million questions to the terrain, each answered by a flat and a kD collider and by asking every
// triangle whose box the question meets.
#include <doctest/doctest.h>

#include <limits>

#include "shared/shape/ray_triangle.h"
#include "tests/shared/terrain/query_oracle.h"

namespace terrane {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

/// Boxes of all triangles by 4 m columns of the zone: the oracle looks at a column, not at them
/// all.
class Columns {
  public:
    explicit Columns(const std::vector<TerrainTriangle>& all)
        : all_(&all), columns_(kSide * kSide) {
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const TerrainTriangle& t = all[i];
            boxes_.push_back(
                {glm::min(t.a, glm::min(t.b, t.c)), glm::max(t.a, glm::max(t.b, t.c))});
            for_each_column(boxes_.back(), [&](std::size_t c) { columns_[c].push_back(i); });
        }
        seen_.resize(all.size(), kNone);
    }
    /// Calls visit(triangle) for each that meets `box`, in no order.
    template <typename Visit>
    void near(const Aabb& box, Visit&& visit) {
        ++question_;
        for_each_column(box, [&](std::size_t c) {
            for (const std::uint32_t i : columns_[c]) {
                if (seen_[i] != question_ && overlaps(boxes_[i], box)) {
                    seen_[i] = question_;
                    visit((*all_)[i]);
                }
            }
        });
    }

  private:
    static constexpr std::int32_t kSide = 64;
    static std::int32_t column(float place) {
        return static_cast<std::int32_t>(std::clamp(place / 4.0F + 32.0F, 0.0F, 63.0F));
    }
    template <typename Visit>
    static void for_each_column(const Aabb& box, Visit&& visit) {
        for (std::int32_t z = column(box.min.z); z <= column(box.max.z); ++z) {
            for (std::int32_t x = column(box.min.x); x <= column(box.max.x); ++x) {
                visit(static_cast<std::size_t>(z * kSide + x));
            }
        }
    }

    const std::vector<TerrainTriangle>* all_;
    std::vector<Aabb> boxes_;
    std::vector<std::vector<std::uint32_t>> columns_;
    std::vector<std::uint32_t> seen_;
    std::uint32_t question_ = 0;
};

bool is_named_before(const TerrainTriangle& a, const TerrainTriangle& b) {
    return a.brick < b.brick || (a.brick == b.brick && a.index < b.index);
}

struct Expected {
    bool is_found = false;
    TriangleTouch touch;
    TerrainTriangle triangle;

    void offer(const TriangleTouch& other, const TerrainTriangle& t) {
        if (!is_found || other.is_before(touch) ||
            (!touch.is_before(other) && is_named_before(t, triangle))) {
            *this = {true, other, t};
        }
    }
};

bool is_sweep_right(Terrain& terrain, Columns& columns, const test::SweepQuestion& q) {
    const ShapeSweep sweep(q.shape, q.way);
    Expected expected;
    columns.near(sweep.bounds(0.0, 1.0), [&](const TerrainTriangle& t) {
        if (const auto touch = sweep.touch(t.a, t.b, t.c)) {
            expected.offer(*touch, t);
        }
    });
    const auto hit = terrain.sweep(q.shape, q.way);
    return hit.has_value() == expected.is_found &&
           (!hit ||
            (hit->t == static_cast<float>(expected.touch.t) &&
             hit->depth_m == static_cast<float>(expected.touch.depth_m) &&
             hit->normal == expected.touch.normal && hit->brick == expected.triangle.brick &&
             hit->triangle == expected.triangle.index));
}

bool is_overlap_right(Terrain& terrain, Columns& columns, const QueryShape& shape) {
    const ShapeSweep still(shape, Vec3{0.0F});
    Expected expected;
    std::size_t count = 0;
    columns.near(still.bounds(0.0, 0.0), [&](const TerrainTriangle& t) {
        if (const auto touch = still.overlap(t.a, t.b, t.c)) {
            expected.offer(*touch, t);
            ++count;
        }
    });
    std::vector<TerrainTouch> found;
    terrain.gather_overlaps(shape, found);
    const auto deepest = terrain.deepest_overlap(shape);
    return found.size() == count && terrain.overlaps(shape) == (count != 0) &&
           deepest.has_value() == (count != 0) &&
           (!deepest || (deepest->brick == expected.triangle.brick &&
                         deepest->triangle == expected.triangle.index));
}

bool is_ray_right(Terrain& terrain, Columns& columns, const Ray& ray) {
    Expected expected;
    const Vec3 end = point_at(ray, ray.t_max);
    columns.near(grow(merge(Aabb{ray.origin, ray.origin}, end), 0.01F),
                 [&](const TerrainTriangle& t) {
                     if (const auto at = intersect_triangle(ray, t.a, t.b, t.c)) {
                         expected.offer({static_cast<double>(*at), 0.0, {}}, t);
                     }
                 });
    const auto hit = terrain.raycast(ray);
    return hit.has_value() == expected.is_found && terrain.meets_ray(ray) == expected.is_found &&
           (!hit ||
            (hit->t == static_cast<float>(expected.touch.t) &&
             hit->brick == expected.triangle.brick && hit->triangle == expected.triangle.index));
}

}  // namespace

TEST_CASE("A13 A22 terrain queries: a million answers equal those of every triangle") {
    constexpr int kRounds = 21000;  // of six questions to each of eight worlds
    const std::vector<test::NamedWorld> worlds = test::awkward_worlds();
    std::uint64_t asked = 0;
    for (const test::NamedWorld& world : worlds) {
        Terrain flat(world.grid);
        Terrain kd(world.grid, {.collider = ColliderKind::kd});
        test::follow(world.grid, flat);
        test::follow(world.grid, kd);
        const auto all = test::all_triangles(world.grid, flat.masks().surface_range());
        Columns columns(all);
        Random random(1009);
        for (int i = 0; i < kRounds; ++i) {
            test::SweepQuestion q =
                test::random_question(random, {{-40, -40, -8}, {40, 8, 40}}, all);
            const Ray ray{q.shape.centre, q.way, 1.0F};
            if (i % 8 != 0) {
                q.way *= 0.2F;  // long sweeps are slow to answer the slow way
            }
            CAPTURE(world.name);
            CAPTURE(i);
            REQUIRE(is_ray_right(flat, columns, ray));
            REQUIRE(is_ray_right(kd, columns, ray));
            REQUIRE(is_sweep_right(flat, columns, q));
            REQUIRE(is_sweep_right(kd, columns, q));
            REQUIRE(is_overlap_right(flat, columns, q.shape));
            REQUIRE(is_overlap_right(kd, columns, q.shape));
            asked += 6;
        }
    }
    CHECK(asked >= 1000000);
}

}  // namespace terrane
