// Morton codes: the bits of a point's cell numbers interleaved, so that points near in space are
// near in order. A 30-bit code has 10 bits (1,024 cells) an axis, a 63-bit code 21. Both cut every
// axis into equally many cells, which wastes most bits in a flat world: there a code by length
// gives each next bit to the axis whose cells are longest (measured on a flat world of 100,000
// boxes: a tree of a quarter of the cost). Its bounds are the mean of the centres plus and minus
// four standard deviations (of what lies within, repeated while that halves an axis), and what lies
// beyond counts as at the edge and has the code's highest bit, so that it stands apart: one far
// outlier would otherwise take all the bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "shared/math/aabb.h"

namespace terrane {

/// Spreads the bits of `x`: one free bit (2D) or two (3D) above each.
constexpr std::uint64_t spread_bits_by_1(std::uint64_t x) {
    x &= 0xFFFFFFFFULL;
    x = (x | (x << 16)) & 0x0000FFFF0000FFFFULL;
    x = (x | (x << 8)) & 0x00FF00FF00FF00FFULL;
    x = (x | (x << 4)) & 0x0F0F0F0F0F0F0F0FULL;
    x = (x | (x << 2)) & 0x3333333333333333ULL;
    x = (x | (x << 1)) & 0x5555555555555555ULL;
    return x;
}
constexpr std::uint64_t spread_bits_by_2(std::uint64_t x) {
    x &= 0x1FFFFFULL;
    x = (x | (x << 32)) & 0x001F00000000FFFFULL;
    x = (x | (x << 16)) & 0x001F0000FF0000FFULL;
    x = (x | (x << 8)) & 0x100F00F00F00F00FULL;
    x = (x | (x << 4)) & 0x10C30C30C30C30C3ULL;
    x = (x | (x << 2)) & 0x1249249249249249ULL;
    return x;
}
/// x has the lowest bit. (2, 2) is binary 1100, (3, 2) is 1101.
constexpr std::uint64_t morton_2d(std::uint32_t x, std::uint32_t y) {
    return spread_bits_by_1(x) | (spread_bits_by_1(y) << 1);
}
constexpr std::uint64_t morton_3d(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return spread_bits_by_2(x) | (spread_bits_by_2(y) << 1) | (spread_bits_by_2(z) << 2);
}

enum class MortonCode : std::uint8_t {
    bits_30,    ///< 10 bits an axis
    bits_63,    ///< 21 bits an axis
    by_length,  ///< 32 bits, dealt to the axes by length; one more for outliers
};

int bit_count_of(MortonCode code);

/// Makes codes of boxes' centres. Immutable once made: any thread.
class MortonCoder {
  public:
    /// For the usable boxes of `boxes`.
    MortonCoder(std::span<const Aabb> boxes, MortonCode code);

    std::uint64_t code_of(const Aabb& box) const;

  private:
    void deal_bits(const Vec3& size);
    std::uint32_t cell_of(float place, std::size_t axis, bool& is_outlier) const;

    static constexpr int kTableBits = 11;
    static constexpr std::uint32_t kTableMask = (1U << kTableBits) - 1U;

    MortonCode code_;
    Vec3 low_{0.0F};  ///< twice the centres' bounds
    Vec3 scale_{0.0F};
    std::array<float, 3> last_cell_{};
    /// by_length: where the lower and the upper bits of an axis's cell number go.
    std::array<std::array<std::vector<std::uint32_t>, 2>, 3> spread_;
};

}  // namespace terrane
