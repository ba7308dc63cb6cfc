#include "client-stub/viewer/shape_mesh.h"

#include <cmath>
#include <numbers>
#include <span>

namespace terrane {

namespace {

constexpr std::uint32_t kSides = 28;
constexpr std::uint32_t kRings = 14;
constexpr float kPi = std::numbers::pi_v<float>;

void add_quad(ShapeMesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    mesh.indices.insert(mesh.indices.end(), {a, b, c, a, c, d});
}

/// One ring of a surface of revolution about Y.
struct Ring {
    float radius;
    float y;
    float normal_out;  ///< the normal's part away from the axis
    float normal_y;
};

/// Joins rings, given from the bottom up; a ring of radius 0 closes an end.
void add_rings(ShapeMesh& mesh, std::span<const Ring> rings) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    for (const Ring& ring : rings) {
        for (std::uint32_t side = 0; side <= kSides; ++side) {
            const float angle = 2.0F * kPi * static_cast<float>(side) / static_cast<float>(kSides);
            const Vec3 out{std::cos(angle), 0.0F, -std::sin(angle)};
            mesh.vertices.push_back({out * ring.radius + Vec3{0.0F, ring.y, 0.0F},
                                     out * ring.normal_out + Vec3{0.0F, ring.normal_y, 0.0F}});
        }
    }
    constexpr std::uint32_t kStride = kSides + 1;
    for (std::uint32_t ring = 0; ring + 1 < rings.size(); ++ring) {
        for (std::uint32_t side = 0; side < kSides; ++side) {
            const std::uint32_t low = first + ring * kStride + side;
            add_quad(mesh, low, low + 1, low + kStride + 1, low + kStride);
        }
    }
}

Ring ring_of_ball(float radius, float centre_y, float angle) {
    return {radius * std::cos(angle), centre_y + radius * std::sin(angle), std::cos(angle),
            std::sin(angle)};
}

}  // namespace

ShapeMesh make_box() {
    ShapeMesh mesh;
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-1.0F, 1.0F}) {
            Vec3 normal{0.0F};
            Vec3 u{0.0F};
            Vec3 v{0.0F};
            normal[axis] = side;
            u[(axis + 1) % 3] = side;  // u x v = normal on both sides
            v[(axis + 2) % 3] = 1.0F;
            const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
            for (const Vec3& corner :
                 {normal - u - v, normal + u - v, normal + u + v, normal - u + v}) {
                mesh.vertices.push_back({corner, normal});
            }
            add_quad(mesh, first, first + 1, first + 2, first + 3);
        }
    }
    return mesh;
}

ShapeMesh make_sphere() {
    std::vector<Ring> rings;
    for (std::uint32_t i = 0; i <= kRings; ++i) {
        rings.push_back(ring_of_ball(
            1.0F, 0.0F, kPi * (static_cast<float>(i) / static_cast<float>(kRings) - 0.5F)));
    }
    ShapeMesh mesh;
    add_rings(mesh, rings);
    return mesh;
}

ShapeMesh make_cylinder() {
    ShapeMesh mesh;
    const Ring low[] = {{0.0F, -1.0F, 0.0F, -1.0F}, {1.0F, -1.0F, 0.0F, -1.0F}};
    const Ring wall[] = {{1.0F, -1.0F, 1.0F, 0.0F}, {1.0F, 1.0F, 1.0F, 0.0F}};
    const Ring high[] = {{1.0F, 1.0F, 0.0F, 1.0F}, {0.0F, 1.0F, 0.0F, 1.0F}};
    add_rings(mesh, low);
    add_rings(mesh, wall);
    add_rings(mesh, high);
    return mesh;
}

ShapeMesh make_capsule(float radius_m, float height_m) {
    std::vector<Ring> rings;
    for (std::uint32_t i = 0; i <= kRings / 2; ++i) {
        const float part = 2.0F * static_cast<float>(i) / static_cast<float>(kRings);
        rings.push_back(ring_of_ball(radius_m, radius_m, 0.5F * kPi * (part - 1.0F)));
    }
    for (std::uint32_t i = 0; i <= kRings / 2; ++i) {
        const float part = 2.0F * static_cast<float>(i) / static_cast<float>(kRings);
        rings.push_back(ring_of_ball(radius_m, height_m - radius_m, 0.5F * kPi * part));
    }
    ShapeMesh mesh;
    add_rings(mesh, rings);
    return mesh;
}

}  // namespace terrane
