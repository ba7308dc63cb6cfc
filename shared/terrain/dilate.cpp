// Dilation by one voxel in all 26 directions, in two ways that must agree: from the kept words of
// 27 bricks, and, as the article does it, from a box of 10^3 voxels.
#include <array>
#include <bit>
#include <cstring>

#include "shared/terrain/terrain_masks.h"

namespace terrane {
namespace {

static_assert(std::endian::native == std::endian::little, "rows of bytes are read as words");

constexpr std::uint64_t kLowColumn = 0x0101010101010101ULL;   ///< x = 0 of every row
constexpr std::uint64_t kHighColumn = 0x8080808080808080ULL;  ///< x = 7
constexpr std::size_t kSlices = kBrickSize + 2;

/// Dilates along X: bits pass between the words of neighbours in X through the end columns.
std::uint64_t dilate_x(std::uint64_t low, std::uint64_t middle, std::uint64_t high) {
    return middle | ((middle & ~kHighColumn) << 1) | ((middle & ~kLowColumn) >> 1) |
           ((low & kHighColumn) >> 7) | ((high & kLowColumn) << 7);
}

constexpr std::size_t kRows = 100;  ///< of a 10^3 box, (y + 1) * 10 + z + 1
using BoxRows = std::array<std::uint32_t, kRows>;

/// ORs each row with its two neighbours along X, in place: the article's first pass.
void dilate_rows(BoxRows& rows) {
    for (std::uint32_t& row : rows) {
        row |= (row << 1) | (row >> 1);  // 10 bits in 32: nothing is lost at either end
    }
}

BrickWords pack_rows(const BoxRows& rows) {
    BrickWords words{};
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        for (std::size_t z = 0; z < kBrickSize; ++z) {
            std::uint32_t row = 0;
            for (std::size_t dy = 0; dy < 3; ++dy) {
                for (std::size_t dz = 0; dz < 3; ++dz) {
                    row |= rows[(y + dy) * 10 + z + dz];
                }
            }
            words[y] |= static_cast<std::uint64_t>((row >> 1) & 0xffU) << (8 * z);
        }
    }
    return words;
}

}  // namespace

BrickWords dilate_words(const BrickNeighbours& neighbours) {
    // Slice by slice, from the one below the brick to the one above it: nine words each.
    std::array<std::array<std::uint64_t, kSlices>, 9> columns;
    for (std::size_t column = 0; column < 9; ++column) {
        columns[column][0] = (*neighbours[column])[kBrickSize - 1];
        std::memcpy(&columns[column][1], neighbours[9 + column]->data(), sizeof(BrickWords));
        columns[column][kSlices - 1] = (*neighbours[18 + column])[0];
    }
    std::array<std::uint64_t, kSlices> flat;
    for (std::size_t y = 0; y < kSlices; ++y) {
        const std::uint64_t before = dilate_x(columns[0][y], columns[1][y], columns[2][y]);
        const std::uint64_t middle = dilate_x(columns[3][y], columns[4][y], columns[5][y]);
        const std::uint64_t after = dilate_x(columns[6][y], columns[7][y], columns[8][y]);
        flat[y] = middle | (middle << 8) | (middle >> 8) | (before >> 56) | (after << 56);
    }
    BrickWords dilated;
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        dilated[y] = flat[y] | flat[y + 1] | flat[y + 2];
    }
    return dilated;
}

BrickMask dilate_box(const BrickBox& box) {
    BoxRows solid;
    BoxRows water;
    for (std::size_t row = 0; row < kRows; ++row) {
        std::uint32_t solid_row = 0;
        std::uint32_t water_row = 0;
        for (std::size_t x = 0; x < 10; ++x) {
            const Voxel voxel{box.material[row * 10 + x], box.occupancy[row * 10 + x]};
            solid_row |= (is_solid(voxel) ? 1U : 0U) << x;
            water_row |= (is_water(voxel) ? 1U : 0U) << x;
        }
        solid[row] = solid_row;
        water[row] = water_row;
    }
    dilate_rows(solid);
    dilate_rows(water);
    return {pack_rows(solid), pack_rows(water)};
}

std::uint64_t rectangle_mask(int min_x, int max_x, int min_z, int max_z) {
    struct Tables {
        std::array<std::array<std::uint64_t, 8>, 8> x{};
        std::array<std::array<std::uint64_t, 8>, 8> z{};
    };
    static constexpr Tables kTables = [] {
        Tables tables;
        for (unsigned low = 0; low < 8; ++low) {
            for (unsigned high = low; high < 8; ++high) {
                for (unsigned i = low; i <= high; ++i) {
                    tables.x[low][high] |= kLowColumn << i;
                    tables.z[low][high] |= std::uint64_t{0xff} << (8 * i);
                }
            }
        }
        return tables;
    }();
    return kTables.x[static_cast<std::size_t>(min_x)][static_cast<std::size_t>(max_x)] &
           kTables.z[static_cast<std::size_t>(min_z)][static_cast<std::size_t>(max_z)];
}

}  // namespace terrane
