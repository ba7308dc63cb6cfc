#include "client-stub/viewer/piece_mesh.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "shared/core/random.h"
#include "shared/voxel/piece_parts.h"

using namespace terrane;

namespace {

using Place = std::array<long, 3>;  // 1/256 m

Place place_of(const TerrainVertex& vertex) {
    return {vertex.x, vertex.y, vertex.z};
}
Place place_of(const Vec3& p) {
    return {std::lround(256.0F * p.x), std::lround(256.0F * p.y), std::lround(256.0F * p.z)};
}

/// Soft lumps of two materials, at least one core voxel.
VoxelPiece random_piece(const VoxelCoord& size, std::uint64_t seed) {
    Random random(seed);
    VoxelPiece piece = empty_piece(size);
    for (Voxel& voxel : piece.voxels) {
        if (random.between(0, 3) != 0) {
            voxel = {static_cast<MaterialId>(random.between(2, 3)),
                     static_cast<std::uint8_t>(random.between(1, 255))};
        }
    }
    piece.voxels[piece.voxels.size() / 2] = {2, kFullOccupancy};
    return piece;
}

/// Each triangle by its three places, in a fixed turn.
std::multiset<std::array<Place, 3>> triangles_of(const auto& indices, const auto& place_at) {
    std::multiset<std::array<Place, 3>> triangles;
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
        std::array<Place, 3> corners{place_at(indices[i]), place_at(indices[i + 1]),
                                     place_at(indices[i + 2])};
        std::ranges::rotate(corners, std::ranges::min_element(corners));
        triangles.insert(corners);
    }
    return triangles;
}

}  // namespace

TEST_CASE("A18 piece_mesh: what is drawn are the triangles of mesh_piece, each once") {
    for (const VoxelCoord size : {VoxelCoord{1, 1, 1}, VoxelCoord{7, 8, 9}, VoxelCoord{30, 3, 31},
                                  VoxelCoord{32, 33, 2}, VoxelCoord{64, 5, 64}}) {
        CAPTURE(size.x);
        const VoxelPiece piece = random_piece(size, 77);
        TerrainMesh drawn;
        mesh_piece_ground(piece, drawn);
        PieceMesh exact;
        mesh_piece(piece, exact);
        REQUIRE(!drawn.indices.empty());
        const auto ours = triangles_of(
            drawn.indices, [&](std::uint32_t i) { return place_of(drawn.vertices[i]); });
        const auto theirs = triangles_of(
            exact.indices, [&](std::uint32_t i) { return place_of(exact.positions[i]); });
        CHECK(ours.size() == theirs.size());
        CHECK(ours == theirs);
        CHECK(drawn.open_index_count == drawn.indices.size());
    }
}

TEST_CASE("A18 piece_mesh: normals point out of a block, bounds hold it, colours are its voxels'") {
    VoxelPiece piece = empty_piece({6, 4, 6});
    for (Voxel& voxel : piece.voxels) {
        voxel = {3, kFullOccupancy};
    }
    TerrainMesh mesh;
    mesh_piece_ground(piece, mesh);
    const Vec3 middle{3.0F, 2.0F, 3.0F};
    for (const TerrainVertex& vertex : mesh.vertices) {
        const Vec3 p = Vec3{vertex.x, vertex.y, vertex.z} / kMeshUnitsPerMetre;
        const Vec3 normal{vertex.normal_x, vertex.normal_y, vertex.normal_z};
        CHECK(glm::dot(normal, p - middle) > 0.0F);
        CHECK(vertex.material == 3);
        CHECK(vertex.open > 200);  // below, too: it may turn
        CHECK(vertex.wet == 0);
        CHECK(distance_squared(mesh.bounds, p) < 1e-5F);
    }
    CHECK(mesh.bounds.min.x > -0.51F);
    CHECK(mesh.bounds.min.x < 0.3F);
    CHECK(mesh.bounds.max.x > 5.7F);
    CHECK(mesh.bounds.max.x < 6.51F);
}
