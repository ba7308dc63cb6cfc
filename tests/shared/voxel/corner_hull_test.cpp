#include "shared/voxel/corner_hull.h"

#include <doctest/doctest.h>

#include <vector>

#include "shared/core/random.h"
#include "tests/shared/voxel/hull_planes.h"

namespace terrane {
namespace {

Vec3 metres(const LatticePoint& p) {
    return Vec3(static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)) / 256.0F;
}

std::vector<Vec3> places(const std::vector<LatticePoint>& points,
                         const std::vector<std::size_t>& chosen) {
    std::vector<Vec3> corners;
    for (const std::size_t i : chosen) {
        corners.push_back(metres(points[i]));
    }
    return corners;
}

}  // namespace

TEST_CASE("A18 corner_hull: a lattice of points gives the corners of its box") {
    std::vector<LatticePoint> points;
    for (int i = 0; i < 9 * 9 * 9; ++i) {
        points.push_back({i % 9 * 256, i / 9 % 9 * 256, i / 81 * 256 - 1000});
    }
    const auto chosen = hull_corners(points, 32, 8);
    CHECK(chosen == std::vector<std::size_t>{0, 8, 72, 80, 648, 656, 720, 728});
}

TEST_CASE("A18 corner_hull: no point of a random cloud lies outside by more than the tolerance") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const std::int32_t side = seed % 3 == 0 ? 3 : 1000;
        std::vector<LatticePoint> points;
        for (std::uint32_t i = 4 + random.below(100); i > 0; --i) {
            points.push_back({random.between(0, side), random.between(0, side),
                              random.between(0, side) * (seed % 5 == 0 ? 0 : 1)});
        }
        const auto chosen = hull_corners(points, 1000, 8);
        if (seed % 5 == 0) {
            continue;  // flat: what it gives is no solid, but it must come to an end
        }
        const auto corners = places(points, chosen);
        const auto planes = test::hull_planes(corners, 0.002F);
        for (const LatticePoint& p : points) {
            REQUIRE(test::outside_m(planes, metres(p)) < 12.0F / 256.0F);
        }
        if (side == 1000) {
            // Each corner is one: without it, it lies outside of the rest.
            for (std::size_t i = 0; i < corners.size() && corners.size() > 4; ++i) {
                std::vector<Vec3> rest = corners;
                rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
                REQUIRE(test::outside_m(test::hull_planes(rest, 0.0005F), corners[i]) > 0.0F);
            }
        }
    }
}

TEST_CASE("A18 corner_hull: few corners of a ball, the farthest first") {
    Random random(5);
    std::vector<LatticePoint> points;
    for (int i = 0; i < 2000; ++i) {
        const Vec3 p{random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F),
                     random.range(-1.0F, 1.0F)};
        const Vec3 on_ball = glm::normalize(p) * 2560.0F;
        points.push_back({static_cast<std::int32_t>(on_ball.x),
                          static_cast<std::int32_t>(on_ball.y),
                          static_cast<std::int32_t>(on_ball.z)});
    }
    const auto chosen = hull_corners(points, 32, 8);
    CHECK(chosen.size() == 32);
    const auto planes = test::hull_planes(places(points, chosen));
    float worst = 0.0F;
    for (const LatticePoint& p : points) {
        worst = std::max(worst, test::outside_m(planes, metres(p)));
    }
    CHECK(worst < 1.6F);  // of a radius of 10 m
}

TEST_CASE("A18 corner_hull: too few points") {
    CHECK(hull_corners({}, 32, 8).empty());
    const std::vector<LatticePoint> one(5, LatticePoint{3, 4, 5});
    CHECK(hull_corners(one, 32, 8).size() == 1);
    const std::vector<LatticePoint> two{{0, 0, 0}, {5, 5, 5}};
    CHECK(hull_corners(two, 32, 8).size() < 4);
}

}  // namespace terrane
