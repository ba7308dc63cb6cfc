// What lies about when a zone starts for the first time: first_count of each kind in bodies.toml
// around the spawn place, and on the nearest water of what floats every second one, of what has
// seats and floats each one.
#pragma once

#include <functional>
#include <optional>

#include "server/app/zone_config.h"
#include "server/world/world.h"

namespace terrane {

/// The voxel column nearest to the spawn column whose ground lies at least 2 m under the water's
/// level, so that it is open water; nullopt if there is none within 256 m. By the generator alone.
std::optional<VoxelCoord> find_water(const ZoneConfig& config);

/// Adds config.first_counts of each kind to `world`. `load_area` must have the chunks around a
/// column loaded when it returns.
void place_first_bodies(World& world, const ZoneConfig& config,
                        const std::function<void(std::int32_t x, std::int32_t z)>& load_area);

}  // namespace terrane
