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

struct WidePoint {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;
};

WidePoint operator-(const WidePoint& a, const WidePoint& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
WidePoint cross(const WidePoint& a, const WidePoint& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
std::int64_t dot(const WidePoint& a, const WidePoint& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
double squared_length(const WidePoint& a) {
    const auto x = static_cast<double>(a.x);
    const auto y = static_cast<double>(a.y);
    const auto z = static_cast<double>(a.z);
    return x * x + y * y + z * z;
}

constexpr std::size_t kGone = SIZE_MAX;

/// Corners counter-clockwise seen from outside.
struct HullFace {
    std::array<std::size_t, 3> corner{};
    WidePoint normal;
    double length = 0.0;  ///< of the normal
};

/// A point not yet inside: the face that it is outside of, and how far.
struct Outsider {
    std::size_t point = 0;
    std::size_t face = 0;
    double distance = 0.0;
};

class HullBuilder {
  public:
    explicit HullBuilder(std::span<const LatticePoint> points);

    std::vector<std::size_t> build(std::size_t corners_max, double distance_min);
    bool has_deeper(std::span<const LatticePoint> asked, double depth_max) const;

  private:
    WidePoint move_out(const LatticePoint& p) const;
    bool start();
    std::size_t farthest_from(std::size_t a) const;
    std::size_t farthest_from_line(std::size_t a, std::size_t b) const;
    void add_face(std::size_t a, std::size_t b, std::size_t c);
    bool assign(Outsider& outsider, std::size_t first_face) const;
    void add_corner(const Outsider& next);

    std::int64_t height(const HullFace& face, std::size_t point) const {
        return dot(face.normal, points_[point] - points_[face.corner[0]]);
    }

    WidePoint low_;
    WidePoint size_;
    double diagonal_ = 0.0;
    std::vector<WidePoint> points_;
    std::vector<HullFace> faces_;
    std::vector<Outsider> outsiders_;
    std::vector<std::size_t> corners_;
    std::vector<std::pair<std::size_t, std::size_t>> edges_;  ///< of the faces a corner sees
    std::vector<std::size_t> moved_to_;                       ///< by face before, or kGone
};

HullBuilder::HullBuilder(std::span<const LatticePoint> points) {
    LatticePoint low = points[0];
    LatticePoint high = points[0];
    for (const LatticePoint& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    low_ = {low.x, low.y, low.z};
    size_ = WidePoint{high.x, high.y, high.z} - low_;
    TERRANE_ASSERT(std::max({size_.x, size_.y, size_.z}) <= 65 * 256);
    diagonal_ = std::max(std::sqrt(squared_length(size_)), 1.0);
    points_.reserve(points.size());
    for (const LatticePoint& p : points) {
        points_.push_back(move_out(p));
    }
}

/// Scaled, and moved as corner_hull.h says.
WidePoint HullBuilder::move_out(const LatticePoint& p) const {
    const WidePoint at = WidePoint{p.x, p.y, p.z} - low_;
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

std::vector<std::size_t> HullBuilder::build(std::size_t corners_max, double distance_min) {
    if (start()) {
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
    std::ranges::sort(corners_);
    return corners_;
}

bool HullBuilder::has_deeper(std::span<const LatticePoint> asked, double depth_max) const {
    std::size_t near = 0;  // the face that the point before lay under: most often this one does too
    return std::ranges::any_of(asked, [&](const LatticePoint& p) {
        const WidePoint at = move_out(p);
        const auto is_deep = [&](const HullFace& face) {
            const std::int64_t above = dot(face.normal, at - points_[face.corner[0]]);
            return static_cast<double>(-above) > depth_max * face.length;
        };
        for (std::size_t i = 0; i < faces_.size(); ++i) {
            const std::size_t face = i == 0 ? near : i == near ? 0 : i;
            if (!is_deep(faces_[face])) {
                near = face;
                return false;
            }
        }
        return !faces_.empty();
    });
}

/// The first four corners and faces; false if the points have no volume.
bool HullBuilder::start() {
    const std::size_t a = farthest_from(0);
    const std::size_t b = farthest_from(a);
    corners_ = {a};
    if (a == b) {
        return false;
    }
    corners_.push_back(b);
    const std::size_t c = farthest_from_line(a, b);
    add_face(a, b, c);
    if (faces_[0].length == 0.0) {
        return false;
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
        return false;
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
    return true;
}

std::size_t HullBuilder::farthest_from(std::size_t a) const {
    std::size_t best = a;
    double best_squared = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const double squared = squared_length(points_[i] - points_[a]);
        if (squared > best_squared) {
            best = i;
            best_squared = squared;
        }
    }
    return best;
}

std::size_t HullBuilder::farthest_from_line(std::size_t a, std::size_t b) const {
    std::size_t best = a;
    double best_squared = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const double squared =
            squared_length(cross(points_[b] - points_[a], points_[i] - points_[a]));
        if (squared > best_squared) {
            best = i;
            best_squared = squared;
        }
    }
    return best;
}

void HullBuilder::add_face(std::size_t a, std::size_t b, std::size_t c) {
    const WidePoint normal = cross(points_[b] - points_[a], points_[c] - points_[a]);
    faces_.push_back({{a, b, c}, normal, std::sqrt(squared_length(normal))});
}

/// Finds the face from `first_face` on that the point is farthest outside of; false if none.
bool HullBuilder::assign(Outsider& outsider, std::size_t first_face) const {
    outsider.distance = 0.0;
    for (std::size_t face = first_face; face < faces_.size(); ++face) {
        const std::int64_t above = height(faces_[face], outsider.point);
        if (above > 0) {
            const double distance = static_cast<double>(above) / faces_[face].length;
            if (distance > outsider.distance) {
                outsider.face = face;
                outsider.distance = distance;
            }
        }
    }
    return outsider.distance > 0.0;
}

/// Replaces the faces that the point sees by faces from their outline to the point.
void HullBuilder::add_corner(const Outsider& next) {
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
            faces_[kept++] = faces_[i];
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
    for (Outsider outsider : outsiders_) {
        const std::size_t face = moved_to_[outsider.face];
        outsider.face = face;
        if (outsider.point != corner && (face != kGone || assign(outsider, first_new))) {
            outsiders_[left++] = outsider;
        }
    }
    outsiders_.resize(left);
}

}  // namespace

std::vector<std::size_t> hull_corners(std::span<const LatticePoint> points, std::size_t corners_max,
                                      std::int32_t tolerance) {
    return tight_hull_corners(points, corners_max, tolerance, {});
}

std::vector<std::size_t> tight_hull_corners(std::span<const LatticePoint> points,
                                            std::size_t corners_max, std::int32_t tolerance,
                                            std::span<const DepthLimit> limits) {
    TERRANE_ASSERT(corners_max >= 4 && tolerance >= 8);
    if (points.empty()) {
        return {};
    }
    HullBuilder builder(points);
    std::vector<std::size_t> corners =
        builder.build(corners_max, static_cast<double>(tolerance * kScale));
    const bool is_tight = std::ranges::none_of(limits, [&](const DepthLimit& limit) {
        return builder.has_deeper(limit.points, static_cast<double>(limit.depth_max * kScale));
    });
    return is_tight ? corners : std::vector<std::size_t>{};
}

}  // namespace terrane
