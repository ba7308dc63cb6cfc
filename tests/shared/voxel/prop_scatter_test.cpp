#include "shared/voxel/prop_scatter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include <doctest/doctest.h>

#include "shared/voxel/ground_shape.h"
#include "shared/voxel/material.h"
#include "shared/voxel/voxel_reader.h"

namespace terrane {
namespace {

constexpr GridBounds kBounds{{-16, -2, -16}, {16, 4, 16}};
constexpr std::array<PropScatterRule, 3> kRules{
    {{5, 900, 14, 1, 60}, {6, 2400, 4, 3, 50}, {7, 1500, 6, 2, 200}}};
constexpr std::array<KeepClear, 1> kSpawn{{{0, 0, 6}}};

struct Placed {
    ChunkCoord chunk;
    PropPlacement prop;
};

std::vector<Placed> scatter_zone(std::uint64_t seed, std::span<const PropScatterRule> rules,
                                 std::span<const KeepClear> keep_clear = {}) {
    std::vector<Placed> all;
    const GeneratorConfig config{seed, 0};
    for (std::int32_t y = kBounds.min.y; y < kBounds.max.y; ++y) {
        for (std::int32_t z = kBounds.min.z; z < kBounds.max.z; ++z) {
            for (std::int32_t x = kBounds.min.x; x < kBounds.max.x; ++x) {
                for (const PropPlacement& prop :
                     scatter_props(config, kBounds, {x, y, z}, rules, keep_clear)) {
                    all.push_back({{x, y, z}, prop});
                }
            }
        }
    }
    return all;
}

const PropScatterRule& rule_of(const Placed& placed) {
    return *std::ranges::find(kRules, placed.prop.kind, &PropScatterRule::kind);
}

}  // namespace

TEST_CASE("prop_scatter: indices ascend, feet lie in their chunk, one column names an index once") {
    std::set<std::array<std::int32_t, 3>> seen;
    std::size_t most = 0;
    std::map<std::array<std::int32_t, 3>, std::vector<PropPlacement>> by_chunk;
    for (const Placed& placed : scatter_zone(1, kRules)) {
        const PropPlacement& prop = placed.prop;
        REQUIRE(prop.index < kPropsPerChunkMax);
        REQUIRE(std::min({prop.x, prop.y, prop.z}) >= 0);
        REQUIRE(std::max({prop.x, prop.y, prop.z}) < kChunkSize * 16);
        REQUIRE(chunk_of(voxel_at(prop_foot(placed.chunk, prop))) == placed.chunk);
        // Whatever the chunk's height: a cell of the ground has one prop.
        REQUIRE(seen.insert({placed.chunk.x, placed.chunk.z, prop.index}).second);
        auto& chunk = by_chunk[{placed.chunk.x, placed.chunk.y, placed.chunk.z}];
        REQUIRE((chunk.empty() || chunk.back().index < prop.index));
        chunk.push_back(prop);
        most = std::max(most, chunk.size());
    }
    CHECK(seen.size() > 2000);
    CHECK(most > 8);
}

TEST_CASE("prop_scatter: the same from any thread, another seed gives others") {
    const std::vector<Placed> here = scatter_zone(42, kRules);
    std::vector<Placed> there;
    std::thread other([&] { there = scatter_zone(42, kRules); });
    other.join();
    const auto is_equal = [](const Placed& a, const Placed& b) {
        return a.chunk == b.chunk && a.prop == b.prop;
    };
    CHECK(std::ranges::equal(here, there, is_equal));
    CHECK_FALSE(std::ranges::equal(here, scatter_zone(43, kRules), is_equal));
    // Golden: a change moves the props of every zone that people play in.
    std::uint64_t hash = 0;
    for (const Placed& placed : here) {
        const PropPlacement& p = placed.prop;
        for (const std::int64_t value :
             {std::int64_t{placed.chunk.x}, std::int64_t{placed.chunk.y},
              std::int64_t{placed.chunk.z}, std::int64_t{p.index}, std::int64_t{p.kind},
              std::int64_t{p.yaw}, std::int64_t{p.x}, std::int64_t{p.y}, std::int64_t{p.z}}) {
            hash = mix_bits(hash * 31 + static_cast<std::uint64_t>(value));
        }
    }
    CHECK(hash == 15716242478663864291ULL);
}

TEST_CASE("prop_scatter: feet stand on generated ground, in it by less than their slope asks for") {
    const GeneratorConfig config{1, 0};
    VoxelGrid grid(kBounds);
    int stood = 0;
    for (std::int32_t z = -6; z < 6; ++z) {
        for (std::int32_t x = -6; x < 6; ++x) {
            for (std::int32_t y = kBounds.min.y; y < kBounds.max.y; ++y) {
                grid.insert({x, y, z}, generate_chunk(config, kBounds, {x, y, z}));
            }
        }
    }
    for (const Placed& placed : scatter_zone(1, kRules)) {
        if (std::max(std::abs(placed.chunk.x), std::abs(placed.chunk.z)) > 5) {
            continue;
        }
        const Vec3 foot = prop_foot(placed.chunk, placed.prop);
        const VoxelCoord at = voxel_at(foot);
        CAPTURE(foot.x);
        CAPTURE(foot.y);
        CAPTURE(foot.z);
        // Ground within a metre under the foot, and no water where it stands.
        REQUIRE(is_core(grid.voxel({at.x, at.y - 1, at.z})));
        REQUIRE_FALSE(is_water(grid.voxel({at.x, at.y + 1, at.z})));
        REQUIRE(foot.y > 0.0F);
        ++stood;
    }
    CHECK(stood > 200);
}

TEST_CASE("prop_scatter: heights and slopes are the rule's, nothing grows at a kept place") {
    const GroundPlaces places = ground_places(9);
    const std::vector<Placed> all = scatter_zone(9, kRules, kSpawn);
    REQUIRE(all.size() > 1000);
    for (const Placed& placed : all) {
        const PropScatterRule& rule = rule_of(placed);
        const Vec3 foot = prop_foot(placed.chunk, placed.prop);
        const VoxelCoord at = voxel_at(foot);
        const float height = static_cast<float>(ground_height(9, places, at.x, at.z)) / 256.0F;
        // The column's own height is up to half a metre off the place's.
        REQUIRE(height > static_cast<float>(rule.low_m) - 0.7F);
        REQUIRE(height < static_cast<float>(rule.high_m) + 0.7F);
        REQUIRE(std::abs(foot.y - height) < 1.7F);
        const float radius = static_cast<float>(rule.radius_16) / 16.0F;
        REQUIRE(std::hypot(foot.x - 0.5F, foot.z - 0.5F) >= 6.0F + radius);
    }
    // Without the list something does grow there, in some of many seeds.
    int near = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        for (const ChunkCoord& chunk : {ChunkCoord{0, 0, 0}, {-1, 0, 0}, {0, 0, -1}, {-1, 0, -1}}) {
            for (const PropPlacement& prop : scatter_props({seed, 0}, kBounds, chunk, kRules)) {
                const Vec3 foot = prop_foot(chunk, prop);
                near += std::hypot(foot.x - 0.5F, foot.z - 0.5F) < 6.0F ? 1 : 0;
            }
        }
    }
    CHECK(near > 10);
}

