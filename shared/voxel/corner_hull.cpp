#include "shared/voxel/corner_hull.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "shared/core/assert.h"
#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr std::int64_t kScale = 32;
constexpr double kHollow = 128.0;
constexpr std::uint64_t kNoise = 7;  ///< mask

constexpr std::size_t kGone = SIZE_MAX;

}  // namespace

CornerHull::WidePoint CornerHull::minus(const WidePoint& a, const WidePoint& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
CornerHull::WidePoint CornerHull::cross(const WidePoint& a, const WidePoint& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
std::int64_t CornerHull::dot(const WidePoint& a, const WidePoint& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
CornerHull::Place CornerHull::place(const WidePoint& a) {
    return {static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)};
}
double CornerHull::squared_length(const WidePoint& a) {
    const Place p = place(a);
    return p.x * p.x + p.y * p.y + p.z * p.z;
}

CornerHull::CornerHull(std::span<const LatticePoint> points) {
    LatticePoint low = points[0];
    LatticePoint high = points[0];
    for (const LatticePoint& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    low_ = {low.x, low.y, low.z};
    size_ = minus({high.x, high.y, high.z}, low_);
    TERRANE_ASSERT(std::max({size_.x, size_.y, size_.z}) <= 65 * 256);
    diagonal_ = std::max(std::sqrt(squared_length(size_)), 1.0);
    points_.reserve(points.size());
    places_.reserve(points.size());
    for (const LatticePoint& p : points) {
        points_.push_back(move_out(p));
        places_.push_back(place(points_.back()));
    }
    start();
}

/// Scaled, and moved as corner_hull.h says.
CornerHull::WidePoint CornerHull::move_out(const LatticePoint& p) const {
    const WidePoint at = minus({p.x, p.y, p.z}, low_);
    // Twice the way from the middle, at most the box's diagonal.
    const WidePoint out{2 * at.x - size_.x, 2 * at.y - size_.y, 2 * at.z - size_.z};
    const double share = squared_length(out) / (diagonal_ * diagonal_);
    const std::uint64_t noise =
        mix_bits(static_cast<std::uint64_t>((at.y << 40) ^ (at.z << 20) ^ at.x));
    const auto move = [&](std::int64_t from_middle, unsigned shift) {
        const double away = kHollow * share * (static_cast<double>(from_middle) / diagonal_);
        return static_cast<std::int64_t>(away) +
               static_cast<std::int64_t>((noise >> shift) & kNoise);
    };
    return {at.x * kScale + move(out.x, 0), at.y * kScale + move(out.y, 8),
            at.z * kScale + move(out.z, 16)};
}

void CornerHull::grow(std::size_t corners_max, std::int32_t tolerance) {
    TERRANE_ASSERT(corners_max >= 4 && tolerance >= 8);
    const auto distance_min = static_cast<double>(tolerance * kScale);
    while (corners_.size() < corners_max && !outsiders_.empty()) {
        const Outsider next =
            *std::ranges::max_element(outsiders_, [](const Outsider& a, const Outsider& b) {
                return a.distance < b.distance;  // of equal ones the first
            });
        if (next.distance < distance_min) {
            break;
        }
        add_corner(next);
    }
}

std::vector<std::size_t> CornerHull::corners() const {
    std::vector<std::size_t> sorted = corners_;
    std::ranges::sort(sorted);
    return sorted;
}

double CornerHull::deepest_of_first(std::size_t count, double known) const {
    return deepest_of(count, known, [this](std::size_t i) { return places_[i]; });
}

double CornerHull::deepest(std::span<const LatticePoint> asked, double known) const {
    return deepest_of(asked.size(), known, [&](std::size_t i) {
        return place({(asked[i].x - low_.x) * kScale, (asked[i].y - low_.y) * kScale,
                      (asked[i].z - low_.z) * kScale});
    });
}

template <typename PlaceOf>
double CornerHull::deepest_of(std::size_t count, double known, PlaceOf place_of) const {
    double deepest = known * static_cast<double>(kScale);
    std::size_t near = 0;  // the face that the point before lay under: most often this one does too
    for (std::size_t i = 0; i < count && !faces_.empty(); ++i) {
        const Place at = place_of(i);
        double least = -faces_[near].plane.height(at);
        for (std::size_t face = 0; face < faces_.size() && least > deepest; ++face) {
            if (const double depth = -faces_[face].plane.height(at); depth < least) {
                least = depth;
                near = face;
            }
        }
        deepest = std::max(deepest, least);
    }
    return deepest / static_cast<double>(kScale);
}

/// The first four corners and faces; none if the points have no volume.
void CornerHull::start() {
    const std::size_t a = farthest_from(0);
    const std::size_t b = farthest_from(a);
    corners_ = {a};
    if (a == b) {
        return;
    }
    corners_.push_back(b);
    const std::size_t c = farthest_from_line(a, b);
    add_face(a, b, c);
    if (faces_[0].length == 0.0) {
        faces_.clear();
        return;
    }
    corners_.push_back(c);
    std::size_t d = a;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        if (std::abs(height(faces_[0], i)) > std::abs(height(faces_[0], d))) {
            d = i;
        }
    }
    const std::int64_t above = height(faces_[0], d);
    if (above == 0) {
        faces_.clear();
        return;
    }
    corners_.push_back(d);
    if (above > 0) {
        faces_.clear();
        add_face(a, c, b);
    }
    const std::array<std::size_t, 3> base = faces_[0].corner;
    for (std::size_t i = 0; i < 3; ++i) {
        add_face(base[(i + 1) % 3], base[i], d);
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
        Outsider outsider{i, 0, 0.0};
        if (assign(outsider, 0)) {
            outsiders_.push_back(outsider);
        }
    }
}

std::size_t CornerHull::farthest_from(std::size_t a) const {
    std::size_t best = a;
    double best_squared = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const double squared = squared_length(minus(points_[i], points_[a]));
        if (squared > best_squared) {
            best = i;
            best_squared = squared;
        }
    }
    return best;
}

std::size_t CornerHull::farthest_from_line(std::size_t a, std::size_t b) const {
    std::size_t best = a;
    double best_squared = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const double squared =
            squared_length(cross(minus(points_[b], points_[a]), minus(points_[i], points_[a])));
        if (squared > best_squared) {
            best = i;
            best_squared = squared;
        }
    }
    return best;
}

