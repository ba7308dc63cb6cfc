#include "client-stub/viewer/model_mesh.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

using namespace terrane;

namespace {

struct Box {
    Vec3 low{std::numeric_limits<float>::max()};
    Vec3 high{std::numeric_limits<float>::lowest()};
};

Box box_of(const ShapeMesh& mesh) {
    Box box;
    for (const ShapeVertex& vertex : mesh.vertices) {
        box.low = glm::min(box.low, vertex.position);
        box.high = glm::max(box.high, vertex.position);
    }
    return box;
}

/// Every triangle's corners have unit normals on the side that it winds to.
bool has_right_normals(const ShapeMesh& mesh) {
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        const ShapeVertex& a = mesh.vertices[mesh.indices[i]];
        const ShapeVertex& b = mesh.vertices[mesh.indices[i + 1]];
        const ShapeVertex& c = mesh.vertices[mesh.indices[i + 2]];
        const Vec3 face = glm::cross(b.position - a.position, c.position - a.position);
        for (const ShapeVertex* vertex : {&a, &b, &c}) {
            if (std::abs(glm::length(vertex->normal) - 1.0F) > 1e-3F ||
                (glm::length(face) > 1e-5F && glm::dot(face, vertex->normal) <= 0.0F)) {
                return false;
            }
        }
    }
    return true;
}

/// Height of the highest face that looks up at (x, z); far below if there is none.
float top_at(const ShapeMesh& mesh, float x, float z) {
    float top = -100.0F;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        const Vec3& a = mesh.vertices[mesh.indices[i]].position;
        const Vec3& b = mesh.vertices[mesh.indices[i + 1]].position;
        const Vec3& c = mesh.vertices[mesh.indices[i + 2]].position;
        const auto side = [&](const Vec3& p, const Vec3& q) {
            return (q.x - p.x) * (z - p.z) - (q.z - p.z) * (x - p.x);
        };
        const Vec3 sides{side(a, b), side(b, c), side(c, a)};
        if (sides.x < 0.0F && sides.y < 0.0F && sides.z < 0.0F) {  // faces up
            const float sum = sides.x + sides.y + sides.z;
            top = std::max(top, (sides.y * a.y + sides.z * b.y + sides.x * c.y) / sum);
        }
    }
    return top;
}

constexpr Vec3 kHalf{0.75F, 0.35F, 1.8F};
constexpr std::array<Vec3, 3> kSeats{Vec3{0.0F, -0.2F, 0.9F}, Vec3{-0.4F, -0.2F, 0.0F},
                                     Vec3{0.4F, -0.2F, 0.0F}};

}  // namespace

TEST_CASE("C11 model_mesh: a boat is open, tapered, inside its kind's box, with boards at seats") {
    const ShapeMesh boat = make_boat(kHalf, kSeats);
    CHECK(has_right_normals(boat));
    const Box box = box_of(boat);
    for (int axis = 0; axis < 3; ++axis) {
        CHECK(box.low[axis] >= -kHalf[axis] - 1e-4F);
        CHECK(box.high[axis] <= kHalf[axis] + 1e-4F);
    }
    CHECK(box.high.z - box.low.z == doctest::Approx(3.6F));
    // Open: between the boards the floor is seen from above, deep in the hull.
    CHECK(top_at(boat, 0.01F, 0.45F) < -0.1F);
    CHECK(top_at(boat, 0.01F, 0.45F) > -0.3F);
    CHECK(top_at(boat, 0.01F, 0.91F) == doctest::Approx(0.042F).epsilon(0.01));
    CHECK(top_at(boat, 0.41F, 0.01F) == doctest::Approx(0.042F).epsilon(0.01));
    // Tapered: near the bow there is nothing where amidships is hull.
    CHECK(top_at(boat, 0.6F, 0.3F) > -0.3F);
    CHECK(top_at(boat, 0.6F, -1.5F) < -10.0F);
}

TEST_CASE("C11 model_mesh: a boat longer on X has its bow there") {
    const ShapeMesh boat = make_boat({1.8F, 0.35F, 0.75F}, {});
    CHECK(has_right_normals(boat));
    const Box box = box_of(boat);
    CHECK(box.high.x - box.low.x == doctest::Approx(3.6F));
    CHECK(box.high.z - box.low.z <= 1.5F + 1e-4F);
    CHECK(top_at(boat, -1.5F, 0.6F) < -10.0F);
    CHECK(top_at(boat, 0.3F, 0.6F) > -0.3F);
    CHECK(has_right_normals(make_boat({0.02F, 0.01F, 0.03F}, kSeats)));  // no smaller than sane
}

TEST_CASE("C11 model_mesh: crown and boulder fill their unit shapes") {
    const ShapeMesh crown = make_crown();
    CHECK(has_right_normals(crown));
    CHECK(box_of(crown).low.y == doctest::Approx(0.0F));
    CHECK(box_of(crown).high.y == doctest::Approx(1.0F));
    CHECK(box_of(crown).high.x <= 1.0F + 1e-4F);
    const ShapeMesh boulder = make_boulder();
    CHECK(has_right_normals(boulder));
    for (const ShapeVertex& vertex : boulder.vertices) {
        CHECK(glm::length(vertex.position) > 0.78F);
        CHECK(glm::length(vertex.position) < 1.08F);
    }
}
