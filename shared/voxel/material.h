// What a voxel is made of. 0 is air, 1 is water; everything from 2 on is solid and named in
// config/materials.toml, in the order of the file. A voxel is a material and an occupancy (how
// full it is, 0..255). Air has occupancy 0, water and solids at least 1.
//
//   solid bit  solid material, occupancy >= 1       masks, edits
//   core bit   solid material, occupancy >= 128     the mesher's inside, sight, "inside rock"
//   water bit  water, occupancy >= 1                its surface = voxel floor + occupancy / 255
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace terrane {

using MaterialId = std::uint8_t;

inline constexpr MaterialId kAir = 0;
inline constexpr MaterialId kWater = 1;
inline constexpr MaterialId kFirstSolid = 2;
inline constexpr std::uint8_t kFullOccupancy = 255;
inline constexpr std::uint8_t kCoreOccupancy = 128;

struct Voxel {
    MaterialId material = kAir;
    std::uint8_t occupancy = 0;

    friend bool operator==(const Voxel&, const Voxel&) = default;
};

inline constexpr Voxel kAirVoxel{};
/// What lies below the zone's floor.
inline constexpr Voxel kBedrockVoxel{kFirstSolid, kFullOccupancy};

constexpr bool is_solid(const Voxel& v) {
    return v.material >= kFirstSolid && v.occupancy > 0;
}
constexpr bool is_core(const Voxel& v) {
    return v.material >= kFirstSolid && v.occupancy >= kCoreOccupancy;
}
constexpr bool is_water(const Voxel& v) {
    return v.material == kWater && v.occupancy > 0;
}
/// The mesher's density: how full of solid, 0..255; the surface lies at 127.5.
constexpr std::uint8_t solid_density(const Voxel& v) {
    return v.material >= kFirstSolid ? v.occupancy : std::uint8_t{0};
}

struct Material {
    std::string name;
    float red = 0.5F;  ///< linear colour, 0..1
    float green = 0.5F;
    float blue = 0.5F;
    float friction = 0.8F;          ///< Coulomb, 0..2
    bool can_place = true;          ///< players may place it
    float density_kg_m3 = 2000.0F;  ///< what a piece of it weighs; above 0
};

/// By MaterialId; [0] is air, [1] water.
using MaterialTable = std::vector<Material>;

}  // namespace terrane
