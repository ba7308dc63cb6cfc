// The chunks of a view: offsets with dx2 + dy2 + dz2 <= radius2, nearest first. Loading and
// streaming both walk this list, so that what is nearest is there first.
#pragma once

#include <span>

#include "shared/voxel/coords.h"

namespace terrane {

inline constexpr std::uint32_t kViewRadiusMax = 16;

/// radius in chunks, 0 .. kViewRadiusMax. Ordered by distance, then by coordinate. The lists are
/// made once and never change. Thread: any.
std::span<const ChunkCoord> view_offsets(std::uint32_t radius);

}  // namespace terrane
