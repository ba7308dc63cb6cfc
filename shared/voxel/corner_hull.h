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

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace terrane {

/// In 1/256 m; within 0 .. 65 * 256 of each other on each axis.
struct LatticePoint {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    friend auto operator<=>(const LatticePoint&, const LatticePoint&) = default;
};

/// Takes at most `corners_max` (4 at least) of the points: as many as it takes for none to lie
/// `tolerance` (1/256 m, 8 at least) outside of a face. Returns their indices, ascending; fewer
/// than four for a cloud without volume.
std::vector<std::size_t> hull_corners(std::span<const LatticePoint> points, std::size_t corners_max,
                                      std::int32_t tolerance);

/// None of `points` may lie more than `depth_max` (1/256 m) below every face.
struct DepthLimit {
    std::span<const LatticePoint> points;
    std::int32_t depth_max = 0;
};
/// The same corners if their hull keeps the limits, nothing if not.
std::vector<std::size_t> tight_hull_corners(std::span<const LatticePoint> points,
                                            std::size_t corners_max, std::int32_t tolerance,
                                            std::span<const DepthLimit> limits);

}  // namespace terrane
