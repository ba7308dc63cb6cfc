// How a flat collider's bytes are laid out, and reading quads from them. Private to the room: the
// collider's builder and its queries.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "shared/shape/float4.h"
#include "shared/terrain/flat_collider.h"

namespace terrane {

static_assert(std::endian::native == std::endian::little, "vertices are read as words");

using Short8 = std::int16_t __attribute__((vector_size(16)));
using Short4 = std::int16_t __attribute__((vector_size(8)));
using Word2 = std::uint64_t __attribute__((vector_size(16)));

inline constexpr std::size_t kVertexBytes = 7;
inline constexpr std::size_t kVerticesMax = 729;  ///< one for each of 9^3 cells
inline constexpr std::int32_t kUnits = 256;       ///< a metre
inline constexpr std::int32_t kUnitShift = 4;     ///< 16 units to a step of the scan
inline constexpr std::int32_t kStepsPerMetre = 16;
inline constexpr std::int32_t kHalfVoxel = kUnits / 2;

/// Where the parts of a collider's one block of bytes begin.
struct Layout {
    std::size_t groups;
    std::size_t corners;
    std::size_t swapped;
    std::size_t vertices;
    std::size_t size;
    bool is_wide;  ///< corners are u16

    Layout(std::size_t quads, std::size_t vertex_count) {
        const std::size_t group_count = (quads + kScanGroup - 1) / kScanGroup;
        is_wide = vertex_count > 256;
        groups = 6 * quads;
        corners = groups + 6 * group_count;
        swapped = corners + 4 * quads * (is_wide ? 2 : 1);
        vertices = swapped + (quads + 7) / 8;
        // A vertex is read as a word; rows are read beyond their ends.
        size = std::max(vertices + kVertexBytes * vertex_count + 1, corners + kScanOverread);
    }
};

/// Reads quads out of a collider's bytes.
class QuadReader {
  public:
    explicit QuadReader(const FlatCollider& collider)
        : layout_(collider.quad_count, collider.vertex_count), bytes_(collider.bytes.get()) {}

    ScanRows rows(const FlatCollider& collider) const {
        return {bytes_, bytes_ + layout_.groups, collider.quad_count};
    }
    /// Its corners as words: x, y, z, and the material with a byte of the next vertex above it.
    std::array<std::uint64_t, 4> corners(std::uint32_t quad) const {
        std::array<std::uint64_t, 4> words;
        const std::uint8_t* at = bytes_ + layout_.corners;
        for (std::size_t i = 0; i < 4; ++i) {
            std::uint16_t index = 0;
            if (layout_.is_wide) {
                std::memcpy(&index, at + 2 * (4 * std::size_t{quad} + i), sizeof index);
            } else {
                index = at[4 * std::size_t{quad} + i];
            }
            std::memcpy(&words[i], bytes_ + layout_.vertices + kVertexBytes * index, 8);
        }
        return words;
    }
    /// 1 if the quad's second triangle has the smaller number.
    std::uint32_t swapped(std::uint32_t quad) const {
        return (bytes_[layout_.swapped + quad / 8] >> (quad % 8)) & 1U;
    }

  private:
    Layout layout_;
    const std::uint8_t* bytes_;
};

/// The collider's space to zone space. Exact: zones end before units are lost.
class Placement {
  public:
    explicit Placement(const BrickCoord& brick) {
        const VoxelCoord origin = origin_of(brick);
        shift_ = Int4{origin.x * kUnits - kHalfVoxel, origin.y * kUnits - kHalfVoxel,
                      origin.z * kUnits - kHalfVoxel, 0};
    }
    Vec3 place(std::uint64_t vertex) const {
        const Int4 units = __builtin_convertvector(std::bit_cast<Short4>(vertex), Int4) + shift_;
        const Float4 metres =
            __builtin_convertvector(units, Float4) * spread(1.0F / static_cast<float>(kUnits));
        return {metres[0], metres[1], metres[2]};
    }
    std::int32_t shift(std::size_t axis) const { return shift_[axis]; }

  private:
    Int4 shift_;
};

inline MaterialId material_at(std::uint64_t vertex) {
    return static_cast<MaterialId>(vertex >> 48);
}

}  // namespace terrane
