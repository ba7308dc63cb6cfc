#include "shared/voxel/voxel_run.h"

#include <array>

#include <doctest/doctest.h>

namespace terrane {
namespace {

constexpr Voxel kWaterVoxel{kWater, 200};
constexpr std::size_t kMaterials = 4;

}  // namespace

TEST_CASE("voxel_run: runs change their voxels, raise the revision by one and name the box") {
    Chunk chunk = uniform_chunk({kAir, 0});
    chunk.revision = 6;
    const std::array<VoxelRun, 2> runs{VoxelRun{33, 2, kWaterVoxel},
                                       VoxelRun{1024 * 3 + 5, 1, kWaterVoxel}};
    const VoxelBox changed = apply_runs(chunk, {1, -1, 0}, runs);
    CHECK(chunk.revision == 7);
    CHECK(changed == VoxelBox{{33, -32, 0}, {37, -29, 1}});
    CHECK(chunk.voxel(33) == kWaterVoxel);
    CHECK(chunk.voxel(34) == kWaterVoxel);
    CHECK(chunk.voxel(35) == Voxel{kAir, 0});
    CHECK(chunk.voxel(index_in_chunk(VoxelCoord{5, 3, 0})) == kWaterVoxel);
}

TEST_CASE("voxel_run: runs that change nothing leave the revision") {
    Chunk chunk = uniform_chunk(kWaterVoxel);
    const std::array<VoxelRun, 1> runs{VoxelRun{0, 32768, kWaterVoxel}};
    CHECK(is_empty(apply_runs(chunk, {0, 0, 0}, runs)));
    CHECK(chunk.revision == 0);
}

TEST_CASE("voxel_run: only ascending runs of known voxels inside a chunk are valid") {
    const auto valid = [](std::vector<VoxelRun> runs) { return is_valid(runs, kMaterials); };
    CHECK(valid({{0, 32768, kWaterVoxel}}));
    CHECK(valid({{0, 1, kWaterVoxel}, {1, 1, {2, 1}}}));
    CHECK_FALSE(valid({}));
    CHECK_FALSE(valid({{0, 0, kWaterVoxel}}));
    CHECK_FALSE(valid({{32767, 2, kWaterVoxel}}));
    CHECK_FALSE(valid({{5, 2, kWaterVoxel}, {6, 1, kWaterVoxel}}));
    CHECK_FALSE(valid({{5, 1, kWaterVoxel}, {2, 1, kWaterVoxel}}));
    CHECK_FALSE(valid({{0, 1, {4, 255}}}));
    CHECK_FALSE(valid({{0, 1, {kAir, 1}}}));
    CHECK_FALSE(valid({{0, 1, {kWater, 0}}}));
}

}  // namespace terrane
