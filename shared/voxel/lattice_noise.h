// Gradient noise (Perlin, "Improving Noise", 2002) in fixed point: integers only, so that every
// machine makes the same terrain. Coordinates are lattice units with 16 fraction bits, values are
// about -1 .. 1 with 16 fraction bits (kNoiseOne).
#pragma once

#include <array>
#include <cstdint>

#include "shared/core/random.h"

namespace terrane {

inline constexpr std::int32_t kNoiseOne = 1 << 16;

namespace noise_detail {

/// 16 directions on the unit circle, 8 fraction bits.
inline constexpr std::array<std::array<std::int16_t, 2>, 16> kDirections2{{{256, 0},
                                                                           {237, 98},
                                                                           {181, 181},
                                                                           {98, 237},
                                                                           {0, 256},
                                                                           {-98, 237},
                                                                           {-181, 181},
                                                                           {-237, 98},
                                                                           {-256, 0},
                                                                           {-237, -98},
                                                                           {-181, -181},
                                                                           {-98, -237},
                                                                           {0, -256},
                                                                           {98, -237},
                                                                           {181, -181},
                                                                           {237, -98}}};
/// The 12 edges of a cube, 4 of them twice.
inline constexpr std::array<std::array<std::int8_t, 3>, 16> kDirections3{{{1, 1, 0},
                                                                          {-1, 1, 0},
                                                                          {1, -1, 0},
                                                                          {-1, -1, 0},
                                                                          {1, 0, 1},
                                                                          {-1, 0, 1},
                                                                          {1, 0, -1},
                                                                          {-1, 0, -1},
                                                                          {0, 1, 1},
                                                                          {0, -1, 1},
                                                                          {0, 1, -1},
                                                                          {0, -1, -1},
                                                                          {1, 1, 0},
                                                                          {-1, 1, 0},
                                                                          {0, -1, 1},
                                                                          {0, -1, -1}}};

/// 6t^5 - 15t^4 + 10t^3 for t in 0 .. 1.
constexpr std::int64_t fade(std::int64_t t) {
    const std::int64_t t2 = (t * t) >> 16;
    const std::int64_t t3 = (t2 * t) >> 16;
    return (t3 * (6 * t2 - 15 * t + std::int64_t{10} * kNoiseOne)) >> 16;
}

constexpr std::int64_t lerp(std::int64_t a, std::int64_t b, std::int64_t t) {
    return a + (((b - a) * t) >> 16);
}

constexpr std::size_t direction_at(std::uint64_t seed, std::int64_t x, std::int64_t y,
                                   std::int64_t z) {
    const std::uint64_t key = static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15ULL +
                              static_cast<std::uint64_t>(y) * 0xc2b2ae3d27d4eb4fULL +
                              static_cast<std::uint64_t>(z) * 0x165667b19e3779f9ULL;
    return static_cast<std::size_t>(mix_bits(seed + key) >> 60);
}

constexpr std::int64_t corner2(std::uint64_t seed, std::int64_t x, std::int64_t z, std::int64_t dx,
                               std::int64_t dz) {
    const auto& direction = kDirections2[direction_at(seed, x, 0, z)];
    return (direction[0] * dx + direction[1] * dz) >> 8;
}

constexpr std::int64_t corner3(std::uint64_t seed, std::int64_t x, std::int64_t y, std::int64_t z,
                               std::int64_t dx, std::int64_t dy, std::int64_t dz) {
    const auto& direction = kDirections3[direction_at(seed, x, y, z)];
    return direction[0] * dx + direction[1] * dy + direction[2] * dz;
}

}  // namespace noise_detail

constexpr std::int32_t noise2(std::uint64_t seed, std::int64_t u, std::int64_t v) {
    using namespace noise_detail;
    const std::int64_t x = u >> 16;
    const std::int64_t z = v >> 16;
    const std::int64_t fx = u & (kNoiseOne - 1);
    const std::int64_t fz = v & (kNoiseOne - 1);
    const std::int64_t tx = fade(fx);
    const std::int64_t near_row =
        lerp(corner2(seed, x, z, fx, fz), corner2(seed, x + 1, z, fx - kNoiseOne, fz), tx);
    const std::int64_t far_row =
        lerp(corner2(seed, x, z + 1, fx, fz - kNoiseOne),
             corner2(seed, x + 1, z + 1, fx - kNoiseOne, fz - kNoiseOne), tx);
    // Unit gradients in two dimensions reach 0.71: stretch to 1.
    return static_cast<std::int32_t>((lerp(near_row, far_row, fade(fz)) * 181) >> 7);
}

constexpr std::int32_t noise3(std::uint64_t seed, std::int64_t u, std::int64_t v, std::int64_t w) {
    using namespace noise_detail;
    const std::int64_t x = u >> 16;
    const std::int64_t y = v >> 16;
    const std::int64_t z = w >> 16;
    const std::int64_t fx = u & (kNoiseOne - 1);
    const std::int64_t fy = v & (kNoiseOne - 1);
    const std::int64_t fz = w & (kNoiseOne - 1);
    const std::int64_t tx = fade(fx);
    std::array<std::int64_t, 4> edges{};
    for (std::int64_t i = 0; i < 4; ++i) {
        const std::int64_t dy = i & 1;
        const std::int64_t dz = i >> 1;
        edges[static_cast<std::size_t>(i)] =
            lerp(corner3(seed, x, y + dy, z + dz, fx, fy - dy * kNoiseOne, fz - dz * kNoiseOne),
                 corner3(seed, x + 1, y + dy, z + dz, fx - kNoiseOne, fy - dy * kNoiseOne,
                         fz - dz * kNoiseOne),
                 tx);
    }
    const std::int64_t ty = fade(fy);
    return static_cast<std::int32_t>(
        lerp(lerp(edges[0], edges[1], ty), lerp(edges[2], edges[3], ty), fade(fz)));
}

}  // namespace terrane
