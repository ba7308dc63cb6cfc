#include "shared/shape/ray_triangle.h"

#include <algorithm>
#include <cmath>

namespace terrane {
namespace {

/// Relative size below which a ray counts as lying in a triangle's plane.
constexpr double kFlattest = 0x1p-40;

struct Double3 {
    double x;
    double y;
    double z;
};

Double3 to_double(const Vec3& v) {
    return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
Double3 difference(const Vec3& a, const Vec3& b) {
    return {static_cast<double>(a.x) - static_cast<double>(b.x),
            static_cast<double>(a.y) - static_cast<double>(b.y),
            static_cast<double>(a.z) - static_cast<double>(b.z)};
}
Double3 cross(const Double3& a, const Double3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double dot(const Double3& a, const Double3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
double largest(const Double3& v) {
    return std::max(std::abs(v.x), std::max(std::abs(v.y), std::abs(v.z)));
}

/// Opposite signs: the ray passes the two edges on different sides. Zero goes with either.
bool differ(double side, double other) {
    return side * other < 0.0;
}

/// The place on the ray, once the sides agree; negative: none. `a`, `b`, `c` from the ray's origin.
float place_on_ray(const Ray& ray, const Double3& direction, const Double3& a, const Double3& b,
                   const Double3& c, double side_ab, double side_bc, double side_ca) {
    // All three vanish together for a ray in the triangle's plane, whether it meets it or not:
    // below this their signs are rounding.
    const double volume = side_ab + side_bc + side_ca;
    const double reach = std::max(largest(a), std::max(largest(b), largest(c)));
    if (!(std::abs(volume) > kFlattest * largest(direction) * reach * reach)) {
        return -1.0F;
    }
    // The mean of the corners' places along the ray, weighted as they make up the point hit: it
    // never lies outside the triangle.
    const double t =
        (side_bc * dot(a, direction) + side_ca * dot(b, direction) + side_ab * dot(c, direction)) /
        (volume * dot(direction, direction));
    if (!(t >= 0.0 && t <= static_cast<double>(ray.t_max))) {
        return -1.0F;
    }
    return static_cast<float>(t);
}

}  // namespace

std::optional<float> intersect_triangle(const Ray& ray, const Vec3& a, const Vec3& b,
                                        const Vec3& c) {
    const Double3 direction = to_double(ray.direction);
    const Double3 to_a = difference(a, ray.origin);
    const Double3 to_b = difference(b, ray.origin);
    const Double3 to_c = difference(c, ray.origin);
    // On which side of each edge the ray passes: the sign of the volume of direction and edge.
    // Swapping an edge's ends flips the sign exactly.
    const double side_ab = dot(direction, cross(to_a, to_b));
    const double side_bc = dot(direction, cross(to_b, to_c));
    if (differ(side_ab, side_bc)) {
        return std::nullopt;
    }
    const double side_ca = dot(direction, cross(to_c, to_a));
    if (differ(side_ab, side_ca) || differ(side_bc, side_ca)) {
        return std::nullopt;
    }
    const float t = place_on_ray(ray, direction, to_a, to_b, to_c, side_ab, side_bc, side_ca);
    return t >= 0.0F ? std::optional<float>(t) : std::nullopt;
}

namespace {

/// Two doubles in one register by the compiler's vector extension: each lane is rounded as a lone
/// double is, on every machine.
using Double2 = double __attribute__((vector_size(16)));

struct TwoVectors {
    Double2 x;
    Double2 y;
    Double2 z;

    TwoVectors(const Double3& first, const Double3& second)
        : x{first.x, second.x}, y{first.y, second.y}, z{first.z, second.z} {}
};

/// dot(direction, cross(a, b)) in either lane.
Double2 sides(const Double3& direction, const TwoVectors& a, const TwoVectors& b) {
    return direction.x * (a.y * b.z - a.z * b.y) + direction.y * (a.z * b.x - a.x * b.z) +
           direction.z * (a.x * b.y - a.y * b.x);
}

}  // namespace

QuadHit intersect_quad(const Ray& ray, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Double3 direction = to_double(ray.direction);
    const Double3 to_a = difference(a, ray.origin);
    const Double3 to_b = difference(b, ray.origin);
    const Double3 to_c = difference(c, ray.origin);
    const Double3 to_d = difference(d, ray.origin);
    // Opposite edges of the quad together: ab with cd, bc with da.
    const TwoVectors b_and_d(to_b, to_d);
    const Double2 ab_and_cd = sides(direction, {to_a, to_c}, b_and_d);
    const Double2 bc_and_da = sides(direction, b_and_d, {to_c, to_a});
    const double ca = dot(direction, cross(to_c, to_a));
    const Double2 diagonals{ca, -ca};
    // A lane differs where one of these products is negative.
    const auto is_missed = (ab_and_cd * bc_and_da < 0.0) | (ab_and_cd * diagonals < 0.0) |
                           (bc_and_da * diagonals < 0.0);
    QuadHit hit;
    if (is_missed[0] == 0) {
        hit.first = place_on_ray(ray, direction, to_a, to_b, to_c, ab_and_cd[0], bc_and_da[0], ca);
    }
    if (is_missed[1] == 0) {
        hit.second =
            place_on_ray(ray, direction, to_a, to_c, to_d, -ca, ab_and_cd[1], bc_and_da[1]);
    }
    return hit;
}

}  // namespace terrane
