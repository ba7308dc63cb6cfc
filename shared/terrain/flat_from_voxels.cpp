// A flat collider straight from voxels, without a mesh in between: the surface of mesh_brick, bit
// for bit (tests hold the two together), in under half the time. What the mesher does one cell
// after the other is done for four cells at once here, with the same operations in the same order:
//
//   densities -> a bit a voxel that is inside -> edges that cross the surface, eight at once
//             -> the cells that these need -> their vertices, four at once -> quads
#include <bit>
#include <cstring>

#include "shared/terrain/flat_layout.h"

namespace terrane {
namespace {

using Byte16 = std::uint8_t __attribute__((vector_size(16)));

constexpr std::size_t kBoxSide = 10;
constexpr std::size_t kCellSide = 9;
/// From a voxel of the box to the next one on each axis.
constexpr std::size_t kVoxelStride[3] = {1, kBoxSide* kBoxSide, kBoxSide};
constexpr std::size_t kCellStride[3] = {1, kCellSide* kCellSide, kCellSide};

struct Work {
    alignas(16) std::array<std::uint8_t, 1008> density;
    /// Bit i of row (y + 1) * 10 + z + 1: voxel x = i - 1 is inside.
    std::array<std::uint32_t, kBoxSide * kBoxSide> inside;
    /// Bit i of row (y + 1) * 9 + z + 1: cell x = i - 1 has a vertex that a quad needs.
    std::array<std::uint32_t, kCellSide * kCellSide> needed{};
    std::array<std::uint16_t, kCellSide * kCellSide * kCellSide> vertex;  ///< of a cell
};

void fill_density(const BrickBox& box, Work& work) {
    constexpr std::size_t kLast = sizeof box.material - sizeof(Byte16);
    for (std::size_t i = 0;; i = i + 16 < kLast ? i + 16 : kLast) {
        Byte16 material;
        Byte16 occupancy;
        std::memcpy(&material, &box.material[i], sizeof material);
        std::memcpy(&occupancy, &box.occupancy[i], sizeof occupancy);
        // kFirstSolid is 2: solids have a bit above the lowest.
        const Byte16 density = (material & 0xfe) != 0 ? occupancy : Byte16{};
        std::memcpy(&work.density[i], &density, sizeof density);
        if (i == kLast) {
            break;
        }
    }
}

/// The high bit of each of eight bytes, gathered into one byte.
std::uint32_t high_bits(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return static_cast<std::uint32_t>(((word & 0x8080808080808080ULL) * 0x0002040810204081ULL) >>
                                      56);
}

/// False if every voxel is inside, or none is.
bool fill_inside(Work& work) {
    std::uint32_t any = 0;
    std::uint32_t all = 0x3ff;
    for (std::size_t row = 0; row < work.inside.size(); ++row) {
        const std::uint8_t* bytes = &work.density[row * kBoxSide];
        const std::uint32_t bits = high_bits(bytes) | (high_bits(bytes + 2) << 2);
        work.inside[row] = bits;
        any |= bits;
        all &= bits;
    }
    return any != 0 && all != 0x3ff;
}

/// Edges from voxels 0..7 of a row to the next one along each axis that cross the surface.
struct Crossed {
    std::uint32_t inside;
    std::array<std::uint32_t, 3> along;

    Crossed(const Work& work, std::size_t y, std::size_t z) {
        const std::size_t row = (y + 1) * kBoxSide + z + 1;
        inside = work.inside[row];
        along = {((inside ^ (inside >> 1)) >> 1) & 0xffU,
                 ((inside ^ work.inside[row + kBoxSide]) >> 1) & 0xffU,
                 ((inside ^ work.inside[row + 1]) >> 1) & 0xffU};
    }
};

void find_needed(Work& work) {
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        for (std::size_t z = 0; z < kBrickSize; ++z) {
            const Crossed crossed(work, y, z);
            const std::uint32_t x_edges = crossed.along[0] << 1;
            const std::uint32_t y_edges = crossed.along[1] | (crossed.along[1] << 1);
            const std::uint32_t z_edges = crossed.along[2] | (crossed.along[2] << 1);
            std::uint32_t* cells = &work.needed[y * kCellSide + z];
            cells[0] |= x_edges;
            cells[1] |= x_edges | z_edges;
            cells[kCellSide] |= x_edges | y_edges;
            cells[kCellSide + 1] |= x_edges | y_edges | z_edges;
        }
    }
}

// ---- vertices ----

struct Cell {
    std::uint16_t voxel;  ///< index of its low corner in the box
    std::uint8_t x;
    std::uint8_t y;
    std::uint8_t z;
};

/// Corner k = x + 2 z + 4 y of four cells, one a lane.
struct FourCells {
    std::array<Int4, 8> corner;

