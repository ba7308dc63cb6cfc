// The scan under the flat collider: which quads of a brick may a box or a ray meet? No tree: the
// bounds of all quads lie in six rows of bytes, and a box is compared with 16 or 32 of them at
// once. A ray is first held against the bounds of groups of eight quads, then against the eight.
//
//   steps of 1/16 m, counted from half a voxel below the brick: 0..144
//   row   low x | low y | low z | high x | high y | high z        one byte a quad
//   a quad fills [low, high + 1) in steps
//
// A scan only leaves out: what it names is tested by a formula that all colliders share. Ids come
// ascending. Written with Highway, which picks SSE4 or AVX2 (NEON) when the program runs; the
// scalar twin gives the same answers, is what -DTERRANE_SIMD=OFF builds, and is the test's oracle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace terrane {

inline constexpr std::uint32_t kScanGroup = 8;        ///< quads
inline constexpr std::uint32_t kScanQuadsMax = 1536;  ///< each of 8^3 voxels owns up to 3
inline constexpr std::size_t kScanWords = kScanQuadsMax / 64;
/// So many bytes behind the start of the last row may be read, though not looked at.
inline constexpr std::size_t kScanOverread = 32;

/// Six rows for the quads and six for their groups. Owner: the collider.
struct ScanRows {
    const std::uint8_t* quads = nullptr;
    const std::uint8_t* groups = nullptr;
    std::uint32_t quad_count = 0;

    std::uint32_t group_count() const { return (quad_count + kScanGroup - 1) / kScanGroup; }
};

/// In steps, both ends included.
struct ScanBox {
    std::array<std::uint8_t, 3> low{};
    std::array<std::uint8_t, 3> high{};
};

/// A ray passes a quad's bounds on an axis between (row[near] + near_shift) * inverse and
/// (row[far] + far_shift) * inverse; margins for rounding are in the shifts.
struct ScanRay {
    std::array<float, 3> inverse{};
    std::array<float, 3> near_shift{};
    std::array<float, 3> far_shift{};
    std::array<std::uint8_t, 3> near_row{};
    std::array<std::uint8_t, 3> far_row{};
    float enter = 0.0F;
    float leave = 0.0F;
};

struct ScanHit {
    std::uint32_t quad;
    float enter;  ///< where the ray enters the quad's bounds; not before ScanRay::enter
};

struct FlatScan {
    /// Sets bit i of `met` (kScanWords, the words that hold quads are written) if quad i's bounds
    /// meet the box.
    void (*box)(const ScanRows& rows, const ScanBox& box, std::uint64_t* met);
    /// Writes the quads whose bounds the ray passes, ascending; room for quad_count. Returns how
    /// many.
    std::uint32_t (*ray)(const ScanRows& rows, const ScanRay& ray, ScanHit* out);
};

const FlatScan& scalar_scan();
/// The best for this processor; the scalar one if built with TERRANE_SIMD off.
const FlatScan& simd_scan();

}  // namespace terrane
