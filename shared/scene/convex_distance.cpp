#include "shared/scene/convex_distance.h"

#include <cmath>

#include <glm/geometric.hpp>

namespace terrane {

ConvexCore core_of(const QueryShape& shape) {
    ConvexCore core;
    core.form = shape.form == QueryForm::sphere    ? CoreForm::point
                : shape.form == QueryForm::capsule ? CoreForm::segment
                                                   : CoreForm::box;
    core.centre = shape.centre;
    core.half = shape.half_extents;
    core.radius_m = shape.radius_m;
    turn_core(core, shape.rotation);
    return core;
}

void turn_core(ConvexCore& core, const Quat& rotation) {
    const glm::dmat3 axes = glm::mat3_cast(glm::dquat(rotation));
    core.axes = {axes[0], axes[1], axes[2]};
}

glm::dvec3 support(const ConvexCore& core, const glm::dvec3& direction) {
    const auto along = [&](std::size_t axis) { return glm::dot(core.axes[axis], direction); };
    const auto signed_half = [](double half, double way) { return way >= 0.0 ? half : -half; };
    switch (core.form) {
        case CoreForm::point:
            return core.centre;
        case CoreForm::segment:
            return core.centre + core.axes[1] * signed_half(core.half.y, along(1));
        case CoreForm::box:
            return core.centre + core.axes[0] * signed_half(core.half.x, along(0)) +
                   core.axes[1] * signed_half(core.half.y, along(1)) +
                   core.axes[2] * signed_half(core.half.z, along(2));
        case CoreForm::cylinder: {
            const double x = along(0);
            const double z = along(2);
            const double length = std::sqrt(x * x + z * z);
            const double share = length > 0.0 ? core.half.x / length : 0.0;
            return core.centre + core.axes[0] * (x * share) + core.axes[2] * (z * share) +
                   core.axes[1] * signed_half(core.half.y, along(1));
        }
        case CoreForm::hull:
            break;
    }
    const glm::dvec3 local{along(0), along(1), along(2)};
    glm::dvec3 best{0.0};
    double farthest = -INFINITY;
    for (const Vec3& corner : core.corners) {
        const double far = glm::dot(glm::dvec3(corner), local);
        if (far > farthest) {
            farthest = far;
            best = corner;
        }
    }
    return core.centre + core.axes[0] * best.x + core.axes[1] * best.y + core.axes[2] * best.z;
}

double reach_along(const ConvexCore& core, const glm::dvec3& normal) {
    return glm::dot(support(core, normal), normal) + core.radius_m;
}

namespace {

/// A corner of the difference of the cores, and what it was on the second.
struct Corner {
    glm::dvec3 difference{0.0};
    glm::dvec3 on_second{0.0};
};

/// Up to four corners; which of them, in what shares, make the point nearest to the origin.
struct Simplex {
    std::array<Corner, 4> corners;
    std::array<double, 4> shares{1.0, 0.0, 0.0, 0.0};
    std::size_t count = 0;