    FourCells(const Work& work, const Cell* cells) {
        std::array<std::uint64_t, 4> words;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::uint8_t* at = &work.density[cells[i].voxel];
            std::array<std::uint16_t, 4> pairs;
            for (std::size_t k = 0; k < 4; ++k) {
                const std::size_t z = (k & 1) * kVoxelStride[2];
                std::memcpy(&pairs[k], at + z + (k >> 1) * kVoxelStride[1], 2);
            }
            words[i] = std::bit_cast<std::uint64_t>(pairs);
        }
        for (std::size_t k = 0; k < 8; ++k) {
            const auto byte = [&](std::size_t i) {
                return static_cast<std::int32_t>((words[i] >> (8 * k)) & 0xff);
            };
            corner[k] = Int4{byte(0), byte(1), byte(2), byte(3)};
        }
    }
};

/// Where the edges of four cells cross, summed up in the mesher's order: others add zeros.
struct Crossings {
    std::array<Float4, 3> sum{};
    Float4 count{};

    template <int kLow, int kAxis>
    void add(const FourCells& cells) {
        constexpr int kStep[3] = {1, 4, 2};
        const Int4 low = cells.corner[kLow];
        const Int4 high = cells.corner[kLow + kStep[kAxis]];
        const Int4 is_crossed = ((low ^ high) & kCoreOccupancy) != 0;
        const Float4 one = std::bit_cast<Float4>(std::bit_cast<Int4>(spread(1.0F)) & is_crossed);
        const Float4 place = __builtin_convertvector(255 - 2 * low, Float4) /
                             __builtin_convertvector(2 * (high - low), Float4);
        if constexpr ((kLow & 1) != 0) {
            sum[0] += one;
        }
        if constexpr ((kLow & 4) != 0) {
            sum[1] += one;
        }
        if constexpr ((kLow & 2) != 0) {
            sum[2] += one;
        }
        sum[kAxis] += std::bit_cast<Float4>(std::bit_cast<Int4>(place) & is_crossed);
        count += one;
    }
};

/// 1/256 of a voxel from the cell's low corner, rounded to the nearest, 1..255.
Int4 snap(Float4 sum, Float4 count) {
    const Float4 place = sum * 256.0F / count;
    const Int4 whole = __builtin_convertvector(place, Int4);
    const Int4 is_low = place - __builtin_convertvector(whole, Float4) < 0.5F;
    const Int4 nearest = whole + 1 + is_low;
    const Int4 least = nearest < 1 ? Int4{1, 1, 1, 1} : nearest;
    return least > 255 ? Int4{255, 255, 255, 255} : least;
}

/// Of equally full corners the first.
Int4 fullest_corner(const FourCells& cells) {
    Int4 most = cells.corner[0];
    Int4 which{};
    for (std::int32_t k = 1; k < 8; ++k) {
        const Int4 corner = cells.corner[static_cast<std::size_t>(k)];
        const Int4 is_more = corner > most;
        most = is_more ? corner : most;
        which = is_more ? Int4{k, k, k, k} : which;
    }
    return which;
}

/// Packed vertices of cells[0..3].
void make_vertices(const BrickBox& box, const Work& work, const Cell* cells, std::uint64_t* to) {
    const FourCells four(work, cells);
    Crossings crossings;
    crossings.add<0, 0>(four);
    crossings.add<2, 0>(four);
    crossings.add<4, 0>(four);
    crossings.add<6, 0>(four);
    crossings.add<0, 2>(four);
    crossings.add<1, 2>(four);
    crossings.add<4, 2>(four);
    crossings.add<5, 2>(four);
    crossings.add<0, 1>(four);
    crossings.add<1, 1>(four);
    crossings.add<2, 1>(four);
    crossings.add<3, 1>(four);
    const Int4 x = snap(crossings.sum[0], crossings.count);
    const Int4 y = snap(crossings.sum[1], crossings.count);
    const Int4 z = snap(crossings.sum[2], crossings.count);
    const Int4 fullest = fullest_corner(four);
    constexpr std::array<std::uint16_t, 8> kCorner{0, 1, 10, 11, 100, 101, 110, 111};
    for (std::size_t i = 0; i < 4; ++i) {
        const Cell& cell = cells[i];
        const auto units = [](std::uint8_t index, std::int32_t fraction) {
            return static_cast<std::uint64_t>(index * kUnits + fraction);
        };
        const std::uint8_t material =
            box.material[cell.voxel + kCorner[static_cast<std::size_t>(fullest[i])]];
        to[i] = units(cell.x, x[i]) | (units(cell.y, y[i]) << 16) | (units(cell.z, z[i]) << 32) |
                (std::uint64_t{material} << 48);
    }
}

