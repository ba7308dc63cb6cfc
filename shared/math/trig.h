// Sine and cosine with + - * / only, so that every machine gets the same bits (libm differs between
// versions). Angles are integers, 65536 steps a turn, as controls and schemas carry them: wrapping
// round is free and exact. The quadrant is taken from the top bits, the rest is a Taylor polynomial
// in double on [0, pi / 4]; the result is rounded to float once. Error below 1e-7.
#pragma once

#include <cstdint>

#include "shared/math/vec.h"

namespace terrane {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr std::int16_t kQuarterTurn = 16384;

struct SineCosine {
    float sine = 0.0F;
    float cosine = 1.0F;
};

/// Of `turn` / 65536 of a whole turn.
SineCosine sine_cosine(std::uint16_t turn);
/// Of `turn` / 2^32 of a whole turn: for half angles and small steps.
SineCosine fine_sine_cosine(std::uint32_t turn);

/// Rotation about the unit vector `axis`, counter-clockwise seen from its tip.
Quat rotation_about(const Vec3& axis, std::uint16_t turn);
/// First pitch about +X, then yaw about +Y: a player's body and eye. Pitch is clamped to a quarter.
Quat rotation_of_view(std::uint16_t yaw, std::int16_t pitch);
/// Unit vector of sight: yaw 0 looks along -Z and grows to the left, pitch grows upward and is
/// clamped to a quarter turn either way.
Vec3 direction_of_view(std::uint16_t yaw, std::int16_t pitch);

}  // namespace terrane
