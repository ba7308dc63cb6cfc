#include "client-stub/session/predicted_grid.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "tests/client-stub/session/replica_feed.h"

namespace terrane::test {
namespace {

/// A replica with kHome of rock, and the grid that is predicted over it.
struct Scene {
    Feed feed{{.is_tracking_changes = true}};
    PredictedGrid grid{small_zone_info()};
    std::uint32_t tick = 0;

    Scene() {
        REQUIRE(feed.chunk(kHome, rock()));
        REQUIRE(feed.chunk({0, 1, 0}, uniform_chunk(kAirVoxel)));
        state(0);
    }
    void state(std::uint32_t applied_input) {
        REQUIRE(feed.take(encode_state(state_at(++tick, applied_input))));
        grid.follow(feed.replica);
    }
    bool guess(std::uint32_t edit, const Brush& brush) {
        return grid.guess(edit, edit, brush, feed.replica);
    }
    std::uint64_t predicted_hash() const { return hash_chunk(*grid.grid().find(kHome)); }
    std::uint64_t confirmed_hash() const { return hash_chunk(*feed.replica.grid().find(kHome)); }
    Voxel predicted(const VoxelCoord& v) const { return grid.grid().voxel(v); }
    Voxel confirmed(const VoxelCoord& v) const { return feed.replica.grid().voxel(v); }
    /// The masks agree with the voxels that they were made of.
    bool has_right_terrain() {
        Terrain fresh(grid.grid());
        for (const ChunkCoord& c : grid.grid().sorted_coords()) {
            fresh.chunk_arrived(c);
        }
        for (float x = 0.5F; x < 32.0F; x += 1.0F) {
            for (float z = 0.5F; z < 32.0F; z += 1.0F) {
                const Ray down{{x, 40.0F, z}, {0.0F, -1.0F, 0.0F}, 100.0F};
                const auto is = grid.terrain().raycast(down);
                const auto wanted = fresh.raycast(down);
                if (is.has_value() != wanted.has_value() || (is && is->t != wanted->t)) {
                    return false;
                }
            }
        }
        return true;
    }
};

Brush dig(const VoxelCoord& v) {
    return voxel_brush(BrushMode::dig, v);
}

Brush ball(const VoxelCoord& v, BrushMode mode, std::uint8_t radius_16) {
    Brush brush = voxel_brush(mode, v, mode == BrushMode::dig ? kAir : kPlanks);
    brush.shape = BrushShape::sphere;
    brush.size_x = radius_16;
    return brush;
}

TEST_CASE("predicted_grid: a guess is seen at once, and the confirmed grid knows nothing of it") {
    Scene scene;
    scene.grid.take_changed_chunks();
    REQUIRE(scene.guess(1, dig({4, 31, 4})));
    CHECK(scene.predicted({4, 31, 4}) == kAirVoxel);
    CHECK(is_solid(scene.confirmed({4, 31, 4})));
    CHECK(scene.has_right_terrain());
    const auto changed = scene.grid.take_changed_chunks();
    REQUIRE(changed.size() == 1);
    CHECK(changed[0].changed == VoxelBox{{4, 31, 4}, {4, 31, 4}});
    CHECK(scene.grid.guess_count() == 1);
}

TEST_CASE("predicted_grid: a refused guess leaves the exact confirmed grid") {
    Scene scene;
    REQUIRE(scene.guess(1, ball({8, 31, 8}, BrushMode::dig, 40)));
    REQUIRE(scene.guess(2, ball({10, 31, 8}, BrushMode::dig, 40)));
    CHECK(scene.predicted_hash() != scene.confirmed_hash());
    scene.grid.take_changed_chunks();
    scene.grid.refuse(1);
    scene.state(2);
    CHECK(scene.predicted({8, 31, 8}) == kAirVoxel);  // the second ball reaches it
    CHECK(is_solid(scene.predicted({6, 31, 8})));
    scene.grid.refuse(2);
    scene.grid.refuse(2);
    scene.grid.refuse(99);
    scene.state(3);
    CHECK(scene.predicted_hash() == scene.confirmed_hash());
    CHECK(scene.has_right_terrain());
    CHECK(scene.grid.guess_count() == 0);
    CHECK(scene.grid.counters().refused == 2);
    // The mesher was told of both.
    CHECK(scene.grid.take_changed_chunks().at(0).changed.max.x >= 12);
}

TEST_CASE("predicted_grid: the zone's operation takes the place of the guess, unseen") {
    Scene scene;
    const Brush brush = dig({4, 31, 4});
    REQUIRE(scene.guess(1, brush));
    scene.grid.take_changed_chunks();
    REQUIRE(scene.feed.ops(1, {clip_to_chunk(brush, kHome)}));
    scene.grid.confirm(1, kHome);
    scene.state(1);
    CHECK(scene.predicted_hash() == scene.confirmed_hash());
    CHECK(scene.grid.take_changed_chunks().empty());  // nothing to mesh
    CHECK(scene.grid.guess_count() == 0);
    CHECK(scene.grid.counters().confirmed == 1);
}

TEST_CASE("predicted_grid: others' operations come under the guesses") {
    Scene scene;
    // We dig a hole; before the zone hears of it, somebody places planks over the same ground.
    REQUIRE(scene.guess(1, ball({8, 31, 8}, BrushMode::dig, 24)));
    const ChunkOp foreign = clip_to_chunk(
        [] {
            Brush paint = voxel_brush(BrushMode::paint, {9, 31, 8}, kPlanks);
            paint.shape = BrushShape::box;
            paint.size_x = paint.size_y = paint.size_z = 64;
            return paint;
        }(),
        kHome);
    REQUIRE(scene.feed.ops(1, {foreign}));
    scene.state(0);
    CHECK(scene.predicted({8, 31, 8}) == kAirVoxel);          // our hole
    CHECK(scene.predicted({12, 31, 8}).material == kPlanks);  // their planks
    Chunk wanted = *scene.feed.replica.grid().find(kHome);
    apply_op(wanted, kHome, clip_to_chunk(ball({8, 31, 8}, BrushMode::dig, 24), kHome));
    CHECK(scene.predicted_hash() == hash_chunk(wanted));
    CHECK(scene.has_right_terrain());
}

TEST_CASE("predicted_grid: rewinding takes guesses back input by input, and brings them again") {
    Scene scene;
    REQUIRE(scene.guess(1, dig({4, 31, 4})));
    REQUIRE(scene.guess(2, dig({5, 31, 4})));
    REQUIRE(scene.guess(3, dig({20, 31, 20})));
    const std::uint64_t all = scene.predicted_hash();
    scene.grid.take_changed_chunks();
    scene.grid.rewind_to(0, scene.feed.replica);
    CHECK(scene.predicted_hash() == scene.confirmed_hash());
    CHECK(scene.has_right_terrain());
    scene.grid.rewind_to(2, scene.feed.replica);
    CHECK(scene.predicted({5, 31, 4}) == kAirVoxel);
    CHECK(is_solid(scene.predicted({20, 31, 20})));
    scene.grid.rewind_to(PredictedGrid::kAllInputs, scene.feed.replica);
    CHECK(scene.predicted_hash() == all);
    CHECK(scene.has_right_terrain());
    CHECK(scene.grid.take_changed_chunks().empty());
    CHECK(scene.grid.has_guesses_after(2));
    CHECK_FALSE(scene.grid.has_guesses_after(3));
    CHECK(scene.grid.has_guesses_of(2));
    CHECK_FALSE(scene.grid.has_guesses_of(4));
}

TEST_CASE("predicted_grid: guesses that nobody answers end, and there are only so many") {
    Scene scene;
    for (std::uint32_t i = 0; i < kGuessesMax; ++i) {
        const auto x = static_cast<std::int32_t>(i % 32);
        const auto z = static_cast<std::int32_t>(i / 32);
        REQUIRE(scene.guess(i + 1, dig({x, 31, z})));
    }
    CHECK_FALSE(scene.guess(1000, dig({3, 31, 30})));
    CHECK(scene.grid.counters().not_made == 1);
    SUBCASE("a second after their input was applied") {
        for (int i = 0; i < 20; ++i) {
            scene.state(kGuessesMax);
            CHECK(scene.grid.guess_count() == kGuessesMax);
        }
        scene.state(kGuessesMax);
    }
    SUBCASE("ten seconds after they were made") {
        for (int i = 0; i < 199; ++i) {
            scene.state(0);
        }
        CHECK(scene.grid.guess_count() == kGuessesMax);
        scene.state(0);
    }
    CHECK(scene.grid.guess_count() == 0);
    CHECK(scene.grid.counters().expired == kGuessesMax);
    CHECK(scene.predicted_hash() == scene.confirmed_hash());
    CHECK(scene.has_right_terrain());
}

TEST_CASE("predicted_grid: what cannot be guessed is not") {
    Scene scene;
    Brush bad = dig({4, 31, 4});
    bad.material = kPlanks;
    CHECK_FALSE(scene.guess(1, bad));
    CHECK_FALSE(scene.guess(2, dig({40, 3, 3})));                       // not loaded
    CHECK_FALSE(scene.guess(3, dig({4000, 3, 3})));                     // outside
    CHECK_FALSE(scene.guess(4, ball({0, 31, 4}, BrushMode::dig, 40)));  // reaches beyond
    CHECK(scene.grid.guess_count() == 0);
    CHECK(scene.predicted_hash() == scene.confirmed_hash());
}

TEST_CASE("predicted_grid: chunks that leave and come again keep the guess") {
    Scene scene;
    REQUIRE(scene.guess(1, dig({4, 31, 4})));
    REQUIRE(scene.feed.take(encode_forget(std::vector<ChunkCoord>{kHome})));
    scene.state(0);
    CHECK_FALSE(scene.grid.grid().is_loaded(kHome));
    REQUIRE(scene.feed.chunk(kHome, rock()));
    scene.state(0);
    CHECK(scene.predicted({4, 31, 4}) == kAirVoxel);
    CHECK(scene.has_right_terrain());
    scene.grid.refuse(1);
    scene.state(0);
    CHECK(scene.predicted_hash() == scene.confirmed_hash());
    CHECK(scene.has_right_terrain());
}

TEST_CASE("predicted_grid: random guesses, answers and others' edits end at the zone's voxels") {
    for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
        CAPTURE(seed);
        Random random(seed);
        Scene scene;
        Chunk zone = rock();
        struct Sent {
            std::uint32_t edit;
            Brush brush;
        };
        std::vector<Sent> sent;
        std::uint32_t edit = 0;
        const auto random_brush = [&] {
            return ball({random.between(8, 16), random.between(26, 27), random.between(8, 16)},
                        random.below(2) == 0 ? BrushMode::dig : BrushMode::place,
                        static_cast<std::uint8_t>(random.between(8, 56)));
        };
        const auto run = [&](const Brush& brush) {
            const ChunkOp op = clip_to_chunk(brush, kHome);
            if (is_empty(apply_op(zone, kHome, op))) {
                return false;
            }
            REQUIRE(scene.feed.ops(zone.revision, {op}));
            return true;
        };
        for (int step = 0; step < 300; ++step) {
            if (random.below(2) == 0) {
                sent.push_back({++edit, random_brush()});
                scene.guess(edit, sent.back().brush);
            }
            if (random.below(4) == 0) {
                run(random_brush());
            }
            if (!sent.empty() && random.below(3) > 0) {
                if (random.below(4) > 0 && run(sent.front().brush)) {
                    scene.grid.confirm(sent.front().edit, kHome);
                } else {
                    scene.grid.refuse(sent.front().edit);
                }
                sent.erase(sent.begin());
            }
            scene.state(edit - static_cast<std::uint32_t>(sent.size()));
            // At any moment: the zone's chunk, then what is on its way.
            Chunk wanted = zone;
            if (sent.size() <= 4) {
                for (const Sent& waiting : sent) {
                    apply_op(wanted, kHome, clip_to_chunk(waiting.brush, kHome));
                }
                wanted.revision = scene.grid.grid().find(kHome)->revision;
                REQUIRE(scene.predicted_hash() == hash_chunk(wanted));
            }
        }
        for (const Sent& waiting : sent) {
            scene.grid.refuse(waiting.edit);
        }
        scene.state(edit);
        CHECK(scene.predicted_hash() == hash_chunk(zone));
        CHECK(scene.has_right_terrain());
    }
}

}  // namespace
}  // namespace terrane::test
