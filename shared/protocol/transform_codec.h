// Poses as they cross the wire: 16 bytes a node. Server and client quantise with the same code, so
// that both know the same pose.
//   position   1/256 m in int32 each, rounded to nearest, clamped to +-kPositionMaxM: error at most
//              1/512 m on an axis
//   rotation   "smallest three" (Gaffer on Games, "Snapshot Compression"): the component of largest
//              magnitude is dropped, made positive by negating the quaternion, and recovered from
//              unit length; the others lie within +-1/sqrt(2) and have 10 bits each, 511 = 0, so
//              that no rotation is exact. Error below 0.25 degrees.
//
//   31 30 29      20 19      10 9        0
//   +----+----------+----------+----------+     index: 0 x, 1 y, 2 z, 3 w is the dropped one
//   |index|  first  |  second  |  third   |     first..third: the others in the order x y z w
//   +----+----------+----------+----------+
#pragma once

#include <cstdint>

#include "shared/math/vec.h"
#include "shared/protocol/limits.h"

namespace terrane {

inline constexpr float kPositionUnitsPerM = 256.0F;

struct QuantisedPosition {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    friend bool operator==(const QuantisedPosition&, const QuantisedPosition&) = default;
};

/// Not a number counts as the lower limit.
QuantisedPosition quantise_position(const Vec3& position_m);
Vec3 restore_position(const QuantisedPosition& position);

/// `rotation` need not be of unit length; zero and not finite count as no rotation.
std::uint32_t quantise_rotation(const Quat& rotation);
/// Any 32 bits give a finite unit quaternion.
Quat restore_rotation(std::uint32_t bits);

}  // namespace terrane
