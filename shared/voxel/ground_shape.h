// The ground before caves: one height a column, in 1/256 m, as a pure integer function of seed and
// place. Rolling hills everywhere, mountains where a slow noise says so and always one some 330 m
// from the origin, a lake 104 m from the origin on the other side, and gentle dry ground around the
// origin itself, where players start.
#pragma once

#include <cstdint>

namespace terrane {

inline constexpr std::int32_t kHeightOne = 256;  ///< one metre
/// No ground is higher or lower than this above the sea.
inline constexpr std::int32_t kGroundHeightMaxM = 121;
inline constexpr std::int32_t kGroundHeightMinM = -16;

struct GroundPlaces {
    std::int32_t lake_x;  ///< metres
    std::int32_t lake_z;
    std::int32_t mountain_x;
    std::int32_t mountain_z;
};

/// Where the seed puts the lake and the mountain that every zone has.
GroundPlaces ground_places(std::uint64_t seed);

/// Height of the ground's surface in the middle of column (x, z) above the sea, 1/256 m. About 150
/// ns.
std::int32_t ground_height(std::uint64_t seed, const GroundPlaces& places, std::int32_t x,
                           std::int32_t z);

/// Distance from a place in 1/256 m, rounded down.
std::int32_t distance_from(std::int32_t place_x, std::int32_t place_z, std::int32_t x,
                           std::int32_t z);

}  // namespace terrane
