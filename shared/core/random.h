// Seeded random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood,
// "Fast Splittable Pseudorandom Number Generators", 2014). Integers only, so that generator,
// bots and tests replay bit for bit; never seeded from a clock inside the simulation.
#pragma once

#include <cstdint>

namespace terrane {

/// Mixes 64 bits into 64 well spread bits; also a good hash of a key.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    x ^= x >> 31;
    return x;
}

struct Random {
    std::uint64_t state = 0;

    explicit constexpr Random(std::uint64_t seed) : state(seed) {}

    constexpr std::uint64_t next() {
        state += 0x9e3779b97f4a7c15ULL;
        return mix_bits(state);
    }

    /// Uniform in [0, bound); bound > 0. The bias is below bound / 2^32.
    constexpr std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

    /// Uniform in [low, high], both included.
    constexpr std::int32_t between(std::int32_t low, std::int32_t high) {
        const auto span = static_cast<std::uint32_t>(high - low) + 1U;
        return low + static_cast<std::int32_t>(below(span));
    }

    /// Uniform in [0, 1), 24 bits: exact in a float.
    constexpr float unit() { return static_cast<float>(next() >> 40) * (1.0F / 16777216.0F); }

    /// Uniform in [low, high).
    constexpr float range(float low, float high) { return low + (high - low) * unit(); }
};

}  // namespace terrane
