#include "server/physics/surface_edges.h"

#include <array>

namespace terrane {

namespace {

/// Normals this close (cosine) are one: GJK's rounding.
constexpr float kSameNormal = 0.9999F;
/// A point this near an edge touches the edge, metres.
constexpr float kOnEdgeM = 0.004F;
/// Sine of the bend below which an edge counts as flat.
constexpr float kFlatBend = 0.001F;

struct Edge {
    Vec3 from;
    Vec3 to;
};

Edge edge_of(const TerrainTriangle& triangle, int i) {
    const std::array<const Vec3*, 3> corners{&triangle.a, &triangle.b, &triangle.c};
    return {*corners[static_cast<std::size_t>(i)], *corners[static_cast<std::size_t>((i + 1) % 3)]};
}

float squared_distance(const Edge& edge, const Vec3& point) {
    const Vec3 along = edge.to - edge.from;
    const float length2 = glm::dot(along, along);
    float t = length2 > 0.0F ? glm::dot(point - edge.from, along) / length2 : 0.0F;
    t = t < 0.0F ? 0.0F : (t > 1.0F ? 1.0F : t);
    const Vec3 off = point - (edge.from + t * along);
    return glm::dot(off, off);
}

/// Index of the triangle on the other side of `edge`, which runs the other way there; or the count.
std::size_t neighbour_of(std::span<const TerrainTriangle> triangles, std::size_t self,
                         const Edge& edge) {
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        if (i == self) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            const Edge other = edge_of(triangles[i], k);
            if (other.from == edge.to && other.to == edge.from) {
                return i;
            }
        }
    }
    return triangles.size();
}

/// The nearest normal to `normal` that the ridge or valley between two faces allows.
Vec3 clamp_to_edge(const Vec3& normal, const Edge& edge, const Vec3& face, const Vec3& other) {
    const Vec3 outward = glm::normalize(glm::cross(edge.to - edge.from, face));
    const float bend = glm::dot(other, outward);
    if (bend < kFlatBend) {
        return face;  // flat or a valley
    }
    const float sine = glm::dot(normal, outward);
    if (sine <= 0.0F) {
        return face;
    }
    const float cosine = glm::dot(normal, face);
    const float past = sine * glm::dot(other, face) - cosine * bend;
    return past > 0.0F ? other : normal;
}

void set_normal(SurfaceContact& contact, const Vec3& normal) {
    const Vec3 on_body = contact.point + contact.depth_m * contact.normal;
    contact.depth_m *= glm::dot(contact.normal, normal);
    contact.point = on_body - contact.depth_m * normal;
    contact.normal = normal;
}

}  // namespace

Vec3 face_normal(const TerrainTriangle& triangle) {
    const Vec3 normal = glm::cross(triangle.b - triangle.a, triangle.c - triangle.a);
    const float length2 = glm::dot(normal, normal);
    return length2 > 0.0F ? normal / std::sqrt(length2) : Vec3(0.0F);
}

SurfaceSide fit_to_surface(const NearSurface& surface, std::size_t index, SurfaceContact& contact) {
    const Vec3 face = surface.normals[index];
    const float facing = glm::dot(contact.normal, face);
    if (facing > kSameNormal) {
        return SurfaceSide::front;
    }
    Vec3 normal = contact.normal;
    bool is_on_edge = false;
    bool is_open = false;
    for (int i = 0; i < 3; ++i) {
        const Edge edge = edge_of(surface.triangles[index], i);
        if (squared_distance(edge, contact.point) > kOnEdgeM * kOnEdgeM) {
            continue;
        }
        is_on_edge = true;
        const std::size_t other = neighbour_of(surface.triangles, index, edge);
        if (other == surface.triangles.size()) {
            is_open = true;
        } else {
            normal = clamp_to_edge(normal, edge, face, surface.normals[other]);
        }
    }
    if (!is_on_edge) {
        normal = face;
    }
    const bool is_behind = facing <= 0.0F;
    if (glm::dot(normal, contact.normal) > kSameNormal && !(is_open && is_behind)) {
        return SurfaceSide::front;
    }
    if (is_behind || glm::dot(normal, contact.normal) <= 0.0F) {
        return SurfaceSide::back;
    }
    set_normal(contact, normal);
    return SurfaceSide::fitted;
}

}  // namespace terrane
