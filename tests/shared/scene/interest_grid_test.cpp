#include "shared/scene/interest_grid.h"

#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

bool is_near(const Vec3& a, const Vec3& b, float radius_m) {
    const Vec3 away = a - b;
    return is_finite(a) && is_finite(b) && radius_m >= 0.0F &&
           away.x * away.x + away.y * away.y + away.z * away.z <= radius_m * radius_m;
}

std::vector<std::uint32_t> slow_near(const std::vector<Vec3>& positions, const Vec3& at,
                                     float radius_m) {
    std::vector<std::uint32_t> objects;
    for (std::uint32_t i = 0; i < positions.size(); ++i) {
        if (is_near(positions[i], at, radius_m)) {
            objects.push_back(i);
        }
    }
    return objects;
}

std::vector<Vec3> random_positions(std::size_t count, float side_m, Random& random) {
    std::vector<Vec3> positions;
    for (std::size_t i = 0; i < count; ++i) {
        positions.push_back({random.range(-side_m, side_m), random.range(-40.0F, 40.0F),
                             random.range(-side_m, side_m)});
        if (random.below(30) == 0) {
            positions.back() = Vec3(std::numeric_limits<float>::quiet_NaN());
        } else if (random.below(40) == 0) {
            positions.back() *= 1000.0F;  // an outlier, or many cells on one line
        } else if (random.below(20) == 0) {
            positions.back() = glm::floor(positions.back() / 32.0F) * 32.0F;  // on cells' corners
        }
    }
    return positions;
}

