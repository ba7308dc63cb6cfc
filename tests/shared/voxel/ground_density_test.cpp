#include "shared/voxel/ground_density.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr GridBounds kBounds{{-1, -1, -1}, {1, 1, 1}};
constexpr Voxel kRock{kFirstSolid, kFullOccupancy};

/// Rock below y = 0, air above.
VoxelGrid flat() {
    VoxelGrid grid(kBounds);
    for (std::int32_t i = 0; i < 8; ++i) {
        const ChunkCoord chunk{(i & 1) - 1, ((i >> 1) & 1) - 1, (i >> 2) - 1};
        grid.insert(chunk, uniform_chunk(chunk.y < 0 ? kRock : kAirVoxel));
    }
    return grid;
}

TEST_CASE("A23 ground_density: on flat ground it falls with height, half at the surface") {
    const VoxelGrid grid = flat();
    VoxelReader reader(grid);
    CHECK(ground_density(reader, {3.5F, 0.5F, 3.5F}) == doctest::Approx(0.0F));
    CHECK(ground_density(reader, {3.5F, -0.5F, 3.5F}) == doctest::Approx(255.0F));
    CHECK(ground_density(reader, {3.1F, 0.0F, 3.9F}) == doctest::Approx(127.5F));
    CHECK(ground_density(reader, {3.1F, 0.25F, 3.9F}) == doctest::Approx(0.25F * 255.0F));
    CHECK(is_in_ground(reader, {3.1F, -0.05F, 3.9F}));
    CHECK_FALSE(is_in_ground(reader, {3.1F, 0.05F, 3.9F}));
    // Over the border of four chunks, and where nothing is loaded: rock below the floor, else air.
    CHECK(ground_density(reader, {0.0F, 0.0F, 0.0F}) == doctest::Approx(127.5F));
    CHECK(ground_density(reader, {0.5F, -40.5F, 0.5F}) == 255.0F);
    CHECK(ground_density(reader, {40.0F, -1.5F, 0.5F}) == 0.0F);
}

TEST_CASE(
    "A23 ground_density: equals the weighted sum of the eight centres around, water is none") {
    const std::uint64_t seed = 11;
    CAPTURE(seed);
    Random random(seed);
    VoxelGrid grid = flat();
    for (int i = 0; i < 20000; ++i) {
        const VoxelCoord at{random.between(-9, 8), random.between(-9, 8), random.between(-9, 8)};
        const auto material = static_cast<MaterialId>(random.between(1, 4));
        const auto occupancy = static_cast<std::uint8_t>(random.between(1, 255));
        set_voxel(*grid.find(chunk_of(at)), index_in_chunk(at), {material, occupancy});
    }
    VoxelReader reader(grid);
    for (int round = 0; round < 2000; ++round) {
        const Vec3 point{random.range(-8.0F, 8.0F), random.range(-8.0F, 8.0F),
                         random.range(-8.0F, 8.0F)};
        float sum = 0.0F;
        const VoxelCoord near = voxel_at(point);
        for (int i = 0; i < 27; ++i) {
            const VoxelCoord at = near + VoxelCoord{i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
            const Vec3 away = glm::abs(corner_of(at) + 0.5F - point);
            const float weight = std::max(0.0F, 1.0F - away.x) * std::max(0.0F, 1.0F - away.y) *
                                 std::max(0.0F, 1.0F - away.z);
            const Voxel voxel = grid.voxel(at);
            sum += is_solid(voxel) ? weight * static_cast<float>(voxel.occupancy) : 0.0F;
        }
        const float density = ground_density(reader, point);
        REQUIRE(density == doctest::Approx(sum).epsilon(1e-3));
        REQUIRE(is_in_ground(reader, point) == (density >= 127.5F));
    }
}

}  // namespace
}  // namespace terrane
