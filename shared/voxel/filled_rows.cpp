#include "shared/voxel/filled_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <utility>

namespace terrane {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// Bits first .. last, each 0 .. 63.
std::uint64_t bits_between(std::int32_t first, std::int32_t last) {
    return (kAll << first) & (kAll >> (63 - last));
}
std::int32_t lowest_bit(std::uint64_t bits) {
    return std::countr_zero(bits);
}
std::int32_t highest_bit(std::uint64_t bits) {
    return 63 - std::countl_zero(bits);
}

/// `bits` and what is connected to them in `open`, along the row. By doubling steps.
std::uint64_t fill_row(std::uint64_t bits, std::uint64_t open) {
    std::uint64_t up = bits & open;
    std::uint64_t down = up;
    std::uint64_t open_up = open;
    std::uint64_t open_down = open;
    for (unsigned step = 1; step < 64; step *= 2) {
        up |= open_up & (up << step);
        open_up &= open_up << step;
        down |= open_down & (down >> step);
        open_down &= open_down >> step;
    }
    return up | down;
}

/// Floods the air from outside, row by row; what it does not reach is full.
void fill_hollows(FilledRows& filled) {
    const VoxelCoord& size = filled.size;
    const std::uint64_t inside = bits_between(0, size.x - 1);
    const std::uint64_t ends = 1 | (std::uint64_t{1} << (size.x - 1));
    std::vector<std::uint64_t> reached(filled.rows.size());
    std::vector<std::pair<std::int32_t, std::int32_t>> open;
    const auto reach = [&](std::int32_t y, std::int32_t z, std::uint64_t from) {
        if (y < 0 || y >= size.y || z < 0 || z >= size.z) {
            return;
        }
        std::uint64_t& known = reached[filled.index(y, z)];
        const std::uint64_t air = ~filled.row(y, z) & inside;
        if ((from & air & ~known) != 0) {
            known |= fill_row(from, air);
            open.emplace_back(y, z);
        }
    };
    for (std::int32_t y = 0; y < size.y; ++y) {
        for (std::int32_t z = 0; z < size.z; ++z) {
            const bool is_side = y == 0 || y == size.y - 1 || z == 0 || z == size.z - 1;
            reach(y, z, is_side ? kAll : ends);
        }
    }
    while (!open.empty()) {
        const auto [y, z] = open.back();
        open.pop_back();
        const std::uint64_t from = reached[filled.index(y, z)];
        reach(y - 1, z, from);
        reach(y + 1, z, from);
        reach(y, z - 1, from);
        reach(y, z + 1, from);
    }
    for (std::int32_t y = 0; y < size.y; ++y) {
        for (std::int32_t z = 0; z < size.z; ++z) {
            filled.row(y, z) = ~reached[filled.index(y, z)] & inside;
        }
    }
}

/// Ranges of the two other axes, of what is full in one layer of a box or in several.
struct LayerRange {
    std::int32_t first_min = kNone;
    std::int32_t first_max = -kNone;
    std::int32_t second_min = kNone;
    std::int32_t second_max = -kNone;

    static constexpr std::int32_t kNone = 1000;
    void add(std::int32_t first_low, std::int32_t first_high, std::int32_t second_low,
             std::int32_t second_high) {
        first_min = std::min(first_min, first_low);
        first_max = std::max(first_max, first_high);
        second_min = std::min(second_min, second_low);
        second_max = std::max(second_max, second_high);
    }
    void add(const LayerRange& other) {
        add(other.first_min, other.first_max, other.second_min, other.second_max);
    }
    std::int32_t area() const {
        return (first_max - first_min + 1) * (second_max - second_min + 1);
    }
};
using LayerRanges = std::array<LayerRange, kPieceSizeMax>;

/// Faces between a layer and the next that are bare: full on one side only.
using BareFaces = std::array<std::int32_t, kPieceSizeMax>;

struct BoxLayers {
    LayerRanges x;  ///< y and z of each layer along x
    LayerRanges z;  ///< y and x
    LayerRanges y;  ///< z and x
    BareFaces bare_x{};
    BareFaces bare_z{};
    BareFaces bare_y{};
};

BoxLayers layers_of(const FilledRows& filled, const VoxelBox& box) {
    BoxLayers layers;
    const std::uint64_t in_box = bits_between(box.min.x, box.max.x);
    for (std::int32_t y = box.min.y; y <= box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z <= box.max.z; ++z) {
            const std::uint64_t row = filled.row(y, z) & in_box;
            layers.bare_z[static_cast<std::size_t>(z)] +=
                std::popcount(row ^ (filled.row(y, z + 1) & in_box));
            layers.bare_y[static_cast<std::size_t>(y)] +=
                std::popcount(row ^ (filled.row(y + 1, z) & in_box));
            if (row == 0) {
                continue;
            }
            for (std::uint64_t bare = row ^ (row >> 1); bare != 0; bare &= bare - 1) {
                ++layers.bare_x[static_cast<std::size_t>(lowest_bit(bare))];
            }
            const std::int32_t low = lowest_bit(row);
            const std::int32_t high = highest_bit(row);
            layers.y[static_cast<std::size_t>(y)].add(z, z, low, high);
            layers.z[static_cast<std::size_t>(z)].add(y, y, low, high);
            for (std::uint64_t rest = row; rest != 0; rest &= rest - 1) {
                layers.x[static_cast<std::size_t>(lowest_bit(rest))].add(y, y, z, z);
            }
        }
    }
    return layers;
}

