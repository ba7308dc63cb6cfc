#include "client-stub/viewer/shape_mesh.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace terrane;

namespace {

/// Volume by the divergence theorem: right only if every triangle winds outward and none is
/// missing.
float volume_of(const ShapeMesh& mesh) {
    float volume = 0.0F;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        const Vec3& a = mesh.vertices[mesh.indices[i]].position;
        const Vec3& b = mesh.vertices[mesh.indices[i + 1]].position;
        const Vec3& c = mesh.vertices[mesh.indices[i + 2]].position;
        volume += glm::dot(a, glm::cross(b, c)) / 6.0F;
    }
    return volume;
}

void check_normals(const ShapeMesh& mesh) {
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        const ShapeVertex& a = mesh.vertices[mesh.indices[i]];
        const ShapeVertex& b = mesh.vertices[mesh.indices[i + 1]];
        const ShapeVertex& c = mesh.vertices[mesh.indices[i + 2]];
        const Vec3 face = glm::cross(b.position - a.position, c.position - a.position);
        for (const ShapeVertex* vertex : {&a, &b, &c}) {
            CHECK(glm::length(vertex->normal) == doctest::Approx(1.0F).epsilon(1e-4));
            if (glm::length(face) > 1e-5F) {
                CHECK(glm::dot(face, vertex->normal) > 0.0F);
            }
        }
    }
}

}  // namespace

TEST_CASE("C11 shape_mesh: every shape is closed, winds outward and has unit normals") {
    constexpr float kPi = std::numbers::pi_v<float>;
    for (const ShapeMesh& mesh :
         {make_box(), make_sphere(), make_cylinder(), make_capsule(0.35F, 1.8F)}) {
        REQUIRE(mesh.indices.size() % 3 == 0);
        check_normals(mesh);
    }
    CHECK(volume_of(make_box()) == doctest::Approx(8.0F).epsilon(1e-4));
    CHECK(volume_of(make_sphere()) == doctest::Approx(4.0F / 3.0F * kPi).epsilon(0.03));
    CHECK(volume_of(make_cylinder()) == doctest::Approx(2.0F * kPi).epsilon(0.02));
    const float capsule = kPi * 0.35F * 0.35F * (1.1F + 4.0F / 3.0F * 0.35F);
    CHECK(volume_of(make_capsule(0.35F, 1.8F)) == doctest::Approx(capsule).epsilon(0.03));
}

TEST_CASE("C11 shape_mesh: the capsule stands on the origin") {
    float low = 9.0F;
    float high = -9.0F;
    for (const ShapeVertex& vertex : make_capsule(0.35F, 1.8F).vertices) {
        low = std::min(low, vertex.position.y);
        high = std::max(high, vertex.position.y);
    }
    CHECK(low == doctest::Approx(0.0F));
    CHECK(high == doctest::Approx(1.8F));
}
