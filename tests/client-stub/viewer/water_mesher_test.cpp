#include "client-stub/viewer/water_mesher.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "client-stub/viewer/chunk_mesher.h"
#include "tests/client-stub/viewer/small_ground.h"

using namespace terrane;
using namespace terrane::test;

namespace {

WaterMesh mesh_of(const VoxelGrid& grid, const ChunkCoord& chunk) {
    ChunkVolume volume;
    copy_chunk_volume(grid, chunk, volume);
    WaterMesh mesh;
    mesh_water(volume, mesh);
    return mesh;
}

/// Cells (x, z) of the chunk that a top face covers.
std::set<std::pair<int, int>> covered_cells(const WaterMesh& mesh) {
    std::set<std::pair<int, int>> cells;
    for (std::size_t i = 0; i + 3 < mesh.vertices.size(); i += 4) {
        if (mesh.vertices[i].face == WaterFace::top) {
            CHECK(cells.emplace(mesh.vertices[i].x / 256, mesh.vertices[i].z / 256).second);
        }
    }
    return cells;
}

/// A basin of rock with its floor at y = 4 and walls up to y = 12, filled up to the voxel y = 8.
VoxelGrid basin(std::uint8_t top_occupancy) {
    VoxelGrid grid = air_world();
    fill(grid, {{0, 0, 0}, {31, 12, 31}}, {kRock, kFullOccupancy});
    fill(grid, {{8, 4, 8}, {23, 12, 23}}, kAirVoxel);
    fill(grid, {{8, 4, 8}, {23, 7, 23}}, {kWater, kFullOccupancy});
    fill(grid, {{8, 8, 8}, {23, 8, 23}}, {kWater, top_occupancy});
    return grid;
}

}  // namespace

TEST_CASE("C11 water_mesher: the surface lies at voxel floor + occupancy / 255, facing up") {
    for (const int occupancy : {1, 100, 254, 255}) {
        const WaterMesh mesh = mesh_of(basin(static_cast<std::uint8_t>(occupancy)), {0, 0, 0});
        const auto height = static_cast<int>(std::lround((8.0 + occupancy / 255.0) * 256.0));
        REQUIRE_FALSE(mesh.indices.empty());
        CHECK(covered_cells(mesh).size() == 16 * 16);
        for (const WaterVertex& v : mesh.vertices) {
            CHECK(v.y == height);
            CHECK(v.face == WaterFace::top);
        }
        for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
            const auto at = [&](std::size_t k) {
                const WaterVertex& v = mesh.vertices[mesh.indices[i + k]];
                return Vec3{v.x, v.y, v.z};
            };
            CHECK(glm::cross(at(1) - at(0), at(2) - at(0)).y > 0.0F);
        }
    }
}

TEST_CASE("C11 water_mesher: the depth is that down to the ground, and 0 where the surface ends") {
    const WaterMesh mesh = mesh_of(basin(255), {0, 0, 0});
    int deep = 0;
    for (const WaterVertex& v : mesh.vertices) {
        if (v.x == 8 * 256 || v.x == 24 * 256 || v.z == 8 * 256 || v.z == 24 * 256) {
            CHECK(v.depth == 0);  // against the wall
        } else {
            CHECK(v.depth == 5 * 16);
            ++deep;
        }
    }
    CHECK(deep > 500);
}

TEST_CASE("C11 water_mesher: thin solid voxels beside water are flooded, thick high ones are not") {
    VoxelGrid grid = basin(255);
    fill(grid, {{24, 8, 8}, {24, 8, 23}}, {kRock, 127});  // under air, beside the water
    fill(grid, {{24, 9, 8}, {24, 12, 23}}, kAirVoxel);
    const auto cells = covered_cells(mesh_of(grid, {0, 0, 0}));
    for (int z = 8; z <= 23; ++z) {
        CHECK(cells.contains({24, z}));
        CHECK_FALSE(cells.contains({25, z}));  // the wall goes on above it
        CHECK_FALSE(cells.contains({7, z}));
    }
}

TEST_CASE("C11 water_mesher: water spreads over low ground up to the shore, not on") {
    // A beach that rises by a tenth of a voxel a column from the water's edge at x = 10.
    VoxelGrid grid = air_world();
    fill(grid, {{0, 0, 0}, {31, 7, 31}}, {kRock, kFullOccupancy});
    fill(grid, {{0, 8, 0}, {9, 8, 31}}, {kWater, 200});
    for (int x = 10; x <= 31; ++x) {
        const int occupancy = std::min(130 + 25 * (x - 10), 255);
        fill(grid, {{x, 8, 0}, {x, 8, 31}}, {kRock, static_cast<std::uint8_t>(occupancy)});
    }
    const auto cells = covered_cells(mesh_of(grid, {0, 0, 0}));
    CHECK(cells.contains({9, 16}));
    CHECK(cells.contains({10, 16}));
    CHECK(cells.contains({12, 16}));
    CHECK_FALSE(cells.contains({17, 16}));
}

TEST_CASE("C11 water_mesher: water against air has a side, against what is not loaded none") {
    VoxelGrid grid = air_world();
    put(grid, {5, 5, 5}, {kWater, kFullOccupancy});
    const WaterMesh lone = mesh_of(grid, {0, 0, 0});
    CHECK(lone.indices.size() == 6 * 6);
    // Volume by the divergence theorem: all six faces wind outward.
    float volume = 0.0F;
    for (std::size_t i = 0; i < lone.indices.size(); i += 3) {
        const auto at = [&](std::size_t k) {
            const WaterVertex& v = lone.vertices[lone.indices[i + k]];
            return Vec3{v.x, v.y, v.z} / 256.0F - 5.0F;
        };
        volume += glm::dot(at(0), glm::cross(at(1), at(2))) / 6.0F;
    }
    CHECK(volume == doctest::Approx(1.0F));

    VoxelGrid alone({{-1, -1, -1}, {2, 2, 2}});
    alone.insert({0, 0, 0}, uniform_chunk({kWater, kFullOccupancy}));
    CHECK(mesh_of(alone, {0, 0, 0}).indices.empty());
}

TEST_CASE("C11 water_mesher: surfaces meet at a chunk's border") {
    VoxelGrid grid = air_world();
    fill(grid, {{-32, 0, -32}, {63, 7, 63}}, {kRock, kFullOccupancy});
    fill(grid, {{20, 5, 4}, {50, 7, 28}}, {kWater, kFullOccupancy});
    std::map<std::pair<int, int>, int> depth;
    for (const WaterVertex& v : mesh_of(grid, {0, 0, 0}).vertices) {
        if (v.x == 32 * 256) {
            depth[{v.y, v.z}] = v.depth;
        }
    }
    CHECK(depth.size() >= 26);
    int met = 0;
    for (const WaterVertex& v : mesh_of(grid, {1, 0, 0}).vertices) {
        if (v.x == 0) {
            const auto found = depth.find({v.y, v.z});
            REQUIRE(found != depth.end());
            CHECK(found->second == v.depth);
            ++met;
        }
    }
    CHECK(met >= 26);
}
