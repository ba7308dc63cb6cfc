#include "shared/terrain/collider_cache.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

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

/// What the cache promises, done slowly: the one used longest ago is looked for among all.
struct SlowCache {
    struct Kept {
        std::uint64_t last_used = 0;
        int pins = 0;
    };
    const std::map<BrickCoord, std::size_t>* bytes_of;
    std::size_t budget_bytes;
    std::map<BrickCoord, Kept> kept{};
    ColliderCacheStats stats{};
    std::uint64_t now = 0;

    Kept& use(const BrickCoord& brick) {
        const auto found = kept.find(brick);
        if (found != kept.end()) {
            ++stats.hits;
            found->second.last_used = ++now;
            return found->second;
        }
        ++stats.misses;
        ++stats.built;
        Kept& made = kept[brick];
        made.last_used = ++now;
        evict();
        return made;
    }
    void pin(const BrickCoord& brick) { ++use(brick).pins; }
    void unpin(const BrickCoord& brick) {
        if (--kept.at(brick).pins == 0) {
            kept.at(brick).last_used = ++now;
            evict();
        }
    }
    void drop(const BrickCoord& brick) {
        const auto found = kept.find(brick);
        if (found == kept.end()) {
            return;
        }
        ++stats.dropped;
        if (found->second.pins > 0) {
            ++stats.built;
        } else {
            kept.erase(found);
        }
        evict();
    }
    void evict() {
        for (count(); stats.bytes > budget_bytes && stats.kept > stats.pinned + 1; count()) {
            const auto is_older = [](const auto& a, const auto& b) {
                const bool is_a_held = a.second.pins > 0;
                const bool is_b_held = b.second.pins > 0;
                return is_a_held != is_b_held ? is_b_held : a.second.last_used < b.second.last_used;
            };
            kept.erase(std::ranges::min_element(kept, is_older));
            ++stats.evicted;
        }
    }
    void count() {
        stats.bytes = 0;
        stats.pinned = 0;
        stats.kept = kept.size();
        for (const auto& [brick, entry] : kept) {
            stats.bytes += bytes_of->at(brick);
            stats.pinned += entry.pins > 0 ? 1U : 0U;
        }
    }
};

void require_alike(const ColliderCache& cache, SlowCache& slow,
                   const std::map<BrickCoord, std::size_t>& bytes_of) {
    slow.count();
    const ColliderCacheStats& stats = cache.stats();
    REQUIRE(stats.built == slow.stats.built);
    REQUIRE(stats.dropped == slow.stats.dropped);
    REQUIRE(stats.evicted == slow.stats.evicted);
    REQUIRE(stats.hits == slow.stats.hits);
    REQUIRE(stats.misses == slow.stats.misses);
    REQUIRE(stats.bytes == slow.stats.bytes);
    REQUIRE(stats.kept == slow.stats.kept);
    REQUIRE(stats.pinned == slow.stats.pinned);
    for (const auto& [brick, bytes] : bytes_of) {
        const auto found = slow.kept.find(brick);
        REQUIRE(cache.has(brick) == (found != slow.kept.end()));
        REQUIRE(cache.is_pinned(brick) == (found != slow.kept.end() && found->second.pins > 0));
    }
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

TEST_CASE("A7 collider_cache: who stays, who goes and every counter are those of a slow one") {
    const VoxelGrid grid = test::rolling_grid(5);
    std::map<BrickCoord, std::size_t> bytes_of;
    {
        ColliderCache all(grid, 1U << 30);
        test::for_each_brick({{-3, -1, -3}, {2, 0, 2}}, [&](const BrickCoord& brick) {
            const std::size_t before = all.stats().bytes;
            all.get(brick);
            bytes_of[brick] = all.stats().bytes - before;
        });
    }
    std::vector<BrickCoord> bricks;
    for (const auto& [brick, bytes] : bytes_of) {
        REQUIRE(bytes > 0);
        bricks.push_back(brick);
    }
    // No room at all; for some; for all of them.
    for (const std::size_t budget : {std::size_t{0}, std::size_t{20000}, std::size_t{1} << 30}) {
        ColliderCache cache(grid, budget);
        SlowCache slow{&bytes_of, budget};
        std::vector<BrickCoord> pins;  // a brick as often as it is pinned
        Random random(97);
        for (int i = 0; i < 3000; ++i) {
            // More pins for a while than the budget has room for, then hardly any.
            const std::size_t pins_max = i % 1000 < 500 ? 3 : 24;
            const BrickCoord brick =
                bricks[random.below(static_cast<std::uint32_t>(bricks.size()))];
            CAPTURE(budget);
            CAPTURE(i);
            const std::uint32_t what = random.below(8);
            if (what == 0) {
                cache.drop(brick);
                slow.drop(brick);
            } else if (what < 3 && pins.size() < pins_max) {
                cache.pin(brick);
                slow.pin(brick);
                pins.push_back(brick);
            } else if (what < 4 || pins.size() > pins_max) {
                if (!pins.empty()) {
                    const std::size_t at = random.below(static_cast<std::uint32_t>(pins.size()));
                    cache.unpin(pins[at]);
                    slow.unpin(pins[at]);
                    pins.erase(pins.begin() + static_cast<std::ptrdiff_t>(at));
                }
            } else {
                cache.get(brick);
                slow.use(brick);
            }
            require_alike(cache, slow, bytes_of);
        }
        CHECK(slow.stats.hits > 100);
        CHECK((slow.stats.evicted > 100) == (budget < (std::size_t{1} << 30)));
    }
}

}  // namespace terrane
