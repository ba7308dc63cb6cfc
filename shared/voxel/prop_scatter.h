// Props: static bodies (boulders, trunks) that grow with the terrain. A pure function of seed and
// chunk, integers only, so that every thread and machine grows the same ones; nothing is stored but
// which of them are gone, one bit each.
//
// A chunk's column of ground is 8 x 8 cells of 4 m, and a cell grows at most one prop: so a chunk
// has at most 64, and a prop's index is its cell's number, the same whatever else grows or goes.
//
//   cell's dice -> a rule, or nothing (nearly always) -> a place in the cell
//     -> leaves it to a neighbour's of a higher number if they would touch
//     -> ground there: height within the rule's, slope below 30 degrees, clear of keep-clear places
//     -> belongs to the chunk that holds the voxel of its foot
//
// Only cells that the dice named ask for the ground's height. Gentle ground has no cave mouths
// (terrain_generator.cpp), so nothing hangs over a hole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/math/transform.h"
#include "shared/voxel/terrain_generator.h"

namespace terrane {

inline constexpr std::int32_t kPropCellM = 4;
inline constexpr std::size_t kPropsPerChunkMax = 64;
/// Two props of this radius in cells that do not touch stay apart.
inline constexpr std::int32_t kPropRadiusMax16 = 28;  ///< 1/16 m
/// A cell grows one: rules that ask for more on a square kilometre, all together, get this.
inline constexpr std::uint32_t kPropsPerKm2Max = 1'000'000 / (kPropCellM * kPropCellM);

struct PropScatterRule {
    std::uint8_t kind = 0;  ///< in the table of body kinds
    std::uint32_t per_km2 = 0;
    std::int32_t radius_16 = 8;  ///< across the ground, 1/16 m, at most kPropRadiusMax16
    std::int32_t low_m = 1;      ///< lowest and highest ground, above the sea
    std::int32_t high_m = 1000;
};

/// A column that players or others need: nothing grows within `radius_m`.
struct KeepClear {
    std::int32_t x = 0;  ///< metres
    std::int32_t z = 0;
    std::int32_t radius_m = 6;
};

struct PropPlacement {
    std::uint8_t index = 0;  ///< its name in the chunk, 0 .. 63
    std::uint8_t kind = 0;
    std::uint16_t yaw = 0;  ///< 65536 a turn
    std::int16_t x = 0;     ///< foot, 1/16 voxel from the chunk's origin, 0 .. 511
    std::int16_t y = 0;
    std::int16_t z = 0;

    friend bool operator==(const PropPlacement&, const PropPlacement&) = default;
};
static_assert(sizeof(PropPlacement) == 10);

/// Ascending by index. Thread: any. Cost: some 5 us, a chunk above or below all ground nothing.
std::vector<PropPlacement> scatter_props(const GeneratorConfig& config, const GridBounds& bounds,
                                         const ChunkCoord& chunk,
                                         std::span<const PropScatterRule> rules,
                                         std::span<const KeepClear> keep_clear = {});

/// Metres, zone space; exact.
Vec3 prop_foot(const ChunkCoord& chunk, const PropPlacement& prop);
/// Pose of the shape's middle, `middle_above_foot_m` (shared/shape/body_kind.h) over the foot.
Transform prop_pose(const ChunkCoord& chunk, const PropPlacement& prop, float middle_above_foot_m);

}  // namespace terrane
