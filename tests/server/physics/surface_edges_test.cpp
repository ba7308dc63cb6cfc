#include "server/physics/surface_edges.h"

#include <array>
#include <vector>

#include <doctest/doctest.h>

namespace terrane {
namespace {

/// Two triangles with the edge (0,0,0)-(0,0,1) in common, the second one at height `rise` on the
/// west side, x = -1; both counter-clockwise from above.
std::array<TerrainTriangle, 2> bent(float rise) {
    TerrainTriangle east;
    east.a = {0.0F, 0.0F, 0.0F};
    east.b = {0.0F, 0.0F, 1.0F};
    east.c = {1.0F, 0.0F, 0.0F};
    TerrainTriangle west;
    west.a = {0.0F, 0.0F, 1.0F};
    west.b = {0.0F, 0.0F, 0.0F};
    west.c = {-1.0F, rise, 0.0F};
    return {east, west};
}

SurfaceSide fit(std::span<const TerrainTriangle> triangles, std::size_t index,
                SurfaceContact& contact) {
    std::vector<Vec3> normals;
    for (const TerrainTriangle& triangle : triangles) {
        normals.push_back(face_normal(triangle));
    }
    return fit_to_surface({triangles, normals}, index, contact);
}

const Vec3 kUp{0.0F, 1.0F, 0.0F};
const Vec3 kOnEdge{0.0F, 0.0F, 0.5F};

}  // namespace

TEST_CASE("A17 surface_edges: on a flat edge a leaning normal becomes the face normal") {
    const auto triangles = bent(0.0F);
    REQUIRE(glm::dot(face_normal(triangles[0]), kUp) == doctest::Approx(1.0F));
    REQUIRE(glm::dot(face_normal(triangles[1]), kUp) == doctest::Approx(1.0F));
    SurfaceContact contact{glm::normalize(Vec3(-0.6F, 0.8F, 0.0F)), kOnEdge, 0.1F};
    CHECK(fit(triangles, 0, contact) == SurfaceSide::fitted);
    CHECK(glm::dot(contact.normal, kUp) > 0.99999F);
    // The body's point stays where it was: 0.08 above the plane.
    CHECK(contact.depth_m == doctest::Approx(0.08F));
    CHECK(contact.point.x == doctest::Approx(-0.06F));
    CHECK(contact.point.y == doctest::Approx(0.0F));
}

TEST_CASE("A17 surface_edges: in a valley the face normal holds, on a ridge what lies between") {
    const Vec3 leaning = glm::normalize(Vec3(-0.3F, 0.95F, 0.0F));
    SUBCASE("valley") {
        const auto triangles = bent(0.5F);
        SurfaceContact contact{leaning, kOnEdge, -0.01F};
        CHECK(fit(triangles, 0, contact) == SurfaceSide::fitted);
        CHECK(glm::dot(contact.normal, kUp) > 0.99999F);
    }
    SUBCASE("ridge, between the faces") {
        const auto triangles = bent(-1.0F);
        SurfaceContact contact{leaning, kOnEdge, -0.01F};
        CHECK(fit(triangles, 0, contact) == SurfaceSide::front);
        CHECK(contact.normal == leaning);
    }
    SUBCASE("ridge, beyond the neighbour") {
        const auto triangles = bent(-0.2F);
        SurfaceContact contact{glm::normalize(Vec3(-0.7F, 0.7F, 0.0F)), kOnEdge, -0.01F};
        CHECK(fit(triangles, 0, contact) == SurfaceSide::fitted);
        CHECK(glm::dot(contact.normal, face_normal(triangles[1])) > 0.99999F);
    }
    SUBCASE("ridge, leaning over its own face") {
        const auto triangles = bent(-1.0F);
        SurfaceContact contact{glm::normalize(Vec3(0.5F, 0.8F, 0.0F)), kOnEdge, -0.01F};
        CHECK(fit(triangles, 0, contact) == SurfaceSide::fitted);
        CHECK(glm::dot(contact.normal, kUp) > 0.99999F);
    }
}

TEST_CASE("A17 surface_edges: an edge without neighbour keeps its normal") {
    const auto triangles = bent(0.0F);
    const Vec3 leaning = glm::normalize(Vec3(-0.6F, 0.8F, 0.0F));
    SurfaceContact contact{leaning, kOnEdge, 0.1F};
    CHECK(fit(std::span(triangles).first(1), 0, contact) == SurfaceSide::front);
    CHECK(contact.normal == leaning);
}

TEST_CASE("A17 surface_edges: a normal into the ground is told apart and left alone") {
    const auto triangles = bent(0.0F);
    for (const Vec3& point : {kOnEdge, Vec3(0.2F, 0.0F, 0.2F)}) {
        SurfaceContact contact{-kUp, point, -0.2F};
        CHECK(fit(triangles, 0, contact) == SurfaceSide::back);
        CHECK(contact.normal == -kUp);
    }
    SurfaceContact alone{-kUp, kOnEdge, -0.2F};
    CHECK(fit(std::span(triangles).first(1), 0, alone) == SurfaceSide::back);
}

TEST_CASE("A17 surface_edges: a triangle without area has no normal") {
    TerrainTriangle flat;
    flat.a = {1.0F, 2.0F, 3.0F};
    flat.b = {2.0F, 2.0F, 3.0F};
    flat.c = {4.0F, 2.0F, 3.0F};
    CHECK(face_normal(flat) == Vec3(0.0F));
}

}  // namespace terrane
