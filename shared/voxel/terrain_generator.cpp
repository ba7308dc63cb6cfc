// A chunk is made in three passes over one set of 32 x 32 columns (with a rim of one for slopes):
// ground and water by column height, caves by 3D noise on a lattice of 4 m, trees. Occupancy at a
// surface is the voxel's fraction under it, bent so that surface nets put the surface of level
// ground exactly at the column's height (see kSurfaceOccupancy).
#include "shared/voxel/terrain_generator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "shared/voxel/ground_shape.h"
#include "shared/voxel/lattice_noise.h"

namespace terrane {
namespace {

// The order of config/materials.toml.
constexpr MaterialId kRock = 2;
constexpr MaterialId kDirt = 3;
constexpr MaterialId kGrass = 4;
constexpr MaterialId kSand = 5;
constexpr MaterialId kSnow = 6;
constexpr MaterialId kWood = 7;

/// The topmost water voxel's: the surface lies a little below the sea level's plane.
constexpr std::uint8_t kWaterTopOccupancy = 224;

constexpr std::int32_t kSide = kChunkSize;
constexpr std::int32_t kRimSide = kSide + 2;
constexpr std::size_t kColumnCount = std::size_t{kSide} * kSide;
constexpr std::size_t kRimCount = std::size_t{kRimSide} * kRimSide;
constexpr std::int32_t kSoilDepth = 4 * kHeightOne;
/// From here down all is rock, full even under a cliff with a slope of 30.
constexpr std::int32_t kRockDepth = 16 * kHeightOne;
constexpr std::int32_t kHalf = kHeightOne / 2;

constexpr std::int32_t kCaveStep = 4;
constexpr std::int32_t kCavePoints = kSide / kCaveStep + 1;
constexpr std::int32_t kCaveLatticeUnits = kNoiseOne / 40;  ///< a metre
/// Squared noise below which a tunnel is: about 3 m wide on each side of its middle.
constexpr std::int32_t kCaveWidth = 900;
/// Squared noise over which a tunnel's wall goes from empty to full.
constexpr std::int32_t kCaveWall = 512;
constexpr std::int32_t kCaveFloorM = -30;  ///< above the sea

constexpr std::int32_t kTreeCell = 16;
constexpr std::int32_t kTreeMargin = 3;  ///< crowns stay inside their cell, so inside the chunk
constexpr std::int32_t kTreeTopM = 12;   ///< no tree is higher

/// By fraction under the surface (0 .. 256). A mesh edge from a full voxel below to occupancy o
/// crosses 127.5 at (o - 1/2) / o above this voxel's centre if o > 1/2, else it ends at
/// (1/2) / (1 - o) above the centre below; solved for the occupancy that puts it at the fraction.
constexpr std::array<std::uint8_t, kHeightOne + 1> kSurfaceOccupancy = [] {
    std::array<std::uint8_t, kHeightOne + 1> table{};
    for (std::int32_t f = 0; f <= kHeightOne; ++f) {
        constexpr std::int32_t kFull = 2 * kFullOccupancy * kHalf;
        const std::int32_t occupancy = f >= kHalf ? (kFull / (kHeightOne + kHalf - f) + 1) / 2
                                                  : kFullOccupancy - (kFull / (f + kHalf) + 1) / 2;
        table[static_cast<std::size_t>(f)] = static_cast<std::uint8_t>(occupancy);
    }
    return table;
}();
static_assert(kSurfaceOccupancy[0] == 0 && kSurfaceOccupancy[kHeightOne] == kFullOccupancy);
static_assert(kSurfaceOccupancy[kHalf] == kCoreOccupancy);

std::uint8_t surface_occupancy(std::int64_t fraction) {
    return kSurfaceOccupancy[static_cast<std::size_t>(
        std::clamp<std::int64_t>(fraction, 0, kHeightOne))];
}

/// Heights in 1/256 m above the sea; y coordinates are relative to the sea too.
struct Column {
    std::int32_t height;
    std::int32_t slope;       ///< 1/256: 256 = 45 degrees
    std::int32_t steepness;   ///< cosine of the slope, 16 fraction bits
    std::int32_t cave_share;  ///< 0 .. 256: how far caves may open here
    MaterialId top;
    MaterialId below;
};

constexpr std::size_t square_index(std::int32_t x, std::int32_t z, std::size_t side) {
    return static_cast<std::size_t>(z) * side + static_cast<std::size_t>(x);
}

struct ColumnSet {
    std::array<Column, kColumnCount> columns;
    std::int32_t height_min = 0;
    std::int32_t height_max = 0;

