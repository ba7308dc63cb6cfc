#include "shared/shape/body_kind.h"

namespace terrane {

float volume_m3(const BodyKind& kind) {
    constexpr float kPi = 3.14159265F;
    const Vec3& half = kind.half_extents;
    switch (kind.shape) {
        case BodyShape::player:
            return 0.0F;
        case BodyShape::box:
            return 8.0F * half.x * half.y * half.z;
        case BodyShape::sphere:
            return 4.0F / 3.0F * kPi * half.x * half.x * half.x;
        case BodyShape::cylinder:
            return kPi * half.x * half.x * 2.0F * half.y;
    }
    return 0.0F;
}

}  // namespace terrane
