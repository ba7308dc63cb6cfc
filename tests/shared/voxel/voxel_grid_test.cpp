#include "shared/voxel/voxel_grid.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/shared/voxel/voxel_samples.h"

namespace terrane {
namespace {

constexpr GridBounds kBounds{{-1, -1, -2}, {2, 1, 1}};

}  // namespace

TEST_CASE("VoxelGrid: outside is air, below the floor rock, not loaded air or nothing") {
    VoxelGrid grid(kBounds);
    CHECK(voxel_box(kBounds) == VoxelBox{{-32, -32, -64}, {63, 31, 31}});
    CHECK(contains(kBounds, {-1, -1, -2}));
    CHECK_FALSE(contains(kBounds, {2, 0, 0}));
    grid.insert({0, 0, 0}, uniform_chunk({3, 77}));
    CHECK(grid.voxel({31, 0, 31}) == Voxel{3, 77});
    CHECK(grid.find_voxel({31, 0, 31}) == Voxel{3, 77});
    CHECK(grid.voxel({32, 0, 0}) == kAirVoxel);  // in bounds, not loaded
    CHECK_FALSE(grid.find_voxel({32, 0, 0}).has_value());
    CHECK(grid.find_voxel({64, 0, 0}) == kAirVoxel);
    CHECK(grid.find_voxel({0, 32, 0}) == kAirVoxel);
    CHECK(grid.find_voxel({0, -33, 0}) == kBedrockVoxel);
    CHECK(grid.voxel({-500, -33, 900}) == kBedrockVoxel);
    CHECK(grid.voxel({-500, -32, 900}) == kAirVoxel);
}

TEST_CASE("VoxelGrid: chunks come, are replaced and go; coordinates sort y, z, x") {
    VoxelGrid grid(kBounds);
    grid.insert({1, 0, 0}, {});
    grid.insert({-1, 0, 0}, {});
    grid.insert({0, -1, 0}, {});
    grid.insert({0, 0, -2}, {});
    CHECK(grid.sorted_coords() ==
          std::vector<ChunkCoord>{{0, -1, 0}, {0, 0, -2}, {-1, 0, 0}, {1, 0, 0}});
    Chunk& replaced = grid.insert({1, 0, 0}, uniform_chunk({2, 255}));
    CHECK(&replaced == grid.find({1, 0, 0}));
    CHECK(grid.chunk_count() == 4);
    CHECK(grid.voxel({40, 3, 3}) == kBedrockVoxel);
    grid.erase({1, 0, 0});
    CHECK_FALSE(grid.is_loaded({1, 0, 0}));
    CHECK(grid.find({1, 0, 0}) == nullptr);
}

TEST_CASE("VoxelGrid: a box is loaded if every chunk of the zone that it meets is") {
    VoxelGrid grid(kBounds);
    for (std::int32_t z = -2; z < 1; ++z) {
        grid.insert({0, 0, z}, {});
    }
    CHECK(is_loaded(grid, {{0, 0, -64}, {31, 31, 31}}));
    CHECK_FALSE(is_loaded(grid, {{0, 0, -64}, {32, 31, 31}}));
    CHECK_FALSE(is_loaded(grid, {{0, -1, 0}, {5, 5, 5}}));
    CHECK(is_loaded(grid, {{0, 0, -90}, {31, 90, 90}}));  // outside the zone nothing is missing
    CHECK(is_loaded(grid, {{200, 0, 0}, {300, 31, 31}}));
    CHECK(is_loaded(grid, {{40, 0, 0}, {39, 31, 31}}));  // empty
    grid.erase({0, 0, -1});
    CHECK_FALSE(is_loaded(grid, {{0, 0, -64}, {31, 31, 31}}));
    CHECK(voxels_of({{-0.5F, 1.0F, 31.9F}, {0.5F, 1.5F, 32.0F}}) ==
          VoxelBox{{-1, 1, 31}, {0, 1, 32}});
}

TEST_CASE("VoxelGrid: copy_box equals voxel() over borders, holes and the outside") {
    constexpr std::uint64_t kSeed = 21;
    CAPTURE(kSeed);
    VoxelGrid grid = test::patchy_grid(kBounds, kSeed);
    grid.erase({0, 0, 0});
    grid.insert({1, 0, 0}, uniform_chunk({kWater, 224}));
    Random random(kSeed);
    for (int round = 0; round < 60; ++round) {
        const VoxelCoord min{random.between(-45, 60), random.between(-45, 30),
                             random.between(-75, 28)};
        const VoxelBox box{min, min + VoxelCoord{random.between(0, 36), random.between(0, 20),
                                                 random.between(0, 36)}};
        const auto volume = static_cast<std::size_t>(
            (box.max.x - min.x + 1) * (box.max.y - min.y + 1) * (box.max.z - min.z + 1));
        std::vector<std::uint8_t> material(volume, 0xEE);
        std::vector<std::uint8_t> occupancy(volume, 0xEE);
        grid.copy_box(box, material, occupancy);
        std::size_t i = 0;
        bool is_equal = true;
        test::for_each_voxel(box, [&](const VoxelCoord& v) {
            is_equal &= grid.voxel(v) == Voxel{material[i], occupancy[i]};
            ++i;
        });
        CHECK(is_equal);
    }
}

}  // namespace terrane