void fill_vertices(const BrickBox& box, Work& work, FlatParts& parts) {
    std::array<Cell, kVerticesMax + 3> cells;
    std::size_t count = 0;
    for (std::size_t y = 0; y < kCellSide; ++y) {
        for (std::size_t z = 0; z < kCellSide; ++z) {
            const std::size_t row = y * kCellSide + z;
            for (std::uint32_t bits = work.needed[row]; bits != 0; bits &= bits - 1) {
                const auto x = static_cast<std::size_t>(std::countr_zero(bits));
                work.vertex[row * kCellSide + x] = static_cast<std::uint16_t>(count);
                cells[count++] = {static_cast<std::uint16_t>((y * kBoxSide + z) * kBoxSide + x),
                                  static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y),
                                  static_cast<std::uint8_t>(z)};
            }
        }
    }
    parts.vertex_count = count;
    // The last four may be fewer: the others are the first cell again.
    cells[count] = cells[count + 1] = cells[count + 2] = cells[0];
    for (std::size_t i = 0; i < count; i += 4) {
        make_vertices(box, work, &cells[i], &parts.vertices[i]);
    }
}

// ---- quads ----

/// A vertex in units, as integers: where the mesher's floats are exact, so are these.
using Point = std::array<std::int32_t, 3>;

Point point_of(std::uint64_t vertex) {
    return {static_cast<std::int32_t>(vertex & 0xffff),
            static_cast<std::int32_t>((vertex >> 16) & 0xffff),
            static_cast<std::int32_t>((vertex >> 32) & 0xffff)};
}

std::int32_t squared_distance(const Point& a, const Point& b) {
    const Point d{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/// Twice the area of a triangle as seen against the axis; positive if counter-clockwise.
template <std::size_t kAxis>
std::int32_t projected_area(const Point& a, const Point& b, const Point& c) {
    constexpr std::size_t kU = (kAxis + 1) % 3;
    constexpr std::size_t kV = (kAxis + 2) % 3;
    return (b[kU] - a[kU]) * (c[kV] - a[kV]) - (b[kV] - a[kV]) * (c[kU] - a[kU]);
}

/// The mesher's rule: the shorter diagonal, unless it lies outside a dented quad.
template <std::size_t kAxis>
bool is_split_at_first(const std::array<Point, 4>& p) {
    if (squared_distance(p[2], p[0]) <= squared_distance(p[3], p[1])) {
        return projected_area<kAxis>(p[0], p[1], p[2]) > 0 &&
               projected_area<kAxis>(p[0], p[2], p[3]) > 0;
    }
    return projected_area<kAxis>(p[1], p[2], p[3]) <= 0 ||
           projected_area<kAxis>(p[1], p[3], p[0]) <= 0;
}

/// The quads around a row's edges along the axis; `cell` has voxel 0 of the row as its low corner.
template <std::size_t kAxis>
void add_row(const Work& work, const Crossed& crossed, std::size_t cell, FlatParts& parts) {
    constexpr std::size_t kU = kCellStride[(kAxis + 1) % 3];
    constexpr std::size_t kV = kCellStride[(kAxis + 2) % 3];
    for (std::uint32_t bits = crossed.along[kAxis]; bits != 0; bits &= bits - 1) {
        const auto x = static_cast<std::size_t>(std::countr_zero(bits));
        const std::uint16_t* at = &work.vertex[cell + x];
        const std::array<std::uint16_t, 4> corner{*(at - kU - kV), *(at - kV), *at, *(at - kU)};
        const bool is_first = is_split_at_first<kAxis>(
            {point_of(parts.vertices[corner[0]]), point_of(parts.vertices[corner[1]]),
             point_of(parts.vertices[corner[2]]), point_of(parts.vertices[corner[3]])});
        const std::size_t start = is_first ? 0 : 1;
        const bool is_swapped = ((crossed.inside >> (x + 1)) & 1U) == 0;
        const std::uint16_t second = corner[start + 1];
        const std::uint16_t fourth = corner[(start + 3) & 3U];
        parts.quads[parts.quad_count++] = {{corner[start], is_swapped ? fourth : second,
                                            corner[start + 2], is_swapped ? second : fourth},
                                           is_swapped};
    }
}

}  // namespace

void build_flat(const BrickBox& box, const FlatScan& scan, FlatCollider& collider) {
    Work work;
    FlatParts parts;
    fill_density(box, work);
    if (fill_inside(work)) {
        find_needed(work);
        fill_vertices(box, work, parts);
        for (std::size_t y = 0; y < kBrickSize; ++y) {
            for (std::size_t z = 0; z < kBrickSize; ++z) {
                const Crossed crossed(work, y, z);
                const std::size_t cell = ((y + 1) * kCellSide + z + 1) * kCellSide + 1;
                add_row<0>(work, crossed, cell, parts);
                add_row<1>(work, crossed, cell, parts);
                add_row<2>(work, crossed, cell, parts);
            }
        }
    }
    pack_flat(parts, scan, collider);
}

}  // namespace terrane