    glm::dvec3 nearest() const {
        glm::dvec3 sum{0.0};
        for (std::size_t i = 0; i < count; ++i) {
            sum += corners[i].difference * shares[i];
        }
        return sum;
    }
    glm::dvec3 on_second() const {
        glm::dvec3 sum{0.0};
        for (std::size_t i = 0; i < count; ++i) {
            sum += corners[i].on_second * shares[i];
        }
        return sum;
    }
};

Simplex part_of(const Corner& a, const Corner& b, double share_b) {
    Simplex part;
    part.corners[0] = a;
    part.corners[1] = b;
    part.shares = {1.0 - share_b, share_b, 0.0, 0.0};
    part.count = 2;
    return part;
}

Simplex part_of(const Corner& a) {
    Simplex part;
    part.corners[0] = a;
    part.count = 1;
    return part;
}

Simplex nearest_part(const Corner& a, const Corner& b) {
    const glm::dvec3 ab = b.difference - a.difference;
    const double length_squared = glm::dot(ab, ab);
    const double t = -glm::dot(a.difference, ab);
    if (!(t > 0.0)) {
        return part_of(a);
    }
    return t >= length_squared ? part_of(b) : part_of(a, b, t / length_squared);
}

Simplex nearest_part(const Corner& a, const Corner& b, const Corner& c) {
    const glm::dvec3 ab = b.difference - a.difference;
    const glm::dvec3 ac = c.difference - a.difference;
    const double d1 = -glm::dot(ab, a.difference);
    const double d2 = -glm::dot(ac, a.difference);
    const double d3 = -glm::dot(ab, b.difference);
    const double d4 = -glm::dot(ac, b.difference);
    const double d5 = -glm::dot(ab, c.difference);
    const double d6 = -glm::dot(ac, c.difference);
    const double va = d3 * d6 - d5 * d4;
    const double vb = d5 * d2 - d1 * d6;
    const double vc = d1 * d4 - d3 * d2;
    const double sum = va + vb + vc;
    if (va > 0.0 && vb > 0.0 && vc > 0.0 && sum > 0.0) {
        Simplex part;
        part.corners = {a, b, c, {}};
        part.shares = {va / sum, vb / sum, vc / sum, 0.0};
        part.count = 3;
        return part;
    }
    // Outside of some edge, or without area: the nearest of the edges.
    Simplex best = nearest_part(a, b);
    for (const Simplex& other : {nearest_part(b, c), nearest_part(a, c)}) {
        if (glm::dot(other.nearest(), other.nearest()) < glm::dot(best.nearest(), best.nearest())) {
            best = other;
        }
    }
    return best;
}

/// Is the origin on the other side of the plane (a, b, c) than d? Also if d lies in it: a flat
/// tetrahedron holds nothing.
bool is_beyond(const Corner& a, const Corner& b, const Corner& c, const Corner& d) {
    constexpr double kFlatM = 1e-9;
    const glm::dvec3 normal = glm::cross(b.difference - a.difference, c.difference - a.difference);
    const double origin = -glm::dot(a.difference, normal);
    const double fourth = glm::dot(d.difference - a.difference, normal);
    return origin * fourth <= 0.0 || fourth * fourth <= kFlatM * kFlatM * glm::dot(normal, normal);
}

/// Of a tetrahedron; count 4: the origin is inside.
Simplex nearest_part(const std::array<Corner, 4>& corners) {
    constexpr std::array<std::array<std::size_t, 4>, 4> kFaces{
        {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 1, 3, 2}, {1, 2, 3, 0}}};
    Simplex best;
    double least = INFINITY;
    for (const auto& [a, b, c, d] : kFaces) {
        if (is_beyond(corners[a], corners[b], corners[c], corners[d])) {
            const Simplex part = nearest_part(corners[a], corners[b], corners[c]);
            const double squared = glm::dot(part.nearest(), part.nearest());
            if (squared < least) {
                least = squared;
                best = part;
            }
        }
    }
    if (least == INFINITY) {
        best.corners = corners;
        best.count = 4;
    }
    return best;
}

Simplex nearest_part(const Simplex& simplex) {
    switch (simplex.count) {
        case 1:
            return part_of(simplex.corners[0]);
        case 2:
            return nearest_part(simplex.corners[0], simplex.corners[1]);
        case 3:
            return nearest_part(simplex.corners[0], simplex.corners[1], simplex.corners[2]);
        default:
            return nearest_part(simplex.corners);
    }
}

bool has_corner(const Simplex& simplex, const glm::dvec3& difference) {
    for (std::size_t i = 0; i < simplex.count; ++i) {
        if (simplex.corners[i].difference == difference) {
            return true;
        }
    }
    return false;
}

}  // namespace

CoreGap gap_between(const ConvexCore& first, const ConvexCore& second) {
    // Round cores approach their distance without end; after so many rounds it is near enough.
    constexpr int kRoundsMax = 100;
    constexpr double kRelative = 1e-12;
    constexpr double kMeetM = 1e-9;
    const auto corner_along = [&](const glm::dvec3& direction) {
        const glm::dvec3 on_second = support(second, direction);
        return Corner{support(first, -direction) - on_second, on_second};
    };
    Simplex simplex = part_of(corner_along(first.centre - second.centre));
    CoreGap gap;
    for (int round = 0; round < kRoundsMax; ++round) {
        const glm::dvec3 nearest = simplex.nearest();
        const double squared = glm::dot(nearest, nearest);
        if (squared <= kMeetM * kMeetM) {
            return {};
        }
        const Corner corner = corner_along(nearest);
        const double along = glm::dot(nearest, corner.difference);
        const double distance = std::sqrt(squared);
        gap = {distance, along / distance, nearest / distance, simplex.on_second()};
        if (squared - along <= kRelative * squared || has_corner(simplex, corner.difference)) {
            break;
        }
        Simplex grown = simplex;
        grown.corners[grown.count++] = corner;
        Simplex next = nearest_part(grown);
        if (next.count == 4) {
            return {};
        }
        const auto is_nearer = [&] {
            const glm::dvec3 nearer = next.nearest();
            return glm::dot(nearer, nearer) < squared;
        };
        if (!is_nearer()) {
            // Corners so near to each other that their triangle is noise: go on from the point
            // found, which is a point of the difference like any other.
            next = nearest_part({nearest, simplex.on_second()}, corner);
            if (!is_nearer()) {
                break;
            }
        }
        simplex = next;
    }
    return gap;
}

}  // namespace terrane
