// Four floats that the compiler keeps in one register, by its vector extension: SSE2 on x86-64,
// NEON on ARM, plain code elsewhere, the same bits everywhere. The fourth lane of a point is 0.
#pragma once

#include <cstdint>
#include <cstring>

#include "shared/math/vec.h"

namespace terrane {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));

inline Float4 min4(Float4 a, Float4 b) {
    return a < b ? a : b;
}
inline Float4 max4(Float4 a, Float4 b) {
    return a > b ? a : b;
}
inline Float4 load(const Vec3& v) {
    return Float4{v.x, v.y, v.z, 0.0F};
}
inline Float4 spread(float value) {
    return Float4{value, value, value, value};
}
/// Is a lane of a comparison's result true?
inline bool is_any(Int4 lanes) {
    std::uint64_t halves[2];
    std::memcpy(halves, &lanes, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

}  // namespace terrane
