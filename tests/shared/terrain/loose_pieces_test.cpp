#include "shared/terrain/loose_pieces.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/shared/terrain/loose_worlds.h"

namespace terrane {
namespace {

using test::at;
using test::check_against_oracle;
using test::find_at;
using test::put;
using test::put_box;
using test::SmallWorld;

constexpr Voxel kRock{2, 255};
constexpr GridBounds kBounds = test::kLooseBounds;

}  // namespace

TEST_CASE("A18 loose_pieces: a pillar's top falls, its foot stays") {
    VoxelGrid grid = test::uniform_grid(kAirVoxel, kBounds);
    put_box(grid, {{3, 0, 3}, {3, 9, 3}}, kRock);
    put_box(grid, {{2, 8, 2}, {4, 9, 4}}, {3, 255});
    CHECK(find_at(grid, at({3, 10, 3})).empty());
    put(grid, {3, 4, 3}, kAirVoxel);
    const auto pieces = find_at(grid, at({3, 4, 3}));
    REQUIRE(pieces.size() == 1);
    CHECK(pieces[0].box == VoxelBox{{2, 5, 2}, {4, 9, 4}});
    CHECK(solid_count(pieces[0].piece) == 3 + 18);
    CHECK(voxel_of(pieces[0].piece, {1, 0, 1}) == kRock);
    CHECK(voxel_of(pieces[0].piece, {0, 0, 0}) == kAirVoxel);
    CHECK(voxel_of(pieces[0].piece, {0, 4, 2}) == Voxel{3, 255});

    const auto applied = remove_pieces(grid, pieces);
    REQUIRE(applied.size() == 1);
    CHECK(applied[0].chunk == ChunkCoord{0, 0, 0});
    CHECK(applied[0].revision == 1);
    CHECK(applied[0].changed == pieces[0].box);
    CHECK(is_valid(applied[0].runs, 8));
    CHECK(grid.voxel({3, 3, 3}) == kRock);
    CHECK(grid.voxel({3, 5, 3}) == kAirVoxel);
    CHECK(find_at(grid, at({3, 4, 3})).empty());
}

TEST_CASE("A18 loose_pieces: the last voxel on the floor holds") {
    VoxelGrid grid = test::uniform_grid(kAirVoxel, kBounds);
    put_box(grid, {{-2, 1, -2}, {1, 3, 1}}, kRock);
    put(grid, {0, 0, 0}, {2, 128});
    put(grid, {1, 0, 1}, {2, 255});
    put(grid, {1, 0, 1}, kAirVoxel);
    CHECK(find_at(grid, at({1, 0, 1})).empty());
    put(grid, {0, 0, 0}, {2, 127});
    const auto pieces = find_at(grid, at({0, 0, 0}));
    REQUIRE(pieces.size() == 1);
    CHECK(solid_count(pieces[0].piece) == 48);  // not the foot: it is beside the floor
}

TEST_CASE("A18 loose_pieces: two pieces and a bridge's middle in one edit, over chunk borders") {
    VoxelGrid grid = test::uniform_grid(kAirVoxel, kBounds);
    // A beam along x from -20 to 20 on two legs.
    put_box(grid, {{-20, 33, 0}, {20, 33, 0}}, kRock);
    put_box(grid, {{-20, 0, 0}, {-20, 32, 0}}, kRock);
    put_box(grid, {{20, 0, 0}, {20, 32, 0}}, kRock);
    put(grid, {0, 33, 0}, kAirVoxel);
    CHECK(find_at(grid, at({0, 33, 0})).empty());
    put(grid, {-20, 33, 0}, kAirVoxel);
    put(grid, {20, 33, 0}, kAirVoxel);
    LoosePieces loose;
    loose.note_removed(at({-20, 33, 0}));
    loose.note_removed(at({20, 33, 0}));
    std::vector<LoosePiece> pieces;
    loose.find({grid}, {}, pieces);
    REQUIRE(pieces.size() == 2);
    CHECK(pieces[0].box == VoxelBox{{-19, 33, 0}, {-1, 33, 0}});
    CHECK(pieces[1].box == VoxelBox{{1, 33, 0}, {19, 33, 0}});
    const auto applied = remove_pieces(grid, pieces);
    REQUIRE(applied.size() == 2);
    CHECK(applied[0].chunk == ChunkCoord{-1, 1, 0});
    CHECK(applied[0].runs == std::vector<VoxelRun>{{1024 + 13, 19, kAirVoxel}});
}

TEST_CASE("A18 loose_pieces: limits to the voxel, in number and in length") {
    VoxelGrid grid = test::uniform_grid(kAirVoxel, {{-2, 0, -1}, {2, 2, 1}});
    put_box(grid, {{-5, 20, -5}, {4, 29, 4}}, kRock);
    const VoxelBox below = at({0, 19, 0});
    CHECK(find_at(grid, below, {999}).empty());
    CHECK(find_at(grid, below, {1000}).size() == 1);
    put_box(grid, {{-5, 20, -5}, {4, 29, 4}}, kAirVoxel);

    put_box(grid, {{-31, 20, 0}, {30, 20, 0}}, kRock);
    CHECK(find_at(grid, below).size() == 1);
    put(grid, {31, 20, 0}, kRock);
    CHECK(find_at(grid, below).empty());
    // The skin takes what room is left: 64 voxels, on both ends.
    put(grid, {31, 20, 0}, {2, 1});
    put(grid, {-32, 20, 0}, {2, 127});
    auto pieces = find_at(grid, below);
    REQUIRE(pieces.size() == 1);
    CHECK(pieces[0].piece.size == VoxelCoord{64, 1, 1});
    pieces = find_at(grid, below, {63});
    REQUIRE(pieces.size() == 1);
    CHECK(pieces[0].box == VoxelBox{{-32, 20, 0}, {30, 20, 0}});
}

TEST_CASE("A18 loose_pieces: a chunk that is not loaded holds what touches it") {
    VoxelGrid grid = test::uniform_grid(kAirVoxel, kBounds);
    put_box(grid, {{-4, 40, 3}, {4, 40, 3}}, kRock);
    CHECK(find_at(grid, at({0, 39, 3})).size() == 1);
    grid.erase({-1, 1, 0});
    CHECK(find_at(grid, at({0, 39, 3})).empty());
    put(grid, {0, 40, 3}, kAirVoxel);
    CHECK(find_at(grid, at({0, 40, 3})).size() == 1);
}

TEST_CASE("A18 loose_pieces: the zone's sides and top are air") {
    VoxelGrid grid = test::uniform_grid(kAirVoxel, kBounds);
    put_box(grid, {{31, 60, 28}, {31, 63, 31}}, kRock);
    const auto pieces = find_at(grid, {{30, 60, 30}, {31, 70, 40}});
    REQUIRE(pieces.size() == 1);
    CHECK(pieces[0].box == VoxelBox{{31, 60, 28}, {31, 63, 31}});
    CHECK(find_at(grid, {{40, 60, 30}, {41, 70, 40}}).empty());
}

TEST_CASE("A18 loose_pieces: the skin goes with the piece it touches alone") {
    VoxelGrid grid = test::uniform_grid(kAirVoxel, kBounds);
    put_box(grid, {{0, 0, 0}, {0, 2, 0}}, kRock);  // ground
    put_box(grid, {{0, 5, 0}, {0, 6, 0}}, kRock);  // falls
    put(grid, {0, 3, 0}, {2, 100});                // on ground
    put(grid, {0, 4, 0}, {2, 100});                // on the ground's skin, under the piece
    put(grid, {0, 7, 0}, {2, 1});                  // on the piece
    put(grid, {0, 8, 0}, {2, 127});                // on its skin only: stays
    put(grid, {1, 5, 0}, {2, 90});                 // beside both
    put_box(grid, {{1, 0, 0}, {1, 4, 0}}, kRock);
    put(grid, {-1, 6, 0}, {kWater, 255});  // never
    const auto pieces = find_at(grid, at({0, 4, 1}));
    CHECK(pieces.empty());  // nothing that is core touches that box
    const auto found = find_at(grid, at({0, 4, 0}));
    REQUIRE(found.size() == 1);
    CHECK(found[0].box == VoxelBox{{0, 5, 0}, {0, 7, 0}});
    CHECK(solid_count(found[0].piece) == 3);  // (0, 4, 0) is beside the ground at (1, 4, 0)
    put(grid, {1, 4, 0}, kAirVoxel);
    const auto again = find_at(grid, at({0, 4, 0}));
    REQUIRE(again.size() == 1);
    CHECK(again[0].box == VoxelBox{{0, 4, 0}, {1, 7, 0}});
    CHECK(solid_count(again[0].piece) == 5);
}

TEST_CASE("A18 loose_pieces: all that is found in 10^4 random worlds is what brute force finds") {
    CHECK(test::run_random_worlds(1, 10000) > 4000);
}

TEST_CASE("A18 loose_pieces: chunks that are not loaded, against brute force") {
    std::size_t pieces = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        SmallWorld world;
        world.fill(random);
        const VoxelBox dug = world.dig(random);
        world.grid.erase({random.between(-1, 0), random.between(0, 1), random.between(-1, 0)});
        pieces += check_against_oracle(world.grid, world.region, dug, 4096);
    }
    CHECK(pieces > 20);
}

