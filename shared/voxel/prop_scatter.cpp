#include "shared/voxel/prop_scatter.h"

#include <algorithm>
#include <cstdlib>

#include "shared/math/trig.h"
#include "shared/voxel/ground_shape.h"

namespace terrane {
namespace {

constexpr std::int32_t kPropOne = 16;  ///< a metre in a placement's steps
static_assert(kHeightOne >> 4 == kPropOne);
constexpr std::int32_t kCell16 = kPropCellM * kPropOne;
constexpr std::int32_t kCellsASide = kChunkSize / kPropCellM;
static_assert(std::size_t{kCellsASide} * kCellsASide == kPropsPerChunkMax);
/// Free ground between two props.
constexpr std::int32_t kGap16 = 8;
static_assert(2 * kPropRadiusMax16 + kGap16 <= kCell16);
/// 1/256: 144 = 29 degrees. Below 160 the ground's crust has no cave mouths.
constexpr std::int32_t kSlopeMax = 144;
/// Every foot is a little in the ground, which the mesh rounds.
constexpr std::int32_t kSink16 = 1;

/// What the dice of one cell say, whatever the ground there.
struct Candidate {
    const PropScatterRule* rule = nullptr;  ///< null: nothing grows
    std::uint64_t rank = 0;
    std::int32_t x = 0;  ///< 1/16 m, zone space
    std::int32_t z = 0;
    std::uint16_t yaw = 0;
};

/// Cell (x, z) covers x * 4 .. x * 4 + 4 m.
Candidate roll(std::uint64_t seed, std::int32_t cell_x, std::int32_t cell_z,
               std::span<const PropScatterRule> rules) {
    Random random(mix_bits(seed + 0x7001) ^ hash_value(VoxelCoord{cell_x, 0x9209, cell_z}));
    // A cell is 16 m2: of 62,500 faces of the dice each is one prop on a square kilometre.
    std::uint32_t face = random.below(kPropsPerKm2Max);
    Candidate candidate;
    for (const PropScatterRule& rule : rules) {
        if (face < rule.per_km2) {
            candidate.rule = &rule;
            break;
        }
        face -= rule.per_km2;
    }
    if (candidate.rule == nullptr) {
        return candidate;
    }
    candidate.x = cell_x * kCell16 + random.between(0, kCell16 - 1);
    candidate.z = cell_z * kCell16 + random.between(0, kCell16 - 1);
    candidate.yaw = static_cast<std::uint16_t>(random.below(65536));
    candidate.rank = random.next();
    return candidate;
}

std::int64_t distance2_16(const Candidate& a, std::int32_t x, std::int32_t z) {
    const std::int64_t dx = std::int64_t{a.x} - x;
    const std::int64_t dz = std::int64_t{a.z} - z;
    return dx * dx + dz * dz;
}

/// Would it touch what a neighbouring cell, which goes first, may grow?
bool gives_way(std::uint64_t seed, std::int32_t cell_x, std::int32_t cell_z,
               const Candidate& candidate, std::span<const PropScatterRule> rules) {
    for (std::int32_t dz = -1; dz <= 1; ++dz) {
        for (std::int32_t dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dz == 0) {
                continue;
            }
            const Candidate other = roll(seed, cell_x + dx, cell_z + dz, rules);
            if (other.rule == nullptr || other.rank < candidate.rank) {
                continue;
            }
            const std::int64_t apart = candidate.rule->radius_16 + other.rule->radius_16 + kGap16;
            if (distance2_16(candidate, other.x, other.z) < apart * apart) {
                return true;
            }
        }
    }
    return false;
}

bool is_kept_clear(const Candidate& candidate, std::span<const KeepClear> places) {
    return std::ranges::any_of(places, [&](const KeepClear& place) {
        const std::int64_t radius =
            std::int64_t{place.radius_m} * kPropOne + candidate.rule->radius_16;
        // To the middle of the column.
        return distance2_16(candidate, place.x * kPropOne + kPropOne / 2,
                            place.z * kPropOne + kPropOne / 2) < radius * radius;
    });
}

/// The ground under a candidate, from the four columns around it.
struct Footing {
    std::int32_t height;  ///< 1/256 m above the sea
    std::int32_t slope;   ///< 1/256, the steeper of x and z
};

Footing footing(std::uint64_t seed, const GroundPlaces& places, const Candidate& candidate) {
    // A column's height is that of its middle, half a metre from its corner.
    const std::int32_t from_x = candidate.x - kPropOne / 2;
    const std::int32_t from_z = candidate.z - kPropOne / 2;
    const std::int32_t x = from_x >> 4;
    const std::int32_t z = from_z >> 4;
    const std::int32_t part_x = from_x & (kPropOne - 1);
    const std::int32_t part_z = from_z & (kPropOne - 1);
    const std::int32_t h00 = ground_height(seed, places, x, z);
    const std::int32_t h10 = ground_height(seed, places, x + 1, z);
    const std::int32_t h01 = ground_height(seed, places, x, z + 1);
    const std::int32_t h11 = ground_height(seed, places, x + 1, z + 1);
    const std::int32_t near_row = h00 * (kPropOne - part_x) + h10 * part_x;
    const std::int32_t far_row = h01 * (kPropOne - part_x) + h11 * part_x;
    const std::int32_t rise_x = std::max(std::abs(h10 - h00), std::abs(h11 - h01));
    const std::int32_t rise_z = std::max(std::abs(h01 - h00), std::abs(h11 - h10));
    return {(near_row * (kPropOne - part_z) + far_row * part_z) >> 8, std::max(rise_x, rise_z)};
}

}  // namespace

