#include "shared/protocol/transform_codec.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace terrane {
namespace {

constexpr float kSqrtHalf = 0.70710678F;
constexpr int kRotationSteps = 511;  // to each side of 0
constexpr std::uint32_t kRotationBits = 10;
constexpr std::uint32_t kRotationMask = (1U << kRotationBits) - 1U;

std::int32_t quantise_axis(float metres) {
    // Written so that a comparison with NaN ends at the lower limit.
    const float clamped =
        metres > -kPositionMaxM ? std::min(metres, kPositionMaxM) : -kPositionMaxM;
    return static_cast<std::int32_t>(std::floor(clamped * kPositionUnitsPerM + 0.5F));
}

std::uint32_t quantise_component(float value) {
    const float scaled = value / kSqrtHalf * static_cast<float>(kRotationSteps);
    const int steps = static_cast<int>(std::floor(scaled + 0.5F));
    return static_cast<std::uint32_t>(std::clamp(steps, -kRotationSteps, kRotationSteps) +
                                      kRotationSteps);
}

float restore_component(std::uint32_t bits) {
    const int steps =
        std::min(static_cast<int>(bits & kRotationMask) - kRotationSteps, kRotationSteps);
    return static_cast<float>(steps) / static_cast<float>(kRotationSteps) * kSqrtHalf;
}

}  // namespace

QuantisedPosition quantise_position(const Vec3& position_m) {
    return {quantise_axis(position_m.x), quantise_axis(position_m.y), quantise_axis(position_m.z)};
}

Vec3 restore_position(const QuantisedPosition& position) {
    return Vec3{static_cast<float>(position.x), static_cast<float>(position.y),
                static_cast<float>(position.z)} /
           kPositionUnitsPerM;
}

std::uint32_t quantise_rotation(const Quat& rotation) {
    std::array<float, 4> c{rotation.x, rotation.y, rotation.z, rotation.w};
    const float length = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
    if (!(length > 0.0F) || !std::isfinite(length)) {
        c = {0.0F, 0.0F, 0.0F, 1.0F};
    } else {
        for (float& component : c) {
            component /= length;
        }
    }
    // Ties keep w, then the higher index: upright bodies stay in one representation.
    std::size_t largest = 3;
    for (std::size_t i = 3; i-- > 0;) {
        if (std::fabs(c[i]) > std::fabs(c[largest])) {
            largest = i;
        }
    }
    const float sign = c[largest] < 0.0F ? -1.0F : 1.0F;
    auto bits = static_cast<std::uint32_t>(largest);
    for (std::size_t i = 0; i < 4; ++i) {
        if (i != largest) {
            bits = (bits << kRotationBits) | quantise_component(sign * c[i]);
        }
    }
    return bits;
}

Quat restore_rotation(std::uint32_t bits) {
    const std::size_t largest = bits >> (3 * kRotationBits);
    std::array<float, 4> c{};
    std::uint32_t shift = 3 * kRotationBits;
    float sum = 0.0F;
    for (std::size_t i = 0; i < 4; ++i) {
        if (i != largest) {
            shift -= kRotationBits;
            c[i] = restore_component(bits >> shift);
            sum += c[i] * c[i];
        }
    }
    // Bits that no encoder makes can sum to 1.5; then the dropped one is 0 and the rest is scaled.
    c[largest] = std::sqrt(std::max(0.0F, 1.0F - sum));
    const float length = std::sqrt(sum + c[largest] * c[largest]);
    return {c[3] / length, c[0] / length, c[1] / length, c[2] / length};
}

}  // namespace terrane