TEST_CASE("A18 loose_pieces: checkerboard, lattice, thin walls and shells") {
    const VoxelBox region{{-7, 3, -7}, {8, 18, 8}};
    const auto check = [&](const auto& is_rock, std::size_t expected) {
        VoxelGrid grid = test::uniform_grid(kAirVoxel, kBounds);
        test::for_each_voxel(region, [&](const VoxelCoord& v) {
            if (is_rock(v)) {
                put(grid, v, kRock);
            }
        });
        CHECK(check_against_oracle(grid, region, {{-3, 8, -3}, {4, 12, 4}}, 4096) == expected);
    };
    // 8 x 5 x 8 voxels, half of them, and the half of a face's 8 x 8 or 8 x 5 on every side.
    check([](const VoxelCoord& v) { return (v.x + v.y + v.z) % 2 == 0; },
          160 + 2 * 32 + 2 * 20 + 2 * 20);
    check([](const VoxelCoord& v) { return v.x % 2 == 0 || (v.y % 2 == 0 && v.z % 2 == 0); }, 1);
    // Walls at even x: of -4 .. 5 five.
    check([](const VoxelCoord& v) { return v.x % 2 == 0; }, 5);
    // Shells in shells, none touches the next.
    check(
        [](const VoxelCoord& v) {
            const std::int32_t from =
                std::max({std::abs(2 * v.x - 1), std::abs(2 * v.y - 21), std::abs(2 * v.z - 1)}) /
                2;
            return from % 2 == 0;
        },
        3);  // the fourth is out of reach
}

