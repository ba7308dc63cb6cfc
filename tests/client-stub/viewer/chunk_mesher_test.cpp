#include "client-stub/viewer/chunk_mesher.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>

#include "tests/client-stub/viewer/small_ground.h"

using namespace terrane;
using namespace terrane::test;

namespace {

TerrainMesh mesh_of(const VoxelGrid& grid, const ChunkCoord& chunk) {
    ChunkVolume volume;
    copy_chunk_volume(grid, chunk, volume);
    TerrainMesh mesh;
    mesh_terrain(volume, mesh);
    return mesh;
}

/// 1/256 m in zone space.
std::array<int, 3> place_of(const TerrainVertex& vertex, const ChunkCoord& chunk) {
    const VoxelCoord origin = origin_of(chunk);
    return {vertex.x + 256 * origin.x, vertex.y + 256 * origin.y, vertex.z + 256 * origin.z};
}

}  // namespace

TEST_CASE("C11 chunk_mesher: a lone voxel is closed, in its place, and its normals point out") {
    VoxelGrid grid = air_world();
    put(grid, {10, 12, 14}, {kRock, kFullOccupancy});
    const TerrainMesh mesh = mesh_of(grid, {0, 0, 0});
    REQUIRE(mesh.indices.size() == 3 * 12);
    const Vec3 middle{10.5F, 12.5F, 14.5F};
    float volume = 0.0F;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        std::array<Vec3, 3> corner{};
        for (std::size_t k = 0; k < 3; ++k) {
            const TerrainVertex& v = mesh.vertices[mesh.indices[i + k]];
            corner[k] = Vec3{v.x, v.y, v.z} / kMeshUnitsPerMetre - middle;
            CHECK(glm::length(corner[k]) < 1.0F);
            CHECK(glm::dot(corner[k], Vec3{v.normal_x, v.normal_y, v.normal_z}) > 0.0F);
            CHECK(v.material == kRock);
        }
        volume += glm::dot(corner[0], glm::cross(corner[1], corner[2])) / 6.0F;
    }
    CHECK(volume == doctest::Approx(1.0F / 27.0F).epsilon(0.1));
    CHECK(mesh.bounds.min.x > 9.9F);
    CHECK(mesh.bounds.max.x < 11.1F);
}

TEST_CASE("C11 chunk_mesher: nothing from air alone, rock alone, or water alone") {
    VoxelGrid grid = air_world();
    CHECK(mesh_of(grid, {0, 0, 0}).indices.empty());
    fill(grid, {{-32, -32, -32}, {63, 63, 63}}, {kWater, kFullOccupancy});
    CHECK(mesh_of(grid, {0, 0, 0}).indices.empty());
    fill(grid, {{-32, -32, -32}, {63, 63, 63}}, {kRock, kFullOccupancy});
    CHECK(mesh_of(grid, {0, 0, 0}).indices.empty());
}

TEST_CASE("C11 chunk_mesher: normals have length 1 on random lumps") {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        INFO("seed ", seed);
        const TerrainMesh mesh = mesh_of(lumpy_world(seed), {0, 0, 0});
        REQUIRE(mesh.vertices.size() > 500);
        for (const TerrainVertex& v : mesh.vertices) {
            const float length = glm::length(Vec3{v.normal_x, v.normal_y, v.normal_z}) / 127.0F;
            CHECK(length == doctest::Approx(1.0F).epsilon(0.02));
        }
        for (const std::uint32_t index : mesh.indices) {
            CHECK(index < mesh.vertices.size());
        }
        CHECK(mesh.open_index_count % 3 == 0);
        CHECK(mesh.open_index_count <= mesh.indices.size());
    }
}

TEST_CASE("C11 chunk_mesher: no seam: what two chunks make of one vertex is the same") {
    for (const std::uint64_t seed : {11U, 12U}) {
        INFO("seed ", seed);
        const VoxelGrid grid = lumpy_world(seed);
        std::map<std::array<int, 3>, TerrainVertex> first;
        for (const TerrainVertex& v : mesh_of(grid, {0, 0, 0}).vertices) {
            first.emplace(place_of(v, {0, 0, 0}), v);
        }
        for (const ChunkCoord& beside : {ChunkCoord{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}}) {
            int shared = 0;
            for (const TerrainVertex& v : mesh_of(grid, beside).vertices) {
                const auto found = first.find(place_of(v, beside));
                if (found == first.end()) {
                    continue;
                }
                ++shared;
                CHECK(std::abs(found->second.normal_x - v.normal_x) <= 1);
                CHECK(std::abs(found->second.normal_y - v.normal_y) <= 1);
                CHECK(std::abs(found->second.normal_z - v.normal_z) <= 1);
                CHECK(found->second.material == v.material);
                CHECK(std::abs(found->second.open - v.open) <= 2);
            }
            CHECK(shared > 20);
        }
    }
}

TEST_CASE("C11 chunk_mesher: a neighbour that is not loaded makes no wall") {
    VoxelGrid grid({{-1, -1, -1}, {2, 2, 2}});
    grid.insert({0, 0, 0}, uniform_chunk({kRock, kFullOccupancy}));
    CHECK(mesh_of(grid, {0, 0, 0}).indices.empty());
    // Ground that goes up to the border stays flat there.
    grid.insert({0, 0, 0}, uniform_chunk(kAirVoxel));
    fill(grid, {{0, 0, 0}, {31, 9, 31}}, {kRock, kFullOccupancy});
    const TerrainMesh mesh = mesh_of(grid, {0, 0, 0});
    REQUIRE_FALSE(mesh.indices.empty());
    for (const TerrainVertex& v : mesh.vertices) {
        CHECK(v.y == 10 * 256);
        CHECK(v.normal_y == 127);
    }
}

TEST_CASE("C11 chunk_mesher: the thin layer on top gives the colour") {
    VoxelGrid grid = air_world();
    fill(grid, {{0, 0, 0}, {31, 9, 31}}, {kRock, kFullOccupancy});
    fill(grid, {{0, 10, 0}, {31, 10, 31}}, {kGrass, 40});
    int grass = 0;
    for (const TerrainVertex& v : mesh_of(grid, {0, 0, 0}).vertices) {
        if (v.x > 256 && v.x < 31 * 256 && v.z > 256 && v.z < 31 * 256 && v.y > 256) {
            CHECK(v.material == kGrass);
            ++grass;
        }
    }
    CHECK(grass > 500);
}

TEST_CASE("C16 chunk_mesher: open ground sees the sky, a cave does not and comes last") {
    VoxelGrid grid = air_world();
    fill(grid, {{-32, -32, -32}, {63, 20, 63}}, {kRock, kFullOccupancy});
    fill(grid, {{4, 4, 4}, {27, 8, 8}}, kAirVoxel);  // longer than the rays
    const TerrainMesh mesh = mesh_of(grid, {0, 0, 0});
    int ground = 0;
    for (const TerrainVertex& v : mesh.vertices) {
        if (v.y > 15 * 256) {
            CHECK(v.open > 240);
            ++ground;
        } else {
            CHECK(v.open <= kDarkOpen);
        }
    }
    CHECK(ground > 900);
    CHECK(mesh.open_index_count < mesh.indices.size());
    for (std::size_t i = mesh.open_index_count; i < mesh.indices.size(); ++i) {
        CHECK(mesh.vertices[mesh.indices[i]].y < 15 * 256);
    }
}
