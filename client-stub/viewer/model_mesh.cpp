#include "client-stub/viewer/model_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace terrane {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;

/// Counter-clockwise from outside; one flat normal. Triangles without area are left out.
void add_triangle(ShapeMesh& mesh, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 normal = glm::cross(b - a, c - a);
    const float length = glm::length(normal);
    if (length < 1e-9F) {
        return;
    }
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    for (const Vec3& corner : {a, b, c}) {
        mesh.vertices.push_back({corner, normal / length});
    }
    mesh.indices.insert(mesh.indices.end(), {first, first + 1, first + 2});
}

void add_quad(ShapeMesh& mesh, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    add_triangle(mesh, a, b, c);
    add_triangle(mesh, a, c, d);
}

void add_board(ShapeMesh& mesh, const Vec3& low, const Vec3& high) {
    const auto corner = [&](int x, int y, int z) {
        return Vec3{x != 0 ? high.x : low.x, y != 0 ? high.y : low.y, z != 0 ? high.z : low.z};
    };
    add_quad(mesh, corner(0, 1, 0), corner(0, 1, 1), corner(1, 1, 1), corner(1, 1, 0));
    add_quad(mesh, corner(0, 0, 0), corner(1, 0, 0), corner(1, 0, 1), corner(0, 0, 1));
    add_quad(mesh, corner(0, 0, 0), corner(0, 1, 0), corner(1, 1, 0), corner(1, 0, 0));
    add_quad(mesh, corner(0, 0, 1), corner(1, 0, 1), corner(1, 1, 1), corner(0, 1, 1));
}

/// Of a hull along Z: its profile at a section, one side, from the keel outside over the gunwale to
/// the floor's middle inside.
constexpr std::size_t kProfilePoints = 6;
constexpr std::size_t kSections = 15;
using Profile = std::array<Vec3, kProfilePoints>;

/// Half the hull's width at `part` of its length from the bow, 1 at its widest.
float width_at(float part) {
    constexpr float kWidest = 0.58F;
    const float away = part < kWidest ? (kWidest - part) / kWidest : (part - kWidest) / 0.42F;
    return part < kWidest ? 1.0F - 0.97F * std::pow(away, 2.1F) : 1.0F - 0.20F * away * away;
}

Profile profile_at(const Vec3& half, float part) {
    const float wall = std::min(0.05F, 0.2F * half.x);
    const float width = half.x * width_at(part);
    const float rising = std::max(0.0F, 1.0F - part / 0.22F);
    const float keel = half.y * (-1.0F + 1.1F * rising * rising);
    const float bow = std::max(0.0F, 1.0F - part / 0.6F);
    const float gunwale = half.y * (0.62F + 0.38F * bow * bow + 0.12F * part * part);
    const float chine = keel + 0.28F * (gunwale - keel);
    const float floor = std::min(chine + 0.03F, gunwale);
    const float z = half.z * (2.0F * part - 1.0F);
    const float inner = std::max(width - wall, 0.0F);
    return {Vec3{0.0F, keel, z},
            Vec3{0.70F * width, chine, z},
            Vec3{width, gunwale, z},
            Vec3{inner, gunwale, z},
            Vec3{std::min(inner, std::max(0.70F * width - wall, 0.0F)), floor, z},
            Vec3{0.0F, floor, z}};
}

Vec3 mirrored(const Vec3& p) {
    return {-p.x, p.y, p.z};
}

/// The stern: a board across, seen from outside, inside and above.
void add_transom(ShapeMesh& mesh, const Profile& end, float wall) {
    const auto inward = [&](const Vec3& p) { return p - Vec3{0.0F, 0.0F, wall}; };
    for (std::size_t i = 0; i < 2; ++i) {
        add_quad(mesh, mirrored(end[i]), end[i], end[i + 1], mirrored(end[i + 1]));
    }
    add_quad(mesh, inward(end[4]), inward(mirrored(end[4])), inward(mirrored(end[3])),
             inward(end[3]));
    add_quad(mesh, end[2], inward(end[2]), inward(mirrored(end[2])), mirrored(end[2]));
}

Vec3 boulder_point(float turn, float rise) {
    const Vec3 out{std::cos(rise) * std::cos(turn), std::sin(rise),
                   -std::cos(rise) * std::sin(turn)};
    const float dents = std::sin(3.1F * out.x + 0.7F) * std::sin(2.7F * out.y + 1.9F) +
                        std::sin(4.3F * out.z - 0.5F) * std::sin(3.7F * out.x + 2.3F) +
                        0.4F * std::sin(7.1F * out.y + 5.3F * out.z);
    return out * (0.94F + 0.05F * dents);
}

}  // namespace

