#include "shared/shape/body_kind.h"

#include "shared/math/trig.h"

namespace terrane {

float volume_m3(BodyShape shape, const Vec3& half) {
    constexpr auto kPiF = static_cast<float>(kPi);
    switch (shape) {
        case BodyShape::player:
            return 0.0F;
        case BodyShape::box:
            return 8.0F * half.x * half.y * half.z;
        case BodyShape::sphere:
            return 4.0F / 3.0F * kPiF * half.x * half.x * half.x;
        case BodyShape::cylinder:
            return kPiF * half.x * half.x * 2.0F * half.y;
    }
    return 0.0F;
}

float hull_density_kg_m3(const BodyKind& kind) {
    const float volume = volume_m3(kind);
    return volume > 0.0F ? body_mass_kg(kind) / volume : 0.0F;
}

float middle_above_foot_m(BodyShape shape, const Vec3& half) {
    return shape == BodyShape::sphere ? 0.5F * half.x : half.y;
}

}  // namespace terrane
