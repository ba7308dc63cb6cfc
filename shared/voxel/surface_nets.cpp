#include "shared/voxel/surface_nets.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace terrane {
namespace {

static_assert(std::endian::native == std::endian::little, "rows of bytes are read as words");

constexpr std::size_t kBoxSide = 10;
constexpr std::size_t kCellSide = 9;
constexpr std::size_t kCellCount = kCellSide * kCellSide * kCellSide;
constexpr std::uint16_t kNoVertex = 0xffff;
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
constexpr std::uint64_t kLowBits = 0x0101010101010101ULL;

// ---- copying the box out of the grid ----

/// Where a chunk's bytes lie; a null pointer means the plane is all `uniform`.
struct ChunkBytes {
    const std::uint8_t* material = nullptr;
    const std::uint8_t* occupancy = nullptr;
    Voxel uniform;
};

ChunkBytes bytes_of(const VoxelGrid& grid, const ChunkCoord& c) {
    const Chunk* chunk = grid.find(c);
    if (chunk == nullptr) {
        return {nullptr, nullptr, c.y < grid.bounds().min.y ? kBedrockVoxel : kAirVoxel};
    }
    ChunkBytes bytes;
    if (chunk->material.is_uniform()) {
        bytes.uniform.material = chunk->material.uniform_value();
    } else {
        bytes.material = chunk->material.bytes().data();
    }
    if (chunk->occupancy.is_uniform()) {
        bytes.uniform.occupancy = chunk->occupancy.uniform_value();
    } else {
        bytes.occupancy = chunk->occupancy.bytes().data();
    }
    return bytes;
}

void copy_row(std::uint8_t* to, const std::uint8_t* low, const std::uint8_t* middle,
              const std::uint8_t* high, const std::uint8_t (&uniform)[3]) {
    to[0] = low != nullptr ? *low : uniform[0];
    if (middle != nullptr) {
        std::memcpy(to + 1, middle, kBrickSize);
    } else {
        std::memset(to + 1, uniform[1], kBrickSize);
    }
    to[9] = high != nullptr ? *high : uniform[2];
}

const std::uint8_t* at(const std::uint8_t* bytes, std::size_t index) {
    return bytes != nullptr ? bytes + index : nullptr;
}

/// One axis of the box: voxels -1, 0..7 and 8 lie in one chunk or in two.
struct AxisParts {
    std::int32_t other = 0;            ///< offset of the second chunk, if any
    std::array<std::size_t, 3> chunk;  ///< 0 own, 1 other: for -1, 0..7, 8
};

AxisParts parts_of(std::int32_t brick) {
    const std::int32_t in_chunk = brick & (kBricksPerChunkSide - 1);
    if (in_chunk == 0) {
        return {-1, {1, 0, 0}};
    }
    if (in_chunk == kBricksPerChunkSide - 1) {
        return {1, {0, 0, 1}};
    }
    return {0, {0, 0, 0}};
}

std::size_t part_of(std::int32_t voxel) {
    return voxel < 0 ? 0U : voxel < kBrickSize ? 1U : 2U;
}

// ---- meshing ----

/// The twelve edges of a cell by the corners they join; corner = x + 2 z + 4 y.
struct CellEdge {
    std::uint8_t low;
    std::uint8_t high;
    std::uint8_t axis;  ///< 0 x, 1 y, 2 z
};
constexpr std::array<CellEdge, 12> kCellEdges{{{0, 1, 0},
                                               {2, 3, 0},
                                               {4, 5, 0},
                                               {6, 7, 0},
                                               {0, 2, 2},
                                               {1, 3, 2},
                                               {4, 6, 2},
                                               {5, 7, 2},
                                               {0, 4, 1},
                                               {1, 5, 1},
                                               {2, 6, 1},
                                               {3, 7, 1}}};

/// The mesher's view of one box while it works.
struct Meshing {
    const BrickBox* box;
    BrickMesh* mesh;
    std::array<std::uint8_t, 1000> density;
    /// Bit i of row (y + 1) * 10 + z + 1: voxel x = i - 1 is inside.
    std::array<std::uint16_t, kBoxSide * kBoxSide> inside;
    /// By cell (y * 9 + z) * 9 + x, counted from 0; kNoVertex until a quad needs it.
    std::array<std::uint16_t, kCellCount> vertex;
};

std::uint64_t load_word(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

/// The high bit of each of eight bytes, gathered into one byte.
std::uint64_t gather_high_bits(std::uint64_t word) {
    return ((word & kHighBits) * 0x0002040810204081ULL) >> 56;
}

void fill_density(Meshing& work) {
    for (std::size_t i = 0; i < work.density.size(); i += 8) {
        const std::uint64_t material = load_word(&work.box->material[i]);
        const std::uint64_t occupancy = load_word(&work.box->occupancy[i]);
        // A material from kFirstSolid = 2 on has a bit above its lowest.
        const std::uint64_t high = material & ~kLowBits;
        const std::uint64_t solid = (((high & ~kHighBits) + ~kHighBits) | high) & kHighBits;
        const std::uint64_t density = occupancy & ((solid >> 7) * 0xffU);
        std::memcpy(&work.density[i], &density, sizeof density);
    }
}

/// False if no edge can cross the surface: every voxel is inside, or none is.
bool fill_inside(Meshing& work) {
    std::uint64_t any = 0;
    std::uint64_t all = 0x3ff;
    for (std::size_t row = 0; row < work.inside.size(); ++row) {
        const std::uint8_t* bytes = &work.density[row * kBoxSide];
        const std::uint64_t bits =
            gather_high_bits(load_word(bytes)) | (gather_high_bits(load_word(bytes + 2)) << 2);
        work.inside[row] = static_cast<std::uint16_t>(bits);
        any |= bits;
        all &= bits;
    }
    return any != 0 && all != 0x3ff;
}

/// Mean of the crossings of the cell's edges with density 127.5, in 1/256 voxel from the cell's
/// low corner. Kept strictly inside the cell (1..255): a lone voxel that is barely inside would
/// otherwise collapse its eight vertices, and its triangles, into one point.
std::array<std::int32_t, 3> cell_vertex(const std::array<std::uint8_t, 8>& corner) {
    std::array<float, 3> sum{};
    float count = 0.0F;
    for (const CellEdge& edge : kCellEdges) {
        const std::int32_t low = corner[edge.low];
        const std::int32_t high = corner[edge.high];
        if (((low ^ high) & kCoreOccupancy) == 0) {
            continue;
        }
        // Corner bits give the edge's place on the two axes it does not run along.
        sum[0] += static_cast<float>(edge.low & 1);
        sum[1] += static_cast<float>((edge.low >> 2) & 1);
        sum[2] += static_cast<float>((edge.low >> 1) & 1);
        sum[edge.axis] += static_cast<float>(255 - 2 * low) / static_cast<float>(2 * (high - low));
        count += 1.0F;
    }
    std::array<std::int32_t, 3> snapped{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float place = sum[axis] * 256.0F / count;
        const auto whole = static_cast<std::int32_t>(place);
        const std::int32_t nearest = whole + (place - static_cast<float>(whole) < 0.5F ? 0 : 1);
        snapped[axis] = std::clamp(nearest, 1, 255);
    }
    return snapped;
}

std::uint16_t make_vertex(Meshing& work, std::size_t cell) {
    const std::size_t x = cell % kCellSide;
    const std::size_t z = cell / kCellSide % kCellSide;
    const std::size_t y = cell / (kCellSide * kCellSide);
    const std::size_t first = (y * kBoxSide + z) * kBoxSide + x;
    constexpr std::array<std::size_t, 8> kOffsets{0, 1, 10, 11, 100, 101, 110, 111};
    std::array<std::uint8_t, 8> corner{};
    std::size_t fullest = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        corner[i] = work.density[first + kOffsets[i]];
        // Of equally full corners the first keeps its say.
        fullest = corner[i] > corner[fullest] ? i : fullest;
    }
    const std::array<std::int32_t, 3> snapped = cell_vertex(corner);
    const auto place = [](std::size_t index, std::int32_t fraction) {
        // Cell 0 begins at the centre of voxel -1: half a voxel below the brick.
        return static_cast<float>(static_cast<std::int32_t>(index) * 256 - 128 + fraction) *
               (1.0F / 256.0F);
    };
    const auto index = static_cast<std::uint16_t>(work.mesh->positions.size());
    work.mesh->positions.emplace_back(place(x, snapped[0]), place(y, snapped[1]),
                                      place(z, snapped[2]));
    work.mesh->materials.push_back(work.box->material[first + kOffsets[fullest]]);
    work.vertex[cell] = index;
    return index;
}

constexpr std::array<std::size_t, 3> kCellStride{1, kCellSide* kCellSide, kCellSide};

float squared_length(const Vec3& v) {
    return v.x * v.x + v.y * v.y + v.z * v.z;
}

/// Twice the signed area of a triangle as seen against `axis`: positive if counter-clockwise.
float projected_area(const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    return (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
}

/// Should the quad be split between corners 0 and 2? The shorter diagonal, 0-2 if they are equal;
/// but never one that lies outside a dented quad: both triangles then face the air, and none is
/// without area. Coordinates are multiples of 1/256, so every product here is exact.
bool is_split_at_first(const std::array<Vec3, 4>& p, int axis) {
    const bool is_shorter = squared_length(p[2] - p[0]) <= squared_length(p[3] - p[1]);
    if (is_shorter) {
        return projected_area(p[0], p[1], p[2], axis) > 0.0F &&
               projected_area(p[0], p[2], p[3], axis) > 0.0F;
    }
    return projected_area(p[1], p[2], p[3], axis) <= 0.0F ||
           projected_area(p[1], p[3], p[0], axis) <= 0.0F;
}

/// The quad around the edge along `axis` that begins at the low corner of `cell`.
void add_quad(Meshing& work, std::size_t cell, int axis, bool is_lower_inside) {
    const std::size_t stride_u = kCellStride[static_cast<std::size_t>((axis + 1) % 3)];
    const std::size_t stride_v = kCellStride[static_cast<std::size_t>((axis + 2) % 3)];
    // Counter-clockwise about the axis, beginning with the lowest cell.
    const std::array<std::size_t, 4> cells{cell - stride_u - stride_v, cell - stride_v, cell,
                                           cell - stride_u};
    std::array<std::uint16_t, 4> corner{};
    std::array<Vec3, 4> place;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint16_t known = work.vertex[cells[i]];
        corner[i] = known != kNoVertex ? known : make_vertex(work, cells[i]);
        place[i] = work.mesh->positions[corner[i]];
    }
    const std::size_t start = is_split_at_first(place, axis) ? 0 : 1;
    const std::uint16_t a = corner[start];
    const std::uint16_t b = corner[start + 1];
    const std::uint16_t c = corner[start + 2];
    const std::uint16_t d = corner[(start + 3) & 3U];
    std::vector<std::uint16_t>& indices = work.mesh->indices;
    if (is_lower_inside) {
        indices.insert(indices.end(), {a, b, c, a, c, d});
    } else {
        indices.insert(indices.end(), {a, c, b, a, d, c});
    }
}

/// Quads of one row of voxels whose edges along `axis` cross the surface: `crossed` bit x.
void add_row(Meshing& work, std::uint64_t crossed, std::uint64_t inside, std::size_t cell,
             int axis) {
    for (; crossed != 0; crossed &= crossed - 1) {
        const auto x = static_cast<std::size_t>(std::countr_zero(crossed));
        add_quad(work, cell + x, axis, ((inside >> (x + 1)) & 1U) != 0);
    }
}

}  // namespace

