// A box in two registers: lanes 0 to 2 are x, y, z. Builders sweep over many boxes; the compiler
// keeps each side in one register by its vector extension, with the same bits on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "shared/math/aabb.h"

namespace terrane {

using Lane4 = float __attribute__((vector_size(16)));
using Mask4 = std::int32_t __attribute__((vector_size(16)));

inline Lane4 low4(Lane4 a, Lane4 b) {
    return a < b ? a : b;
}
inline Lane4 high4(Lane4 a, Lane4 b) {
    return a > b ? a : b;
}

inline Lane4 load4(const float* from) {
    Lane4 lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
inline Lane4 spread4(float value) {
    return Lane4{value, value, value, value};
}

/// Bit i: lane i of a comparison is true.
inline std::uint32_t bits4(Mask4 lanes) {
#ifdef __SSE__
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps(std::bit_cast<Lane4>(lanes)));
#else
    const Mask4 bits = lanes & Mask4{1, 2, 4, 8};
    return static_cast<std::uint32_t>(bits[0] | bits[1] | bits[2] | bits[3]);
#endif
}

struct LaneBox {
    Lane4 low{kFar, kFar, kFar, kFar};
    Lane4 high{-kFar, -kFar, -kFar, -kFar};

    static constexpr float kFar = std::numeric_limits<float>::infinity();

    void add(const LaneBox& box) {
        low = low4(low, box.low);
        high = high4(high, box.high);
    }
    void add(Lane4 point) {
        low = low4(low, point);
        high = high4(high, point);
    }
};

inline Aabb to_aabb(const LaneBox& box) {
    return {{box.low[0], box.low[1], box.low[2]}, {box.high[0], box.high[1], box.high[2]}};
}
/// Half of a box's surface, which orders as well as the whole; 0 for an empty one.
inline float half_area_m2(const LaneBox& box) {
    const Lane4 side = box.high - box.low;
    return side[0] < 0.0F ? 0.0F : side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

/// An object while it is built: its box, and its index in the fourth lane of `low`, as the bits of
/// an ordinary float: a denormal would slow every sum down.
struct BuildObject {
    LaneBox box;

    static constexpr std::uint32_t kOne = 0x3F800000U;
    static constexpr std::uint32_t kIndexMax = 0x3FFFFFFFU;

    static BuildObject of(const Aabb& box, std::uint32_t index) {
        BuildObject object;
        object.box.low = Lane4{box.min.x, box.min.y, box.min.z, std::bit_cast<float>(kOne + index)};
        object.box.high = Lane4{box.max.x, box.max.y, box.max.z, 0.0F};
        return object;
    }
    std::uint32_t index() const { return std::bit_cast<std::uint32_t>(float{box.low[3]}) - kOne; }
    /// Twice the box's centre.
    Lane4 centre2() const { return box.low + box.high; }
};

}  // namespace terrane
