#include "server/world/pieces.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "server/world/state_hash.h"
#include "shared/voxel/voxel_ray.h"
#include "tests/support/small_world.h"

namespace terrane {
namespace {

using test::kDirt;
using test::kRock;
using test::SmallWorld;

constexpr Voxel kFull{kRock, kFullOccupancy};

/// Solid voxels of the loaded world above the flat ground.
std::size_t count_above(const World& world) {
    std::size_t count = 0;
    for_each_voxel({{-20, 0, -20}, {20, 20, 20}},
                   [&](const VoxelCoord& v) { count += is_solid(world.grid.voxel(v)) ? 1U : 0U; });
    return count;
}

/// Stands where it reaches the pillars that the tests build about x = 4, z = 0.
constexpr EntityId kDigger = 1;
void join_digger(SmallWorld& small) {
    small.join(kDigger, {1.0F, 0.0F, 0.5F});
}

/// Digs out one voxel.
void dig(SmallWorld& small, const VoxelCoord& v) {
    small.edit(kDigger, voxel_brush(BrushMode::dig, v),
               static_cast<std::uint32_t>(small.world.tick + 1));
    REQUIRE(small.result.rejections.empty());
}

const Body& only_piece(const World& world) {
    REQUIRE(world.pieces.size() == 1);
    return world.bodies.at(*world.pieces.begin());
}

/// A block of 3^3 voxels whose foot is dug away.
const Body& drop_block(SmallWorld& small) {
    join_digger(small);
    small.put({{4, 1, 0}, {6, 3, 2}}, kFull);
    small.put({{5, 0, 1}, {5, 0, 1}}, kFull);
    dig(small, {5, 0, 1});
    return only_piece(small.world);
}

TEST_CASE("A18 pieces: what is cut off becomes a body in the tick of its edit") {
    SmallWorld small;
    join_digger(small);
    small.put({{4, 0, 0}, {4, 4, 0}}, kFull);
    const std::uint32_t revision = small.world.grid.find({0, 0, 0})->revision;
    dig(small, {4, 0, 0});

    CHECK(small.result.pieces.cut == 1);
    REQUIRE(small.result.spawned.size() == 1);
    CHECK(count_above(small.world) == 0);
    REQUIRE(small.result.edits.size() == 2);  // the dig, and the piece by a list of runs
    CHECK(small.result.edits[0].op.revision == revision + 1);
    CHECK(small.result.edits[1].player == 0);
    CHECK(small.result.edits[1].op.revision == revision + 2);
    CHECK(!small.result.edits[1].op.runs.empty());

    const Body& piece = only_piece(small.world);
    CHECK(piece.kind == small.world.piece_kind);
    CHECK(piece.piece->voxels.size == VoxelCoord{1, 4, 1});
    CHECK(piece.piece->shape.mass_kg == doctest::Approx(4.0F * 2000.0F));
    const Vec3 at = small.world.physics.state(piece.handle).position;
    CHECK(at.x == doctest::Approx(4.5F).epsilon(0.01));
    CHECK(at.y == doctest::Approx(3.0F).epsilon(0.05));  // it began to fall in this tick
    const Transform& node = small.world.scene.world(piece.node);
    CHECK(node.position == at);
}

TEST_CASE("A18 pieces: a brick that the edit and its piece both changed is remade once") {
    SmallWorld small;
    join_digger(small);
    small.put({{4, 1, 0}, {4, 4, 0}}, kFull);
    small.put({{4, 0, 0}, {4, 0, 0}}, kFull);
    dig(small, {4, 0, 0});
    REQUIRE(small.result.pieces.cut == 1);
    // Voxels (4, 0..4, 0): x in one brick, y and z at a border of bricks.
    CHECK(small.result.bricks_changed == 4);
}

TEST_CASE("A18 pieces: it falls, comes to rest on the ground and sleeps") {
    SmallWorld small;
    const Body& piece = drop_block(small);
    const float before = small.world.physics.state(piece.handle).position.y;
    small.steps(100);
    const BodyState state = small.world.physics.state(piece.handle);
    CHECK(state.is_asleep);
    CHECK(state.position.y == doctest::Approx(before - 1.0F).epsilon(0.05));
    CHECK(glm::length(state.linear_velocity) < 0.01F);
}

TEST_CASE("A18 pieces: what is larger than the limit stays") {
    WorldConfig config = test::small_config();
    config.debris.piece_voxels_max = 4;
    SmallWorld small(config);
    join_digger(small);
    small.put({{4, 0, 0}, {4, 5, 0}}, kFull);
    dig(small, {4, 0, 0});
    CHECK(small.result.spawned.empty());
    CHECK(count_above(small.world) == 5);
    dig(small, {4, 1, 0});
    CHECK(small.result.spawned.size() == 1);  // four are left
    CHECK(count_above(small.world) == 0);
}

TEST_CASE("A18 pieces: without a kind for them, or with the limit 0, nothing is cut off") {
    WorldConfig without_kind = test::small_config();
    without_kind.kinds.pop_back();
    WorldConfig without_size = test::small_config();
    without_size.debris.piece_voxels_max = 0;
    for (const WorldConfig& config : {without_kind, without_size}) {
        SmallWorld small(config);
        join_digger(small);
        small.put({{4, 0, 0}, {4, 3, 0}}, kFull);
        dig(small, {4, 0, 0});
        CHECK(small.world.bodies.empty());
        CHECK(count_above(small.world) == 3);
        CHECK(small.world.loose.pending().empty());  // nothing waits for a search either
    }
}

/// A pillar of two voxels at x, cut off at its foot.
void drop_one(SmallWorld& small, std::int32_t x) {
    small.put({{x, 0, 0}, {x, 2, 0}}, kFull);
    dig(small, {x, 0, 0});
}

TEST_CASE("A18 pieces: the smallest falls too, and a speck leaves nothing behind") {
    for (const int occupancy : {128, 129, 140, 255}) {
        CAPTURE(occupancy);
        SmallWorld small;
        join_digger(small);
        small.put({{4, 1, 0}, {4, 1, 0}}, {kRock, static_cast<std::uint8_t>(occupancy)});
        small.put({{4, 0, 0}, {4, 0, 0}}, kFull);
        dig(small, {4, 0, 0});
        CHECK(small.result.pieces.refused == 0);
        CHECK(small.result.pieces.cut + small.result.pieces.removed == 1);
        CHECK(count_above(small.world) == 0);
        small.steps(100);  // and physics bears it
        CHECK(small.world.physics.stats().quarantined == 0);
    }
}

TEST_CASE("A18 pieces: over the limit the oldest sleeper becomes ground again") {
    WorldConfig config = test::small_config();
    config.debris.bodies_max = 2;
    SmallWorld small(config);
    join_digger(small);
    drop_one(small, 4);
    drop_one(small, 6);
    CHECK(small.world.pieces.size() == 2);

    drop_one(small, 3);  // both still fall: no room
    CHECK(small.result.pieces.refused == 1);
    CHECK(small.world.pieces.size() == 2);
    CHECK(count_above(small.world) == 2);  // it hangs
    small.put({{3, 0, 0}, {3, 2, 0}}, kAirVoxel);

    small.steps(200);
    const EntityId oldest = *small.world.pieces.begin();
    REQUIRE(small.world.physics.state(small.world.bodies.at(oldest).handle).is_asleep);
    const std::size_t before = count_above(small.world);
    drop_one(small, 3);
    CHECK(small.result.pieces.settled == 1);
    CHECK(small.result.pieces.cut == 1);
    CHECK(std::ranges::count(small.result.removed, oldest) == 1);
    CHECK(!small.world.bodies.contains(oldest));
    CHECK(small.world.pieces.size() == 2);
    CHECK(count_above(small.world) == before + 2);  // its two voxels stand there again
}

TEST_CASE("A18 pieces: one chunk holds so many") {
    WorldConfig config = test::small_config();
    config.debris.bodies_per_chunk_max = 1;
    SmallWorld small(config);
    join_digger(small);
    drop_one(small, 4);
    drop_one(small, 6);
    CHECK(small.result.pieces.refused == 1);
    small.join(2, {-3.0F, 0.0F, 0.5F});
    small.put({{-6, 0, 0}, {-6, 2, 0}}, kFull);
    small.edit(2, voxel_brush(BrushMode::dig, {-6, 0, 0}));
    CHECK(small.result.pieces.cut == 1);  // another chunk
}

TEST_CASE("A18 pieces: a piece that does not fit as ground is removed") {
    WorldConfig config = test::small_config();
    config.debris.bodies_max = 1;
    SmallWorld small(config);
    join_digger(small);
    drop_one(small, 4);
    small.steps(200);
    const Body& piece = only_piece(small.world);
    REQUIRE(small.world.physics.state(piece.handle).is_asleep);
    // Somebody stands in it: in a piece that lies about, a crate.
    BodyState crate;
    crate.position = small.world.physics.state(piece.handle).position;
    REQUIRE(add_body(small.world, 0, 1, crate) != nullptr);
    drop_one(small, 6);
    CHECK(small.result.pieces.removed == 1);
    CHECK(small.result.pieces.settled == 0);
    CHECK(small.result.pieces.cut == 1);
}

/// A block of two voxels that sleeps where it is put.
EntityId put_sleeper(SmallWorld& small, const Vec3& at) {
    VoxelPiece voxels = empty_piece({2, 1, 1});
    std::ranges::fill(voxels.voxels, kFull);
    BodyState state;
    state.position = at;
    state.is_asleep = true;
    const Body* body = add_piece(small.world, 0, make_cut_piece(small.world, voxels), state);
    REQUIRE(body != nullptr);
    return body->id;
}

TEST_CASE("A18 pieces: what no rock holds does not become floating ground") {
    WorldConfig config = test::small_config();
    config.debris.bodies_max = 1;
    SmallWorld small(config);
    join_digger(small);
    put_sleeper(small, {10.0F, 9.5F, 10.5F});
    drop_one(small, 4);
    CHECK(small.result.pieces.removed == 1);
    CHECK(small.result.pieces.settled == 0);
    CHECK(count_above(small.world) == 0);
}

TEST_CASE("A18 pieces: those near somebody settle before one whose ground is not simulated") {
    WorldConfig config = test::small_config();
    config.debris.bodies_max = 2;
    SmallWorld small(config);
    join_digger(small);
    const EntityId far = put_sleeper(small, {-40.0F, 0.5F, -40.5F});
    const EntityId near = put_sleeper(small, {10.0F, 0.5F, 10.5F});
    small.step({ChunkLeaveCommand{{-2, 0, -2}}});
    drop_one(small, 4);
    CHECK(small.world.bodies.contains(far));
    CHECK_FALSE(small.world.bodies.contains(near));
    CHECK(small.result.pieces.settled == 1);
}

TEST_CASE("A18 pieces: at most four are cut a tick, the others in the next ones") {
    SmallWorld small;
    join_digger(small);
    InputCommand input;
    input.player = kDigger;
    input.client_tick = 1;
    for (std::int32_t z = -3; z <= 3; ++z) {
        small.put({{4, 0, z * 2}, {4, 2, z * 2}}, kFull);
        input.edits.push_back(
            {static_cast<std::uint32_t>(z + 4), voxel_brush(BrushMode::dig, {4, 0, z * 2})});
    }
    small.step({input});
    REQUIRE(small.result.rejections.empty());
    CHECK(small.result.pieces.cut == 4);
    small.step();
    CHECK(small.result.pieces.cut == 3);
    CHECK(count_above(small.world) == 0);
}

TEST_CASE("A18 pieces: the search for them is bounded a tick, the rest waits") {
    WorldConfig config = test::small_config();
    config.debris.flood_voxels_per_tick = 1;
    SmallWorld small(config);
    join_digger(small);
    small.put({{4, 0, 0}, {4, 2, 0}}, kFull);
    small.put({{4, 0, 3}, {4, 2, 3}}, kFull);
    InputCommand input;
    input.player = kDigger;
    input.client_tick = 1;
    input.edits = {{1, voxel_brush(BrushMode::dig, {4, 0, 0})},
                   {2, voxel_brush(BrushMode::dig, {4, 0, 3})}};
    const std::uint64_t hash = hash_state(small.world);
    small.step({input});
    CHECK(!small.world.loose.pending().empty());
    CHECK(hash_state(small.world) != hash);
    std::uint32_t cut = small.result.pieces.cut;
    for (int tick = 0; tick < 40 && !small.world.loose.pending().empty(); ++tick) {
        small.step();
        cut += small.result.pieces.cut;
    }
    CHECK(cut == 2);
    CHECK(small.world.loose.pending().empty());
    CHECK(count_above(small.world) == 0);
}

TEST_CASE("A18 pieces: water runs in where one left it") {
    SmallWorld small;
    join_digger(small);
    // A basin with a pillar in it.
    small.put({{3, -2, -2}, {7, -1, 2}}, {kWater, kFullOccupancy});
    small.put({{5, -2, 0}, {5, 1, 0}}, kFull);
    small.put({{5, -2, 0}, {5, -2, 0}}, {kWater, kFullOccupancy});
    small.edit(kDigger, voxel_brush(BrushMode::dig, {5, 1, 0}));
    REQUIRE(small.result.pieces.cut == 1);
    CHECK(is_water(small.world.grid.voxel({5, -1, 0})));
    CHECK(small.world.grid.voxel({5, 0, 0}) == kAirVoxel);
}

TEST_CASE("A18 pieces: players stand on a piece, and it carries them") {
    SmallWorld small;
    const Body& piece = drop_block(small);
    small.steps(100);
    const float top = small.world.physics.bounds(piece.handle).max.y;
    Player& rider = small.join(2, {5.5F, top + 0.5F, 1.5F});
    for (std::uint32_t tick = 1; tick < 40; ++tick) {
        InputCommand input;
        input.player = 2;
        input.client_tick = tick;
        small.step({input});
    }
    CHECK(rider.state.is_grounded);
    CHECK(rider.state.carrier == piece.id);
    CHECK(rider.state.position.y == doctest::Approx(top).epsilon(0.05));
}

TEST_CASE("A18 pieces: the same edits make the same pieces") {
    const auto history = [] {
        SmallWorld small;
        join_digger(small);
        small.put({{3, 0, -2}, {6, 5, 2}}, kFull);
        std::uint64_t hash = 0;
        for (std::int32_t x = 3; x <= 6; ++x) {
            for (const std::int32_t z : {0, 1, -1, 2, -2}) {
                dig(small, {x, 1, z});
                hash ^= hash_state(small.world) * (small.world.tick | 1U);
            }
        }
        small.steps(20);
        CHECK(small.world.pieces.size() >= 1);
        return hash ^ hash_state(small.world);
    };
    CHECK(history() == history());
}

}  // namespace
}  // namespace terrane