    const Column& at(std::int32_t x, std::int32_t z) const {
        return columns[square_index(x, z, kSide)];
    }
};

/// What both the voxel passes need. Origin y is relative to the sea.
struct ChunkSite {
    std::uint64_t seed;
    std::int32_t x;
    std::int32_t y;
    std::int32_t z;
    std::int32_t cave_floor;  ///< metres
};

std::int32_t share(std::int32_t value, std::int32_t range) {
    return std::clamp(value, 0, range) * 256 / range;
}

void choose_materials(std::uint64_t seed, std::int32_t x, std::int32_t z, Column& column) {
    // A ragged line between materials instead of a contour.
    const std::int32_t jitter =
        noise2(seed ^ 0x4001, std::int64_t{x} * 4500, std::int64_t{z} * 4500) >> 6;
    const std::int32_t height = column.height + jitter * 4;
    if (column.height < 3 * kHeightOne / 2 + jitter / 4) {
        column.top = kSand;
        column.below = kSand;
    } else if (height > 64 * kHeightOne && column.slope < 320) {
        column.top = kSnow;
        column.below = kRock;
    } else if (column.slope > 200 || height > 50 * kHeightOne) {
        column.top = kRock;
        column.below = kRock;
    } else {
        column.top = kGrass;
        column.below = kDirt;
    }
}

ColumnSet make_columns(const ChunkSite& site) {
    const GroundPlaces places = ground_places(site.seed);
    std::array<std::int32_t, kRimCount> heights;
    for (std::int32_t z = 0; z < kRimSide; ++z) {
        for (std::int32_t x = 0; x < kRimSide; ++x) {
            heights[square_index(x, z, kRimSide)] =
                ground_height(site.seed, places, site.x + x - 1, site.z + z - 1);
        }
    }
    ColumnSet set;
    for (std::int32_t z = 0; z < kSide; ++z) {
        for (std::int32_t x = 0; x < kSide; ++x) {
            const std::int32_t* const here = &heights[square_index(x + 1, z + 1, kRimSide)];
            const std::int64_t rise_x = here[1] - here[-1];  // over 2 m
            const std::int64_t rise_z = here[kRimSide] - here[-kRimSide];
            const std::int64_t rise2 = rise_x * rise_x + rise_z * rise_z;
            Column& column = set.columns[square_index(x, z, kSide)];
            column.height = *here;
            column.slope = static_cast<std::int32_t>(std::sqrt(static_cast<double>(rise2))) / 2;
            const auto run = static_cast<std::int32_t>(
                std::sqrt(static_cast<double>(rise2 + std::int64_t{4} * kHeightOne * kHeightOne)));
            column.steepness = 2 * kHeightOne * kNoiseOne / run;
            const std::int32_t dry =
                share(column.height - 4 * kHeightOne - 2 * column.slope, 8 * kHeightOne);
            const std::int32_t away = share(
                distance_from(0, 0, site.x + x, site.z + z) - 40 * kHeightOne, 24 * kHeightOne);
            column.cave_share = std::min(dry, away);
            choose_materials(site.seed, site.x + x, site.z + z, column);
        }
    }
    const auto [low, high] = std::ranges::minmax(set.columns, {}, &Column::height);
    set.height_min = low.height;
    set.height_max = high.height;
    return set;
}

Voxel ground_voxel(const Column& column, std::int32_t y) {
    const std::int32_t depth = column.height - (y * kHeightOne + kHalf);
    const std::uint8_t occupancy =
        surface_occupancy(kHalf + ((std::int64_t{depth} * column.steepness) >> 16));
    if (occupancy > 0) {
        const MaterialId material = depth < kHeightOne   ? column.top
                                    : depth < kSoilDepth ? column.below
                                                         : kRock;
        return {material, occupancy};
    }
    if (y >= 0) {
        return kAirVoxel;
    }
    return {kWater, y == -1 ? kWaterTopOccupancy : kFullOccupancy};
}

using PlaneBytes = std::span<std::uint8_t>;

void fill_ground(const ChunkSite& site, const ColumnSet& set, PlaneBytes material,
                 PlaneBytes occupancy) {
    for (std::int32_t y = 0; y < kSide; ++y) {
        const std::int32_t level = site.y + y;
        const std::size_t first = static_cast<std::size_t>(y) * kColumnCount;
        if (level * kHeightOne < set.height_min - kRockDepth - kHeightOne) {
            std::fill_n(material.begin() + static_cast<std::ptrdiff_t>(first), kColumnCount, kRock);
            std::fill_n(occupancy.begin() + static_cast<std::ptrdiff_t>(first), kColumnCount,
                        kFullOccupancy);
            continue;
        }
        for (std::size_t i = 0; i < kColumnCount; ++i) {
            const Voxel voxel = ground_voxel(set.columns[i], level);
            material[first + i] = voxel.material;
            occupancy[first + i] = voxel.occupancy;
        }
    }
}

/// One point of the cave lattice: a tunnel runs where both values are near zero.
struct CavePoint {
    std::int32_t a;
    std::int32_t b;
};

using CaveLattice = std::array<CavePoint, std::size_t{kCavePoints} * kCavePoints * kCavePoints>;

void fill_lattice(const ChunkSite& site, CaveLattice& lattice) {
    std::size_t i = 0;
    for (std::int32_t y = 0; y < kCavePoints; ++y) {
        for (std::int32_t z = 0; z < kCavePoints; ++z) {
            for (std::int32_t x = 0; x < kCavePoints; ++x) {
                const std::int64_t u = std::int64_t{site.x + x * kCaveStep} * kCaveLatticeUnits;
                // Squeezed in y: tunnels run more along than down.
                const std::int64_t v =
                    std::int64_t{site.y + y * kCaveStep} * kCaveLatticeUnits * 3 / 2;
                const std::int64_t w = std::int64_t{site.z + z * kCaveStep} * kCaveLatticeUnits;
                lattice[i++] = {noise3(site.seed ^ 0x5001, u, v, w),
                                noise3(site.seed ^ 0x5002, u, v, w)};
            }
        }
    }
}

/// The 8 lattice points around a cell of 4^3 voxels.
using CaveCell = std::array<CavePoint, 8>;

/// No voxel of the cell can be part of a tunnel: one value keeps its sign and stays far from zero.
bool is_outside_caves(const CaveCell& cell) {
    std::int64_t squared = 0;
    for (const auto value : {&CavePoint::a, &CavePoint::b}) {
        std::int32_t low = cell[0].*value;
        std::int32_t high = low;
        for (const CavePoint& point : cell) {
            low = std::min(low, point.*value);
            high = std::max(high, point.*value);
        }
        const std::int64_t nearest = low > 0 ? low : (high < 0 ? high : 0);
        squared += (nearest * nearest) >> 16;
    }
    return squared > kCaveWidth + kCaveWall;
}

std::int32_t mix8(const CaveCell& cell, std::int32_t CavePoint::* value, std::int32_t x,
                  std::int32_t y, std::int32_t z) {
    const auto mix = [](std::int32_t from, std::int32_t to, std::int32_t quarters) {
        return from * (kCaveStep - quarters) + to * quarters;
    };
    const std::int32_t low =
        mix(mix(cell[0].*value, cell[1].*value, x), mix(cell[2].*value, cell[3].*value, x), z);
    const std::int32_t high =
        mix(mix(cell[4].*value, cell[5].*value, x), mix(cell[6].*value, cell[7].*value, x), z);
    return mix(low, high, y) / (kCaveStep * kCaveStep * kCaveStep);
}

/// How far a tunnel may open in a voxel, 0 .. 256: not under water, not at the start, not through
/// gentle ground's crust (steep ground has mouths), not through the zone's floor.
std::int32_t cave_share_at(const ChunkSite& site, const Column& column, std::int32_t y) {
    const std::int32_t depth = column.height - (y * kHeightOne + kHalf);
    const std::int32_t steep = share(column.slope - 160, 80);
    const std::int32_t under_crust = share(depth + 6 * steep - 5 * (256 - steep), 6 * kHeightOne);
    const std::int32_t over_floor = share(y - site.cave_floor, 8);
    return std::min({column.cave_share, under_crust, over_floor});
}

void carve_cell(const ChunkSite& site, const ColumnSet& set, const CaveCell& cell,
                const VoxelCoord& low, PlaneBytes material, PlaneBytes occupancy) {
    for (std::int32_t y = 0; y < kCaveStep; ++y) {
        for (std::int32_t z = 0; z < kCaveStep; ++z) {
            for (std::int32_t x = 0; x < kCaveStep; ++x) {
                const VoxelCoord v = low + VoxelCoord{x, y, z};
                const std::size_t index = index_in_chunk(v);
                if (material[index] < kFirstSolid) {
                    continue;
                }
                const std::int64_t a = mix8(cell, &CavePoint::a, x, y, z);
                const std::int64_t b = mix8(cell, &CavePoint::b, x, y, z);
                const std::int64_t squared = (a * a + b * b) >> 16;
                // A share of 0 moves the wall out of reach: the voxel stays full.
                const std::int32_t open = cave_share_at(site, set.at(v.x, v.z), site.y + v.y);
                const std::int64_t width =
                    (std::int64_t{kCaveWidth + kCaveWall / 2} * open >> 8) - kCaveWall / 2;
                const std::uint8_t left =
                    surface_occupancy(kHalf + (squared - width) * kHeightOne / kCaveWall);
                if (left < occupancy[index]) {
                    occupancy[index] = left;
                    material[index] = left == 0 ? kAir : material[index];
                }
            }
        }
    }
}

void carve_caves(const ChunkSite& site, const ColumnSet& set, PlaneBytes material,
                 PlaneBytes occupancy) {
    const bool is_dry = std::ranges::any_of(
        set.columns, [](const Column& column) { return column.cave_share > 0; });
    if (!is_dry || site.y + kSide <= site.cave_floor) {
        return;
    }
    CaveLattice lattice;
    fill_lattice(site, lattice);
    constexpr std::int32_t kCells = kCavePoints - 1;
    for (std::int32_t y = 0; y < kCells; ++y) {
        if ((site.y + y * kCaveStep) * kHeightOne > set.height_max + 2 * kHeightOne) {
            return;
        }
        for (std::int32_t z = 0; z < kCells; ++z) {
            for (std::int32_t x = 0; x < kCells; ++x) {
                CaveCell cell;
                for (std::int32_t i = 0; i < 8; ++i) {
                    const std::int32_t at =
                        ((y + (i >> 2)) * kCavePoints + z + ((i >> 1) & 1)) * kCavePoints + x +
                        (i & 1);
                    cell[static_cast<std::size_t>(i)] = lattice[static_cast<std::size_t>(at)];
                }
                if (!is_outside_caves(cell)) {
                    carve_cell(site, set, cell, {x * kCaveStep, y * kCaveStep, z * kCaveStep},
                               material, occupancy);
                }
            }
        }
    }
}

/// Trunk of wood and a round crown, the part of them in this chunk.
void plant_tree(const ChunkSite& site, std::int32_t x, std::int32_t z, std::int32_t base,
                std::int32_t trunk, PlaneBytes material, PlaneBytes occupancy) {
    const auto put = [&](std::int32_t px, std::int32_t level, std::int32_t pz, Voxel voxel,
                         bool over_solid) {
        const std::int32_t py = level - site.y;
        if (py < 0 || py >= kSide) {
            return;
        }
        const std::size_t index = index_in_chunk(VoxelCoord{px, py, pz});
        if (over_solid || material[index] == kAir) {
            material[index] = voxel.material;
            occupancy[index] = voxel.occupancy;
        }
    };
    for (std::int32_t level = base - 1; level < base + trunk; ++level) {
        put(x, level, z, {kWood, kFullOccupancy}, true);
    }
    constexpr std::int32_t kCrown = 2;
    for (std::int32_t dy = -kCrown; dy <= kCrown; ++dy) {
        for (std::int32_t dz = -kCrown; dz <= kCrown; ++dz) {
            for (std::int32_t dx = -kCrown; dx <= kCrown; ++dx) {
                const std::int32_t squared = dx * dx + dy * dy + dz * dz;
                if (squared <= 6) {
                    const std::uint8_t full = squared <= 4 ? kFullOccupancy : kCoreOccupancy;
                    put(x + dx, base + trunk + dy, z + dz, {kGrass, full}, false);
                }
            }
        }
    }
}

void plant_trees(const ChunkSite& site, const ColumnSet& set, PlaneBytes material,
                 PlaneBytes occupancy) {
    for (std::int32_t z = 0; z < kSide; z += kTreeCell) {
        for (std::int32_t x = 0; x < kSide; x += kTreeCell) {
            const auto key =
                static_cast<std::uint64_t>(hash_value(VoxelCoord{site.x + x, 0x7EE, site.z + z}));
            Random random(mix_bits(site.seed + 0x6001) ^ key);
            const std::int32_t tree_x =
                x + random.between(kTreeMargin, kTreeCell - 1 - kTreeMargin);
            const std::int32_t tree_z =
                z + random.between(kTreeMargin, kTreeCell - 1 - kTreeMargin);
            const std::int32_t trunk = random.between(4, 7);
            const Column& column = set.at(tree_x, tree_z);
            const bool is_place =
                column.top == kGrass && column.slope < 110 && column.height > 3 * kHeightOne &&
                distance_from(0, 0, site.x + tree_x, site.z + tree_z) > 14 * kHeightOne;
            const bool is_wood = noise2(site.seed ^ 0x6002, std::int64_t{site.x + x} * 700,
                                        std::int64_t{site.z + z} * 700) > -kNoiseOne / 10;
            if (is_place && is_wood && random.below(100) < 45) {
                plant_tree(site, tree_x, tree_z, column.height >> 8, trunk, material, occupancy);
            }
        }
    }
}

}  // namespace

Chunk generate_chunk(const GeneratorConfig& config, const GridBounds& bounds, const ChunkCoord& c) {
    const VoxelCoord origin = origin_of(c);
    const ChunkSite site{config.seed, origin.x, origin.y - config.sea_level_m, origin.z,
                         std::max(kCaveFloorM, origin_of(bounds.min).y - config.sea_level_m + 2)};
    if (site.y > kGroundHeightMaxM + kTreeTopM) {
        return uniform_chunk(kAirVoxel);
    }
    const std::int32_t top = site.y + kSide;
    const bool is_below_caves = top <= site.cave_floor;
    if (is_below_caves && top * kHeightOne <= kGroundHeightMinM * kHeightOne - kRockDepth) {
        return uniform_chunk(kBedrockVoxel);
    }
    const ColumnSet set = make_columns(site);
    if (site.y >= 0 && site.y * kHeightOne > set.height_max + kTreeTopM * kHeightOne) {
        return uniform_chunk(kAirVoxel);
    }
    if (is_below_caves && top * kHeightOne <= set.height_min - kRockDepth) {
        return uniform_chunk(kBedrockVoxel);
    }
    Chunk chunk;
    const auto material = chunk.material.writable();
    const auto occupancy = chunk.occupancy.writable();
    fill_ground(site, set, material, occupancy);
    carve_caves(site, set, material, occupancy);
    plant_trees(site, set, material, occupancy);
    chunk.material.compact();
    chunk.occupancy.compact();
    return chunk;
}

std::int32_t ground_height_m(const GeneratorConfig& config, std::int32_t x, std::int32_t z) {
    const std::int32_t height = ground_height(config.seed, ground_places(config.seed), x, z);
    return config.sea_level_m + ((height + kHeightOne - 1) >> 8);
}

}  // namespace terrane