TEST_CASE("B12 interest_grid: who is near is what asking everybody in turn gives, ascending") {
    Random random(121);
    InterestScratch scratch;
    for (const InterestGridConfig config :
         {InterestGridConfig{}, InterestGridConfig{32.0F, 8}, InterestGridConfig{7.3F, 1},
          InterestGridConfig{100.0F, 256}}) {
        CAPTURE(config.cell_m);
        InterestGrid grid(config);
        for (const float side_m : {0.5F, 60.0F, 900.0F, 40'000.0F}) {
            CAPTURE(side_m);
            const std::vector<Vec3> positions = random_positions(800, side_m, random);
            grid.update(positions);
            CHECK(grid.object_count() == slow_near(positions, Vec3(0.0F), 1e17F).size());
            for (int i = 0; i < 60; ++i) {
                Vec3 at = positions[random.below(800)];
                if (i % 5 == 0) {
                    at = at * 1.5F + Vec3(3.0F);
                }
                const float radius_m = i % 7 == 0   ? 0.0F
                                       : i % 7 == 1 ? random.range(0.0F, 3.0F * side_m)
                                                    : random.range(0.0F, 200.0F);
                const std::vector<std::uint32_t> slow = slow_near(positions, at, radius_m);
                std::vector<std::uint32_t> near;
                grid.find_near(at, radius_m, near, scratch);
                REQUIRE(near == slow);
                std::vector<std::uint32_t> by_cell;
                grid.find_near_by_cell(at, radius_m, by_cell);
                std::ranges::sort(by_cell);
                REQUIRE(by_cell == slow);
            }
        }
    }
}

TEST_CASE("B12 interest_grid: exact at the rim, whichever side of a cell it lies on") {
    InterestGrid grid;
    std::vector<std::uint32_t> near;
    InterestScratch scratch;
    const std::vector<Vec3> positions{{32.0F, 0.0F, 0.0F},  {-32.0F, 0.0F, 0.0F},
                                      {0.0F, 0.0F, 64.0F},  {0.0F, 0.0F, -64.0F},
                                      {0.0F, 100.0F, 0.0F}, {0.0F, -100.0F, 0.0F}};
    grid.update(positions);
    grid.find_near(Vec3(0.0F), 32.0F, near, scratch);
    CHECK(near == std::vector<std::uint32_t>{0, 1});
    near.clear();
    grid.find_near(Vec3(0.0F), std::nextafter(32.0F, 0.0F), near, scratch);
    CHECK(near.empty());
    grid.find_near(Vec3(0.0F), 64.0F, near, scratch);
    CHECK(near == std::vector<std::uint32_t>{0, 1, 2, 3});
    near.clear();
    grid.find_near(Vec3(0.0F), 100.0F, near, scratch);  // height counts
    CHECK(near.size() == 6);
    near.clear();
    for (const float radius_m : {-1.0F, std::numeric_limits<float>::quiet_NaN()}) {
        grid.find_near(Vec3(0.0F), radius_m, near, scratch);
    }
    grid.find_near(Vec3(std::numeric_limits<float>::infinity()), 10.0F, near, scratch);
    CHECK(near.empty());
    grid.find_near(Vec3(0.0F), std::numeric_limits<float>::infinity(), near, scratch);
    CHECK(near.size() == 6);
    grid.update({});
    near.clear();
    grid.find_near(Vec3(0.0F), 100.0F, near, scratch);
    CHECK(near.empty());
}

TEST_CASE("B12 interest_grid: a view takes in within one radius and lets go beyond another") {
    Random random(122);
    constexpr float kEnterM = 60.0F;
    constexpr float kLeaveM = 80.0F;
    std::vector<Vec3> positions = random_positions(400, 200.0F, random);
    InterestGrid grid;
    InterestScratch scratch;
    Vec3 eye(0.0F);
    InterestSet set;
    std::vector<std::uint32_t> known;
    for (int tick = 0; tick < 200; ++tick) {
        for (Vec3& position : positions) {
            position += Vec3{random.range(-6.0F, 6.0F), 0.0F, random.range(-6.0F, 6.0F)};
        }
        eye += Vec3{random.range(-9.0F, 9.0F), 0.0F, random.range(-9.0F, 9.0F)};
        const std::uint32_t object = random.below(400);
        positions[object] = tick % 2 == 0 ? eye : Vec3(std::numeric_limits<float>::quiet_NaN());
        if (tick == 150) {
            positions.resize(300);
        }
        grid.update(positions);
        std::vector<std::uint32_t> wanted;
        for (std::uint32_t i = 0; i < positions.size(); ++i) {
            if (is_near(positions[i], eye, kEnterM) ||
                (is_near(positions[i], eye, kLeaveM) && std::ranges::binary_search(known, i))) {
                wanted.push_back(i);
            }
        }
        std::vector<std::uint32_t> wanted_entered;
        std::vector<std::uint32_t> wanted_left;
        std::ranges::set_difference(wanted, known, std::back_inserter(wanted_entered));
        std::ranges::set_difference(known, wanted, std::back_inserter(wanted_left));
        std::vector<std::uint32_t> entered;
        std::vector<std::uint32_t> left;
        grid.update_known(eye, kEnterM, kLeaveM, set, entered, left, scratch);
        known.clear();
        set.list(known);
        REQUIRE(known == wanted);
        REQUIRE(entered == wanted_entered);
        REQUIRE(left == wanted_left);
        CHECK(set.count() == known.size());
        CHECK((known.empty() || set.has(known.front())));
        CHECK(!set.has(100'000));
    }
    CHECK(!known.empty());
}

TEST_CASE("B12 interest_grid: the grid's order depends on the positions only") {
    Random random(123);
    const std::vector<Vec3> positions = random_positions(500, 300.0F, random);
    InterestGrid fresh;
    InterestGrid used;
    used.update(random_positions(900, 50.0F, random));
    fresh.update(positions);
    used.update(positions);
    for (int i = 0; i < 20; ++i) {
        const Vec3 at{random.range(-300.0F, 300.0F), 0.0F, random.range(-300.0F, 300.0F)};
        std::vector<std::uint32_t> first;
        std::vector<std::uint32_t> second;
        fresh.find_near_by_cell(at, 90.0F, first);
        used.find_near_by_cell(at, 90.0F, second);
        REQUIRE(first == second);
    }
}

}  // namespace
}  // namespace terrane
