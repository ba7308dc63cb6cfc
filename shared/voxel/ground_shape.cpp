#include "shared/voxel/ground_shape.h"

#include <algorithm>
#include <cmath>

#include "shared/voxel/lattice_noise.h"

namespace terrane {
namespace {

/// One octave: lattice units a metre along x and along z (16 fraction bits), which turn the lattice
/// so that octaves do not line up, and its own salt for the seed.
struct Octave {
    std::int32_t along_x;
    std::int32_t along_z;
    std::uint64_t salt;
};

constexpr Octave kHills220{275, 118, 0x1001};
constexpr Octave kHills96{-341, 591, 0x1002};
constexpr Octave kHills41{1240, 1007, 0x1003};
constexpr Octave kHills19{-1724, -2983, 0x1004};
constexpr Octave kMountains380{149, -86, 0x2001};
constexpr Octave kRidges150{260, 350, 0x2002};
constexpr Octave kCrags37{-1350, 1150, 0x2003};
constexpr Octave kShore35{1600, 973, 0x3001};

constexpr std::int32_t kLakeDistanceM = 104;
constexpr std::int32_t kMountainDistanceM = 330;
constexpr std::int32_t kLakeRadius = 38 * kHeightOne;
constexpr std::int32_t kSpawnHeight = 5 * kHeightOne;

/// -1 .. 1, 16 fraction bits.
std::int64_t octave_at(std::uint64_t seed, const Octave& octave, std::int32_t x, std::int32_t z) {
    const std::int64_t u = std::int64_t{x} * octave.along_x + std::int64_t{z} * octave.along_z;
    const std::int64_t v = std::int64_t{z} * octave.along_x - std::int64_t{x} * octave.along_z;
    return noise2(mix_bits(seed ^ (octave.salt * 0x9e3779b97f4a7c15ULL)), u, v);
}

/// `metres` high where the noise is 1.
std::int64_t relief(std::int64_t noise, std::int64_t metres) {
    return (noise * metres * kHeightOne) >> 16;
}

/// 0 at `low` and below, 1 at `high` and above (16 fraction bits), smooth between.
std::int64_t smooth_step(std::int64_t low, std::int64_t high, std::int64_t value) {
    const std::int64_t t =
        std::clamp<std::int64_t>((value - low) * kNoiseOne / (high - low), 0, kNoiseOne);
    const std::int64_t t2 = (t * t) >> 16;
    return (t2 * (std::int64_t{3} * kNoiseOne - 2 * t)) >> 16;
}

std::int64_t metres(std::int64_t m) {
    return m * kHeightOne;
}

std::int64_t hills_at(std::uint64_t seed, std::int32_t x, std::int32_t z) {
    const std::int64_t hills = metres(15) + relief(octave_at(seed, kHills220, x, z), 26) +
                               relief(octave_at(seed, kHills96, x, z), 12) +
                               relief(octave_at(seed, kHills41, x, z), 4) +
                               relief(octave_at(seed, kHills19, x, z), 1);
    // Low ground is flattened, its slope falling from 1 at 10 m to 1/4 at 0: plains, and now and
    // then a pond.
    const std::int64_t flat_from = metres(10);
    if (hills >= flat_from) {
        return hills;
    }
    const std::int64_t bend = hills > 0 ? hills * hills * 3 / (8 * flat_from) : 0;
    return metres(15) / 4 + hills / 4 + bend;
}

std::int64_t mountains_at(std::uint64_t seed, const GroundPlaces& places, std::int32_t x,
                          std::int32_t z, std::int64_t from_spawn) {
    const std::int64_t by_noise =
        smooth_step(kNoiseOne / 8, kNoiseOne / 2, octave_at(seed, kMountains380, x, z));
    const std::int64_t from_mountain = distance_from(places.mountain_x, places.mountain_z, x, z);
    const std::int64_t by_place = kNoiseOne - smooth_step(0, metres(190), from_mountain);
    const std::int64_t away = smooth_step(metres(70), metres(200), from_spawn);
    const std::int64_t mask = (std::max(by_noise, by_place) * away) >> 16;
    if (mask == 0) {
        return 0;
    }
    const std::int64_t fold = octave_at(seed, kRidges150, x, z);
    const std::int64_t ridge = std::max<std::int64_t>(kNoiseOne - (fold < 0 ? -fold : fold), 0);
    const std::int64_t height =
        metres(30) + relief((ridge * ridge) >> 16, 62) + relief(octave_at(seed, kCrags37, x, z), 9);
    return (height * mask) >> 16;
}

/// Bends heights above 84 m so that none passes kGroundHeightMaxM.
std::int64_t limit_height(std::int64_t height) {
    const std::int64_t over = height - metres(84);
    if (over <= 0) {
        return height;
    }
    const std::int64_t room = metres(kGroundHeightMaxM - 84);
    return metres(84) + over * room / (over + room);
}

std::int64_t with_spawn(std::uint64_t seed, std::int64_t ground, std::int32_t x, std::int32_t z,
                        std::int64_t from_spawn) {
    const std::int64_t natural = smooth_step(metres(20), metres(72), from_spawn);
    if (natural == kNoiseOne) {
        return ground;
    }
    const std::int64_t spawn = kSpawnHeight + relief(octave_at(seed, kHills41, x, z), 1);
    return noise_detail::lerp(spawn, ground, natural);
}

std::int64_t with_lake(std::uint64_t seed, const GroundPlaces& places, std::int64_t ground,
                       std::int32_t x, std::int32_t z) {
    const std::int64_t from_middle = distance_from(places.lake_x, places.lake_z, x, z);
    if (from_middle > metres(100)) {
        return ground;
    }
    // Metres outside the shore line; the beach rises an eighth of a metre a metre through it.
    const std::int64_t outside =
        from_middle - kLakeRadius - relief(octave_at(seed, kShore35, x, z), 8);
    const std::int64_t deep = smooth_step(metres(4), metres(22), -outside);
    const std::int64_t bed = std::max(outside, metres(-24)) / 8 - ((deep * metres(7)) >> 16);
    const std::int64_t natural = smooth_step(metres(9), metres(44), outside);
    return noise_detail::lerp(bed, ground, natural);
}

}  // namespace

std::int32_t distance_from(std::int32_t place_x, std::int32_t place_z, std::int32_t x,
                           std::int32_t z) {
    const std::int64_t dx = std::int64_t{x} - place_x;
    const std::int64_t dz = std::int64_t{z} - place_z;
    // sqrt rounds correctly and the sum is below 2^46: the floor is exact on every machine.
    const auto squared = static_cast<double>(dx * dx + dz * dz);
    return static_cast<std::int32_t>(std::sqrt(squared * (kHeightOne * kHeightOne)));
}

GroundPlaces ground_places(std::uint64_t seed) {
    const auto& toward =
        noise_detail::kDirections2[static_cast<std::size_t>(mix_bits(seed + 0x51ed270b) >> 60)];
    return {toward[0] * kLakeDistanceM / 256, toward[1] * kLakeDistanceM / 256,
            -toward[0] * kMountainDistanceM / 256, -toward[1] * kMountainDistanceM / 256};
}

std::int32_t ground_height(std::uint64_t seed, const GroundPlaces& places, std::int32_t x,
                           std::int32_t z) {
    const std::int64_t from_spawn = distance_from(0, 0, x, z);
    std::int64_t ground = hills_at(seed, x, z) + mountains_at(seed, places, x, z, from_spawn);
    ground = limit_height(ground);
    ground = with_spawn(seed, ground, x, z, from_spawn);
    ground = with_lake(seed, places, ground, x, z);
    return static_cast<std::int32_t>(ground);
}

}  // namespace terrane