ShapeMesh make_boat(const Vec3& half_extents, std::span<const Vec3> seats) {
    const bool is_across = half_extents.x > half_extents.z;
    const Vec3 half =
        is_across ? Vec3{half_extents.z, half_extents.y, half_extents.x} : half_extents;
    const auto along = [&](const Vec3& seat) { return is_across ? seat.x : seat.z; };
    ShapeMesh mesh;
    Profile before = profile_at(half, 0.0F);
    for (std::size_t section = 1; section < kSections; ++section) {
        const Profile now =
            profile_at(half, static_cast<float>(section) / static_cast<float>(kSections - 1));
        for (std::size_t i = 0; i + 1 < kProfilePoints; ++i) {
            add_quad(mesh, before[i], before[i + 1], now[i + 1], now[i]);
            add_quad(mesh, mirrored(before[i]), mirrored(now[i]), mirrored(now[i + 1]),
                     mirrored(before[i + 1]));
        }
        before = now;
    }
    add_transom(mesh, before, 0.05F);
    std::vector<float> boards;
    for (const Vec3& seat : seats) {
        if (std::abs(along(seat)) < 0.9F * half.z && std::ranges::none_of(boards, [&](float z) {
                return std::abs(z - along(seat)) < 0.2F;
            })) {
            boards.push_back(along(seat));
            const float wide = 0.80F * half.x * width_at(0.5F * (along(seat) / half.z + 1.0F));
            const float top = 0.12F * half.y;
            add_board(mesh, {-wide, top - 0.04F, along(seat) - 0.13F},
                      {wide, top, along(seat) + 0.13F});
        }
    }
    if (is_across) {  // a quarter turn: -Z becomes -X
        for (ShapeVertex& vertex : mesh.vertices) {
            vertex.position = {vertex.position.z, vertex.position.y, -vertex.position.x};
            vertex.normal = {vertex.normal.z, vertex.normal.y, -vertex.normal.x};
        }
    }
    return mesh;
}

ShapeMesh make_crown() {
    struct Tier {
        float low;
        float high;
        float radius;
        float turn;
    };
    constexpr std::array<Tier, 4> kTiers{{{0.0F, 0.46F, 1.0F, 0.0F},
                                          {0.20F, 0.64F, 0.80F, 0.4F},
                                          {0.42F, 0.82F, 0.60F, 0.1F},
                                          {0.62F, 1.0F, 0.40F, 0.7F}}};
    constexpr int kSides = 14;
    ShapeMesh mesh;
    for (const Tier& tier : kTiers) {
        // Branches hang: the skirt's points are lower and longer than the gaps between them.
        const auto rim = [&](int side) {
            const float angle = 2.0F * kPi * static_cast<float>(side % kSides) / kSides + tier.turn;
            const bool is_branch = side % 2 == 0;
            const float radius = tier.radius * (is_branch ? 1.0F : 0.80F);
            return Vec3{radius * std::cos(angle), tier.low + (is_branch ? 0.0F : 0.05F),
                        -radius * std::sin(angle)};
        };
        const Vec3 top{0.0F, tier.high, 0.0F};
        const Vec3 under{0.0F, tier.low + 0.12F, 0.0F};
        for (int side = 0; side < kSides; ++side) {
            add_triangle(mesh, rim(side), rim(side + 1), top);
            add_triangle(mesh, rim(side + 1), rim(side), under);
        }
    }
    return mesh;
}

ShapeMesh make_boulder() {
    constexpr std::uint32_t kSides = 24;
    constexpr std::uint32_t kRings = 12;
    constexpr float kStep = 1e-3F;
    ShapeMesh mesh;
    for (std::uint32_t ring = 0; ring <= kRings; ++ring) {
        // Just short of the poles, where turning would move nothing.
        const float share = static_cast<float>(ring) / static_cast<float>(kRings) - 0.5F;
        const float rise = std::clamp(kPi * share, -0.4999F * kPi, 0.4999F * kPi);
        for (std::uint32_t side = 0; side <= kSides; ++side) {
            const float turn =
                2.0F * kPi * static_cast<float>(side % kSides) / static_cast<float>(kSides);
            const Vec3 point = boulder_point(turn, rise);
            const float wide = kStep / std::max(std::cos(rise), 1e-3F);
            const Vec3 around = boulder_point(turn + wide, rise) - boulder_point(turn - wide, rise);
            const Vec3 up = boulder_point(turn, rise + kStep) - boulder_point(turn, rise - kStep);
            mesh.vertices.push_back({point, glm::normalize(glm::cross(around, up))});
        }
    }
    constexpr std::uint32_t kStride = kSides + 1;
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
        for (std::uint32_t side = 0; side < kSides; ++side) {
            const std::uint32_t low = ring * kStride + side;
            mesh.indices.insert(mesh.indices.end(), {low, low + 1, low + kStride + 1, low,
                                                     low + kStride + 1, low + kStride});
        }
    }
    return mesh;
}

}  // namespace terrane
