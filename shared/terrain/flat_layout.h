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

inline Short8 min8(Short8 a, Short8 b) {
    return a < b ? a : b;
}
inline Short8 max8(Short8 a, Short8 b) {
    return a > b ? a : b;
}
inline Short8 pair(std::uint64_t low, std::uint64_t high) {
    return std::bit_cast<Short8>(Word2{low, high});
}

/// What a collider is packed from.
struct FlatParts {
    struct Quad {
        std::array<std::uint16_t, 4> index;  ///< triangles (0, 1, 2) and (0, 2, 3)
        bool is_swapped;                     ///< the second one comes first
    };
    std::size_t vertex_count = 0;
    std::size_t quad_count = 0;
    /// x, y, z in 16 bits each, above them the material. Three more for what is made by fours.
    std::array<std::uint64_t, kVerticesMax + 3> vertices;
    std::array<Quad, kScanQuadsMax> quads;
};

/// Replaces `collider`.
void pack_flat(const FlatParts& parts, const FlatScan& scan, FlatCollider& collider);

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
        const std::uint8_t* at = bytes_ + layout_.corners;
        if (layout_.is_wide) {
            std::uint64_t indices = 0;
            std::memcpy(&indices, at + 8 * std::size_t{quad}, sizeof indices);
            return {vertex(indices & 0xffffU), vertex((indices >> 16) & 0xffffU),
                    vertex((indices >> 32) & 0xffffU), vertex(indices >> 48)};
        }
        std::uint32_t indices = 0;
        std::memcpy(&indices, at + 4 * std::size_t{quad}, sizeof indices);
        return {vertex(indices & 0xffU), vertex((indices >> 8) & 0xffU),
                vertex((indices >> 16) & 0xffU), vertex(indices >> 24)};
    }
    /// 1 if the quad's second triangle has the smaller number.
    std::uint32_t swapped(std::uint32_t quad) const {
        return (bytes_[layout_.swapped + quad / 8] >> (quad % 8)) & 1U;
    }
    /// The same for quads 64 `word` and on, a bit each; what stands behind the last one is not 0.
    std::uint64_t swapped_word(std::uint32_t word) const {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes_ + layout_.swapped + 8 * std::size_t{word}, sizeof bits);
        return bits;
    }

  private:
    std::uint64_t vertex(std::uint64_t index) const {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes_ + layout_.vertices + kVertexBytes * index, sizeof word);
        return word;
    }

    Layout layout_;
    const std::uint8_t* bytes_;
};

/// x, y, z of a vertex, and a lane that means nothing. They are not negative, so zeros in between
/// widen them: one instruction where a conversion with sign takes five.
inline Int4 units_of(std::uint64_t vertex) {
    const auto shorts = std::bit_cast<Short8>(Word2{vertex, 0});
    return std::bit_cast<Int4>(__builtin_shufflevector(shorts, Short8{}, 0, 8, 1, 9, 2, 10, 3, 11));
}

/// The collider's space to zone space. Exact: zones end before units are lost.
class Placement {
  public:
    explicit Placement(const BrickCoord& brick) {
        const VoxelCoord origin = origin_of(brick);
        shift_ = Int4{origin.x * kUnits - kHalfVoxel, origin.y * kUnits - kHalfVoxel,
                      origin.z * kUnits - kHalfVoxel, 0};
    }
    /// Metres; the last lane means nothing.
    Float4 place(std::uint64_t vertex) const {
        return __builtin_convertvector(units_of(vertex) + shift_, Float4) *
               spread(1.0F / static_cast<float>(kUnits));
    }
    std::int32_t shift(std::size_t axis) const { return shift_[axis]; }

  private:
    Int4 shift_;
};

inline Vec3 to_vec(Float4 v) {
    return {v[0], v[1], v[2]};
}
inline MaterialId material_at(std::uint64_t vertex) {
    return static_cast<MaterialId>(vertex >> 48);
}

}  // namespace terrane