void CornerHull::add_face(std::size_t a, std::size_t b, std::size_t c) {
    const WidePoint normal = cross(minus(points_[b], points_[a]), minus(points_[c], points_[a]));
    const double length = std::sqrt(squared_length(normal));
    Plane plane{place(normal), 0.0};
    plane.normal.x /= length;
    plane.normal.y /= length;
    plane.normal.z /= length;
    plane.offset = plane.height(places_[a]);
    faces_.push_back({{a, b, c}, normal, length, plane});
}

/// Finds the face from `first_face` on that the point is farthest outside of; false if none.
bool CornerHull::assign(Outsider& outsider, std::size_t first_face) const {
    outsider.distance = 0.0;
    for (std::size_t face = first_face; face < faces_.size(); ++face) {
        const double distance = faces_[face].plane.height(places_[outsider.point]);
        if (distance > outsider.distance) {
            outsider.face = face;
            outsider.distance = distance;
        }
    }
    return outsider.distance > 0.0;
}

/// Replaces the faces that the point sees by faces from their outline to the point.
void CornerHull::add_corner(const Outsider& next) {
    const std::size_t corner = next.point;
    corners_.push_back(corner);
    edges_.clear();
    moved_to_.resize(faces_.size());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < faces_.size(); ++i) {
        if (height(faces_[i], corner) > 0) {
            moved_to_[i] = kGone;
            for (std::size_t k = 0; k < 3; ++k) {
                edges_.emplace_back(faces_[i].corner[k], faces_[i].corner[(k + 1) % 3]);
            }
        } else {
            moved_to_[i] = kept;
            if (kept != i) {
                faces_[kept] = faces_[i];
            }
            ++kept;
        }
    }
    faces_.resize(kept);
    const std::size_t first_new = faces_.size();
    for (const auto& [a, b] : edges_) {
        if (std::ranges::find(edges_, std::pair{b, a}) == edges_.end()) {
            add_face(a, b, corner);
        }
    }
    std::size_t left = 0;
    for (Outsider& outsider : outsiders_) {
        const std::size_t face = moved_to_[outsider.face];
        if (face != kGone) {
            outsider.face = face;
        } else if (outsider.point == corner || !assign(outsider, first_new)) {
            continue;
        }
        outsiders_[left++] = outsider;
    }
    outsiders_.resize(left);
}

std::vector<std::size_t> hull_corners(std::span<const LatticePoint> points, std::size_t corners_max,
                                      std::int32_t tolerance) {
    if (points.empty()) {
        return {};
    }
    CornerHull hull(points);
    hull.grow(corners_max, tolerance);
    return hull.corners();
}

}  // namespace terrane