/// What a cut costs, the first first.
struct CutCost {
    std::int64_t volume = INT64_MAX;
    std::int32_t less_bare = 0;
    std::int32_t uneven = 0;

    friend auto operator<=>(const CutCost&, const CutCost&) = default;
};

/// The best cut between the layers `first` .. `last`; returns its cost.
CutCost cut_layers(const LayerRanges& layers, const BareFaces& bare, std::int32_t first,
                   std::int32_t last, std::int32_t& last_low) {
    std::array<std::int64_t, kPieceSizeMax> above{};  // volume from this layer on
    LayerRange range;
    for (std::int32_t i = last; i > first; --i) {
        range.add(layers[static_cast<std::size_t>(i)]);
        above[static_cast<std::size_t>(i)] = std::int64_t{last - i + 1} * range.area();
    }
    CutCost best;
    range = {};
    for (std::int32_t i = first; i < last; ++i) {
        range.add(layers[static_cast<std::size_t>(i)]);
        const CutCost cost{
            std::int64_t{i - first + 1} * range.area() + above[static_cast<std::size_t>(i + 1)],
            -bare[static_cast<std::size_t>(i)], std::abs(first + last - 1 - 2 * i)};
        if (cost < best) {
            best = cost;
            last_low = i;
        }
    }
    return best;
}

}  // namespace

FilledRows filled_rows(const VoxelPiece& piece) {
    const VoxelCoord& size = piece.size;
    FilledRows filled{size, {}};
    filled.rows.resize(filled.index(size.y, size.z) + 1);
    std::size_t i = 0;
    for (std::int32_t y = 0; y < size.y; ++y) {
        for (std::int32_t z = 0; z < size.z; ++z) {
            std::uint64_t row = 0;
            for (std::int32_t x = 0; x < size.x; ++x, ++i) {
                row |= std::uint64_t{is_core(piece.voxels[i])} << x;
            }
            filled.row(y, z) = row;
        }
    }
    fill_hollows(filled);
    return filled;
}

std::vector<VoxelCoord> hollows_beside(const FilledRows& filled, const VoxelPiece& piece,
                                       std::uint8_t occupancy_below) {
    std::vector<VoxelCoord> hollows;
    const std::uint64_t inside = bits_between(0, piece.size.x - 1);
    for (std::int32_t y = 0; y < piece.size.y; ++y) {
        for (std::int32_t z = 0; z < piece.size.z; ++z) {
            const std::uint64_t row = filled.row(y, z);
            std::uint64_t beside = (row << 1) | (row >> 1) | filled.row(y - 1, z) |
                                   filled.row(y + 1, z) | filled.row(y, z - 1) |
                                   filled.row(y, z + 1);
            beside &= ~row & inside;
            for (; beside != 0; beside &= beside - 1) {
                const VoxelCoord v{lowest_bit(beside), y, z};
                if (piece.voxels[index_in_piece(piece, v)].occupancy < occupancy_below) {
                    hollows.push_back(v);
                }
            }
        }
    }
    return hollows;
}

std::uint8_t filled_corners(const FilledRows& filled, const VoxelCoord& cell) {
    const auto pair_of = [&](std::int32_t y, std::int32_t z) -> std::uint64_t {
        const std::uint64_t row = filled.row(y, z);
        return (cell.x < 0 ? row << 1 : row >> cell.x) & 3U;
    };
    return static_cast<std::uint8_t>(pair_of(cell.y, cell.z) | (pair_of(cell.y, cell.z + 1) << 2) |
                                     (pair_of(cell.y + 1, cell.z) << 4) |
                                     (pair_of(cell.y + 1, cell.z + 1) << 6));
}

VoxelBox tight_box(const FilledRows& filled, const VoxelBox& box) {
    VoxelBox tight;
    const std::uint64_t in_box = bits_between(box.min.x, box.max.x);
    for (std::int32_t y = box.min.y; y <= box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z <= box.max.z; ++z) {
            if (const std::uint64_t row = filled.row(y, z) & in_box; row != 0) {
                tight = merge(tight, {{lowest_bit(row), y, z}, {highest_bit(row), y, z}});
            }
        }
    }
    return tight;
}

BoxCut best_cut(const FilledRows& filled, const VoxelBox& box) {
    const BoxLayers layers = layers_of(filled, box);
    BoxCut cut;
    CutCost least;
    const auto try_axis = [&](std::int32_t VoxelCoord::* axis, const LayerRanges& ranges,
                              const BareFaces& bare) {
        std::int32_t last_low = 0;
        const CutCost cost = cut_layers(ranges, bare, box.min.*axis, box.max.*axis, last_low);
        if (cost < least) {
            least = cost;
            cut.axis = axis;
            cut.last_low = last_low;
        }
    };
    try_axis(&VoxelCoord::x, layers.x, layers.bare_x);
    try_axis(&VoxelCoord::z, layers.z, layers.bare_z);
    try_axis(&VoxelCoord::y, layers.y, layers.bare_y);
    if (cut.axis != nullptr) {
        cut.low = box;
        cut.low.max.*cut.axis = cut.last_low;
        cut.low = tight_box(filled, cut.low);
        cut.high = box;
        cut.high.min.*cut.axis = cut.last_low + 1;
        cut.high = tight_box(filled, cut.high);
    }
    return cut;
}

}  // namespace terrane
