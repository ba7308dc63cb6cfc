#include "shared/voxel/write_voxels.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane {
namespace {

VoxelGrid two_chunks() {
    VoxelGrid grid({{0, 0, 0}, {2, 1, 1}});
    grid.insert({0, 0, 0}, uniform_chunk(kAirVoxel));
    grid.insert({1, 0, 0}, uniform_chunk(kAirVoxel));
    return grid;
}

TEST_CASE("write_voxels: writes each voxel, one operation a chunk, ascending") {
    VoxelGrid grid = two_chunks();
    Random random(7);
    std::vector<PlacedVoxel> voxels;
    for (std::int32_t x = 0; x < 64; ++x) {
        voxels.push_back({{x, x % 5, 3},
                          {static_cast<MaterialId>(random.between(2, 4)),
                           static_cast<std::uint8_t>(random.between(1, 255))}});
    }
    std::vector<PlacedVoxel> shuffled(voxels.rbegin(), voxels.rend());
    const std::vector<AppliedOp> ops = write_voxels(grid, shuffled);
    REQUIRE(ops.size() == 2);
    CHECK(ops[0].chunk == ChunkCoord{0, 0, 0});
    CHECK(ops[1].chunk == ChunkCoord{1, 0, 0});
    CHECK(ops[1].revision == 1);
    CHECK(ops[0].changed == VoxelBox{{0, 0, 3}, {31, 4, 3}});
    for (const PlacedVoxel& placed : voxels) {
        CHECK(grid.voxel(placed.at) == placed.voxel);
    }
    VoxelGrid other = two_chunks();
    for (const AppliedOp& op : ops) {
        CHECK(is_valid(op.runs, 5));
        apply_runs(*other.find(op.chunk), op.chunk, op.runs);
    }
    CHECK(hash_chunk(*other.find({1, 0, 0})) == hash_chunk(*grid.find({1, 0, 0})));
}

TEST_CASE("write_voxels: more runs than an operation holds become several") {
    VoxelGrid grid = two_chunks();
    std::vector<PlacedVoxel> voxels;
    for (std::int32_t i = 0; i < kChunkVoxelCount; i += 2) {
        voxels.push_back({{i % 32, i / 1024, i / 32 % 32}, {kFirstSolid, 200}});
    }
    const std::vector<AppliedOp> ops = write_voxels(grid, voxels);
    REQUIRE(ops.size() == 4);  // 16,384 runs of one voxel
    for (std::size_t i = 0; i < ops.size(); ++i) {
        CHECK(ops[i].runs.size() == kRunsPerOpMax);
        CHECK(ops[i].revision == i + 1);
    }
}

TEST_CASE("write_voxels: what changes nothing is no operation") {
    VoxelGrid grid = two_chunks();
    CHECK(write_voxels(grid, {{{5, 5, 5}, kAirVoxel}}).empty());
    CHECK(write_voxels(grid, {}).empty());
    CHECK(grid.find({0, 0, 0})->revision == 0);
}

}  // namespace
}  // namespace terrane