TEST_CASE("prop_scatter: no two touch, across cells and chunks, however dense") {
    const std::array<PropScatterRule, 2> dense{
        {{5, 20000, kPropRadiusMax16, 1, 200}, {6, 20000, 4, 1, 200}}};
    const std::vector<Placed> all = scatter_zone(3, dense);
    REQUIRE(all.size() > 3000);
    std::map<std::array<std::int32_t, 2>, std::vector<std::size_t>> near;
    const auto key = [&](std::size_t i) {
        const Vec3 foot = prop_foot(all[i].chunk, all[i].prop);
        return std::array<std::int32_t, 2>{voxel_at(foot).x >> 2, voxel_at(foot).z >> 2};
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        near[key(i)].push_back(i);
    }
    float closest = 100.0F;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto cell = key(i);
        for (std::int32_t dz = -1; dz <= 1; ++dz) {
            for (std::int32_t dx = -1; dx <= 1; ++dx) {
                for (const std::size_t k : near[{cell[0] + dx, cell[1] + dz}]) {
                    if (k == i) {
                        continue;
                    }
                    const Vec3 way =
                        prop_foot(all[i].chunk, all[i].prop) - prop_foot(all[k].chunk, all[k].prop);
                    const auto radius = [](const Placed& placed) {
                        return placed.prop.kind == 5 ? 1.75F : 0.25F;
                    };
                    const float free = std::hypot(way.x, way.z) - radius(all[i]) - radius(all[k]);
                    closest = std::min(closest, free);
                }
            }
        }
    }
    CHECK(closest >= 0.5F);
    CHECK(closest < 0.6F);  // the rule is what keeps them apart
}

