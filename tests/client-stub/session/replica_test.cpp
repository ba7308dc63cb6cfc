#include "client-stub/session/replica.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/client-stub/session/replica_feed.h"

namespace terrane::test {
namespace {

/// Three operations on kHome, each digging another voxel, and the chunk after each.
struct Story {
    std::vector<ChunkOp> ops;
    std::vector<Chunk> after{rock()};

    Story() {
        for (std::int32_t x = 3; x < 6; ++x) {
            ops.push_back(clip_to_chunk(voxel_brush(BrushMode::dig, {x, 4, 5}), kHome));
            Chunk next = after.back();
            apply_op(next, kHome, ops.back());
            after.push_back(next);
        }
    }
};

TEST_CASE("replica: a chunk and its operations in order give the zone's chunk") {
    const Story story;
    Feed feed;
    REQUIRE(feed.chunk(kHome, story.after[0]));
    REQUIRE(feed.ops(1, {story.ops[0], story.ops[1]}));
    REQUIRE(feed.ops(3, {story.ops[2]}));
    const Chunk* chunk = feed.replica.grid().find(kHome);
    REQUIRE(chunk != nullptr);
    CHECK(hash_chunk(*chunk) == hash_chunk(story.after[3]));
    REQUIRE(feed.applied.size() == 3);
    CHECK(feed.applied[1].revision == 2);
    CHECK(feed.applied[1].changed == VoxelBox{{4, 4, 5}, {4, 4, 5}});
    CHECK(feed.counters().divergences() == 0);
}

TEST_CASE("replica: operations that the blob already holds are skipped") {
    const Story story;
    Feed feed;
    REQUIRE(feed.chunk(kHome, story.after[2]));
    REQUIRE(feed.ops(1, story.ops));
    CHECK(hash_chunk(*feed.replica.grid().find(kHome)) == hash_chunk(story.after[3]));
    CHECK(feed.counters().ops_old == 2);
    CHECK(feed.counters().ops_applied == 1);
    CHECK(feed.counters().divergences() == 0);
}

TEST_CASE("replica: a gap is counted once and the chunk stands still until it comes whole") {
    const Story story;
    Feed feed;
    REQUIRE(feed.chunk(kHome, story.after[0]));
    REQUIRE(feed.ops(2, {story.ops[1]}));
    REQUIRE(feed.ops(3, {story.ops[2]}));
    CHECK(feed.counters().ops_gap == 1);
    CHECK(feed.replica.grid().find(kHome)->revision == 0);
    CHECK(feed.applied.empty());
    REQUIRE(feed.chunk(kHome, story.after[2]));
    REQUIRE(feed.ops(3, {story.ops[2]}));
    CHECK(hash_chunk(*feed.replica.grid().find(kHome)) == hash_chunk(story.after[3]));
    CHECK(feed.counters().divergences() == 1);
}

TEST_CASE("replica: an operation that changes nothing here is a divergence") {
    const Story story;
    Feed feed;
    REQUIRE(feed.chunk(kHome, uniform_chunk(kAirVoxel)));
    REQUIRE(feed.ops(1, {story.ops[0]}));
    CHECK(feed.counters().ops_no_effect == 1);
    CHECK(feed.counters().divergences() == 1);
    CHECK(feed.applied.empty());
}

TEST_CASE("replica: operations of a chunk that is not here change nothing") {
    const Story story;
    Feed feed;
    REQUIRE(feed.ops(1, story.ops));
    CHECK(feed.counters().ops_not_loaded == 3);
    CHECK(feed.replica.grid().chunk_count() == 0);
    CHECK(feed.counters().divergences() == 0);
}

TEST_CASE("replica: forgotten chunks are gone, with the hash they waited for") {
    const Story story;
    Feed feed;
    REQUIRE(feed.chunk(kHome, story.after[0]));
    REQUIRE(feed.hash(kHome, 2, 1));
    CHECK(feed.replica.hashes_waiting() == 1);
    REQUIRE(feed.take(encode_forget(std::vector<ChunkCoord>{kHome, {1, 1, 1}})));
    CHECK(feed.replica.grid().chunk_count() == 0);
    CHECK(feed.replica.hashes_waiting() == 0);
    CHECK(feed.counters().chunks_forgotten == 1);
    REQUIRE(feed.ops(1, {story.ops[0]}));
    CHECK(feed.counters().ops_not_loaded == 1);
}

TEST_CASE("replica: hashes are compared at their own revision only") {
    const Story story;
    Feed feed;
    REQUIRE(feed.chunk(kHome, story.after[1]));
    SUBCASE("equal") {
        REQUIRE(feed.hash(kHome, 1, hash_chunk(story.after[1])));
        CHECK(feed.counters().hashes_equal == 1);
        CHECK(feed.counters().divergences() == 0);
    }
    SUBCASE("unequal") {
        REQUIRE(feed.hash(kHome, 1, hash_chunk(story.after[1]) ^ 1));
        CHECK(feed.counters().hashes_unequal == 1);
        CHECK(feed.counters().divergences() == 1);
    }
    SUBCASE("of a revision that comes later: compared when it is here") {
        REQUIRE(feed.hash(kHome, 3, hash_chunk(story.after[3])));
        CHECK(feed.replica.hashes_waiting() == 1);
        REQUIRE(feed.ops(2, {story.ops[1], story.ops[2]}));
        CHECK(feed.replica.hashes_waiting() == 0);
        CHECK(feed.counters().hashes_equal == 1);
    }
    SUBCASE("of a later revision, and wrong") {
        REQUIRE(feed.hash(kHome, 2, hash_chunk(story.after[3])));
        REQUIRE(feed.ops(2, {story.ops[1], story.ops[2]}));
        CHECK(feed.counters().hashes_unequal == 1);
    }
    SUBCASE("of a later revision that a whole chunk jumps over") {
        REQUIRE(feed.hash(kHome, 2, hash_chunk(story.after[2])));
        REQUIRE(feed.chunk(kHome, story.after[3]));
        CHECK(feed.replica.hashes_waiting() == 0);
        CHECK(feed.counters().hashes_skipped == 1);
    }
    SUBCASE("of the past, of a chunk not here, of one not loaded there: skipped") {
        REQUIRE(feed.hash(kHome, 0, 5));
        REQUIRE(feed.hash({1, 0, 0}, 4, 5));
        REQUIRE(feed.hash(kHome, 0, 0));
        CHECK(feed.counters().hashes_skipped == 3);
        CHECK(feed.counters().divergences() == 0);
    }
}

/// What the zone would do: random brushes on a grid, random blobs, operations and hashes to `feed`,
/// some chunks forgotten and sent again. Returns the zone's grid.
VoxelGrid run_random_story(Feed& feed, std::uint64_t seed) {
    Random random(seed);
    const GridBounds bounds = small_welcome().bounds;
    VoxelGrid zone(bounds);
    std::vector<ChunkCoord> coords;
    for (std::int32_t i = 0; i < 4; ++i) {
        const ChunkCoord c{i & 1, 0, i >> 1};
        coords.push_back(c);
        zone.insert(c, rock());
    }
    std::vector<ChunkCoord> sent;
    for (int step = 0; step < 400; ++step) {
        const ChunkCoord c = coords[random.below(4)];
        const bool is_sent = feed.replica.grid().is_loaded(c);
        const std::uint32_t choice = random.below(20);
        if (!is_sent && choice < 8) {
            REQUIRE(feed.chunk(c, *zone.find(c)));
        } else if (is_sent && choice == 0) {
            REQUIRE(feed.take(encode_forget(std::vector<ChunkCoord>{c})));
        } else if (is_sent && choice == 1) {
            REQUIRE(feed.hash(c, zone.find(c)->revision, hash_chunk(*zone.find(c))));
        }
        Brush brush;
        brush.shape = static_cast<BrushShape>(random.below(3));
        brush.mode = random.below(2) == 0 ? BrushMode::dig : BrushMode::place;
        brush.material = brush.mode == BrushMode::dig ? kAir : kPlanks;
        brush.centre_x = random.between(16 * 4, 16 * 60);
        brush.centre_y = random.between(16 * 4, 16 * 28);
        brush.centre_z = random.between(16 * 4, 16 * 60);
        brush.size_x = static_cast<std::uint8_t>(random.between(8, 64));
        brush.size_y = brush.size_x;
        brush.size_z = brush.size_x;
        for (const AppliedOp& op : apply_brush(zone, brush)) {
            REQUIRE(feed.take(
                encode_chunk_ops(op.chunk, op.revision, std::vector<ChunkOp>{op.op}, {})));
        }
    }
    return zone;
}

TEST_CASE("replica: random edits, forgetting and resending keep every chunk equal to the zone's") {
    for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
        CAPTURE(seed);
        ChunkCache cache;
        Feed alone;
        Feed first({.cache = &cache});
        Feed second({.cache = &cache});
        const VoxelGrid zone = run_random_story(alone, seed);
        run_random_story(first, seed);
        run_random_story(second, seed);
        for (const Feed* feed : {&alone, &first, &second}) {
            CHECK(feed->counters().divergences() == 0);
            CHECK(feed->counters().hashes_equal > 0);
            CHECK(feed->counters().chunks_forgotten > 0);
            for (const ChunkCoord& c : feed->replica.grid().sorted_coords()) {
                CHECK(hash_chunk(*feed->replica.grid().find(c)) == hash_chunk(*zone.find(c)));
            }
        }
        CHECK(cache.hits() >= second.counters().ops_applied);
    }
}

TEST_CASE("replica: values that make no sense are refused with their field") {
    Feed feed;
    CHECK(message_of(feed.chunk({2, 0, 0}, rock())) ==
          "Chunk.position: (2, 0, 0) lies outside the zone");
    Bytes blob = encode_chunk(rock());
    blob[0] ^= 0xff;
    CHECK(message_of(feed.take(encode_chunk(kHome, blob))).starts_with("Chunk.blob of (0, 0, 0)"));
    REQUIRE(feed.chunk(kHome, rock()));
    ChunkOp op = clip_to_chunk(voxel_brush(BrushMode::place, {1, 1, 1}, kPlanks), kHome);
    op.material = 5;
    CHECK(message_of(feed.ops(1, {op})).find("is no valid operation") != std::string::npos);

    StateMessage state = state_at(7, 3);
    REQUIRE(feed.take(encode_state(state)));
    CHECK(message_of(feed.take(encode_state(state))) == "State.tick: 7 after 7");
    state = state_at(8, 2);
    CHECK(message_of(feed.take(encode_state(state))) == "State.applied_input: 2 after 3");
    state = state_at(9, 3);
    state.enters = {{.slot = 0, .generation = 0, .kind = 5, .id = 5, .name = ""}};
    CHECK(message_of(feed.take(encode_state(state))) ==
          "State.enters.kind: 5, but Welcome named 5");
}

TEST_CASE("replica: nodes follow slot and generation") {
    Feed feed;
    StateMessage state = state_at(0, 0);  // a zone's first tick is a tick
    state.own.position = {1, 2, 3};
    state.enters = {{.slot = 3, .generation = 1, .kind = 0, .id = 41, .name = "ann"},
                    {.slot = 700, .generation = 9, .kind = 1, .id = 42, .name = ""}};
    state.nodes = {node_at({1, 0, 0}, 3, 1), node_at({5, 5, 5}, 700, 9, kNodeAsleep)};
    REQUIRE(feed.take(encode_state(state)));
    const auto node = [&](std::size_t slot) { return feed.replica.nodes()[slot]; };
    CHECK(feed.replica.own().position == Vec3(1, 2, 3));
    CHECK(node(3).id == 41);
    CHECK(node(3).name == "ann");
    CHECK(node(700).is_asleep);
    CHECK_FALSE(node(700).is_held);
    CHECK(pose_at(node(700), 0).position == Vec3(5, 5, 5));

    // Slot 3 is used again: poses of its old generation are dropped.
    state = state_at(1, 0);
    state.exits = {3};
    state.enters = {{.slot = 3, .generation = 2, .kind = 1, .id = 43, .name = ""}};
    state.nodes = {node_at({9, 9, 9}, 3, 1), node_at({8, 0, 0}, 3, 2), node_at({0, 0, 0}, 11, 0),
                   node_at({0, 0, 0}, 60000, 0)};
    REQUIRE(feed.take(encode_state(state)));
    CHECK(node(3).id == 43);
    CHECK(pose_at(node(3), 1).position == Vec3(8, 0, 0));
    CHECK(feed.counters().poses_stale == 3);

    state = state_at(2, 0);
    state.exits = {3, 65535};
    state.nodes = {node_at({5, 5, 5}, 700, 9, kNodeHeld)};
    REQUIRE(feed.take(encode_state(state)));
    CHECK(node(3).id == 0);
    CHECK(node(700).id == 42);
    CHECK(node(700).is_held);
    CHECK_FALSE(node(700).is_asleep);
}

TEST_CASE("replica: a node's pose lies between its last two, and it stood still in between") {
    Feed feed;
    StateMessage state = state_at(10, 0);
    state.enters = {{.slot = 0, .generation = 0, .kind = 1, .id = 1, .name = ""}};
    state.nodes = {node_at({0, 0, 0}, 0, 0)};
    REQUIRE(feed.take(encode_state(state)));
    state = state_at(15, 0);
    state.nodes = {node_at({2, 0, 0}, 0, 0)};
    REQUIRE(feed.take(encode_state(state)));
    const ReplicaNode& node = feed.replica.nodes()[0];
    CHECK(pose_at(node, 12).position.x == 0.0F);
    CHECK(pose_at(node, 14).position.x == 0.0F);
    CHECK(pose_at(node, 14.25).position.x == doctest::Approx(0.5));
    CHECK(pose_at(node, 15).position.x == 2.0F);
    CHECK(pose_at(node, 99).position.x == 2.0F);
    CHECK(glm::length(pose_at(node, 14.5).rotation) == doctest::Approx(1.0));
}

TEST_CASE("replica: changed chunks are told once, merged and in order") {
    const Story story;
    Feed feed({.is_tracking_changes = true});
    REQUIRE(feed.chunk({1, 0, 0}, rock()));
    REQUIRE(feed.chunk(kHome, story.after[0]));
    auto changed = feed.replica.take_changed_chunks();
    REQUIRE(changed.size() == 2);
    CHECK(changed[0].chunk == kHome);
    CHECK(changed[0].changed == box_of(kHome));
    CHECK(feed.replica.take_changed_chunks().empty());
    REQUIRE(feed.ops(1, {story.ops[0]}));
    REQUIRE(feed.ops(2, {story.ops[1]}));
    changed = feed.replica.take_changed_chunks();
    REQUIRE(changed.size() == 1);
    CHECK(changed[0].changed == VoxelBox{{3, 4, 5}, {4, 4, 5}});
    REQUIRE(feed.take(encode_forget(std::vector<ChunkCoord>{kHome})));
    changed = feed.replica.take_changed_chunks();
    REQUIRE(changed.size() == 1);
    CHECK_FALSE(feed.replica.grid().is_loaded(changed[0].chunk));
}

TEST_CASE("replica: runs are operations like any other, in the order of revisions") {
    const Story story;
    // After the first operation water fills two runs; then the brushes' operations go on.
    const std::vector<VoxelRun> runs{{100, 3, {kWater, kFullOccupancy}}, {200, 1, {kWater, 128}}};
    Chunk filled = story.after[1];
    REQUIRE_FALSE(is_empty(apply_runs(filled, kHome, runs)));
    ChunkCache cache;
    Feed alone({.is_tracking_changes = true});
    Feed cached({.cache = &cache});
    Feed cached_too({.cache = &cache});
    for (Feed* feed : {&alone, &cached, &cached_too}) {
        REQUIRE(feed->chunk(kHome, story.after[0]));
        feed->replica.take_changed_chunks();
        REQUIRE(feed->ops(1, {story.ops[0]}));
        REQUIRE(feed->take(encode_chunk_runs(kHome, 2, runs)));
        CHECK(hash_chunk(*feed->replica.grid().find(kHome)) == hash_chunk(filled));
        REQUIRE(feed->take(encode_chunk_runs(kHome, 2, runs)));  // old
        CHECK(feed->counters().ops_old == 1);
        REQUIRE(feed->ops(3, {story.ops[1]}));
        CHECK(feed->replica.grid().find(kHome)->revision == 3);
        REQUIRE(feed->applied.size() == 3);
        CHECK(feed->applied[1].runs == runs);
        CHECK(feed->applied[1].changed == VoxelBox{{4, 0, 3}, {8, 0, 6}});
        CHECK(feed->counters().divergences() == 0);
    }
    CHECK(cache.hits() == 4);  // the blob and three operations, for the second
    CHECK(alone.replica.take_changed_chunks().at(0).changed == VoxelBox{{3, 0, 3}, {8, 4, 6}});

    // A gap, a run that changes nothing, a chunk that is not here.
    REQUIRE(alone.take(encode_chunk_runs(kHome, 5, runs)));
    CHECK(alone.counters().ops_gap == 1);
    REQUIRE(cached.take(encode_chunk_runs(kHome, 4, runs)));
    CHECK(cached.counters().ops_no_effect == 1);
    REQUIRE(cached.take(encode_chunk_runs({1, 1, 1}, 4, runs)));
    CHECK(cached.counters().ops_not_loaded == 1);
    // What no zone may say.
    for (const VoxelRun& bad : {VoxelRun{1, 1, {kWater, 0}}, VoxelRun{1, 1, {kAir, 3}},
                                VoxelRun{1, 1, {200, kFullOccupancy}}}) {
        CHECK(message_of(cached.take(encode_chunk_runs(kHome, 4, std::vector{bad}))) ==
              "ChunkRuns.runs: revision 4 of (0, 0, 0) is no valid operation");
    }
}

TEST_CASE("replica: the terrain for prediction follows chunks and operations") {
    const Story story;
    Feed feed({.has_terrain = true});
    CHECK(Feed().replica.terrain() == nullptr);
    REQUIRE(feed.chunk(kHome, story.after[0]));
    Terrain& terrain = *feed.replica.terrain();
    const Ray down{{8.5F, 40.0F, 8.5F}, {0.0F, -1.0F, 0.0F}, 100.0F};
    const auto before = terrain.raycast(down);
    REQUIRE(before.has_value());
    // Dig the top of the column: the ray goes deeper.
    const ChunkOp op = clip_to_chunk(voxel_brush(BrushMode::dig, {8, 31, 8}), kHome);
    REQUIRE(feed.ops(1, {op}));
    const auto after = terrain.raycast(down);
    REQUIRE(after.has_value());
    CHECK(after->t > before->t + 0.4F);
    REQUIRE(feed.take(encode_forget(std::vector<ChunkCoord>{kHome})));
    CHECK_FALSE(terrain.raycast({{8.5F, 40.0F, 8.5F}, {0.0F, -1.0F, 0.0F}, 39.0F}).has_value());
}

}  // namespace
}  // namespace terrane::test