TEST_CASE("A18 loose_pieces: kept bits and what changed since give the grid's answer") {
    std::size_t pieces = 0;
    std::size_t wrong_if_not_told = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        CAPTURE(seed);
        SmallWorld world;
        Random random(seed);
        world.fill(random);
        TerrainMasks masks(world.grid);
        for (const ChunkCoord& c : world.grid.sorted_coords()) {
            masks.chunk_arrived(c);
        }
        const std::array<VoxelBox, 2> changed{world.dig(random), world.dig(random)};
        const auto find = [&](const CoreSource& source) {
            LoosePieces loose;
            loose.note_removed(changed[0]);
            loose.note_removed(changed[1]);
            std::vector<LoosePiece> found;
            loose.find(source, {}, found);
            std::vector<test::VoxelList> cores;
            for (const LoosePiece& piece : found) {
                cores.push_back(test::core_of(piece));
            }
            return cores;
        };
        const auto expected = find({world.grid});
        REQUIRE(find({world.grid, &masks, changed}) == expected);
        pieces += expected.size();
        wrong_if_not_told += find({world.grid, &masks}) != expected ? 1U : 0U;
    }
    CHECK(pieces > 40);
    CHECK(wrong_if_not_told > 10);
}

TEST_CASE("A18 loose_pieces: a budget spreads the work over ticks and changes nothing") {
    std::size_t finds = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        SmallWorld world;
        Random random(seed);
        world.fill(random);
        const VoxelBox dug = world.dig(random);
        VoxelGrid other = world.grid;
        std::vector<LoosePiece> at_once = find_at(world.grid, dug, {4096, 1U << 30, 1000});
        remove_pieces(world.grid, at_once);

        LoosePieces slow;
        slow.note_removed(dug);
        std::vector<LoosePiece> in_turn;
        const LooseLimits limits{4096, 1 + random.below(200), 1 + random.below(3)};
        while (!slow.pending().empty()) {
            std::vector<LoosePiece> found;
            slow.find({other}, limits, found);
            REQUIRE(found.size() <= limits.pieces_max);
            remove_pieces(other, found);
            in_turn.insert(in_turn.end(), found.begin(), found.end());
            REQUIRE(++finds < 100000);
        }
        REQUIRE(in_turn.size() == at_once.size());
        for (std::size_t i = 0; i < in_turn.size(); ++i) {
            REQUIRE(test::core_of(in_turn[i]) == test::core_of(at_once[i]));
        }
    }
    CHECK(finds > 600);
}