TEST_CASE("prop_scatter: as many as a rule asks for on land that suits it") {
    const std::array<PropScatterRule, 1> one{{{5, 2000, 2, -20, 200}}};
    int suited = 0;
    const GroundPlaces places = ground_places(11);
    for (std::int32_t z = -512; z < 512; z += 4) {
        for (std::int32_t x = -512; x < 512; x += 4) {
            const std::int32_t here = ground_height(11, places, x, z);
            const std::int32_t slope =
                std::max(std::abs(ground_height(11, places, x + 1, z) - here),
                         std::abs(ground_height(11, places, x, z + 1) - here));
            suited += slope <= 144 ? 1 : 0;
        }
    }
    const double expected = static_cast<double>(suited) * 16.0 / 1e6 * 2000.0;
    const double grown = static_cast<double>(scatter_zone(11, one).size());
    CHECK(grown > 0.9 * expected);
    CHECK(grown < 1.1 * expected);
}

TEST_CASE("prop_scatter: nothing without rules, out of bounds, or far above and below the ground") {
    const GeneratorConfig config{1, 0};
    CHECK(scatter_props(config, kBounds, {2, 0, 2}, {}).empty());
    CHECK(scatter_props(config, kBounds, {16, 0, 2}, kRules).empty());
    const GridBounds high{{-4, -4, -4}, {4, 8, 4}};
    const std::array<PropScatterRule, 1> all{{{5, kPropsPerKm2Max, 1, -1000, 1000}}};
    CHECK(scatter_props(config, high, {2, 4, 2}, all).empty());
    CHECK(scatter_props(config, high, {2, -2, 2}, all).empty());
    std::size_t grown = 0;
    for (std::int32_t y = -1; y < 4; ++y) {
        grown += scatter_props(config, high, {2, y, 2}, all).size();
    }
    CHECK(grown > 20);
    CHECK(grown <= kPropsPerChunkMax);
}

TEST_CASE("prop_scatter: the sea's level lifts the props with the ground") {
    const GridBounds bounds{{-4, -4, -4}, {4, 8, 4}};
    std::vector<Vec3> low;
    std::vector<Vec3> high;
    for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
        for (std::int32_t x = bounds.min.x; x < bounds.max.x; ++x) {
            const ChunkCoord chunk{x, y, 1};
            for (const PropPlacement& prop : scatter_props({1, 0}, bounds, chunk, kRules)) {
                low.push_back(prop_foot(chunk, prop));
            }
            for (const PropPlacement& prop : scatter_props({1, 37}, bounds, chunk, kRules)) {
                high.push_back(prop_foot(chunk, prop) - Vec3(0.0F, 37.0F, 0.0F));
            }
        }
    }
    const auto order = [](const Vec3& a, const Vec3& b) { return a.x < b.x; };
    std::ranges::sort(low, order);
    std::ranges::sort(high, order);
    REQUIRE(low.size() > 4);
    CHECK(low == high);
}

TEST_CASE("prop_scatter: a prop's pose is its foot, raised, turned about the vertical") {
    const PropPlacement prop{3, 1, 16384, 24, 8, 500};
    const Transform pose = prop_pose({-1, 0, 2}, prop, 1.5F);
    CHECK(prop_foot({-1, 0, 2}, prop) == Vec3(-30.5F, 0.5F, 95.25F));
    CHECK(pose.position == Vec3(-30.5F, 2.0F, 95.25F));
    CHECK(glm::length(pose.rotation * Vec3(1.0F, 0.0F, 0.0F) - Vec3(0.0F, 0.0F, -1.0F)) < 1e-6F);
}

}  // namespace terrane