BrickBox copy_brick_box(const VoxelGrid& grid, const BrickCoord& brick) {
    const ChunkCoord own = chunk_of(brick);
    const AxisParts x = parts_of(brick.x);
    const AxisParts y = parts_of(brick.y);
    const AxisParts z = parts_of(brick.z);
    std::array<ChunkBytes, 8> chunks;
    for (std::int32_t i = 0; i < 8; ++i) {
        const bool is_used = ((i & 1) == 0 || x.other != 0) && ((i & 2) == 0 || z.other != 0) &&
                             ((i & 4) == 0 || y.other != 0);
        if (is_used) {
            chunks[static_cast<std::size_t>(i)] =
                bytes_of(grid, {own.x + (i & 1) * x.other, own.y + ((i >> 2) & 1) * y.other,
                                own.z + ((i >> 1) & 1) * z.other});
        }
    }
    const VoxelCoord origin = origin_of(brick);
    BrickBox box;
    std::size_t to = 0;
    for (std::int32_t row_y = -1; row_y <= kBrickSize; ++row_y) {
        for (std::int32_t row_z = -1; row_z <= kBrickSize; ++row_z, to += kBoxSide) {
            const std::size_t yz = 4 * y.chunk[part_of(row_y)] + 2 * z.chunk[part_of(row_z)];
            const ChunkBytes& low = chunks[yz + x.chunk[0]];
            const ChunkBytes& middle = chunks[yz];
            const ChunkBytes& high = chunks[yz + x.chunk[2]];
            const auto index = [&](std::int32_t voxel_x) {
                return index_in_chunk(
                    VoxelCoord{origin.x + voxel_x, origin.y + row_y, origin.z + row_z});
            };
            const std::size_t i0 = index(-1);
            const std::size_t i1 = index(0);
            const std::size_t i2 = index(kBrickSize);
            copy_row(&box.material[to], at(low.material, i0), at(middle.material, i1),
                     at(high.material, i2),
                     {low.uniform.material, middle.uniform.material, high.uniform.material});
            copy_row(&box.occupancy[to], at(low.occupancy, i0), at(middle.occupancy, i1),
                     at(high.occupancy, i2),
                     {low.uniform.occupancy, middle.uniform.occupancy, high.uniform.occupancy});
        }
    }
    return box;
}

void mesh_brick(const BrickBox& box, BrickMesh& mesh) {
    mesh.positions.clear();
    mesh.materials.clear();
    mesh.indices.clear();
    Meshing work;
    work.box = &box;
    work.mesh = &mesh;
    fill_density(work);
    if (!fill_inside(work)) {
        return;
    }
    work.vertex.fill(kNoVertex);
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        for (std::size_t z = 0; z < kBrickSize; ++z) {
            const std::size_t row = (y + 1) * kBoxSide + z + 1;
            const std::uint64_t inside = work.inside[row];
            const auto crossed = [inside](std::uint64_t next) {
                return ((inside ^ next) >> 1) & 0xffU;
            };
            // The cell whose low corner is voxel (0, y, z), counted from 0.
            const std::size_t cell = ((y + 1) * kCellSide + z + 1) * kCellSide + 1;
            add_row(work, crossed(inside >> 1), inside, cell, 0);
            add_row(work, crossed(work.inside[row + kBoxSide]), inside, cell, 1);
            add_row(work, crossed(work.inside[row + 1]), inside, cell, 2);
        }
    }
}

}  // namespace terrane