std::vector<PropPlacement> scatter_props(const GeneratorConfig& config, const GridBounds& bounds,
                                         const ChunkCoord& chunk,
                                         std::span<const PropScatterRule> rules,
                                         std::span<const KeepClear> keep_clear) {
    std::vector<PropPlacement> props;
    const VoxelCoord origin = origin_of(chunk);
    const std::int32_t bottom_m = origin.y - config.sea_level_m;
    if (rules.empty() || !contains(bounds, chunk) || bottom_m > kGroundHeightMaxM ||
        bottom_m + kChunkSize <= kGroundHeightMinM - 2) {
        return props;
    }
    const GroundPlaces places = ground_places(config.seed);
    const std::int32_t first_x = origin.x / kPropCellM;  // chunks begin at whole cells
    const std::int32_t first_z = origin.z / kPropCellM;
    for (std::int32_t i = 0; i < kCellsASide * kCellsASide; ++i) {
        const std::int32_t cell_x = first_x + i % kCellsASide;
        const std::int32_t cell_z = first_z + i / kCellsASide;
        const Candidate candidate = roll(config.seed, cell_x, cell_z, rules);
        if (candidate.rule == nullptr || is_kept_clear(candidate, keep_clear)) {
            continue;
        }
        const PropScatterRule& rule = *candidate.rule;
        const Footing ground = footing(config.seed, places, candidate);
        if (ground.height < rule.low_m * kHeightOne || ground.height > rule.high_m * kHeightOne ||
            ground.slope > kSlopeMax || gives_way(config.seed, cell_x, cell_z, candidate, rules)) {
            continue;
        }
        // So deep that the downhill side of its foot is in the ground too.
        const std::int32_t sink_16 = kSink16 + ((ground.slope * rule.radius_16) >> 8);
        const std::int32_t foot_16 = (ground.height >> 4) - sink_16 - bottom_m * kPropOne;
        if (foot_16 < 0 || foot_16 >= kChunkSize * kPropOne) {
            continue;  // it belongs to the chunk below or above
        }
        props.push_back({static_cast<std::uint8_t>(i), rule.kind, candidate.yaw,
                         static_cast<std::int16_t>(candidate.x - origin.x * kPropOne),
                         static_cast<std::int16_t>(foot_16),
                         static_cast<std::int16_t>(candidate.z - origin.z * kPropOne)});
    }
    return props;
}

Vec3 prop_foot(const ChunkCoord& chunk, const PropPlacement& prop) {
    return corner_of(origin_of(chunk)) + Vec3(static_cast<float>(prop.x),
                                              static_cast<float>(prop.y),
                                              static_cast<float>(prop.z)) *
                                             (1.0F / kPropOne);
}

Transform prop_pose(const ChunkCoord& chunk, const PropPlacement& prop, float middle_above_foot_m) {
    Transform pose;
    pose.position = prop_foot(chunk, prop) + Vec3(0.0F, middle_above_foot_m, 0.0F);
    pose.rotation = rotation_about({0.0F, 1.0F, 0.0F}, prop.yaw);
    return pose;
}

}  // namespace terrane