TEST_CASE("A18 loose_pieces: edits while boxes wait make no wrong answer") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        SmallWorld world;
        Random random(seed);
        world.fill(random);
        LoosePieces loose;
        const LooseLimits limits{4096, 1 + random.below(300), 1 + random.below(4)};
        for (int tick = 0; tick < 12 || !loose.pending().empty(); ++tick) {
            if (tick < 12) {
                loose.note_removed(world.dig(random));
            }
            std::vector<LoosePiece> pieces;
            loose.find({world.grid}, limits, pieces);
            for (const LoosePiece& piece : pieces) {
                const auto core = test::core_of(piece);
                test::SlowWorld slow(world.grid, world.region, 4096);
                REQUIRE_FALSE(slow.is_anchored(core));
                REQUIRE(slow.flood(core.front()) == core);
            }
            remove_pieces(world.grid, pieces);
        }
        // What the edits touched and still hangs was never there to be found.
        LoosePieces check;
        std::vector<LoosePiece> left;
        Random again(seed);
        SmallWorld replay;
        replay.fill(again);
        (void)again.below(300);
        (void)again.below(4);
        for (int tick = 0; tick < 12; ++tick) {
            check.note_removed(replay.dig(again));
        }
        check.find({world.grid}, {4096, 1U << 30, 1000}, left);
        REQUIRE(left.empty());
    }
}

TEST_CASE("A18 loose_pieces: a flood costs no more than is said") {
    // A lattice that fills the largest piece's box, larger than any limit: 1,000 bricks and more.
    VoxelGrid grid = test::made_grid(
        [](const VoxelCoord& v) {
            const int even =
                (v.x % 2 == 0 ? 1 : 0) + (v.y % 2 == 0 ? 1 : 0) + (v.z % 2 == 0 ? 1 : 0);
            return v.y > 0 && even >= 2 ? kRock : kAirVoxel;
        },
        {{-2, 0, -2}, {2, 4, 2}});
    LoosePieces loose;
    loose.note_removed(at({0, 60, 0}));
    std::vector<LoosePiece> pieces;
    loose.find({grid}, {1U << 20, 1}, pieces);
    CHECK(pieces.empty());
    CHECK(loose.cost_voxels() < 1000 * (kBrickCostVoxels + 256));
    // A dig in solid ground ends at the limit.
    grid = test::uniform_grid(kRock, kBounds);
    put(grid, {0, 40, 0}, kAirVoxel);
    LoosePieces open;
    open.note_removed(at({0, 40, 0}));
    open.find({grid}, {}, pieces);
    CHECK(pieces.empty());
    CHECK(open.pending().empty());
    CHECK(open.cost_voxels() < 4096 + 512 + 40 * kBrickCostVoxels);
}

TEST_CASE("A18 loose_pieces: empty boxes, boxes outside, too many boxes") {
    const VoxelGrid grid = test::uniform_grid(kAirVoxel, kBounds);
    LoosePieces loose;
    loose.note_removed({});
    CHECK(loose.pending().empty());
    for (std::size_t i = 0; i < kLooseBoxesMax + 3; ++i) {
        loose.note_removed({{500, 0, 0}, {510, 5, 5}});
    }
    CHECK(loose.pending().size() == kLooseBoxesMax);
    CHECK(loose.dropped() == 3);
    std::vector<LoosePiece> pieces;
    loose.find({grid}, {}, pieces);
    CHECK(pieces.empty());
    CHECK(loose.pending().empty());
}

}  // namespace terrane
