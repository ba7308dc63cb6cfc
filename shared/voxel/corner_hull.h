// Which few points of a cloud span (nearly) its convex hull: quickhull (Barber, Dobkin, Huhdanpaa,
// 1996) that always takes the point farthest outside and stops early. Every point taken is extreme
// in some direction, so that all corners lie on the hull of the whole cloud.
//
// Exact: coordinates are integers (1/256 m), scaled up by 32. On a lattice planes of many points
// are the rule, and a point amid a plane or an edge is no corner: so each point is first moved away
// from the middle, by up to 128 with the cube of its distance, which leaves flat sides a little
// hollow, and by a hash of its place up to 7, which takes apart what is still level. The tolerance
// is above both. A plane test is 61 bits at most. So the same points give the same corners
// everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace terrane {

/// In 1/256 m; within 0 .. 65 * 256 of each other on each axis.
struct LatticePoint {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    friend auto operator<=>(const LatticePoint&, const LatticePoint&) = default;
};

/// A hull that takes one corner after the other. It only ever grows, so that what lies deep inside
/// stays deep. Holds copies of the points.
class CornerHull {
  public:
    explicit CornerHull(std::span<const LatticePoint> points);

    /// Takes corners until there are `corners_max` (4 at least), or until no point lies `tolerance`
    /// (1/256 m, 8 at least) outside of a face.
    void grow(std::size_t corners_max, std::int32_t tolerance);
    /// Indices of the corners, ascending; fewer than four for a cloud without volume.
    std::vector<std::size_t> corners() const;

    /// How deep the deepest of the first `count` points lies below every face, 1/256 m, or `known`
    /// if that is more.
    double deepest_of_first(std::size_t count, double known) const;
    double deepest(std::span<const LatticePoint> asked, double known) const;

  private:
    struct WidePoint {
        std::int64_t x = 0;
        std::int64_t y = 0;
        std::int64_t z = 0;
    };
    struct Place {
        double x = 0.0;
        double y = 0.0;
        double z = 0.0;
    };
    /// Unit normal, outward.
    struct Plane {
        Place normal;
        double offset = 0.0;

        double height(const Place& p) const {
            return normal.x * p.x + normal.y * p.y + normal.z * p.z - offset;
        }
    };
    /// Corners counter-clockwise seen from outside.
    struct Face {
        std::array<std::size_t, 3> corner{};
        WidePoint normal;  ///< exact: says who sees the face
        double length = 0.0;
        Plane plane;  ///< says how far away something is
    };
    /// A point not yet inside: the face that it is outside of, and how far.
    struct Outsider {
        std::size_t point = 0;
        std::size_t face = 0;
        double distance = 0.0;
    };

    static WidePoint cross(const WidePoint& a, const WidePoint& b);
    static std::int64_t dot(const WidePoint& a, const WidePoint& b);
    static WidePoint minus(const WidePoint& a, const WidePoint& b);
    static Place place(const WidePoint& a);
    static double squared_length(const WidePoint& a);

    WidePoint move_out(const LatticePoint& p) const;
    void start();
    std::size_t farthest_from(std::size_t a) const;
    std::size_t farthest_from_line(std::size_t a, std::size_t b) const;
    void add_face(std::size_t a, std::size_t b, std::size_t c);
    bool assign(Outsider& outsider, std::size_t first_face) const;
    void add_corner(const Outsider& next);
    template <typename PlaceOf>
    double deepest_of(std::size_t count, double known, PlaceOf place_of) const;

    std::int64_t height(const Face& face, std::size_t point) const {
        return dot(face.normal, minus(points_[point], points_[face.corner[0]]));
    }

    WidePoint low_;
    WidePoint size_;
    double diagonal_ = 0.0;
    std::vector<WidePoint> points_;
    std::vector<Place> places_;  ///< the same
    std::vector<Face> faces_;
    std::vector<Outsider> outsiders_;
    std::vector<std::size_t> corners_;
    std::vector<std::pair<std::size_t, std::size_t>> edges_;  ///< of the faces a corner sees
    std::vector<std::size_t> moved_to_;                       ///< by face before, or kGone
};

/// The corners of such a hull.
std::vector<std::size_t> hull_corners(std::span<const LatticePoint> points, std::size_t corners_max,
                                      std::int32_t tolerance);

}  // namespace terrane
