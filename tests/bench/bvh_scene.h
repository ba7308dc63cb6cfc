// The worlds that the rows about trees of boxes measure, and the questions put to them. The flat
// world is the zone's own case: 70 % of the boxes in settlements, the rest spread, on hills of 100
// m; its side is 2,048 m at 10,000 boxes and grows with their number.
#pragma once

#include <vector>

#include "shared/bvh/query.h"
#include "shared/core/random.h"

namespace terrane::bench {

std::vector<Aabb> flat_world(std::size_t count);
std::vector<Aabb> cube_world(std::size_t count);
std::vector<Aabb> line_world(std::size_t count);
/// Equal boxes on a voxel grid: many equal centres on every axis.
std::vector<Aabb> lattice_world(std::size_t count);
/// The flat world and one box a hundred times its size away.
std::vector<Aabb> outlier_world(std::size_t count);

/// Up to 150 m, from about a box, direction of length 1.
std::vector<Ray> random_rays(const std::vector<Aabb>& boxes, std::size_t count);
/// Fans of 256 from one eye.
std::vector<Ray> coherent_rays(const std::vector<Aabb>& boxes, std::size_t count);
/// Cubes of this side, about where boxes are.
std::vector<Aabb> query_cubes(const std::vector<Aabb>& boxes, float side_m, std::size_t count);

/// The boxes of 10,000 bodies that move 0.5 to 6 m/s at 20 ticks a second, there and back again, so
/// that the last tick leads to the first.
std::vector<std::vector<Aabb>> moving_boxes(const std::vector<Aabb>& boxes, std::size_t ticks);

}  // namespace terrane::bench
