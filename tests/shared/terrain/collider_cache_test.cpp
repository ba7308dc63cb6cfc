#include "shared/terrain/collider_cache.h"

#include <doctest/doctest.h>

#include "tests/shared/terrain/terrain_samples.h"

namespace terrane {
namespace {

using test::kSmallBounds;

VoxelGrid floor_grid() {
    return test::made_grid([](const VoxelCoord& v) { return v.y < 4 ? Voxel{2, 255} : kAirVoxel; });
}

/// Bytes of one flat brick, as the cache counts them.
std::size_t flat_bytes(const VoxelGrid& grid) {
    ColliderCache cache(grid, 1U << 30);
    cache.get({0, 0, 0});
    return cache.stats().bytes;
}

}  // namespace

TEST_CASE("A7 collider_cache: builds at the first ask, then finds") {
    const VoxelGrid grid = floor_grid();
    ColliderCache cache(grid, 1U << 30);
    CHECK(cache.stats().built == 0);
    const BrickCollider& collider = cache.get({1, 0, -1});
    CHECK(triangle_count(collider) == 64 * 2);
    CHECK(&cache.get({1, 0, -1}) == &collider);
    CHECK(triangle_count(cache.get({0, 2, 0})) == 0);
    CHECK(cache.stats().built == 2);
    CHECK(cache.stats().misses == 2);
    CHECK(cache.stats().hits == 1);
    CHECK(cache.stats().kept == 2);
    CHECK(cache.stats().bytes > 64 * 2 * 8);
    cache.drop({1, 0, -1});
    cache.drop({0, 2, 0});
    cache.drop({3, 3, 3});
    CHECK(cache.stats().dropped == 2);
    CHECK(cache.stats().kept == 0);
    CHECK(cache.stats().bytes == 0);
}

TEST_CASE("A7 collider_cache: the least recently used goes when the budget is full") {
    const VoxelGrid grid = floor_grid();
    const std::size_t bytes = flat_bytes(grid);
    ColliderCache cache(grid, 3 * bytes);
    for (std::int32_t x = -2; x <= 0; ++x) {
        cache.get({x, 0, 0});
    }
    cache.get({-2, 0, 0});
    CHECK(cache.stats().evicted == 0);
    cache.get({1, 0, 0});
    CHECK(cache.stats().evicted == 1);
    CHECK(cache.has({-2, 0, 0}));
    CHECK_FALSE(cache.has({-1, 0, 0}));
    CHECK(cache.has({0, 0, 0}));
    CHECK(cache.has({1, 0, 0}));
    CHECK(cache.stats().bytes <= cache.budget_bytes());
    // A budget for nothing still keeps the one that is being used.
    ColliderCache tiny(grid, 0);
    CHECK(triangle_count(tiny.get({0, 0, 0})) == 64 * 2);
    CHECK(triangle_count(tiny.get({1, 0, 0})) == 64 * 2);
    CHECK(tiny.stats().kept == 1);
}

TEST_CASE("A7 collider_cache: a pinned collider stays, in place, and is rebuilt by a drop") {
    VoxelGrid grid = floor_grid();
    const std::size_t bytes = flat_bytes(grid);
    ColliderCache cache(grid, 2 * bytes);
    const BrickCollider& held = cache.pin({0, 0, 0});
    CHECK(&cache.pin({0, 0, 0}) == &held);
    CHECK(cache.stats().pinned == 1);
    for (std::int32_t x = -3; x <= 2; ++x) {
        cache.get({x, 0, 1});
        CHECK(cache.has({0, 0, 0}));
        CHECK(cache.stats().bytes <= cache.budget_bytes());
    }
    test::put(grid, {3, 6, 3}, {2, 255});
    cache.drop({0, 0, 0});
    CHECK(triangle_count(held) == 64 * 2 + 12);
    CHECK(cache.stats().dropped == 1);
    CHECK(&cache.get({0, 0, 0}) == &held);
    cache.unpin({0, 0, 0});
    CHECK(cache.is_pinned({0, 0, 0}));
    cache.unpin({0, 0, 0});
    CHECK_FALSE(cache.is_pinned({0, 0, 0}));
    CHECK(cache.stats().pinned == 0);
    CHECK(cache.has({0, 0, 0}));
    cache.get({1, 0, 2});
    cache.get({2, 0, 2});
    CHECK_FALSE(cache.has({0, 0, 0}));
}

TEST_CASE("A7 collider_cache: random use keeps the books straight") {
    const VoxelGrid grid = test::rolling_grid(3);
    ColliderCache cache(grid, 60000);
    Random random(41);
    std::vector<BrickCoord> pinned;
    for (int i = 0; i < 4000; ++i) {
        const BrickCoord brick{random.between(-4, 3), random.between(-2, 1), random.between(-4, 3)};
        switch (random.below(4)) {
            case 0:
                cache.drop(brick);
                break;
            case 1:
                if (pinned.size() < 4) {
                    cache.pin(brick);
                    pinned.push_back(brick);
                } else {
                    cache.unpin(pinned.front());
                    pinned.erase(pinned.begin());
                }
                break;
            default:
                cache.get(brick);
                break;
        }
        for (const BrickCoord& held : pinned) {
            REQUIRE(cache.is_pinned(held));
        }
        const ColliderCacheStats& stats = cache.stats();
        REQUIRE((stats.bytes <= cache.budget_bytes() || stats.kept <= pinned.size() + 1));
    }
    while (!pinned.empty()) {
        cache.unpin(pinned.back());
        pinned.pop_back();
    }
    CHECK(cache.stats().bytes <= cache.budget_bytes());
    CHECK(cache.stats().evicted > 100);
    CHECK(cache.stats().hits > 100);
    for (std::int32_t i = 0; i < 8 * 4 * 8; ++i) {
        cache.drop({i % 8 - 4, i / 64 - 2, i / 8 % 8 - 4});
    }
    CHECK(cache.stats().kept == 0);
    CHECK(cache.stats().bytes == 0);
}

}  // namespace terrane
